"""Hex: a chain between one's own two sides of the board wins; there are no draws.

Connected stones share one label, the least number of their cells, so that a move is a mask over
cells. The sides of the board are their owners' stones from the beginning.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards import stones
from sog.boards.stones import EMPTY, MARKS
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL, param
from sog.games.encoding import Moves, Planes
from sog.games.grid import cell_name
from sog.games.notation import read_events
from sog.games.perfect_information import PerfectInformationGame
from sog.games.shown import Seen
from sog.games.views import BoardView
from sog.pytree import pytree

SWAP: Final = "swap"
_GTP_SWAP: Final = "swap-pieces"
_NEIGHBOURS: Final = ((-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0))
_SIGN: Final = (1, -1)  # of the labels of each player
_TOP, _BOTTOM, _LEFT, _RIGHT = range(4)  # the sides, numbered after the cells
_SIDES: Final = ((_TOP, _BOTTOM), (_LEFT, _RIGHT))
"""By player."""


@pytree
class HexState:
    """Public state of Hex."""

    labels: Array  # int16[cell and side]: 0 where empty, negative for player 1; cell c counts c + 1
    num_moves: Array  # int32: a swap counts


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hex(PerfectInformationGame[HexState]):
    """Hex; an action is a cell, row by row from the top left, or, last, the swap."""

    name = "hex"
    summary = "Hex on 11 x 11: perfect information, paths from side to side"
    rules = """\
