"""Sessions: a bounded number of games and searches, each with its own number."""

import itertools
import threading
from typing import Generic, Protocol, TypeVar

from sog.web.interfaces import Cancelled, Poll, RequestError


class Session(Protocol):
    """A game or a search."""

    @property
    def is_finished(self) -> bool:
        """Whether it may be dropped to make room."""

    @property
    def is_busy(self) -> bool:
        """Whether a thread works for it, perhaps even after it was dropped."""

    def close(self) -> None:
        """Stops its work, after it was dropped."""


Kept = TypeVar("Kept", bound=Session)


class FullError(RequestError):
    """There is no room for another session."""


class Sessions(Generic[Kept]):
    """At most `most` sessions, including dropped ones that are still working; the oldest finished
    one makes room for a new one."""

    def __init__(self, most: int, noun: str) -> None:
        """noun: for messages, as "games"."""
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
        """A session by number; KeyError if it does not exist (any more)."""
        return self._kept[number]

    def remove(self, number: int) -> None:
        """Drops a session if it exists."""
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
        """All sessions, the newest first."""
        return sorted(self._kept.items(), reverse=True)
