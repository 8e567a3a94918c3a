"""A game as the histories that sampling methods walk through: flat arrays, made from a public tree.

A history here is a world (public state, infostate of player 0, infostate of player 1) where
something is decided: chance has more than one event, or a player more than one action. What is
forced is left out, so that a walk takes a step per real decision. The deal is the first step.
Where a game merges infostates, histories that nothing can tell apart from there on are one.

A *row* is a player's infostate at a public state where he chooses, both players' rows in one list;
tables of regrets, visits and values have one line per row and a column per *choice*, the number of
an action among the legal ones.
"""

import dataclasses
import functools
import itertools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.pytree import pytree
from sog.tabular import PublicTree
from sog.tabular.probing import Flow

ROOT: Final = 0
ACTOR: Final = 0
ROW: Final = 1
FIRST_EDGE: Final = 2
NUM_EDGES: Final = 3
_SURE: Final = 2.0  # a threshold that no number in [0, 1) reaches
_ENTRIES_AT_ONCE: Final = 2**22
_ROUNDING: Final = 1e-6  # some games keep their weights in 32 bits


@pytree
class Histories:
    """The arrays; numpy on the host, or on a device.

    The children of a history are the edges `first_edge`, `first_edge + 1`, ... An event of chance
    is drawn by Walker's alias method: one of the edges, all as likely, and then by a second number
    below `threshold` this one, else its `alias`.
    """

    facts: Any
    """[history, 4] int32, by `ACTOR`, `ROW`, `FIRST_EDGE` and `NUM_EDGES`: as `Game.actor`; whose
    table entries say how to choose, the number of rows where nobody does; 0 edges at an end."""
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
    """The most steps from the root to the end."""
    widths: tuple[tuple[int, ...], tuple[int, ...]] = dataclasses.field(metadata={"static": True})
    """For each player, the most histories after each number of steps if he takes all of his choices
    and everybody else one."""
    max_choices: int = dataclasses.field(metadata={"static": True})
    """C: choices of a row, at most."""

    @property
    def num_rows(self) -> int:
        """R: infostates of both players where they choose."""
        return len(self.row_player)

    @property
    def legal(self) -> Array:
        """[row + 1, choice] bool."""
        choices = jnp.arange(self.max_choices)
        return choices[None, :] < jnp.asarray(self.row_choices)[:, None]


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class HistoryTree:
    """A game's histories, and where their rows are in its public tree."""

    tree: PublicTree
    histories: Histories
    row_node: np.ndarray
    """[row] int64."""
    row_infostate: np.ndarray
    """[row] int64."""

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


