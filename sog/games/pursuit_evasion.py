"""Pursuit and evasion on a grid: one evader, two pursuers, simultaneous moves."""

import dataclasses
import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_0, param
from sog.games.grid import MOVES, OUTSIDE, cell_name, neighbours
from sog.games.simultaneous_moves import SimultaneousMovesGame
from sog.pytree import pytree

_MOVES: Final = len(MOVES)


@pytree
class Chase:
    """A position."""

    cells: Array  # int32[3]: of the evader and each pursuing unit
    round: Array  # int32: pairs of moves so far
    caught: Array  # bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class PursuitEvasion(SimultaneousMovesGame[Chase]):
    """Player 0 evades the two units of player 1 (Bosansky et al. 2016) on a grid.

    All move simultaneously along an edge of the grid, and none may wait. The evader is caught on a
    unit's cell, or when they meet on an edge, and wins by surviving `moves_to_survive` moves. The
    evader starts in the middle, the units in opposite corners.
    """

    name = "pursuit_evasion"
    summary = "pursuit and evasion: one flees from two on a grid, all at once"
    rules = """\
Player 0 flees over a grid from two units of player 1. All move at once to an adjacent cell,
and none may wait. The evader is caught on a unit's cell, or when they meet on an edge, and
wins by surviving a number of moves."""

    rows: int = param(3, "of the grid", minimum=2, maximum=20)
    columns: int = param(3, "of the grid", minimum=2, maximum=20)
    moves_to_survive: int = param(2, "moves that the evader has to survive", minimum=1, maximum=100)

    @functools.cached_property
    def _neighbours(self) -> np.ndarray:
        return neighbours(self.rows, self.columns)

    @property
    def num_actions(self) -> int:
        """A move of the pursuer moves both units: 4 times the first one's plus the second's."""
        return _MOVES * _MOVES

    @property
    def max_rounds(self) -> int:
        return self.moves_to_survive

    def opening(self) -> Chase:
        middle = self.rows // 2 * self.columns + self.columns // 2
        corners = (0, self.rows * self.columns - 1)
        if middle in corners:  # on a board with two columns or rows
            middle = self.columns - 1
        return Chase(
            cells=jnp.array([middle, *corners], jnp.int32),
            round=jnp.int32(0),
            caught=jnp.bool_(False),
        )

    def moves(self, position: Chase) -> Array:
        free = jnp.asarray(self._neighbours)[position.cells] != OUTSIDE
        evader = jnp.pad(free[0], (0, self.num_actions - _MOVES))
        pursuer = (free[1][:, None] & free[2][None, :]).reshape(-1)
        return jnp.stack([evader, pursuer])

    def after(self, position: Chase, moves: Array) -> Chase:
        each = jnp.stack([moves[0] % _MOVES, moves[1] // _MOVES, moves[1] % _MOVES])
        cells = jnp.asarray(self._neighbours)[position.cells, each]
        meets = cells[1:] == cells[0]
        swaps = (cells[1:] == position.cells[0]) & (position.cells[1:] == cells[0])
        return Chase(cells=cells, round=position.round + 1, caught=(meets | swaps).any())

    def is_over(self, position: Chase) -> Array:
        return position.caught | (position.round == self.moves_to_survive)

    def result(self, position: Chase) -> Array:
        return jnp.where(position.caught, -1.0, 1.0).astype(jnp.float32)

    def features(self, position: Chase) -> Array:
        cells = jax.nn.one_hot(position.cells, self.rows * self.columns, dtype=jnp.float32)
        played = position.round.astype(jnp.float32) / self.moves_to_survive
        caught = position.caught.astype(jnp.float32)
        return jnp.concatenate([cells.reshape(-1), jnp.stack([played, caught])])

    def describe_position(self, position: Chase) -> str:
        evader, first, second = (
            cell_name(cell, self.columns) for cell in np.asarray(position.cells).tolist()
        )
        fate = ", caught" if bool(position.caught) else ""
        return f"after {int(position.round)}: evader {evader}, units {first} {second}{fate}"

    def describe_move(self, player: int, move: int) -> str:
        if player == PLAYER_0:
            return f"evader {MOVES[move % _MOVES]}"
        return f"units {MOVES[move // _MOVES]} and {MOVES[move % _MOVES]}"
