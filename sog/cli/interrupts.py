"""Ctrl-C and SIGTERM: both end a command within two seconds, and neither loses results so far.

The first signal raises KeyboardInterrupt, and the command reports its results so far. But Python
raises it in the main thread only, and not while that compiles or computes in JAX, which can take
minutes. So a second thread listens: the system wakes it at once (`signal.set_wakeup_fd`). If the
main thread does not finish in time, the second thread reports the same results and ends the
process. A second Ctrl-C ends the process immediately.
"""

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from types import FrameType
from typing import Final, NoReturn

from sog.child_processes import kill_children

STOPPING: Final = (signal.SIGINT, signal.SIGTERM)
_PATIENCE_SECONDS: Final = 1.0
"""How long the main thread may take to finish."""
_SAME_PRESS_SECONDS: Final = 0.1
"""A parent process may forward a Ctrl-C that the terminal has also sent to us."""
_SECONDS_UNTIL_AGAIN: Final = 0.05
_LAST_SECONDS: Final = 0.3
_STOP_LISTENING: Final = 0  # no signal has this number


class Concluded(KeyboardInterrupt):
    """The command was interrupted and has reported it."""


class _Interrupts:
    """The signals received, and how to react to them."""

    def __init__(self) -> None:
        self.received: list[int] = []
        self.conclude: Callable[[], None] = _say_interrupted
        self.awaits: Callable[[], str] = str  # nothing
        self.restore: list[Callable[[], None]] = []
        """Callbacks that restore the terminal."""
        self._ending = threading.RLock()  # kept for good by the thread that ends the process
        self._num_holds = 0
        self._was_raised = False
        self._num_sent = 0  # by ourselves, and not read by the listener yet
        self._main_thread = threading.get_ident()
        self._num_imports = _imports_under_way()
        self._timers: list[threading.Timer] = []

    @contextlib.contextmanager
    def hold(self) -> Iterator[None]:
        """See `holding_interrupts`."""
        self._num_holds += 1
        try:
            with self._ending:
                yield
        finally:
            self._num_holds -= 1
        if self.received:
            self._raise_once()

    # Called in the main thread.

    def handle(self, number: int, frame: FrameType | None) -> None:
        """The signal handler."""
        self.received.append(number)
        self._raise_once()

    def _raise_once(self) -> None:
        if self._num_holds or self._was_raised:
            return
        if _imports_under_way() > self._num_imports:
            # An exception would kill the process while C++ loads, or leave a module half-imported.
            self.raise_later()
            return
        self._was_raised = True
        raise KeyboardInterrupt

    def raise_later(self) -> None:
        """Lets another thread raise it; also after a KeyboardInterrupt was lost."""
        self._timers.append(threading.Timer(_SECONDS_UNTIL_AGAIN, self._raise_again))
        self._timers[-1].start()

    def raise_no_more(self) -> None:
        """Cancels what `raise_later` has scheduled."""
        for timer in self._timers:
            timer.cancel()

    def _raise_again(self) -> None:
        self._was_raised = False
        self._num_sent += 1
        # A signal wakes a waiting thread, and `_thread.interrupt_main` does not.
        signal.pthread_kill(self._main_thread, self.received[0])

    def end(self) -> None:
        """Keeps other threads from ending the process; never returns if one already does."""
        self._num_holds += 1
        self._ending.acquire()

    # Called in other threads.

    def listen(self, pipe: int) -> None:
        """Reads the numbers of signals from a pipe, until one is `_STOP_LISTENING`."""
        first = None
        while (number := os.read(pipe, 1)[0]) != _STOP_LISTENING:
            if number not in STOPPING:
                continue
            if self._num_sent:
                self._num_sent -= 1
            elif first is None:
                first = time.monotonic()
                late = threading.Timer(_PATIENCE_SECONDS, self._end_late, [number])
                late.daemon = True
                late.start()
            elif time.monotonic() - first > _SAME_PRESS_SECONDS:
                self._end_at_once(number)

    def _end_late(self, number: int) -> None:
        if awaited := self.awaits():
            print(f"sog: stopping after {awaited}; Ctrl-C again to stop at once.", file=sys.stderr)
        elif self._ending.acquire(blocking=False):  # else the main thread ends by itself
            try:
                self.restore_terminal()
                self.conclude()
                sys.stdout.flush()
            except Exception as error:  # nothing else would report it
                print(f"sog: error: {error}", file=sys.stderr)
            finally:
                _leave(number)

    def _end_at_once(self, number: int) -> NoReturn:
        def say_stopped() -> None:
            self.restore_terminal()
            print("sog: stopped at once.", file=sys.stderr)

        last = threading.Thread(
            target=say_stopped, daemon=True
        )  # may block on a terminal or a lock
        last.start()
        last.join(_LAST_SECONDS)
        _leave(number)

    def restore_terminal(self) -> None:
        """Ends live displays."""
        for restore in reversed(self.restore):
            restore()


