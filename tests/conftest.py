"""What every test runs under: strict shapes, two CPU devices, a compilation cache that lasts.

Set before JAX is imported and through the environment, so that processes started by tests run the
same way. Warnings are errors, see `filterwarnings` in pyproject.toml.
"""

import contextlib
import ctypes
import gc
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

CHECKOUT = Path(__file__).resolve().parents[1]

os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"
os.environ["JAX_NUM_CPU_DEVICES"] = "2"
os.environ["JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS"] = "0.1"
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(CHECKOUT / ".cache" / "jax"))

# A busy machine may be slow for a moment.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

# Tracing makes many objects and little garbage: looking for it takes a twentieth of the time by
# default.
gc.set_threshold(20_000, 10, 10)

# A shell starts what runs in its background with interrupts ignored, and that is inherited; some
# tests interrupt what they run.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="module", autouse=True)
def _forget_programs(request: pytest.FixtureRequest) -> Iterator[None]:
    """Frees compiled programs after a file once there are many: one of a search takes some 50 MB,
    and the system lets a process map 65 530 pieces of memory, of which programs on a CPU take many.

    What is free goes back to the system, which glibc does only if it is told to: what compiling
    once took would stay with the process, as holes between the little that lives on."""
    yield
    if _is_small():
        return
    import jax

    # What a file keeps for its own tests, and the programs of the last evaluations.
    for name in (request.module.__name__, "sog.evaluation.program"):
        for function in vars(sys.modules.get(name, request.module)).values():
            if hasattr(function, "cache_clear") and function.__module__ == name:
                function.cache_clear()
    jax.clear_caches()
    gc.collect()
    with contextlib.suppress(AttributeError):  # another C library
        ctypes.CDLL(None).malloc_trim(0)


@pytest.fixture(autouse=True)
def _compile_as_usual() -> Iterator[None]:
    """A command that a test ran in this process may have chosen to compile quickly."""
    yield
    if "sog.kept_programs" in sys.modules:
        sys.modules["sog.kept_programs"].compile_quickly(False)


def _is_small() -> bool:
    """Whether this process takes little memory, in few pieces; False where nobody tells."""
    try:
        pieces = Path("/proc/self/maps").read_bytes().count(b"\n")
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:  # another system
        return False
    return pieces < 10_000 and pages * os.sysconf("SC_PAGE_SIZE") < 1.5 * 2**30


def pytest_itemcollected(item: pytest.Item) -> None:
    """Takes the mark `thorough` off the cases that it is not meant for."""
    mark = item.get_closest_marker("thorough")
    if mark is None:
        return
    case = item.name.partition("[")[2]
    is_meant = any(text in case for text in mark.kwargs.get("only", ("",)))
    if not is_meant or any(text in case for text in mark.kwargs.get("but", ())):
        item.own_markers = [each for each in item.own_markers if each.name != mark.name]


@pytest.hookimpl(trylast=True)  # after tests were deselected: asking for a device starts JAX
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skips tests marked `gpu` where JAX finds none."""
    marked = [item for item in items if item.get_closest_marker("gpu")]
    if not marked:
        return
    import jax

    if jax.default_backend() != "gpu":
        for item in marked:
            item.add_marker(pytest.mark.skip(reason="JAX finds no GPU"))
