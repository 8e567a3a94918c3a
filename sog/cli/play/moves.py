"""The moves of the game at the table, so that it can be gone through again: taken back, resumed."""

import collections
from collections.abc import Sequence


class TakeBack(Exception):  # noqa: N818 (no error: the person wants another try)
    """The person takes the last choice back."""


Move = tuple[int, int]
"""A player and the action; chance is not among the moves, it does the same again by its key."""


class Moves:
    """The moves of one game. The first may be given: then both players make them again."""

    def __init__(self, again: Sequence[Move] = (), *, is_told: bool = True) -> None:
        """again: the moves to make first. is_told: whether the person is told of them."""
        self.done: list[Move] = []
        self._again = collections.deque(again)
        self._is_told = is_told
        self._choices: list[tuple[int, int]] = []  # (player, moves before) of each real choice

    @property
    def is_silent(self) -> bool:
        """Whether what happens now need not be told."""
        return bool(self._again) and not self._is_told

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

    def add(self, player: int, action: int, *, is_choice: bool) -> None:
        """Notes a move; is_choice: whether there was another action."""
        if is_choice:
            self._choices.append((player, len(self.done)))
        self.done.append((player, action))

    def before_last_choice(self, player: int) -> list[Move] | None:
        """The moves before the last choice of a player; None if he had none."""
        numbers = [number for chooser, number in self._choices if chooser == player]
        return self.done[: numbers[-1]] if numbers else None
