"""Slow preparations of games and searches, in threads of their own.

There are two lanes. Work that is known to take minutes, such as learning, begins in the long lane;
other work begins in the short one and moves over after `SHORT_SECONDS`. So quick work never waits
for slow work.
"""

import dataclasses
import itertools
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final

from sog.cli.compilation_cache import keep_time, last_time
from sog.web.interfaces import Cancelled, Poll
from sog.web.sessions import FullError

SHORT_PLACES: Final = 3
LONG_PLACES: Final = 2
SHORT_SECONDS: Final = 5.0
_WHAT: Final = "preparation"
_WORTH_KEEPING: Final = 1.0  # seconds
MOST: Final = 32
"""Preparations that may be running or waiting."""


@dataclasses.dataclass(kw_only=True, eq=False)
class Preparation:
    """A preparation and its result."""

    title: str
    """Shown to visitors; preparations with equal titles run one after another."""
    is_long: bool
    number: int
    cancel: Callable[[], None]
    """Requests cancellation, which the work notices when it next polls."""
    made: "Future[Any]" = dataclasses.field(default_factory=Future)
    """The result; cancelled once a cancelled preparation has stopped."""
    last_time: str = ""
    """How long it took last time, for people."""
    began: float | None = None
    is_cancelled: bool = False


class Preparations:
    """Runs a few preparations at once in each lane; a bounded number wait."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._threads = ThreadPoolExecutor(MOST, thread_name_prefix="prepare")
        self._changed = threading.Condition()
        """Guards the lists."""
        self.waiting: list[Preparation] = []
        self.at_work: list[Preparation] = []
        self._kept: dict[int, Preparation] = {}
        self._numbers = itertools.count(1)

    def begin(
        self, title: str, work: Callable[[Poll], object], *, is_long: bool = False
    ) -> Preparation:
        """Queues `work`. Raises FullError.

        work: must call its argument (`Poll`) now and then; that raises Cancelled if the preparation
        was cancelled, and may wait for a place in the long lane.
        """
        with self._changed:
            if len(self.waiting) + len(self.at_work) >= MOST:
                raise FullError(
                    f"{MOST} preparations are running or waiting: cancel one on the first page."
                )
            one = Preparation(
                title=title,
                last_time=last_time(title, _WHAT),
                is_long=is_long,
                number=next(self._numbers),
                cancel=lambda: self._cancel(one),
            )
            self.waiting.append(one)
            self._kept[one.number] = one
            ended = [number for number, kept in self._kept.items() if kept.made.done()]
            for number in ended[: max(len(self._kept) - 2 * MOST, 0)]:
                del self._kept[number]
        self._threads.submit(self._run, one, work)
        return one

    def get(self, number: int) -> Preparation:
        """A preparation by number; KeyError if it does not exist (any more)."""
        return self._kept[number]

    def _cancel(self, one: Preparation) -> None:
        with self._changed:
            one.is_cancelled = True
            if one in self.waiting:
                self.waiting.remove(one)
            self._changed.notify_all()

    def _may_run(self, one: Preparation) -> bool:
        begun = [other for other in (*self.waiting, *self.at_work) if other.began is not None]

        def is_next(waiting: Preparation) -> bool:
            twins = [other for other in begun if other.title == waiting.title]
            return waiting.is_long == one.is_long and twins in ([], [waiting])

        taken = sum(other.is_long == one.is_long for other in self.at_work)
        free = (LONG_PLACES if one.is_long else SHORT_PLACES) - taken
        return one in list(filter(is_next, self.waiting))[:free]

    def _wait(self, one: Preparation) -> None:
        """Waits for its turn; the caller holds the lock."""
        self._changed.wait_for(lambda: one.is_cancelled or self._may_run(one))
        if one.is_cancelled:
            raise Cancelled
        self.waiting.remove(one)
        self.at_work.append(one)
        if one.began is None:
            one.began = self._clock()
        self._changed.notify_all()

    def _poll(self, one: Preparation) -> None:
        if one.is_cancelled:
            raise Cancelled
        assert one.began is not None
        if one.is_long or self._clock() - one.began < SHORT_SECONDS:
            return
        with self._changed:
            if one.is_cancelled:
                raise Cancelled
            one.is_long = True
            self.at_work.remove(one)
            self.waiting.append(one)
            self._changed.notify_all()
            self._wait(one)

    def _run(self, one: Preparation, work: Callable[[Poll], object]) -> None:
        made, failed = None, None
        try:
            with self._changed:
                self._wait(one)
            made = work(lambda: self._poll(one))
        except BaseException as error:  # re-raised where the result is read
            failed = error
        with self._changed:
            if one in self.at_work:
                self.at_work.remove(one)
            self._changed.notify_all()
        if isinstance(failed, Cancelled):
            one.made.cancel()
        elif failed is not None:
            one.made.set_exception(failed)
        else:
            if one.began is not None and (seconds := self._clock() - one.began) >= _WORTH_KEEPING:
                keep_time(one.title, _WHAT, seconds)
            one.made.set_result(made)