Players take turns to put a stone on a free cell of a rhombus, each of whose cells has six
neighbours: left, right, above, above right, below left and below. X wins by a chain of stones
from top to bottom, O by one from left to right. Cells are named as usual in Hex: a1 is at the
top left. With the swap rule O may take over the first stone instead of making a first move; it
moves to the corresponding cell, with row and column exchanged."""

    size: int = param(11, "rows and columns of the board", minimum=2, maximum=19)
    swap: bool = param(False, "whether the second player may take over the first stone")

    @property
    def _num_cells(self) -> int:
        return self.size**2

    @property
    def num_actions(self) -> int:
        return self._num_cells + self.swap

    @property
    def max_depth(self) -> int:
        return self._num_cells + self.swap

    def root(self) -> HexState:
        labels = np.zeros(self._num_cells + 4, np.int16)
        for sign, sides in zip(_SIGN, _SIDES, strict=True):
            for side in sides:
                labels[self._num_cells + side] = sign * (self._num_cells + side + 1)
        return HexState(labels=jnp.asarray(labels), num_moves=jnp.int32(0))

    def actor(self, state: HexState) -> Array:
        is_over = self._has_won(state).any()
        return jnp.where(is_over, TERMINAL, state.num_moves % 2).astype(jnp.int32)

    def legal_outcomes(self, state: HexState) -> Array:
        is_on = ~self._has_won(state).any()
        cells = (state.labels[: self._num_cells] == 0) & is_on
        return jnp.append(cells, state.num_moves == 1) if self.swap else cells

    def apply(self, state: HexState, outcome: Array) -> HexState:
        cell, labels = outcome, state.labels
        if self.swap:
            is_swap = outcome == self._num_cells
            row, column = jnp.divmod(jnp.argmax(labels != 0).astype(jnp.int32), self.size)
            cell = jnp.where(is_swap, column * self.size + row, outcome)
            labels = jnp.where(is_swap, self.root().labels, labels)
        sign = jnp.where(state.num_moves % 2 == PLAYER_0, *_SIGN).astype(jnp.int16)
        around = sign * labels[jnp.asarray(self._neighbours)[cell]]
        number = (cell + 1).astype(jnp.int16)
        label = jnp.minimum(number, jnp.min(jnp.where(around > 0, around, number)))
        joins = (sign * labels)[:, None] == jnp.where(around > 0, around, number)[None]
        labels = jnp.where(joins.any(axis=1), sign * label, labels).at[cell].set(sign * label)
        return HexState(labels=labels, num_moves=state.num_moves + 1)

    @functools.cached_property
    def _neighbours(self) -> np.ndarray:
        """int32[cell, 6]: the cells next to each, and the sides at which it lies."""
        size, found = self.size, np.zeros((self._num_cells, len(_NEIGHBOURS)), np.int32)
        for cell, (row, column) in enumerate(np.ndindex(size, size)):
            for way, (down, right) in enumerate(_NEIGHBOURS):
                there, aside = row + down, column + right
                if not 0 <= there < size:
                    found[cell, way] = self._num_cells + (_TOP if there < 0 else _BOTTOM)
                elif not 0 <= aside < size:
                    found[cell, way] = self._num_cells + (_LEFT if aside < 0 else _RIGHT)
                else:
                    found[cell, way] = there * size + aside
        return found

    def _side_labels(self, state: HexState) -> Array:
        """int16[player, its sides]"""
        return state.labels[self._num_cells + np.array(_SIDES)]

    def _has_won(self, state: HexState) -> Array:
        """bool[player]"""
        sides = self._side_labels(state)
        return sides[:, 0] == sides[:, 1]

    def result(self, state: HexState) -> Array:
        won = self._has_won(state).astype(jnp.float32)
        return won[PLAYER_0] - won[PLAYER_1]

    # For networks.

    @property
    def encoding(self) -> Planes:
        moves = Moves(planes=1, others=int(self.swap))
        return Planes(channels=7, rows=self.size, columns=self.size, moves=moves)

    def observe(self, state: HexState) -> Array:
        """Planes [7, row, column], flattened: own stones, the other's, 1 if player 0 is to move,
        and the stones joined to each side: both of the player to move, and both of the other.

        The last four follow from the others, but a small network takes long to find that out.
        """
        mover = state.num_moves % 2
        labels = state.labels[: self._num_cells]
        own, other = (labels > 0, labels < 0)
        joined = labels[None, None] == self._side_labels(state)[..., None]  # [player, side, cell]
        is_first = mover == PLAYER_0
        planes = [
            jnp.where(is_first, jnp.stack([own, other]), jnp.stack([other, own])),
            jnp.broadcast_to(is_first, (1, self._num_cells)),
            jnp.where(is_first, joined, joined[::-1]).reshape(4, self._num_cells),
        ]
        return jnp.concatenate(planes).astype(jnp.float32).reshape(-1)

    def random_symmetry(self, key: Array, state: HexState) -> tuple[HexState, Array, Array]:
        """Rotates the board by 180 degrees, which keeps each player's sides."""
        cells = np.arange(self._num_cells, dtype=np.int32)
        sides = self._num_cells + np.array([_BOTTOM, _TOP, _RIGHT, _LEFT])
        turned = jnp.asarray(np.concatenate([cells[::-1], sides]), jnp.int32)
        labels = state.labels[turned]
        # Label each chain by the least of its new numbers.
        numbers = jnp.arange(1, len(turned) + 1, dtype=jnp.int16)
        least = jnp.min(
            jnp.where(labels[:, None] == labels[None], numbers[None], len(turned)), axis=1
        ) * jnp.sign(labels)
        is_turned = jax.random.bernoulli(key)
        labels = jnp.where(is_turned, least, state.labels).astype(jnp.int16)
        actions = jnp.arange(self.num_actions, dtype=jnp.int32)
        of_cells = jnp.where(is_turned, actions[: len(cells)][::-1], actions[: len(cells)])
        actions = actions.at[: len(cells)].set(of_cells)
        return (
            HexState(labels=labels, num_moves=state.num_moves),
            jnp.zeros((2, 1), jnp.int32),
            actions,
        )

    # For people.

    def _board(self, state: HexState) -> np.ndarray:
        """int[row, column]: PLAYER_0, PLAYER_1 or EMPTY."""
        labels = np.asarray(state.labels)[: self._num_cells].reshape(self.size, self.size)
        return np.where(labels > 0, PLAYER_0, np.where(labels < 0, PLAYER_1, EMPTY))

    def parse(self, text: str) -> tuple[int, ...]:
        """Also reads a list of cells, "a3c2b4"."""
        cells = stones.split_cells(text)
        return super().parse(text) if cells is None else read_events(self, cells)

    def describe_seat(self, player: int) -> str:
        way = ("from the top to the bottom", "from the left to the right")[player]
        return f"your stones are {MARKS[player]}, {way}"

    def vertex_of_action(self, action: int) -> str:
        """As Hex programs write it in GTP: a1 at the top left, "swap-pieces"; X is Black."""
        return _GTP_SWAP if action == self._num_cells else cell_name(action, self.size)

    def action_of_vertex(self, text: str) -> int:
        """The action of such a text; ValueError for any other."""
        if self.swap and text.strip().lower() in (_GTP_SWAP, SWAP):
            return self._num_cells
        return stones.read_cell(text, self.size)

    def describe_action(self, state: HexState, infostate: int, action: int) -> str:
        return SWAP if action == self._num_cells else cell_name(action, self.size)

    def describe_state(self, state: HexState) -> str:
        """The rows of the board from the top, and the player to move or the winner."""
        text, won = stones.write_rows(self._board(state)), np.flatnonzero(self._has_won(state))
        if len(won) > 0:
            return f"{text} ({MARKS[won[0]]} has won)"
        return f"{text} ({MARKS[int(state.num_moves) % 2]} to move)"

    def draw(self, state: HexState, ranges: np.ndarray | None = None) -> str:
        """The rhombus, each row shifted right by half a cell."""
        return stones.draw_rows(self._board(state), slant=1)

    def view(
        self,
        state: HexState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> BoardView:
        labels, sides = np.asarray(state.labels), np.asarray(self._side_labels(state))
        chains = [sides[player, 0] for player in np.flatnonzero(self._has_won(state))]
        return stones.view_stones(
            self,
            state,
            self._board(state),
            {action: action for action in choices if action < self._num_cells},
            won=np.flatnonzero(np.isin(labels[: self._num_cells], chains)).tolist(),
            is_rhombus=True,
        )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Hex5(Hex):
    """Hex on a board of 5 x 5."""

    name = "hex5"
    summary = "Hex on 5 x 5: perfect information, small enough for a perfect player"

    size: int = param(5, "rows and columns of the board", minimum=2, maximum=19)
