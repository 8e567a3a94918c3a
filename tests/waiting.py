"""Waiting for what threads and processes do: by an event, never by a number of seconds.

On a busy machine anything may take long. A deadline here only ends a test that would hang.
"""

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, TypeVar

_Found = TypeVar("_Found")

PATIENCE: Final = 300.0
"""Seconds: a deadline for whatever ends soon if it ends at all."""


def wait_until(
    find: Callable[[], _Found], told: Callable[[], object] = lambda: "waited in vain"
) -> _Found:
    """What `find` returns, once that is true. Fails after `PATIENCE`, with what `told` returns."""
    end = time.monotonic() + PATIENCE
    while not (found := find()):
        assert time.monotonic() < end, told()
        time.sleep(0.02)
    return found


def has_computed(process: int, seconds: float) -> bool:
    """Whether a process has had so many seconds of a processor, however busy that is."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return int(fields[11]) + int(fields[12]) >= 100 * seconds  # user and system time, in ticks
