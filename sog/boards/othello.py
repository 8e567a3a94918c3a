"""Othello: outflanked disks are flipped; the player with more disks at the end wins.

Disks are bits, so that a move is a few shifts and masks for all eight directions at once.
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
from sog.boards.stones import EMPTY, MARKS, symmetries
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL, param
from sog.games.encoding import Moves, Planes
from sog.games.grid import cell_name
from sog.games.notation import possible_events, read_events
from sog.games.perfect_information import PerfectInformationGame
from sog.games.shown import Seen
from sog.games.views import BoardView
from sog.pytree import pytree

PASS: Final = "pass"
_WORD: Final = 32  # bits
_DIRECTIONS: Final = ((0, 1), (1, -1), (1, 0), (1, 1), (0, -1), (-1, 1), (-1, 0), (-1, -1))
"""The first half leads to cells with higher numbers."""


@pytree
class OthelloState:
    """Public state of Othello."""

    disks: Array  # uint32[player, word]: a bit per cell, row by row from the top left
    mover: Array  # int32: whose turn it is, also to pass
    is_over: Array  # bool: neither can move


@dataclasses.dataclass(frozen=True, kw_only=True)
class Othello(PerfectInformationGame[OthelloState]):
    """Othello; an action is a cell, row by row from the top left, or, last, the pass.

    A pass is legal if the player has no other move and the opponent has one.
    """

    name = "othello"
    summary = "Othello on 8 x 8: perfect information, disks that change sides"
    rules = """\
