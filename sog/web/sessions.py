"""Games and searches that the server keeps: a bounded number, each under a number of its own."""

import itertools
import threading
from typing import Generic, Protocol, TypeVar

from sog.web.host import Mistake


class Session(Protocol):
    """What is kept."""

    @property
    def is_finished(self) -> bool:
        """Whether nobody would miss it much."""

    def close(self) -> None:
        """It was dropped: whatever works for it stops."""


Kept = TypeVar("Kept", bound=Session)


class Full(Mistake):
    """There is no room for another one."""


class Sessions(Generic[Kept]):
    """At most so many at a time; the oldest finished one makes room for a new one."""

    def __init__(self, most: int, noun: str) -> None:
        """noun: what they are called, as "games"."""
        self._most, self._noun = most, noun
        self._kept: dict[int, Kept] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, session: Kept) -> int:
        """Keeps it; returns its number. Raises Full."""
        with self._lock:
            if len(self._kept) >= self._most:
                finished = [number for number, one in self._kept.items() if one.is_finished]
                if not finished:
                    session.close()
                    raise Full(
                        f"There are {self._most} {self._noun} that are not finished, and no more "
                        f"can be kept: finish or remove one first."
                    )
                self._kept.pop(finished[0]).close()
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
            session.close()

    def list(self) -> list[tuple[int, Kept]]:
        """All of them, the newest first."""
        return sorted(self._kept.items(), reverse=True)
