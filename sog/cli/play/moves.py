"""The moves of the game at the table, so that it can be gone through again: taken back, resumed."""

import collections
from collections.abc import Sequence

from sog.play.game_in_progress import GameInProgress


class TakeBack(Exception):  # noqa: N818 (no error: the person wants another try)
    """The person takes the last choice back."""


Move = tuple[int, int]
"""A player and the action; chance is not among the moves, it does the same again by its key."""


class Moves:
    """The moves of one game. The first may be given: then both players make them again."""

    def __init__(
        self, ongoing: GameInProgress, again: Sequence[Move] = (), *, announces: bool = True
    ) -> None:
        """again: the moves to make first. announces: whether the person is told of them."""
        self.ongoing, self._again, self._announces = (
            ongoing,
            collections.deque(again),
            announces,
        )

    @property
    def done(self) -> list[Move]:
        """Those that were made."""
        return self._before(len(self.ongoing.steps))

    def _before(self, number: int) -> list[Move]:
        steps = self.ongoing.steps[:number]
        return [(one.actor, one.action) for one in steps if one.action is not None]

    @property
    def is_silent(self) -> bool:
        """Whether what happens now need not be told."""
        return bool(self._again) and not self._announces

    def given(self, player: int) -> int | None:
        """The player's action, where the moves were given; None where he is to choose.

        Raises ValueError if somebody else moved then.
        """
        if not self._again:
            return None
        mover, action = self._again.popleft()
        if mover != player:
            raise ValueError(f"move {len(self.done) + 1} was player {mover}'s, not {player}'s.")
        return action

    def before_last_choice(self, player: int) -> list[Move] | None:
        """The moves before the last choice of a player; None if he had none."""
        number = self.ongoing.last_choice(player)
        return None if number is None else self._before(number)
