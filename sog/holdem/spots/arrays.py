"""The arrays of a spot: constants, and CFR's tables of each player."""

import dataclasses
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.holdem.spots.betting import Kind, Street
from sog.holdem.spots.tables import Precision, Tables, empty_table, read
from sog.pytree import pytree
from sog.tabular.rules import Rule

Equities = tuple[Array | None, ...]
"""By street: see `showdowns.all_in_equities`."""


@pytree
class Memory:
    """CFR's tables of one player."""

    regret: Tables
    """Cumulative regrets."""
    policy_sum: Tables
    """Weighted sums of own reach times policy; normalized, they are the average policy."""
    prediction: Tables
    """The last instant regrets if the rule is predictive; else of no groups."""


@pytree
class SortedHands:
    """For each own hand, the other's by strength on the boards of the last street; int16.

    Columns are lists of hands, the weakest first: one for each card, then all hands, cut into such
    columns.
    """

    lists: Array
    """[board, place, column]: the hand; the number of hands where there is none. There are places
    for the hands with any one card."""
    bounds: Array
    """[board, 1 + hole card, 2, own hand]: of all hands, and of those with each card of the hand,
    how many are weaker, and how many not stronger: as a row of [place, column]."""


@pytree
class SpotCards:
    """Boards and hands of a spot, see `boards.py`, and its chips, as arrays."""

    start: tuple[Array, ...]
    """By street: [board of the previous street + 1] int32."""
    mask: tuple[tuple[Array, ...], tuple[Array, ...]]
    """By player and street: [board, hand]."""
    image: tuple[tuple[Array, ...], tuple[Array, ...]]
    """By player and street: [board, image, hand] int32."""
    rank: tuple[Array, Array]
    """By player: [board of the last street, hand] int32."""
    holds: tuple[Array, Array]
    """By player: [card, hand]."""
    held: tuple[Array, Array]
    """By player: [hole card, hand] int32."""
    same: tuple[Array, Array]
    """By player: [hand] int32."""
    compatible: Array
    """[hand of player 0, hand of player 1]."""
    in_order: tuple[SortedHands, SortedHands] | None
    """By player; None to compare all pairs of hands."""
    payoff: tuple[dict[Kind, Array], ...]
    """By street: chips at its ends, see `betting.Street`."""


@dataclasses.dataclass(frozen=True, eq=False)
class SpotLayout:
    """The static structure of a spot, an argument of `jax.jit`.

    Spots that differ only in cards and chips have equal layouts and share one program.
    """

    streets: tuple[Street, ...]
    unseen: tuple[int, ...]
    """By street: the number of possible next cards, given two disjoint hands."""
    hole_cards: int
    chunk: int
    """Boards of the last street to compute together."""

    @property
    def last(self) -> int:
        """The last street."""
        return len(self.streets) - 1

    @property
    def _shape(self) -> Hashable:
        streets = tuple(street.shape for street in self.streets)
        return streets, self.unseen, self.hole_cards, self.chunk

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SpotLayout) and self._shape == other._shape

    def __hash__(self) -> int:
        return hash(self._shape)


@pytree
class Slices:
    """A player's tables on some boards of one street."""

    regret: list[Array]
    policy_sum: list[Array]
    prediction: list[Array]


def empty_memory(
    layout: SpotLayout,
    shapes: Sequence[tuple[int, ...]],
    player: int,
    rule: Rule,
    precision: Precision,
) -> Memory:
    """Zeros, so the current policy is uniform. shapes: (boards, hands of the player) by street."""

    def zeros() -> Tables:
        return tuple(
            tuple(
                empty_table((boards, group.num_actions, group.size, hands), precision)
                for _, group in street.groups_of(player)
            )
            for street, (boards, hands) in zip(layout.streets, shapes, strict=True)
        )

    return Memory(regret=zeros(), policy_sum=zeros(), prediction=zeros() if rule.prediction else ())


def read_slices(memory: Memory, street: int, at: Array, size: int) -> Slices:
    """Reads boards of the tables, apart: XLA would otherwise read them again at each use, and copy
    whole tables that are written meanwhile."""

    def part(tables: Tables) -> list[Array]:
        found = tables[street] if tables else ()
        return [read(table, at, size) for table in found]

    def of_all(memory: Memory) -> Slices:
        return Slices(
            regret=part(memory.regret),
            policy_sum=part(memory.policy_sum),
            prediction=part(memory.prediction),
        )

    known: Slices = apart(at, of_all, memory)
    return known


def apart(at: Array, of: Callable[..., Any], *operands: Any) -> Any:
    """Computes a function inside a branch, which XLA fuses with nothing outside.

    at: a number >= 0 that XLA does not know.
    """

    def nothing(*operands: Any) -> Any:
        return jax.tree.map(jnp.zeros_like, of(*operands))

    return jax.lax.cond(at >= 0, of, nothing, *operands)
