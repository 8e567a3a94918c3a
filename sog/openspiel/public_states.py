"""The public tree of a game given as histories, exactly.

Two histories belong to one public state if a player cannot distinguish them, or if a chain of such
pairs connects them. Histories of different lengths may share a public state (an attempt that fails
unseen, and the next one), so public states cannot be keyed by ply. They are grown from the root:

    A public state is a set of histories, none below another. One actor moves: chance if chance is
    due in any history, else a player with an information set that is *ready*: all its histories are
    here. A history where that player is not to move *waits* for one public step: a forced move. The
    children are the components that remain: histories that share no information now or later.

So no information set is ever split (its histories are at one public state when it acts), and the
game is unchanged: waiting is a move without a choice. With public turns nothing ever waits.
A few games have no such order of play (information sets that each precede the other); they are
rejected. A player's infostates are only refined over time, by perfect recall.
"""

import dataclasses
from collections.abc import Callable
from typing import Final

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL
from sog.openspiel.histories import NO_INFOSET, Histories

NO_MEMBER: Final = -1


class TimingError(ValueError):
    """Information sets precede each other in a cycle: no order of play fits all histories.

    Its argument is a history of one of them.
    """


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class PublicStates:
    """The public tree: nodes in breadth-first order, and their members.

    A member is a history at a node; one that waits is a member of several nodes in a row. Members
    are sorted by node and children of a node are consecutive.
    """

    node_actor: np.ndarray
    """[node] int32: PLAYER_0, PLAYER_1, CHANCE or TERMINAL."""
    node_depth: np.ndarray
    """[node] int32."""
    member_node: np.ndarray
    """[member] int32."""
    member_history: np.ndarray
    """[member] int32."""
    member_parent: np.ndarray
    """[member] int32: the member before it, NO_MEMBER at the root."""
    member_entry: np.ndarray
    """[2, member] int32: infostates of each player, numbered over the tree in order of nodes."""


def public_states(
    histories: Histories, progress: Callable[[int], None] | None = None
) -> PublicStates:
    """The finest public tree, with the infostates of both players; see the module's docstring.

    progress: called with the number of public states so far. Raises TimingError.
    """
    levels = _grow(histories, progress)
    sizes = [len(level.history) for level in levels]
    starts = np.cumsum([0, *sizes])
    parents = [
        np.where(level.parent == NO_MEMBER, NO_MEMBER, level.parent + start)
        for level, start in zip(levels, [0, *starts], strict=False)
    ]
    actors = [level.actor for level in levels]
    entries = [_entries(histories, levels, player) for player in (PLAYER_0, PLAYER_1)]
    return PublicStates(
        node_actor=np.concatenate(actors),
        node_depth=np.repeat(np.arange(len(levels)), [len(actor) for actor in actors]),
        member_node=np.concatenate([level.node + level.first_node for level in levels]),
        member_history=np.concatenate([level.history for level in levels]),
        member_parent=np.concatenate(parents),
        member_entry=np.stack(entries),
    )


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Level:
    """All public states at one depth; rows are members sorted by node, then history."""

    first_node: int
    node: np.ndarray  # [member], counted from first_node
    history: np.ndarray  # [member]
    parent: np.ndarray  # [member]: row in the level above
    actor: np.ndarray  # [node]


def _grow(histories: Histories, progress: Callable[[int], None] | None) -> list[_Level]:
    infoset = histories.infoset
    infoset_size = np.bincount(infoset[infoset != NO_INFOSET], minlength=histories.info.max() + 1)
    below = np.arange(len(histories.parent))  # histories in or below the current level
    children, first_child = _children(histories.parent)
    levels: list[_Level] = []
    first_node, node = 0, np.zeros(1, np.int64)
    history, parent = np.zeros(1, np.int64), np.full(1, NO_MEMBER)
    while len(history):
        if progress is not None:
            progress(first_node)
        actor, moves = _who_moves(histories, infoset, infoset_size, node, history)
        level = _Level(
            first_node=first_node, node=node, history=history, parent=parent, actor=actor
        )
        levels.append(level)
        first_node += len(actor)
        # Rows of the next level in order of their parents, so they stay sorted by history.
        stays = ~moves & (actor[node] != TERMINAL)
        counts = np.where(moves, np.diff(first_child)[history], stays)
        parent = np.repeat(np.arange(len(history)), counts)
        offset = np.arange(len(parent)) - np.repeat(np.cumsum(counts) - counts, counts)
        moved_to = children[(first_child[history[parent]] + offset).clip(max=len(children) - 1)]
        history = np.where(moves[parent], moved_to, history[parent])
        node, below = _components(histories, history, below)
        order = np.argsort(node, kind="stable")
        node, history, parent = node[order], history[order], parent[order]
    return levels


