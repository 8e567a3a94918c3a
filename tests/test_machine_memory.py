"""How much memory there is."""

import ctypes
from pathlib import Path

import pytest

from sog import memory


def test_the_least_of_what_the_system_and_the_container_leave_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    assert memory.available_bytes() is None
    (tmp_path / "meminfo").write_text("MemTotal: 9000 kB\nMemAvailable: 5000 kB\n")
    assert memory.available_bytes() == 5_120_000
    (tmp_path / "memory.current").write_text("1000\n")
    (tmp_path / "memory.max").write_text("max\n")
    assert memory.available_bytes() == 5_120_000
    (tmp_path / "memory.max").write_text("4000\n")
    assert memory.available_bytes() == 3000


def test_bytes_are_told_with_three_digits() -> None:
    assert [memory.in_bytes(10**power) for power in (2, 6, 10, 22)] == [
        "100 bytes",
        "1 MB",
        "10 GB",
        "1e+07 PB",
    ]


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="of the GNU C library")
def test_memory_that_a_library_freed_is_returned() -> None:
    library, size, count = ctypes.CDLL(None), 64 * 1024, 2000
    library.malloc.restype, library.free.argtypes = ctypes.c_void_p, [ctypes.c_void_p]
    blocks = [library.malloc(size) for _ in range(count)]
    for block in blocks:
        ctypes.memset(block, 1, size)
    for block in blocks[:-1]:  # the last one keeps the heap from shrinking by itself
        library.free(block)
    before = resident_bytes()
    memory.return_unused_memory()
    assert before - resident_bytes() > count * size / 2
    library.free(blocks[-1])


def resident_bytes() -> int:
    return 4096 * int(Path("/proc/self/statm").read_text().split()[1])
