"""The arrays of a spot: what never changes, and what CFR keeps of each player."""

import dataclasses
from collections.abc import Hashable, Sequence

import jax
import jax.numpy as jnp
from jax import Array

from sog.holdem.spots.betting import Kind, Street
from sog.holdem.spots.tables import Precision, Tables, empty_table, read
from sog.pytree import pytree
from sog.tabular.cfr import Rule

Equities = tuple[Array | None, ...]
"""By street: see `showdowns.all_in_equities`."""


@pytree
class Memory:
    """What CFR keeps of one player between iterations."""

    regret: Tables
    """Cumulative regrets."""
    policy_sum: Tables
    """Weighted sums of own reach times policy; normalized, the average policy."""
    prediction: Tables
    """The last instant regrets, where the rule is predictive; else of no groups."""


@pytree
class SpotCards:
    """Boards and hands of a spot, see `boards.py`, and its chips, as arrays."""

    start: tuple[Array, ...]
    """By street: [board of the street before + 1] int32."""
    mask: tuple[tuple[Array, ...], tuple[Array, ...]]
    """By player and street: [board, hand]."""
    image: tuple[tuple[Array, ...], tuple[Array, ...]]
    """By player and street: [board, image, hand] int32."""
    rank: tuple[Array, Array]
    """By player: [board of the last street, hand] int32."""
    holds: tuple[Array, Array]
    """By player: [hand, card]."""
    same: tuple[Array, Array]
    """By player: [hand] int32."""
    compatible: Array
    """[hand of player 0, hand of player 1]."""
    payoff: tuple[dict[Kind, Array], ...]
    """By street: of its ends, see `betting.Street`."""


@dataclasses.dataclass(frozen=True, eq=False)
class SpotLayout:
    """What never changes of a spot: a static argument of `jax.jit`.

    Those of spots that differ in cards and chips only are equal, so that one program serves them.
    """

    streets: tuple[Street, ...]
    unseen: tuple[int, ...]
    """By street: cards that may come next, for two hands that share none."""
    hole_cards: int
    chunk: int
    """Boards of the last street that go together."""

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
    """What a player keeps, on some boards of one street."""

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

    return Memory(regret=zeros(), policy_sum=zeros(), prediction=zeros() if rule.predictive else ())


def read_slices(memory: Memory, street: int, at: Array, size: int) -> Slices:
    """Taken once and for all: XLA would read parts of a table again later on, where they are used,
    and copy all of it, since it is written meanwhile. It does not look into a branch."""

    def part(tables: Tables) -> list[Array]:
        found = tables[street] if tables else ()
        return [read(table, at, size) for table in found]

    def of_all(memory: Memory) -> Slices:
        return Slices(
            regret=part(memory.regret),
            policy_sum=part(memory.policy_sum),
            prediction=part(memory.prediction),
        )

    def nothing(memory: Memory) -> Slices:
        zeros: Slices = jax.tree.map(jnp.zeros_like, of_all(memory))
        return zeros

    known: Slices = jax.lax.cond(at >= 0, of_all, nothing, memory)
    return known
