"""This machine's available memory, and checks against it.

XLA aborts the process if it cannot allocate, and the system kills one that takes too much, so sizes
that cannot fit are rejected in advance.
"""

import ctypes
import math
import sys
from pathlib import Path
from typing import Any, Final

import jax

_MEMINFO: Final = Path("/proc/meminfo")
_CGROUP: Final = Path("/sys/fs/cgroup")
_UNITS: Final = ("bytes", "kB", "MB", "GB", "TB", "PB")


def check_memory(parts: dict[str, int], most: int | None = None) -> None:
    """Raises ValueError if this machine lacks the memory for all parts; names the largest.

    most: another limit in bytes.
    """
    there, needed = available_bytes(), sum(parts.values())
    if most is not None and needed > most:
        name = max(parts, key=lambda part: parts[part])
        raise ValueError(
            f"it would take {in_bytes(needed)} of memory, most of it for {name}; "
            f"{in_bytes(most)} may be used."
        )
    if there is None or needed <= there:
        return
    name = max(parts, key=lambda part: parts[part])
    others = "" if parts[name] > there else f" ({in_bytes(needed)} with everything else)"
    raise ValueError(
        f"{name} would take {in_bytes(parts[name])} of memory{others}; there are {in_bytes(there)}."
    )


def available_bytes() -> int | None:
    """The memory that is available to this process, if known.

    That of the accelerator, if JAX uses one; else what Linux or a container has left.
    """
    statistics = jax.local_devices()[0].memory_stats()
    if statistics and "bytes_limit" in statistics:
        return int(statistics["bytes_limit"])
    known = [amount for amount in (_left_on_linux(), _left_in_container()) if amount is not None]
    return min(known, default=None)


def _left_on_linux() -> int | None:
    try:
        lines = dict(line.split(":", 1) for line in _MEMINFO.read_text().splitlines())
        return 1024 * int(lines["MemAvailable"].split()[0])
    except (OSError, ValueError, KeyError):
        return None


def _left_in_container() -> int | None:
    try:
        most = int((_CGROUP / "memory.max").read_text())
        return max(most - int((_CGROUP / "memory.current").read_text()), 0)
    except (OSError, ValueError):  # no such file, or the limit is "max"
        return None


def return_unused_memory() -> None:
    """Returns freed memory to the system, where the C library keeps it: XLA's compiler frees
    hundreds of megabytes."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)


def in_bytes(amount: float) -> str:
    """As text: 23.1 GB."""
    unit = 0
    while amount >= 1000 and unit < len(_UNITS) - 1:
        amount, unit = amount / 1000, unit + 1
    return f"{amount:.3g} {_UNITS[unit]}"


def bytes_of(tree: Any) -> int:
    """The size of arrays, or of `jax.ShapeDtypeStruct`s."""
    leaves = jax.tree.leaves(tree)
    return sum(leaf.dtype.itemsize * math.prod(leaf.shape) for leaf in leaves)