def lay_out_histories(tree: PublicTree) -> HistoryTree:
    """Lists the histories of an enumerated game. Raises ValueError where a player's action has more
    than one result, which no game of the contract has."""
    worlds = _find_worlds(tree)
    parent, action, child = _find_edges(tree, worlds)
    actor = tree.node_actor[worlds.node]
    by_player = actor[parent] < CHANCE
    if (by_player[1:] & (np.diff(parent) == 0) & (np.diff(action) == 0)).any():
        raise ValueError(f"an action of {tree.game} has more than one result.")
    ratio = worlds.weight[child] / worlds.weight[parent]

    # History 0 is the deal, history 1 + w the world w.
    dealt = np.flatnonzero(worlds.node == 0)
    deal = worlds.weight[dealt] / worlds.weight[dealt].sum()
    parent = np.concatenate([np.zeros_like(dealt), 1 + parent])
    child = 1 + np.concatenate([dealt, child])
    probability = np.concatenate([deal, np.where(by_player, 1.0, ratio)])
    actor = np.concatenate([[CHANCE], actor])

    # What has one edge only is skipped.
    count = np.bincount(parent, minlength=len(actor))
    first = np.cumsum(count) - count
    decided = np.where(count == 1, child[np.minimum(first, len(child) - 1)], np.arange(len(actor)))
    while not np.array_equal(further := decided[decided], decided):
        decided = further
    child = decided[child]

    # Only what can be reached is kept; parents come before children, so the root is the first.
    kept = np.flatnonzero(_reachable(int(decided[0]), parent, child, len(actor)))
    number = np.full(len(actor), -1)
    number[kept] = np.arange(len(kept))
    used = number[parent] >= 0
    parent, child, probability = number[parent[used]], number[child[used]], probability[used]
    count = np.bincount(parent, minlength=len(kept))
    first = np.cumsum(count) - count

    row_node, row_infostate = np.nonzero((tree.node_actor < CHANCE)[:, None] & tree.has_choice)
    row_of = np.full(tree.has_choice.shape, len(row_node))
    row_of[row_node, row_infostate] = np.arange(len(row_node))
    player = np.where(tree.node_actor[worlds.node] == PLAYER_1, 1, 0)
    own = worlds.infostates[np.arange(len(player)), player]
    row = np.concatenate([[len(row_node)], row_of[worlds.node, own]])
    utility = np.concatenate([[0.0], _utilities(tree, worlds)])
    kept_actor = actor[kept]
    threshold, alias = _alias_tables(kept_actor, first, count, probability)
    kept_row = np.where(kept_actor < CHANCE, row[kept], len(row_node))
    choices = tree.node_legal[row_node, row_infostate].sum(axis=1)
    histories = Histories(
        facts=np.stack([kept_actor, kept_row, first, count], axis=1).astype(np.int32),
        utility=np.where(kept_actor == TERMINAL, utility[kept], 0.0),
        child=child.astype(np.int32),
        probability=probability,
        threshold=threshold,
        alias=alias.astype(np.int32),
        row_player=tree.node_actor[row_node].astype(np.int32),
        row_choices=np.append(choices, 0).astype(np.int32),
        depth=len(_widths(parent, child, np.zeros(len(kept), bool))) - 1,
        widths=(
            _widths(parent, child, kept_actor == PLAYER_0),
            _widths(parent, child, kept_actor == PLAYER_1),
        ),
        max_choices=int(choices.max(initial=1)),
    )
    return HistoryTree(
        tree=tree, histories=histories, row_node=row_node, row_infostate=row_infostate
    )


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Worlds:
    """All worlds that can be, by public state and then by infostates."""

    node: np.ndarray  # [world]
    infostates: np.ndarray  # [world, 2]
    weight: np.ndarray  # [world]: joint weights
    key: np.ndarray  # [world], increasing


