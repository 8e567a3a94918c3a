"""Games won by a straight line of one's own stones."""

import abc
import dataclasses
import functools
from collections.abc import Sequence
from typing import ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.stones import EMPTY, MARKS, draw_rows, view_stones, write_rows
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.games.encoding import Moves, Planes
from sog.games.perfect_information import PerfectInformationGame
from sog.games.shown import Seen
from sog.games.views import BoardView
from sog.pytree import pytree

DIRECTIONS: Final = ((0, 1), (1, 0), (1, 1), (1, -1))


@pytree
class LineState:
    """Public state of a line game."""

    board: Array  # int8[cell]: whose stone, row by row from the top
    num_stones: Array  # int32
    has_line: Array  # bool[2]: by player


@dataclasses.dataclass(frozen=True, kw_only=True)
class LineGame(PerfectInformationGame[LineState], abc.ABC):
    """Players alternate placing stones; a line of `stones_in_line` wins, a full board is a draw."""

    drops: ClassVar[bool] = False
    """Whether an action is a column in which the stone falls, not a cell."""
    moves: ClassVar[Moves | None] = None
    """How actions belong to cells, see `Planes`; None if an action is a column."""

    @property
    @abc.abstractmethod
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the board."""

    @property
    @abc.abstractmethod
    def stones_in_line(self) -> int:
        """How many stones in a straight line win."""

    @abc.abstractmethod
    def cell_of(self, board: Array, action: Array) -> Array:
        """int32: the cell that a legal action fills."""

    @property
    def max_depth(self) -> int:
        rows, columns = self.shape
        return rows * columns

    @property
    @abc.abstractmethod
    def symmetries(self) -> tuple[np.ndarray, np.ndarray]:
        """int[symmetry, cell] and int[symmetry, A]: the cell, and the action, that becomes each."""

    def root(self) -> LineState:
        return LineState(
            board=jnp.full(self.max_depth, EMPTY, jnp.int8),
            num_stones=jnp.int32(0),
            has_line=jnp.zeros(2, bool),
        )

    def actor(self, state: LineState) -> Array:
        is_over = state.has_line.any() | (state.num_stones == self.max_depth)
        return jnp.where(is_over, TERMINAL, _to_move(state)).astype(jnp.int32)

    def apply(self, state: LineState, outcome: Array) -> LineState:
        player = _to_move(state)
        cell = self.cell_of(state.board, outcome)
        board = state.board.at[cell].set(player.astype(jnp.int8))
        has_line = self._has_line(board == player)
        return LineState(
            board=board,
            num_stones=state.num_stones + 1,
            has_line=state.has_line | ((jnp.arange(2) == player) & has_line),
        )

    @functools.cached_property
    def _lines(self) -> np.ndarray:
        """float[line, cell]: 1 at the cells of every possible line."""
        rows, columns = self.shape
        length = self.stones_in_line
        lines = []
        for down, right in DIRECTIONS:
            for row, column in np.ndindex(rows, columns):
                last_row = row + (length - 1) * down
                last_column = column + (length - 1) * right
                if last_row < rows and 0 <= last_column < columns:
                    steps = np.arange(length)
                    line = np.zeros(self.max_depth, np.float32)
                    line[(row + down * steps) * columns + column + right * steps] = 1
                    lines.append(line)
        return np.array(lines)

    def _count(self, cells: Array) -> Array:
        """[line]: how many of the cells [cell] bool are on each line."""
        return jnp.asarray(self._lines) @ cells.astype(jnp.float32)

    def _has_line(self, stones: Array) -> Array:
        """bool: whether the stones [cell] of a player make a line."""
        return jnp.any(self._count(stones) == self.stones_in_line)

    def _completes_line(self, stones: Array, is_empty: Array) -> Array:
        """[cell] bool: the empty cells where one more stone would make a line."""
        lacks_one = self._count(stones) == self.stones_in_line - 1
        is_open = lacks_one & (self._count(is_empty) == 1)
        return is_empty & (is_open.astype(jnp.float32) @ jnp.asarray(self._lines) > 0)

    def random_symmetry(self, key: Array, state: LineState) -> tuple[LineState, Array, Array]:
        """Rotates or reflects the board."""
        cells, actions = (jnp.asarray(names, jnp.int32) for names in self.symmetries)
        which = jax.random.randint(key, (), 0, len(cells))
        twin = dataclasses.replace(state, board=state.board[cells[which]])
        return twin, jnp.zeros((2, 1), jnp.int32), actions[which]

    def result(self, state: LineState) -> Array:
        won = state.has_line.astype(jnp.float32)
        return won[PLAYER_0] - won[PLAYER_1]

    @property
    def encoding(self) -> Planes:
        rows, columns = self.shape
        return Planes(channels=5, rows=rows, columns=columns, moves=self.moves)

    def observe(self, state: LineState) -> Array:
        """Planes [5, row, column], flattened: own stones, the other's, 1 if player 0 is to move,
        and where a stone would complete an own line, or one of the other's.

        The last two follow from the others, but a small network takes long to find that out.
        """
        player, board = _to_move(state), state.board
        own, other, is_empty = board == player, board == 1 - player, board == EMPTY
        first = jnp.broadcast_to(player == PLAYER_0, own.shape)
        wins = [self._completes_line(stones, is_empty) for stones in (own, other)]
        return jnp.concatenate([own, other, first, *wins]).astype(jnp.float32)

    def describe_seat(self, player: int) -> str:
        return f"your stones are {MARKS[player]}"

    def view(
        self,
        state: LineState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> BoardView:
        (rows, columns), won = self.shape, self._winning_cells(state)
        landing = {int(self.cell_of(state.board, jnp.int32(action))): action for action in choices}
        if not self.drops:
            names = [str(rows - row) for row in range(rows)]
            seen = view_stones(self, state, self._board(state), landing, won=won)
            return dataclasses.replace(seen, row_names=names)
        # One may click anywhere in the column.
        cells = {c: c % columns for c in range(self.max_depth) if c % columns in choices}
        seen = view_stones(self, state, self._board(state), cells, won=won)
        names = [str(column + 1) for column in range(columns)]
        return dataclasses.replace(
            seen, landing=frozenset(landing), row_names=[], column_names=names
        )

    def _board(self, state: LineState) -> np.ndarray:
        """int[row, column]: PLAYER_0, PLAYER_1 or EMPTY."""
        return np.asarray(state.board).reshape(self.shape)

    def _winning_cells(self, state: LineState) -> frozenset[int]:
        """The cells of every line that has won."""
        board = np.asarray(state.board)
        lines = [np.flatnonzero(line) for line in self._lines]
        won = [
            cells
            for player in np.flatnonzero(state.has_line)
            for cells in lines
            if (board[cells] == player).all()
        ]
        return frozenset(np.concatenate(won).tolist() if won else [])

    def describe_state(self, state: LineState) -> str:
        """The rows of the board from the top, and who is to move or has won."""
        text = write_rows(self._board(state))
        for player in (PLAYER_0, PLAYER_1):
            if state.has_line[player]:
                return f"{text} ({MARKS[player]} has won)"
        if int(state.num_stones) == self.max_depth:
            return f"{text} (draw)"
        return f"{text} ({MARKS[int(_to_move(state))]} to move)"

    def draw(self, state: LineState, ranges: np.ndarray | None = None) -> str:
        """The board, with rows and columns named as on a chess board."""
        return draw_rows(self._board(state), upwards=True)


def _to_move(state: LineState) -> Array:
    """int32: whose turn it is, ignoring the end of the game."""
    return state.num_stones % 2
