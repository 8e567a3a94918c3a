"""Converts the public tree of a game to its histories, on the host."""

import dataclasses
import itertools
from typing import Any, Final

import jax
import numpy as np

from sog.baselines.histories.arrays import ROOT, Histories, HistoryTree, alias_tables, number_rows
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.players.player import Host
from sog.tabular import PublicTree
from sog.tabular.linear_maps import Flow, find_pairs

_ENTRIES_AT_ONCE: Final = 2**22


def histories_of(game: Game[Any], host: Host) -> HistoryTree:
    """The histories of a game, which is enumerated first; the host shows what is done."""
    tree = host.enumerate(game)
    host.begin(f"laying out the histories of {game.name}")
    return lay_out_histories(tree)


def lay_out_histories(tree: PublicTree) -> HistoryTree:
    """Lists the histories of an enumerated game. Raises ValueError if a player's action has several
    results, which the contract of games forbids."""
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

    # Histories with only one edge are skipped.
    count = np.bincount(parent, minlength=len(actor))
    first = np.cumsum(count) - count
    decided = np.where(count == 1, child[np.minimum(first, len(child) - 1)], np.arange(len(actor)))
    while not np.array_equal(further := decided[decided], decided):
        decided = further
    child = decided[child]

    # Only reachable histories are kept; parents precede children, so the root is the first.
    kept = np.flatnonzero(_reachable(int(decided[0]), parent, child, len(actor)))
    number = np.full(len(actor), -1)
    number[kept] = np.arange(len(kept))
    used = number[parent] >= 0
    parent, child, probability = number[parent[used]], number[child[used]], probability[used]
    count = np.bincount(parent, minlength=len(kept))
    first = np.cumsum(count) - count

    row_node, row_infostate = np.nonzero((tree.node_actor < CHANCE)[:, None] & tree.has_choice)
    row_of = number_rows(tree, row_node, row_infostate)
    player = np.where(tree.node_actor[worlds.node] == PLAYER_1, 1, 0)
    own = worlds.infostates[np.arange(len(player)), player]
    row = np.concatenate([[len(row_node)], row_of[worlds.node, own]])
    utility = np.concatenate([[0.0], _utilities(tree, worlds)])
    kept_actor = actor[kept]
    chance = kept_actor == CHANCE
    threshold, alias = alias_tables(first[chance], count[chance], probability)
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
        max_utility=float(tree.game.max_utility),
    )
    return HistoryTree(
        tree=tree,
        histories=histories,
        row_node=row_node,
        row_infostate=row_infostate,
        node=np.concatenate([[-1], worlds.node])[kept],
        weight=np.concatenate([[1.0], worlds.weight])[kept],
    )


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Worlds:
    """All possible worlds, sorted by public state, then infostates."""

    node: np.ndarray  # [world]
    infostates: np.ndarray  # [world, 2]
    weight: np.ndarray  # [world]: joint weights
    key: np.ndarray  # [world], increasing


def _find_worlds(tree: PublicTree) -> _Worlds:
    nodes = np.arange(tree.num_nodes)
    with jax.enable_x64(True):
        node, infostates, weight = find_pairs(
            tree.game, "compatible_reach", nodes, tree.node_state, tree.node_mask
        )
    size, at = tree.game.num_infostates, node.astype(np.int64)
    key = (at * size + infostates[:, 0]) * size + infostates[:, 1]
    return _Worlds(node=at, infostates=infostates, weight=weight, key=key)


def _find_edges(tree: PublicTree, worlds: _Worlds) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Parent, action and child of every edge between worlds, sorted in that order."""
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
    """[3, edge]: edges where both players' infostates continue a world into a world."""
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
    """[world]: to player 0; 0 where the game continues."""
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
    """The maximum number of histories after 0, 1, ... steps, taking all edges at `takes_all`."""
    below, widths = np.ones(len(takes_all), np.int64), []
    all_of = takes_all[parent]
    while below[ROOT] > 0:
        widths.append(int(below[ROOT]))
        further = np.zeros_like(below)
        np.add.at(further, parent[all_of], below[child[all_of]])
        np.maximum.at(further, parent[~all_of], below[child[~all_of]])
        below = further
    return tuple(widths)