def _find_worlds(tree: PublicTree) -> _Worlds:
    size, parts = tree.game.num_infostates, []
    chunk = max(1, _ENTRIES_AT_ONCE // (2 * size**2))
    with jax.enable_x64(True):
        for start in range(0, tree.num_nodes, chunk):
            stop = min(start + chunk, tree.num_nodes)
            pad = np.arange(start, start + chunk).clip(max=stop - 1)
            states = jax.tree.map(lambda leaf, pad=pad: leaf[pad], tree.node_state)
            weight = np.asarray(_joint_weights(tree.game, states))[: stop - start]
            mask = tree.node_mask[start:stop]
            weight = np.where(mask[:, 0, :, None] & mask[:, 1, None, :], weight, 0)
            node, first, second = np.nonzero(weight > 0)
            parts.append((node + start, first, second, weight[node, first, second]))
    node, first, second, weight = (np.concatenate(column) for column in zip(*parts, strict=True))
    return _Worlds(
        node=node,
        infostates=np.stack([first, second], axis=1),
        weight=weight,
        key=(node * size + first) * size + second,
    )


@functools.partial(jax.jit, static_argnums=0)
def _joint_weights(game: Game[Any], states: Any) -> Array:
    """[state, S, S]: w(s0, s1), read off `compatible_reach` with one-hot opponents."""
    basis = jnp.eye(game.num_infostates)
    reach = jnp.stack([jnp.zeros_like(basis), basis], axis=1)  # [s1, 2, S]

    def one(state: Any) -> Array:
        return jax.vmap(lambda pair: game.compatible_reach(state, pair)[0])(reach).T

    return jax.vmap(one)(states)


def _find_edges(tree: PublicTree, worlds: _Worlds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parent, action and child of every edge between worlds, by parent, action and child."""
    size = tree.game.num_infostates
    acts = np.where(tree.node_actor == PLAYER_1, 1, 0)[np.maximum(tree.node_parent, 0)]
    found = []
    for player in (0, 1):
        mover, waiter = tree.flows[player], tree.flows[1 - player]
        start = np.searchsorted(waiter.node, np.arange(tree.num_nodes + 1))
        mine = np.flatnonzero(acts[mover.node] == player)
        pairs = np.diff(start)[mover.node[mine]]
        upto = np.concatenate([[0], np.cumsum(pairs)])
        cuts = np.searchsorted(upto, np.arange(0, upto[-1] + _ENTRIES_AT_ONCE, _ENTRIES_AT_ONCE))
        for low, high in itertools.pairwise(cuts.tolist()):
            rows, repeats = mine[low:high], pairs[low:high]
            of_mover = np.repeat(rows, repeats)
            place = np.arange(len(of_mover)) - np.repeat(np.cumsum(repeats) - repeats, repeats)
            of_waiter = start[mover.node[of_mover]] + place
            found.append(_join(tree, worlds, player, (mover, of_mover), (waiter, of_waiter), size))
    parent, action, child = np.concatenate(found, axis=1)
    order = np.lexsort((child, action, parent))
    return parent[order], action[order], child[order]


def _join(
    tree: PublicTree,
    worlds: _Worlds,
    player: int,
    mover: tuple[Flow, np.ndarray],
    waiter: tuple[Flow, np.ndarray],
    size: int,
) -> np.ndarray:
    """[3, edge]: where both players' infostates come from worlds and make one."""
    (flow, rows), (other, other_rows) = mover, waiter
    node = flow.node[rows].astype(np.int64)

    def keys(at: np.ndarray, own: np.ndarray, others: np.ndarray) -> np.ndarray:
        first, second = (own, others) if player == 0 else (others, own)
        key: np.ndarray = (at * size + first) * size + second
        return key

    above = tree.node_parent[node].astype(np.int64)
    parent_key = keys(above, flow.parent_infostate[rows], other.parent_infostate[other_rows])
    child_key = keys(node, flow.infostate[rows], other.infostate[other_rows])
    parent, child = (
        np.searchsorted(worlds.key, key).clip(max=len(worlds.key) - 1)
        for key in (parent_key, child_key)
    )
    exists = (worlds.key[parent] == parent_key) & (worlds.key[child] == child_key)
    found: np.ndarray = np.stack([parent[exists], flow.action[rows][exists], child[exists]])
    return found


def _utilities(tree: PublicTree, worlds: _Worlds) -> np.ndarray:
    """[world]: to player 0; 0 where the game goes on."""
    size = tree.game.num_infostates
    node = tree.payoff_node.astype(np.int64)
    key = (node * size + tree.payoff_infostates[:, 0]) * size + tree.payoff_infostates[:, 1]
    at = np.searchsorted(worlds.key, key)
    utility = np.zeros(len(worlds.key))
    utility[at] = tree.payoff / worlds.weight[at]
    return utility


def _reachable(root: int, parent: np.ndarray, child: np.ndarray, num_histories: int) -> np.ndarray:
    reached = np.zeros(num_histories, bool)
    reached[root] = True
    while True:
        more = np.zeros_like(reached)
        more[child[reached[parent]]] = True
        if not (more & ~reached).any():
            return reached
        reached |= more


def _widths(parent: np.ndarray, child: np.ndarray, takes_all: np.ndarray) -> tuple[int, ...]:
    """The most histories after 0, 1, ... steps, if all edges are taken there and one elsewhere."""
    below, widths = np.ones(len(takes_all), np.int64), []
    all_of = takes_all[parent]
    while below[ROOT] > 0:
        widths.append(int(below[ROOT]))
        further = np.zeros_like(below)
        np.add.at(further, parent[all_of], below[child[all_of]])
        np.maximum.at(further, parent[~all_of], below[child[~all_of]])
        below = further
    return tuple(widths)


def _alias_tables(
    actor: np.ndarray,
    first: np.ndarray,
    count: np.ndarray,
    probability: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Walker's tables (1977) for the edges of every chance history: thresholds and aliases."""
    threshold, alias = np.full(len(probability), _SURE), np.arange(len(probability))
    for history in np.flatnonzero(actor == CHANCE).tolist():
        edges = np.arange(first[history], first[history] + count[history])
        share = probability[edges] * len(edges)
        if abs(share.mean() - 1) > _ROUNDING:
            raise ValueError(f"probabilities of chance must sum to 1, got {share.mean()}.")
        if np.ptp(share) < _ROUNDING:
            continue  # all alike
        small = [place for place in range(len(edges)) if share[place] < 1]
        large = [place for place in range(len(edges)) if share[place] >= 1]
        while small and large:
            place, giver = small.pop(), large[-1]
            threshold[edges[place]] = share[place]
            alias[edges[place]] = edges[giver]
            share[giver] -= 1 - share[place]
            if share[giver] < 1:
                small.append(large.pop())
    return threshold, alias
