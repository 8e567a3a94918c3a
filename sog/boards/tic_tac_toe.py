"""Tic-tac-toe: three in a row on a board of 3 x 3. With best play it is a draw."""

import dataclasses
import itertools
import re

import numpy as np
from jax import Array

from sog.boards.line_game import LineGame, LineState
from sog.boards.stones import EMPTY, MARKS, symmetries
from sog.games.encoding import Moves

SIZE = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class TicTacToe(LineGame):
    """Tic-tac-toe; an action is a cell, counted row by row from the top left."""

    name = "tic_tac_toe"
    summary = "Tic-tac-toe: perfect information, the smallest board game"
    rules = """\
Players take turns to put a stone on a free cell of a board of 3 x 3. Three of one's own in a
row, column or diagonal win. Cells are named as in chess: a1 is at the bottom left."""
    moves = Moves(planes=1)

    @property
    def shape(self) -> tuple[int, int]:
        return SIZE, SIZE

    @property
    def stones_in_line(self) -> int:
        return SIZE

    @property
    def num_actions(self) -> int:
        return SIZE * SIZE

    @property
    def symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        return symmetries(SIZE), symmetries(SIZE)

    def cell_of(self, board: Array, action: Array) -> Array:
        return action

    def legal_outcomes(self, state: LineState) -> Array:
        return (state.board == EMPTY) & ~state.has_line.any()

    def parse(self, text: str) -> tuple[int, ...]:
        """Also reads a board as `describe_state` writes it, rows from the top: "X.O/.X./..."."""
        marks = re.sub(r"\([^()]*\)|[\s/]", "", text).upper()
        if len(marks) != SIZE * SIZE or not set(marks) <= set(MARKS):
            return super().parse(text)
        first, second = ([i for i, mark in enumerate(marks) if mark == one] for one in MARKS[:2])
        if len(first) - len(second) not in (0, 1):
            raise ValueError(
                f"a board must have as many X as O, or one more, got {len(first)} X and "
                f"{len(second)} O in {text!r}."
            )
        latest = first if len(first) > len(second) else second
        for last in reversed(list(latest)):  # no stone follows the one that ends the game
            if not self._has_any_line(marks[:last] + MARKS[EMPTY] + marks[last + 1 :]):
                latest.remove(last)
                latest.append(last)
                break
        else:
            if latest:
                raise ValueError(f"the game was over before the last stone was put in {text!r}.")
        turns = itertools.zip_longest(first, second)
        return tuple(cell for turn in turns for cell in turn if cell is not None)

    def _has_any_line(self, marks: str) -> bool:
        stones = np.array([[mark == one for mark in marks] for one in MARKS[:2]])
        return bool((self._lines @ stones.T == SIZE).any())

    def describe_action(self, state: LineState, infostate: int, action: int) -> str:
        row, column = divmod(action, SIZE)
        return f"{'abc'[column]}{SIZE - row}"