def _children(parent: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Histories sorted by parent; those of h are children[first_child[h]:first_child[h + 1]]."""
    children = np.argsort(parent[1:], kind="stable") + 1
    counts = np.bincount(parent[1:], minlength=len(parent))
    return np.append(children, 0), np.concatenate([[0], np.cumsum(counts)])


def _who_moves(
    histories: Histories,
    infoset: np.ndarray,
    infoset_size: np.ndarray,
    node: np.ndarray,
    history: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """The actor of each node, and the members that move there (others wait, or are terminal)."""
    num_nodes = int(node[-1]) + 1
    kind, own = histories.kind[history], infoset[history]
    here = np.bincount(own[own != NO_INFOSET], minlength=len(infoset_size))
    ready = (own == NO_INFOSET) | (here[own] == infoset_size[own])

    def some(members: np.ndarray) -> np.ndarray:
        return np.bincount(node[members], minlength=num_nodes) > 0

    due = [some(ready & (kind == player)) for player in (PLAYER_0, PLAYER_1)]
    over = ~some(kind != TERMINAL)
    cases = [over, some(kind == CHANCE), *due]
    actor = np.select(cases, [TERMINAL, CHANCE, PLAYER_0, PLAYER_1], NO_INFOSET).astype(np.int32)
    if (stuck := actor[node] == NO_INFOSET).any():
        raise TimingError(int(history[stuck & (kind != TERMINAL)][0]))
    return actor, ready & (kind == actor[node]) & (kind != TERMINAL)


def _components(
    histories: Histories, history: np.ndarray, below: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Connects histories whose subtrees share a player's information.

    Returns the component of each, numbered by first member, and the histories in the subtrees.
    """
    if not len(history):
        return history, below[:0]
    order = np.argsort(history)
    tops = history[order]
    above = np.searchsorted(tops, below, side="right") - 1
    inside = (above >= 0) & (below < histories.end[tops[above]])
    below, top = below[inside], order[above[inside]]
    return _linked(len(history), [(top, histories.info[player][below]) for player in (0, 1)]), below


def _linked(size: int, links: list[tuple[np.ndarray, np.ndarray]]) -> np.ndarray:
    """Connected components of `size` items, connected if they share a number.

    links: pairs of arrays (item, number). Components are numbered in order of their first item.
    """
    things = np.concatenate([thing for thing, _ in links])
    numbers = np.concatenate([number for _, number in links]) + size
    ones = np.ones(len(things), np.int8)
    num_vertices = int(numbers.max(initial=size)) + 1
    graph = coo_matrix((ones, (things, numbers)), shape=(num_vertices, num_vertices))
    labels = connected_components(graph, directed=False)[1][:size]
    _, first, component = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[component]


def _entries(histories: Histories, levels: list[_Level], player: int) -> np.ndarray:
    """[member]: the infostate of a player, numbered over the tree in order of nodes.

    Members of a node are one infostate if the player's information is the same. But between a
    player's moves OpenSpiel may reveal things that the player forgets before the next move; at such
    a node an infostate is the members that the player cannot distinguish later.
    """
    entries: list[np.ndarray] = []
    later = (np.zeros(0, np.int64), np.zeros(0, np.int64))  # (member, infostate it leads to)
    for level in reversed(levels):
        info = histories.info[player][level.history].astype(np.int64)
        info = np.unique(level.node * (int(info.max()) + 1) + info, return_inverse=True)[1]
        size = len(info)
        his_move = np.flatnonzero(histories.kind[level.history] == player)
        futures = (later[0], later[1] + size)
        must = _linked(size, [(his_move, info[his_move]), futures])
        known = info[np.unique(must, return_index=True)[1]]  # by the first member of each
        forgets = np.bincount(level.node[known[must] != info], minlength=len(level.actor)) > 0
        kept = np.flatnonzero(~forgets[level.node])
        entry = _linked(size, [(np.arange(size), must + 2 * size), (kept, info[kept])])
        # Sorted by information, so that an index means the same at most nodes.
        lowest = np.full(entry.max() + 1, size)
        np.minimum.at(lowest, entry, info)
        entry = np.argsort(np.argsort(lowest, kind="stable"))[entry]
        entries.append(entry)
        later = (level.parent, entry)
    entries.reverse()
    starts = np.cumsum([0, *(int(entry.max()) + 1 for entry in entries)])
    return np.concatenate([entry + start for entry, start in zip(entries, starts, strict=False)])
