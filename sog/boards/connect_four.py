"""Connect four: stones fall to the bottom of a column; four in a line win.

On the usual board of 6 rows and 7 columns the first player wins with best play.
"""

import dataclasses
from typing import Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.line_game import LineGame, LineState
from sog.boards.stones import EMPTY, MARKS
from sog.games.core import param
from sog.games.notation import read_events

_MOST_DIGITS: Final = 9
"""Up to so many columns, their numbers are single digits, which may be written together."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class ConnectFour(LineGame):
    """Connect four; an action is a column, counted from the left."""

    name = "connect_four"
    summary = "Connect four: perfect information, deep"
    rules = """\
Players take turns to drop a stone into a column, where it falls to the lowest free cell. Four
of one's own in a row, column or diagonal win."""
    drops = counts_actions = True

    rows: int = param(6, "rows of the board", minimum=1, maximum=32)
    columns: int = param(7, "columns of the board", minimum=1, maximum=32)
    run_length: int = param(4, "stones in a line that win", minimum=2)

    def __post_init__(self) -> None:
        super().__post_init__()
        longest = max(self.rows, self.columns)
        if self.run_length > longest:
            raise ValueError(
                f"connect_four: run_length must be <= {longest}, the longer side of the board, "
                f"got {self.run_length}."
            )

    @property
    def shape(self) -> tuple[int, int]:
        return self.rows, self.columns

    @property
    def stones_in_line(self) -> int:
        return self.run_length

    @property
    def num_actions(self) -> int:
        return self.columns

    @property
    def symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        cells = np.arange(self.max_depth).reshape(self.shape)
        columns = np.arange(self.columns)
        return np.stack([cells.ravel(), cells[:, ::-1].ravel()]), np.stack([columns, columns[::-1]])

    def cell_of(self, board: Array, action: Array) -> Array:
        is_free = board.reshape(self.rows, self.columns)[:, action] == EMPTY
        row = is_free.sum(dtype=jnp.int32) - 1  # stones lie below the free cells
        return row * self.columns + action

    def parse(self, text: str) -> tuple[int, ...]:
        """Also reads columns counted from 1: "44353" or "4 4 3 5 3"."""
        words = text.split()
        if not all(word.isdecimal() for word in words):
            return super().parse(text)
        columns = words if self.columns > _MOST_DIGITS else "".join(words)
        return read_events(self, [f"column {column}" for column in columns])

    def legal_outcomes(self, state: LineState) -> Array:
        return (state.board[: self.columns] == EMPTY) & ~state.has_line.any()

    def draw(self, state: LineState, ranges: np.ndarray | None = None) -> str:
        """The board, with the numbers of its columns below."""
        width = len(str(self.columns))
        names = [str(column + 1) for column in range(self.columns)]
        rows = [*([MARKS[mark] for mark in row] for row in self._board(state)), names]
        return "\n".join(" ".join(cell.rjust(width) for cell in row) for row in rows)

    def describe_action(self, state: LineState, infostate: int, action: int) -> str:
        return f"column {action + 1}"
