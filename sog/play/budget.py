"""The budget of a search in plain Python: simulations, and perhaps a time limit."""

import time
from typing import Any, Final

from sog.games.core import param

_CLOCK_EVERY: Final = 16
"""Simulations between two checks of the clock."""


def seconds_param() -> Any:
    """The time-limit parameter of a method."""
    return param(0.0, "time limit of a move, even if budget is left; 0: none", minimum=0)


class Simulations:
    """Counts from 0 until the budget or the time is spent; the clock starts at construction.

    A search always makes at least a few simulations.
    """

    def __init__(self, budget: int, seconds: float = 0.0) -> None:
        """seconds: 0 for no clock."""
        self._budget, self._next = budget, 0
        self._end = time.monotonic() + seconds if seconds else None

    def __iter__(self) -> "Simulations":
        return self

    def __next__(self) -> int:
        number = self._next
        if number == self._budget or self._is_late(number):
            raise StopIteration
        self._next += 1
        return number

    def _is_late(self, number: int) -> bool:
        if self._end is None or number == 0 or number % _CLOCK_EVERY:
            return False
        return time.monotonic() >= self._end