Players take turns to put a disk on a free cell so that it encloses disks of the opponent, in a
straight line, between it and another disk of their own; all enclosed disks are flipped. A player
who cannot move passes. When neither can, more disks win. X is Black and moves first. Cells are
named as usual in Othello: a1 is at the top left; a game may begin "f5d6c3"."""

    size: int = param(8, "rows and columns of the board: 4, 6 or 8", minimum=4, maximum=8)
    payoff: str = param(
        "wl", "wl: 1 for a win, 0 for a draw; diff: difference in disks", choices=("wl", "diff")
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.size % 2:
            raise ValueError(f"{self.name}: size must be even, got {self.size}.")

    @property
    def _num_cells(self) -> int:
        return self.size**2

    @property
    def num_actions(self) -> int:
        return self._num_cells + 1

    @property
    def max_depth(self) -> int:
        return 2 * (self._num_cells - 4)  # a pass may precede every disk

    @property
    def max_utility(self) -> float:
        return float(self._num_cells) if self.payoff == "diff" else 1.0

    def root(self) -> OthelloState:
        after, before = self.size // 2, self.size // 2 - 1
        first = [before * self.size + after, after * self.size + before]
        second = [before * self.size + before, after * self.size + after]
        cells = np.zeros((2, self._num_cells), bool)
        cells[PLAYER_0, first] = cells[PLAYER_1, second] = True
        return OthelloState(
            disks=jnp.asarray(_as_bits(cells)),
            mover=jnp.int32(PLAYER_0),
            is_over=jnp.zeros((), bool),
        )

    def actor(self, state: OthelloState) -> Array:
        return jnp.where(state.is_over, TERMINAL, state.mover).astype(jnp.int32)

    def legal_outcomes(self, state: OthelloState) -> Array:
        moves = self._moves(*self._own_and_other(state))
        must_pass = ~jnp.any(moves != 0) & ~state.is_over
        return jnp.append(_as_cells(moves, self._num_cells), must_pass)

    def apply(self, state: OthelloState, outcome: Array) -> OthelloState:
        own, other = self._own_and_other(state)
        put = jnp.asarray(self._bit_of_action)[outcome]
        run = self._run(put, other)
        is_enclosed = jnp.any((self._step(run) & own[None]) != 0, axis=1, keepdims=True)
        turned = _any_direction(jnp.where(is_enclosed, run, 0))
        own, other = own | put | turned, other & ~turned
        can_move = jnp.any(self._moves(other, own) != 0) | jnp.any(self._moves(own, other) != 0)
        swapped = state.mover == PLAYER_1
        return OthelloState(
            disks=jnp.where(swapped, jnp.stack([other, own]), jnp.stack([own, other])),
            mover=1 - state.mover,
            is_over=~can_move,
        )

    def score(self, state: OthelloState) -> Array:
        """Player 0's lead in disks."""
        counts = jax.lax.population_count(state.disks).sum(axis=1).astype(jnp.float32)
        return counts[PLAYER_0] - counts[PLAYER_1]

    def result(self, state: OthelloState) -> Array:
        lead = self.score(state)
        return lead if self.payoff == "diff" else jnp.sign(lead)

    # Bits: uint32[word] for a set of cells, or uint32[direction, word].

    def _own_and_other(self, state: OthelloState) -> tuple[Array, Array]:
        return state.disks[state.mover], state.disks[1 - state.mover]

    def _moves(self, own: Array, other: Array) -> Array:
        """The cells where a disk is legal."""
        return _any_direction(self._step(self._run(own, other))) & ~(own | other)

    def _run(self, start: Array, other: Array) -> Array:
        """[direction, word]: the runs of the other's disks that begin next to the cells."""
        run = self._step(start) & other[None]
        for _ in range(self.size - 3):  # between two disks there are at most size - 2
            run |= self._step(run) & other[None]
        return run

    def _step(self, cells: Array) -> Array:
        """[direction, word]: the cells next to the given ones."""
        rises, shift, carries, inside = (jnp.asarray(part) for part in self._shifts)
        cells, back = jnp.broadcast_to(cells, inside.shape), jnp.uint32(_WORD) - shift
        to_word = cells[:, ::-1]
        moved = jnp.where(rises, cells << shift, cells >> shift)
        carried = jnp.where(rises, to_word >> back, to_word << back)
        return (moved | jnp.where(carries, carried, 0)) & inside

    @functools.cached_property
    def _shifts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Per direction: whether bits rise, by how much, into which word they carry over, and the
        cells that they can reach."""
        size = self.size
        rises = np.array([down * size + right > 0 for down, right in _DIRECTIONS])[:, None]
        shift = np.array([[abs(down * size + right)] for down, right in _DIRECTIONS], np.uint32)
        carries = np.where(rises, [False, True], [True, False])
        inside = np.zeros((len(_DIRECTIONS), size, size), bool)
        for way, (down, right) in enumerate(_DIRECTIONS):
            rows, columns = np.indices((size, size))
            inside[way] = (rows - down < size) & (rows >= down)
            inside[way] &= (columns - right < size) & (columns >= right)
        return rises, shift, carries, _as_bits(inside.reshape(-1, size * size))

    @functools.cached_property
    def _bit_of_action(self) -> np.ndarray:
        """uint32[A, word]; none for the pass."""
        return _as_bits(np.eye(self.num_actions, self._num_cells, dtype=bool))

    # For networks.

    @property
    def encoding(self) -> Planes:
        return Planes(
            channels=5, rows=self.size, columns=self.size, moves=Moves(planes=1, others=1)
        )

    def observe(self, state: OthelloState) -> Array:
        """Planes [5, row, column], flattened: own disks, the other's, 1 if player 0 is to move, and
        the legal cells of the player to move and of the other."""
        own, other = self._own_and_other(state)
        shown = jnp.stack([own, other, self._moves(own, other), self._moves(other, own)])
        planes = _as_cells(shown, self._num_cells)
        first = jnp.broadcast_to(state.mover == PLAYER_0, (1, self._num_cells))
        return jnp.concatenate([planes[:2], first, planes[2:]]).astype(jnp.float32).reshape(-1)

    @functools.cached_property
    def _symmetries(self) -> np.ndarray:
        """int32[symmetry, A]: the action that becomes each."""
        return np.array([[*names, self._num_cells] for names in symmetries(self.size)], np.int32)

    def random_symmetry(self, key: Array, state: OthelloState) -> tuple[OthelloState, Array, Array]:
        """Rotates or reflects the board."""
        names = jnp.asarray(self._symmetries)
        actions = names[jax.random.randint(key, (), 0, len(names))]
        cells = _as_cells(state.disks, self._num_cells)[:, actions[:-1]]
        bits = jnp.pad(cells, ((0, 0), (0, 2 * _WORD - self._num_cells))).reshape(2, 2, _WORD)
        disks = jnp.sum(
            bits << jnp.arange(_WORD, dtype=jnp.uint32)[None, None], axis=-1, dtype=jnp.uint32
        )
        return dataclasses.replace(state, disks=disks), jnp.zeros((2, 1), jnp.int32), actions

    # For people.

    def _board(self, state: OthelloState) -> np.ndarray:
        """int[row, column]: PLAYER_0, PLAYER_1 or EMPTY."""
        own, other = np.asarray(_as_cells(state.disks, self._num_cells))
        board = np.where(own, PLAYER_0, np.where(other, PLAYER_1, EMPTY))
        return board.reshape(self.size, self.size)

    def parse(self, text: str) -> tuple[int, ...]:
        """Also reads the cells of a game, "f5d6c3" or "f5 d6 c3", without passes."""
        cells = stones.split_cells(text)
        if cells is None:
            return super().parse(text)
        state, words = self.root(), list[str]()
        for cell in cells:
            for event in (PASS, cell) if _can_only_pass(self, state) else (cell,):
                words.append(event)
                (*_, outcome) = read_events(self, words)
                state = self.apply(state, jnp.int32(outcome))
        return read_events(self, words)

    def describe_seat(self, player: int) -> str:
        return f"your disks are {MARKS[player]}"

    def vertex_of_action(self, action: int) -> str:
        """As Othello programs write it in GTP: a1 at the top left, or "pass"; X is Black."""
        return PASS if action == self._num_cells else cell_name(action, self.size)

    def action_of_vertex(self, text: str) -> int:
        """The action of such a text; ValueError for any other."""
        is_pass = text.strip().lower() == PASS
        return self._num_cells if is_pass else stones.read_cell(text, self.size)

    def describe_action(self, state: OthelloState, infostate: int, action: int) -> str:
        return self.vertex_of_action(action)

    def describe_state(self, state: OthelloState) -> str:
        """The rows of the board from the top, and the player to move or the disks of both."""
        text = stones.write_rows(self._board(state))
        if not state.is_over:
            return f"{text} ({MARKS[int(state.mover)]} to move)"
        first, second = np.bitwise_count(np.asarray(state.disks)).sum(axis=1)
        return f"{text} ({first}-{second})"

    def draw(self, state: OthelloState, ranges: np.ndarray | None = None) -> str:
        return stones.draw_rows(self._board(state))

    def view(
        self,
        state: OthelloState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> BoardView:
        cells = {action: action for action in choices if action < self._num_cells}
        return stones.view_stones(self, state, self._board(state), cells)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Othello6(Othello):
    """Othello on a board of 6 x 6, where the second player wins by 20 to 16."""

    name = "othello6"
    summary = "Othello on 6 x 6: perfect information, solved"

    size: int = param(6, "rows and columns of the board: 4, 6 or 8", minimum=4, maximum=8)


def _as_bits(cells: np.ndarray) -> np.ndarray:
    """uint32[..., word] from bool[..., cell]."""
    padded = np.zeros((*cells.shape[:-1], 2 * _WORD), bool)
    padded[..., : cells.shape[-1]] = cells
    bytes_ = np.packbits(padded, axis=-1, bitorder="little")
    return bytes_.view("<u4").astype(np.uint32)


def _as_cells(bits: Array, num_cells: int) -> Array:
    """bool[..., cell] from uint32[..., word]."""
    shift = jnp.arange(_WORD, dtype=jnp.uint32).reshape(*[1] * bits.ndim, _WORD)
    spread = (bits[..., None] >> shift) & 1
    return spread.reshape(*bits.shape[:-1], -1)[..., :num_cells] != 0


def _any_direction(cells: Array) -> Array:
    """uint32[word] from uint32[direction, word]."""
    met: Array = jax.lax.reduce(cells, jnp.uint32(0), jax.lax.bitwise_or, (0,))
    return met


def _can_only_pass(game: Othello, state: OthelloState) -> bool:
    return list(possible_events(game, state).values()) == [PASS]
