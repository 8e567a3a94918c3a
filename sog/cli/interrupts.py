"""Ctrl-C and SIGTERM: both stop the work, and neither loses what was reached."""

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

_STOPPING = (signal.SIGINT, signal.SIGTERM)


@contextlib.contextmanager
def terminating_like_interrupting() -> Iterator[list[int]]:
    """Makes SIGTERM raise KeyboardInterrupt in its body. Yields the list of those received."""
    received: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    if not _has_signals():
        yield received
        return
    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield received
    finally:
        signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def holding_interrupts() -> Iterator[None]:
    """Lets its body finish, such as the writing of a file; an interrupt takes effect after it."""
    if not _has_signals():
        yield
        return
    held: list[int] = []
    before = {
        number: signal.signal(number, lambda number, _: held.append(number)) for number in _STOPPING
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if held:
        signal.raise_signal(held[0])


def _has_signals() -> bool:
    """Signal handlers belong to the main thread."""
    return threading.current_thread() is threading.main_thread()
