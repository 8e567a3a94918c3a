"""The moves of the current game, so that it can be replayed for undo and resume."""

import collections
from collections.abc import Sequence

from sog.play.game_in_progress import GameInProgress


class TakeBack(Exception):  # noqa: N818 (not an error)
    """The person undoes the last choice."""


Move = tuple[int, int]
"""A player and its action; chance events repeat by their keys."""


class Moves:
    """The moves of one game, of which both players may have to replay the first ones."""

    def __init__(
        self, ongoing: GameInProgress, again: Sequence[Move] = (), *, announces: bool = True
    ) -> None:
        """again: the moves to replay. announces: whether they are shown to the person."""
        self.ongoing, self._again, self._announces = ongoing, collections.deque(again), announces

    @property
    def done(self) -> list[Move]:
        """The moves so far."""
        return self._before(len(self.ongoing.steps))

    def _before(self, number: int) -> list[Move]:
        steps = self.ongoing.steps[:number]
        return [(one.actor, one.action) for one in steps if one.action is not None]

    @property
    def is_silent(self) -> bool:
        """Whether current events are not to be shown."""
        return bool(self._again) and not self._announces

    def given(self, player: int) -> int | None:
        """The player's action if the move is replayed; None if the player is to choose.

        Raises ValueError if the other player made that move.
        """
        if not self._again:
            return None
        mover, action = self._again.popleft()
        if mover != player:
            raise ValueError(f"move {len(self.done) + 1} was player {mover}'s, not {player}'s.")
        return action

    def before_last_choice(self, player: int) -> list[Move] | None:
        """The moves before a player's last choice; None if there was none."""
        number = self.ongoing.last_choice(player)
        return None if number is None else self._before(number)
