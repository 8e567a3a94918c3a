"""Bounds on the size of an OpenSpiel game.

The number of histories bounds everything, since the memory for each is bounded, too.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DEFAULT_MAX_HISTORIES: Final = 1_000_000
MAX_HISTORIES_VARIABLE: Final = "SOG_MAX_HISTORIES"
CHARACTERS_PER_HISTORY: Final = 500
"""Characters of infostate strings per history, on average; in deep games they dominate memory."""
BYTES_PER_HISTORY: Final = 2000
"""Bytes of memory per history; some 700 are usual."""
LEAST_BYTES: Final = 10**9
"""Bytes of memory that every game may use, also while OpenSpiel sets it up."""


def read_max_histories() -> int:
    """The bound set by the environment, else the default.

    An environment variable, so that it holds for every command, and for worker processes that make
    the game again from its text.
    """
    text = os.environ.get(MAX_HISTORIES_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_HISTORIES
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"{MAX_HISTORIES_VARIABLE} must be a positive integer, got {text!r}.")
    return int(text)


def bytes_allowed(max_histories: int) -> int:
    """The memory that a game may use."""
    return max(LEAST_BYTES, max_histories * BYTES_PER_HISTORY)


def too_large(what: str, max_histories: int) -> str:
    """Why a game with more than `what` is rejected, and how to raise the bound."""
    gigabytes = bytes_allowed(max_histories) / 1e9
    return (
        f"it has more than {what}: too large to enumerate; {MAX_HISTORIES_VARIABLE}=N in the "
        f"environment sets the bound, now {max_histories:,} histories and {gigabytes:.3g} GB"
    )


@contextlib.contextmanager
def limited_memory(num_bytes: int) -> Iterator[None]:
    """Makes allocations in the body beyond this raise MemoryError.

    So a game that allocates all memory cannot get this process killed. On systems that cannot limit
    a process (Windows, macOS), the body runs without a limit.
    """
    try:
        import resource

        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        before = soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    except (ImportError, OSError):
        yield
        return
    wanted = used + num_bytes
    if soft == resource.RLIM_INFINITY or wanted < soft:
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_AS, before)
