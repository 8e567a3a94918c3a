"""How long a search in plain Python goes on: so many simulations, or until time is up."""

import time
from typing import Any, Final

from sog.games.core import param

_CLOCK_EVERY: Final = 16
"""Simulations between two looks at the clock."""


def seconds_param() -> Any:
    """The parameter of a method that can play to a clock."""
    return param(0.0, "the most that a move takes if the budget lasts longer; 0: any", minimum=0)


class Simulations:
    """Numbers from 0 on, until the budget is spent or the time. The clock starts when it is made.

    So a search is always some simulations old when it ends.
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
