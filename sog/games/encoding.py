"""What a game shows a network: numbers, the planes of a board, a map, or the hands of a deck.

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
    """Features are numbers of which nothing more is known."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Moves:
    """Actions of a board in planes, as the 8 x 8 x 73 of chess in AlphaZero, or a board and a pass.

    Action `(row * columns + column) * planes + plane` belongs to a cell of the board: where the
    move begins, or where a stone is put. The last `others` actions have no cell.
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
    """Where the actions are on the board, if they are."""

    @property
    def num_features(self) -> int:
        """Numbers of `Game.observe`."""
        return self.channels * self.rows * self.columns

    @property
    def num_moves(self) -> int | None:
        """A, as the layout of the moves has it; None without one."""
        if self.moves is None:
            return None
        return self.rows * self.columns * self.moves.planes + self.moves.others


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class Graph:
    """A map of N nodes on which player 0 hides: his infostate n is his pawn at node n, S = N.

    Player 1 has the one infostate 0, and meets any of player 0's with the same weight.
    """

    roads: np.ndarray  # bool[N, N]: whether a road joins two nodes, the same both ways
    action_end: np.ndarray  # int32[N, A]: where an action leads a pawn at a node; N if nowhere
    action_kind: np.ndarray  # int32[A]: what else tells actions apart, as the ticket; from 0 up
    observe: Callable[[Any], tuple[Array, Array]]
    """From a public state to (float32[channel, N], float32[feature]): what is public at each node,
    and of the whole state; roughly in [-1, 1]. Channel `MOVER` is 1 where the pawn of player 1
    stands that is to move, and 0 everywhere where it is not his turn."""

    @property
    def num_kinds(self) -> int:
        """Kinds of actions."""
        return int(self.action_kind.max()) + 1


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class CardHands:
    """Hands out of one deck: infostate s of either player is hand s, and two can meet if they share
    no card. What is public of a hand are numbers, its order among the others, and what is at stake.
    """

    kind: Hashable
    """Which hands they are: equal for the same hands in the same order."""
    channels: int
    observe: Callable[[Any], tuple[Array, Array, Array]]
    """From a public state to (float32[S, channel], float32[feature], int32[order]): what is public
    of each hand, and of the whole state, roughly in [-1, 1]; and what `compare` needs, numbers up
    to 2^24. Feature `AT_STAKE` is the share of the largest utility that is at stake so far. Other
    names of the suits leave features as they are, and give each hand the channels of its twin."""
    compare: Callable[[Array, Array], tuple[Array, Array]]
    """From the order and ranges [2, S] to two arrays [2, S], of a player's hands against the range
    of the other: the share of it that a hand beats as the board is now, less that which beats it;
    and the share that it meets. Of a hand that cannot be, anything."""


Encoding = Flat | Planes | Graph | CardHands


def at_stake(encoding: Encoding, state: Any) -> Array:
    """float32: the share of the largest utility that is at stake so far; 1 where a game does not
    tell."""
    if not isinstance(encoding, CardHands):
        return jnp.ones((), jnp.float32)
    share: Array = encoding.observe(state)[1][AT_STAKE]
    return share


def form_of(encoding: Encoding) -> Hashable:
    """Equal where a network finds the same things in the same places: boards, maps or hands are the
    same, whatever else may differ between the games."""
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
