"""Ctrl-C and SIGTERM: both stop the work, and neither loses what was reached."""

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Final

_STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
_SECONDS_UNTIL_AGAIN: Final = 0.05


@contextlib.contextmanager
def terminating_like_interrupting() -> Iterator[list[int]]:
    """Makes SIGTERM raise KeyboardInterrupt in its body. Yields the list of those received.

    None is lost, as Python loses exceptions that are raised in a finalizer or a callback of the
    garbage collector, of which JAX has one.
    """
    received: list[int] = []
    if not _has_signals():
        yield received
        return
    report_unraisable = sys.unraisablehook
    main_thread = threading.get_ident()
    timers: list[threading.Timer] = []

    def interrupt_again(lost: "sys.UnraisableHookArgs") -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            # Later and from another thread, for what is raised here is lost as well; by a signal,
            # which wakes a thread that waits (`_thread.interrupt_main` does not).
            arguments = (main_thread, signal.SIGINT)
            timers.append(threading.Timer(_SECONDS_UNTIL_AGAIN, signal.pthread_kill, arguments))
            timers[-1].start()
        else:
            report_unraisable(lost)

    def interrupt(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    sys.unraisablehook = interrupt_again
    try:
        yield received
    finally:
        for timer in timers:
            timer.cancel()
        sys.unraisablehook = report_unraisable
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
