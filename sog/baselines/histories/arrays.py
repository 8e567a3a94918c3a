"""A game as the histories that sampling methods walk through: flat arrays.

`layout.py` makes them from a public tree.

A history here is a world (public state, infostate of player 0, infostate of player 1) with a
decision: chance has more than one event, or a player more than one action. Forced moves are left
out, so that a walk takes one step per real decision. The deal is the first step. If a game merges
infostates, histories that are equivalent from there on are merged, too.

A *row* is an infostate where its player has a choice; the rows of both players are in one list.
Tables of regrets, visits and values have one line per row and a column per *choice*, the index of
an action among the legal ones.
"""

import dataclasses
import functools
from typing import Any, Final

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE
from sog.pytree import pytree
from sog.tabular import PublicTree

ROOT: Final = 0
ACTOR: Final = 0
ROW: Final = 1
FIRST_EDGE: Final = 2
NUM_EDGES: Final = 3


@pytree
class Histories:
    """The arrays: numpy on the host, or on a device.

    The children of a history are the edges `first_edge`, `first_edge + 1`, ... Chance events are
    sampled by Walker's alias method (1977): an edge uniformly; if a second number is below its
    `threshold`, that edge, else its `alias`.
    """

    facts: Any
    """[history, 4] int32, columns `ACTOR`, `ROW`, `FIRST_EDGE` and `NUM_EDGES`: actor as in
    `Game.actor`; row of the player who chooses, else the number of rows; 0 edges at an end."""
    utility: Any
    """[history] float: to player 0, at the end of a game."""
    child: Any
    """[edge] int32."""
    probability: Any
    """[edge] float: chance's; 1 for actions."""
    threshold: Any
    """[edge] float."""
    alias: Any
    """[edge] int32: an edge of the same history."""
    row_player: Any
    """[row] int32."""
    row_choices: Any
    """[row + 1] int32: the number of legal actions; 0 behind the last row."""
    depth: int = dataclasses.field(metadata={"static": True})
    """The maximum number of steps from the root to an end."""
    widths: tuple[tuple[int, ...], tuple[int, ...]] = dataclasses.field(metadata={"static": True})
    """Per player, the maximum number of histories after each number of steps, with all choices of
    this player and one of everybody else."""
    max_choices: int = dataclasses.field(metadata={"static": True})
    """C: the maximum number of choices of a row."""
    max_utility: float = dataclasses.field(metadata={"static": True})
    """As `Game.max_utility`: the unit of exploration constants."""
    row_features: Any = None
    """[row + 1, F] float: network input of a row; None for methods without a network."""

    @property
    def num_rows(self) -> int:
        """R: the number of rows of both players."""
        return len(self.row_player)

    @property
    def edge_parent(self) -> np.ndarray:
        """[edge]: the history before it; for arrays on the host."""
        return np.repeat(np.arange(len(self.facts)), self.facts[:, NUM_EDGES])

    @property
    def legal(self) -> Array:
        """[row + 1, choice] bool."""
        choices = jnp.arange(self.max_choices)
        return choices[None, :] < jnp.asarray(self.row_choices)[:, None]


@pytree
class Members:
    """The histories of every row, to sample by chance probabilities with the alias method."""

    first: Any
    """[row] int32: where its list begins."""
    count: Any
    """[row] int32."""
    history: Any
    """[member] int32."""
    threshold: Any
    """[member] float."""
    alias: Any
    """[member] int32: a place in `history`."""

    def draw(self, row: Array, numbers: Array) -> Array:
        """Samples a history of a row, from two random numbers in [0, 1)."""
        count = self.count[row]
        event = jnp.minimum((numbers[0] * count).astype(jnp.int32), count - 1)
        place = self.first[row] + event
        place = jnp.where(numbers[1] < self.threshold[place], place, self.alias[place])
        history: Array = self.history[place]
        return history


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class HistoryTree:
    """A game's histories, and the location of their rows in its public tree."""

    tree: PublicTree
    histories: Histories
    row_node: np.ndarray
    """[row] int64."""
    row_infostate: np.ndarray
    """[row] int64."""
    node: np.ndarray
    """[history] int64: its public state, -1 for the deal."""
    weight: np.ndarray
    """[history]: the joint weight of its world, chance's contribution to its reach."""

    @functools.cached_property
    def row_of(self) -> np.ndarray:
        """[node, S] int64: the row of an infostate; the number of rows if it has no choice."""
        return number_rows(self.tree, self.row_node, self.row_infostate)

    @functools.cached_property
    def by_row(self) -> tuple[np.ndarray, np.ndarray]:
        """(start, order): the histories of a row are order[start[row] : start[row + 1]]."""
        return places(self.histories.facts[:, ROW], self.histories.num_rows)

    @functools.cached_property
    def members(self) -> "Members":
        """The histories of every row."""
        start, order = self.by_row
        first, count, order = start[:-1], np.diff(start), order[: start[-1]]
        total = np.add.reduceat(self.weight[order], first) if len(order) else np.zeros(0)
        probability = self.weight[order] / np.repeat(total, count)
        threshold, alias = alias_tables(first, count, probability)
        return Members(
            first=first.astype(np.int32),
            count=count.astype(np.int32),
            history=order.astype(np.int32),
            threshold=threshold,
            alias=alias.astype(np.int32),
        )

    def to_tree(self, table: np.ndarray) -> np.ndarray:
        """[node, S, A] from a policy [row + 1, choice]; forced moves get 1, all else 0."""
        tree = self.tree
        forced = tree.node_legal & ~tree.has_choice[:, :, None]
        out = np.where((tree.node_actor < CHANCE)[:, None, None] & forced, 1.0, 0.0)
        row, choice = np.nonzero(np.asarray(self.histories.legal)[:-1])
        legal = tree.node_legal[self.row_node, self.row_infostate]  # [row, A]
        _, action = np.nonzero(legal)  # in the order of rows, then of choices
        out[self.row_node[row], self.row_infostate[row], action] = np.asarray(table)[row, choice]
        return out


def places(number: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(start, order): the places of n, below `most`, are order[start[n] : start[n + 1]]."""
    order = np.argsort(number, kind="stable")
    return np.searchsorted(number[order], np.arange(most + 1)), order


def number_rows(tree: PublicTree, node: np.ndarray, infostate: np.ndarray) -> np.ndarray:
    """[node, S]: the index of each in the list; the length of the list elsewhere."""
    number = np.full(tree.has_choice.shape, len(node))
    number[node, infostate] = np.arange(len(node))
    return number


_SURE: Final = 2.0  # a threshold that no number in [0, 1) reaches
_ROUNDING: Final = 1e-6  # some games have float32 weights


def alias_tables(
    first: np.ndarray, count: np.ndarray, probability: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Thresholds and aliases of some lists of events, both [event].

    first, count: the start and length of each list. Events in no list are certain.
    """
    threshold, alias = np.full(len(probability), _SURE), np.arange(len(probability))
    for start, length in zip(first.tolist(), count.tolist(), strict=True):
        share = probability[start : start + length] * length
        if abs(share.mean() - 1) > _ROUNDING:
            raise ValueError(f"probabilities must sum to 1, got {share.mean()}.")
        if np.ptp(share) < _ROUNDING:
            continue  # uniform
        small = [place for place in range(length) if share[place] < 1]
        large = [place for place in range(length) if share[place] >= 1]
        while small and large:
            place, giver = small.pop(), large[-1]
            threshold[start + place] = share[place]
            alias[start + place] = start + giver
            share[giver] -= 1 - share[place]
            if share[giver] < 1:
                small.append(large.pop())
    return threshold, alias