_current: ContextVar[_Interrupts | None] = ContextVar("interrupts", default=None)


def exit_code(number: int) -> int:
    """The shell's exit code for a signal: 130 for SIGINT, 143 for SIGTERM."""
    return 128 + number


def was_interrupted() -> bool:
    """Whether a signal has come, for work that only stops at certain points."""
    current = _current.get()
    return current is not None and bool(current.received)


@contextlib.contextmanager
def listening() -> Iterator[list[int]]:
    """Handles SIGINT and SIGTERM in its body; yields the list of those received.

    Outside the main thread it does nothing: only the main thread can set handlers.
    """
    if threading.current_thread() is not threading.main_thread():
        yield []
        return
    interrupts = _Interrupts()
    token = _current.set(interrupts)
    try:
        with _handlers(interrupts), _listener(interrupts), _nothing_lost(interrupts):
            yield interrupts.received
    finally:
        interrupts.end()
        _current.reset(token)


@contextlib.contextmanager
def concluding(conclude: Callable[[], None], awaits: Callable[[], str] = str) -> Iterator[None]:
    """Calls `conclude` to report and save results so far if its body is interrupted.

    Another thread may call it while the body still waits for JAX. Then raises Concluded.
    awaits: what the process finishes first, as "this cycle"; "" if nothing.
    """
    current = _current.get()
    if current is not None:
        before = current.conclude, current.awaits
        current.conclude, current.awaits = conclude, awaits
    try:
        yield
    except KeyboardInterrupt:
        with holding_interrupts():
            if current is not None:
                current.restore_terminal()
            conclude()
        raise Concluded from None
    finally:
        if current is not None:
            current.conclude, current.awaits = before


@contextlib.contextmanager
def restoring(restore: Callable[[], None]) -> Iterator[None]:
    """Calls `restore`, perhaps from another thread, if the process ends in its body."""
    current = _current.get()
    if current is None:
        yield
        return
    current.restore.append(restore)
    try:
        yield
    finally:
        current.restore.remove(restore)


@contextlib.contextmanager
def holding_interrupts() -> Iterator[None]:
    """Delays interrupts until its body has finished, such as writing a file."""
    current = _current.get()
    with current.hold() if current is not None else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _handlers(interrupts: _Interrupts) -> Iterator[None]:
    """Sets handlers; signals that the parent ignores (a background job's SIGINT) stay ignored."""
    before = {
        number: signal.signal(number, interrupts.handle)
        for number in STOPPING
        if signal.getsignal(number) is not signal.SIG_IGN
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def _listener(interrupts: _Interrupts) -> Iterator[None]:
    to_read, to_write = os.pipe()
    os.set_blocking(to_write, False)
    thread = threading.Thread(target=interrupts.listen, args=[to_read], daemon=True)
    thread.start()
    before = signal.set_wakeup_fd(to_write, warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.write(to_write, bytes([_STOP_LISTENING]))
        thread.join()
        os.close(to_read)
        os.close(to_write)


@contextlib.contextmanager
def _nothing_lost(interrupts: _Interrupts) -> Iterator[None]:
    """Raises a lost KeyboardInterrupt again: Python drops exceptions in finalizers and callbacks of
    the garbage collector, and JAX has such a callback."""
    report = sys.unraisablehook

    def notice(lost: "sys.UnraisableHookArgs") -> None:
        if isinstance(lost.exc_value, KeyboardInterrupt):
            interrupts.raise_later()  # an exception raised here would be lost, too
        else:
            report(lost)

    sys.unraisablehook = notice
    try:
        yield
    finally:
        interrupts.raise_no_more()
        sys.unraisablehook = report


def _imports_under_way() -> int:
    """The number of imports that this thread is in the middle of."""
    frame: FrameType | None = sys._getframe()
    count = 0
    while frame is not None:
        count += frame.f_code.co_name == "_find_and_load"  # of importlib
        frame = frame.f_back
    return count


def _say_interrupted() -> None:
    print("sog: interrupted.", file=sys.stderr)


def _leave(number: int) -> NoReturn:
    kill_children()
    os._exit(exit_code(number))
