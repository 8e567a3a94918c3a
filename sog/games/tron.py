"""Tron: both players leave walls behind, and a player without a free cell loses."""

import dataclasses
import functools

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, PLAYER_1, param
from sog.games.grid import MOVES, OUTSIDE, cell_name, neighbours
from sog.games.simultaneous_moves import SimultaneousMovesGame
from sog.pytree import pytree


@pytree
class Arena:
    """A position."""

    cells: Array  # int32[2]: each player's position
    wall: Array  # bool[cell]: cells that either player has entered


@dataclasses.dataclass(frozen=True, kw_only=True)
class Tron(SimultaneousMovesGame[Arena]):
    """Tron on a small board (Bosansky et al. 2016), from opposite corners.

    Players move simultaneously to an adjacent free cell. A player without one loses; it is a draw
    if neither has one, or if both move to the same cell.
    """

    name = "tron"
    summary = "Tron: simultaneous moves that leave walls, on a small board"
    rules = """\
The players start in opposite corners and move simultaneously to an adjacent free cell. The
cells they leave become walls. A player without a free cell loses; it is a draw if neither has
one, or if both move to the same cell."""

    rows: int = param(3, "of the board", minimum=2, maximum=20)
    columns: int = param(4, "of the board", minimum=2, maximum=20)

    @functools.cached_property
    def _neighbours(self) -> np.ndarray:
        return neighbours(self.rows, self.columns)

    @property
    def num_actions(self) -> int:
        return len(MOVES)

    @property
    def max_rounds(self) -> int:
        return self.rows * self.columns // 2

    def opening(self) -> Arena:
        last = self.rows * self.columns - 1
        wall = jnp.zeros(last + 1, bool).at[0].set(True).at[last].set(True)
        return Arena(cells=jnp.array([0, last], jnp.int32), wall=wall)

    def moves(self, position: Arena) -> Array:
        target = jnp.asarray(self._neighbours)[position.cells]
        return (target != OUTSIDE) & ~position.wall[target]

    def after(self, position: Arena, moves: Array) -> Arena:
        target = jnp.asarray(self._neighbours)[position.cells, moves]
        taken = jnp.arange(len(position.wall))[None] == target[:, None]
        return Arena(cells=target, wall=position.wall | taken.any(axis=0))

    def _lost(self, position: Arena) -> Array:
        """bool[2]: by player."""
        crashed = position.cells[0] == position.cells[1]
        return ~self.moves(position).any(axis=1) | crashed

    def is_over(self, position: Arena) -> Array:
        return self._lost(position).any()

    def result(self, position: Arena) -> Array:
        lost = self._lost(position).astype(jnp.float32)
        return lost[PLAYER_1] - lost[PLAYER_0]

    def features(self, position: Arena) -> Array:
        heads = jax.nn.one_hot(position.cells, len(position.wall), dtype=jnp.float32)
        return jnp.concatenate([position.wall.astype(jnp.float32), heads.reshape(-1)])

    def describe_position(self, position: Arena) -> str:
        """The rows of the board from the top."""
        marks = np.where(np.asarray(position.wall), "#", ".")
        first, second = np.asarray(position.cells)
        marks[first], marks[second] = "0", "1"
        if first == second:
            marks[first] = "*"
        where = f"{cell_name(first, self.columns)}, {cell_name(second, self.columns)}"
        return f"{'/'.join(''.join(row) for row in marks.reshape(self.rows, -1))} ({where})"

    def describe_move(self, player: int, move: int) -> str:
        return MOVES[move]
