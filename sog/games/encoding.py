"""The structure of a game's features: numbers, planes of a board, a map, or hands of a deck.

`Game.encoding` declares one of these; the torsos and heads of `networks` follow it.
"""

import dataclasses
from collections.abc import Callable, Hashable
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array

MOVER: Final = 0
"""A channel of the nodes, see `Graph`."""
AT_STAKE: Final = 0
"""A feature of the whole state, see `CardHands`."""


@dataclasses.dataclass(frozen=True)
class Flat:
    """Features are numbers without structure."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Moves:
    """Actions of a board in planes, as the 8 x 8 x 73 of chess in AlphaZero, or a board and a pass.

    Action `(row * columns + column) * planes + plane` belongs to a cell of the board: the origin of
    a move, or the place of a stone. The last `others` actions have no cell.
    """

    planes: int
    others: int = 0


@dataclasses.dataclass(frozen=True, kw_only=True)
class Planes:
    """Features are planes of a board: `Game.observe` is [channel, row, column], flattened."""

    channels: int
    rows: int
    columns: int
    moves: Moves | None = None
    """The actions' layout on the board, if they have one."""

    @property
    def num_features(self) -> int:
        """The length of `Game.observe`."""
        return self.channels * self.rows * self.columns

    @property
    def num_moves(self) -> int | None:
        """A by the layout of the moves; None without one."""
        if self.moves is None:
            return None
        return self.rows * self.columns * self.moves.planes + self.moves.others


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Graph:
    """A map of N nodes where player 0's pawn hides: infostate n is node n, S = N.

    Player 1 has one infostate, 0, with the same joint weight for all of player 0's.
    """

    roads: np.ndarray  # bool[N, N]: whether a road joins two nodes; symmetric
    action_end: np.ndarray  # int32[N, A]: the destination of an action from a node; N if none
    action_kind: np.ndarray  # int32[A]: another property of actions, as the ticket; from 0 up
    observe: Callable[[Any], tuple[Array, Array]]
    """From a public state to (float32[channel, N], float32[feature]): public features of each node,
    and of the whole state; roughly in [-1, 1]. Channel `MOVER` is 1 at the pawn of player 1 that is
    to move, and 0 everywhere on other turns."""

    @property
    def num_kinds(self) -> int:
        """The number of kinds of actions."""
        return int(self.action_kind.max()) + 1


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class CardHands:
    """Hands from one deck: infostate s of either player is hand s, and two are compatible if they
    share no card. Features are numbers of each hand, its order among the others, and the stake.
    """

    kind: Hashable
    """Identifies the hands: equal for the same hands in the same order."""
    channels: int
    observe: Callable[[Any], tuple[Array, Array, Array]]
    """From a public state to (float32[S, channel], float32[feature], int32[order]): public features
    of each hand, and of the whole state, roughly in [-1, 1]; and the input of `compare`, numbers up
    to 2^24. Feature `AT_STAKE` is the share of the largest utility that is at stake so far.
    Renaming the suits leaves features unchanged, and gives each hand the channels of its twin."""
    compare: Callable[[Array, Array], tuple[Array, Array]]
    """From the order and ranges [2, S] to two arrays [2, S], for a player's hands against the
    other's range: the share of it that a hand beats on the current board, less the share that beats
    it; and the compatible share. Undefined for impossible hands."""


Encoding = Flat | Planes | Graph | CardHands


def at_stake(encoding: Encoding, state: Any) -> Array:
    """float32: the share of the largest utility that is at stake so far; 1 if the encoding lacks
    it."""
    if not isinstance(encoding, CardHands):
        return jnp.ones((), jnp.float32)
    share: Array = encoding.observe(state)[1][AT_STAKE]
    return share


def form_of(encoding: Encoding) -> Hashable:
    """Equal for games with the same layout of features: the same board, map or hands."""
    if isinstance(encoding, Graph):
        tables = (encoding.roads, encoding.action_end, encoding.action_kind)
        return tuple((table.shape, table.tobytes()) for table in tables)
    if isinstance(encoding, CardHands):
        return encoding.kind, encoding.channels
    return encoding


def within(roads: np.ndarray, most: int) -> np.ndarray:
    """bool[most, N, N]: the nodes at most 1, 2, ..., `most` moves apart. roads: bool[N, N]."""
    step = roads | np.eye(len(roads), dtype=bool)
    reached = [step]
    while len(reached) < most:
        reached.append(reached[-1] @ step)
    return np.stack(reached)
