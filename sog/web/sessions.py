"""Games and searches that the server keeps: a bounded number, each under a number of its own."""

import itertools
import threading
from typing import Generic, Protocol, TypeVar

from sog.web.interfaces import Cancelled, Poll, RequestError


class Session(Protocol):
    """What is kept."""

    @property
    def is_finished(self) -> bool:
        """Whether nobody would miss it much."""

    @property
    def is_busy(self) -> bool:
        """Whether something works for it, which may go on for a while after it was dropped."""

    def close(self) -> None:
        """It was dropped: whatever works for it stops."""


Kept = TypeVar("Kept", bound=Session)


class FullError(RequestError):
    """There is no room for another one."""


class Sessions(Generic[Kept]):
    """At most so many at a time, those counted that were dropped and are still at work; the oldest
    finished one makes room for a new one."""

    def __init__(self, most: int, noun: str) -> None:
        """noun: what they are called, as "games"."""
        self._most, self._noun = most, noun
        self._kept: dict[int, Kept] = {}
        self._dropped: list[Kept] = []
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, session: Kept, poll: Poll = lambda: None) -> int:
        """Keeps a session and returns its number. Raises FullError; Cancelled if `poll` does."""
        try:
            poll()
        except Cancelled:
            session.close()
            raise
        with self._lock:
            self._dropped = [one for one in self._dropped if one.is_busy]
            while len(self._kept) + len(self._dropped) >= self._most:
                finished = [number for number, one in self._kept.items() if one.is_finished]
                if not finished:
                    why = self._why()
                    self._drop(session)
                    raise FullError(why)
                self._drop(self._kept.pop(finished[0]))
            number = next(self._numbers)
            self._kept[number] = session
        return number

    def get(self, number: int) -> Kept:
        """Raises KeyError if it is not there (any more)."""
        return self._kept[number]

    def remove(self, number: int) -> None:
        """Drops it, if it is there."""
        with self._lock:
            session = self._kept.pop(number, None)
            if session is not None:
                self._drop(session)

    def _why(self) -> str:
        if self._dropped:
            return (
                f"{len(self._dropped)} {self._noun} that were removed are still at work, and of "
                f"{self._most} at most the others are not finished: try again later."
            )
        return (
            f"There are {self._most} {self._noun} that are not finished, and no more can be kept: "
            f"finish or remove one first."
        )

    def _drop(self, session: Kept) -> None:
        session.close()
        if session.is_busy:
            self._dropped.append(session)

    def list(self) -> list[tuple[int, Kept]]:
        """All of them, the newest first."""
        return sorted(self._kept.items(), reverse=True)
