"""How large an OpenSpiel game may be, and how to keep to it.

One number bounds everything, the histories of the game: what is kept of each is bounded too.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

DEFAULT_MAX_HISTORIES: Final = 1_000_000
MAX_HISTORIES_VARIABLE: Final = "SOG_MAX_HISTORIES"
CHARACTERS_PER_HISTORY: Final = 500
"""Of infostate strings, on average: of a deep game they fill the memory before all else does."""
BYTES_PER_HISTORY: Final = 2000
"""Of memory; some 700 are usual."""
LEAST_BYTES: Final = 10**9
"""Of memory that every game may take, also while OpenSpiel sets it up."""


def read_max_histories() -> int:
    """The bound that the environment sets, else the default.

    A variable, and no parameter of the game: every command, and every worker process that makes the
    game again from its text, has it.
    """
    text = os.environ.get(MAX_HISTORIES_VARIABLE, "").strip()
    if not text:
        return DEFAULT_MAX_HISTORIES
    if not (text.isascii() and text.isdigit() and int(text) > 0):
        raise ValueError(f"{MAX_HISTORIES_VARIABLE} must be a positive integer, got {text!r}.")
    return int(text)


def bytes_allowed(max_histories: int) -> int:
    """The memory that a game may take."""
    return max(LEAST_BYTES, max_histories * BYTES_PER_HISTORY)


def too_large(what: str, max_histories: int) -> str:
    """Why a game is refused that has more than `what`, and what raises the bound."""
    gigabytes = bytes_allowed(max_histories) / 1e9
    return (
        f"it has more than {what}: too large to enumerate; {MAX_HISTORIES_VARIABLE}=N in the "
        f"environment sets the bound, now {max_histories:,} histories and {gigabytes:.3g} GB"
    )


@contextlib.contextmanager
def limited_memory(num_bytes: int) -> Iterator[None]:
    """Lets an allocation in the body that needs more than this fail with MemoryError.

    So a game that asks for all memory cannot get this process killed. Where the system cannot limit
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
