"""A public tree as index tables, which `openspiel.OpenSpiel` reads.

Tables are flat: a node's rows are the slice [start, start + count) of a table, so that a few wide
public states among many narrow ones cost nothing. Entries are the infostates of both players, first
all of player 0; *local* numbers count from the start of a node's slice.
"""

import dataclasses
from typing import Final

import numpy as np

from sog.games.core import CHANCE, PLAYER_1, TERMINAL
from sog.openspiel.histories import Histories
from sog.openspiel.public_states import NO_MEMBER, PublicStates

WAIT: Final = np.iinfo(np.int64).max
"""The action number of waiting, in place of OpenSpiel's; sorts last."""
NO_NODE: Final = -1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Slices:
    """Consecutive slices of a flat table, one per node."""

    start: np.ndarray  # int32
    count: np.ndarray  # int32

    @property
    def longest(self) -> int:
        """The length of the longest slice, at least 1."""
        return max(1, int(self.count.max(initial=0)))

    def at(self, node: int) -> slice:
        """One slice."""
        return slice(int(self.start[node]), int(self.start[node] + self.count[node]))


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Tables:
    """NumPy arrays; `node_*` have a row per node, `entry_*` per infostate and so on."""

    root: int
    """The node after the private deal: the first that is not a chance node with one child."""
    node_actor: np.ndarray
    node_parent: np.ndarray
    """NO_NODE at node 0."""
    node_depth: np.ndarray
    """Public events since node 0."""
    children: Slices
    """A slice per node; outcome k leads to its k-th row."""
    entries: tuple[Slices, Slices]
    """Of each player."""
    entry_source: np.ndarray
    """[entry] int32: the source in the parent: s * A + a if the player acted, else s."""
    entry_history: np.ndarray
    """[entry] int32: a history of the infostate, where possible one where the player moves."""
    actions: Slices
    """OpenSpiel's numbers of the actions of a player's node in `action_number`."""
    action_number: np.ndarray
    """[action] int64, sorted within a node, WAIT last."""
    legal_start: np.ndarray
    """[node] int32: row of `legal` of the actor's first entry."""
    legal: np.ndarray
    """[row, A] bool: a row per entry of the acting player, at players' nodes only."""
    pairs: Slices
    """The worlds of a node: possible pairs of infostates."""
    pair_infostates: np.ndarray
    """[pair, 2] int32, local."""
    pair_node: np.ndarray
    """[pair] int32."""
    pair_weight: np.ndarray
    """[pair] float64: w(s0, s1)."""
    pair_payoff: np.ndarray
    """[pair] float64: w(s0, s1) times the utility to player 0, at terminal nodes."""
    pair_action: np.ndarray
    """[pair] int32: the local action that led here from the parent pair, 0 after chance."""
    followers: Slices
    """A slice per pair: its successors in `follower`."""
    follower: np.ndarray
    """[pair] int32: pairs sorted by predecessor."""
    members: Slices
    """A slice per node of the two arrays below."""
    member_history: np.ndarray
    """[member] int32: the histories of a node."""
    member_waited: np.ndarray
    """[member] bool: whether it was at the parent node already."""


def make_tables(histories: Histories, states: PublicStates) -> Tables:
    """Index tables of a public tree."""
    node, history, before = states.member_node, states.member_history, states.member_parent
    num_nodes = len(states.node_actor)
    node_parent = np.full(num_nodes, NO_NODE, np.int32)
    node_parent[node] = np.where(before == NO_MEMBER, NO_NODE, node[before])
    came = np.flatnonzero(before != NO_MEMBER)
    waited = np.zeros(len(node), bool)
    waited[came] = history[came] == history[before[came]]
    children = _slices(node_parent[1:], num_nodes, offset=1)
    actions, action_number, action = _actions(states, histories, came, waited)

    local, entries, sources, entry_histories = [], [], [], []
    for player, entry in enumerate(states.member_entry):
        first = np.unique(entry, return_index=True)[1]
        slices = _slices(node[first], num_nodes)
        local.append(entry - slices.start[node])
        entries.append(slices)
        above = np.maximum(before[first], 0)
        acted = (states.node_actor[node[above]] == PLAYER_1) == (player == PLAYER_1)
        source = local[player][above]
        num_actions = actions.longest
        sources.append(np.where(acted, source * num_actions + action[first], source))
        entry_histories.append(history[first])

    legal_count = np.select(
        [states.node_actor == player for player in (0, 1)], [slices.count for slices in entries], 0
    )
    legal_start = np.cumsum(legal_count) - legal_count
    legal = np.zeros((int(legal_count.sum()), actions.longest), bool)
    chosen = came[states.node_actor[node[before[came]]] < CHANCE]
    above = before[chosen]
    player = states.node_actor[node[above]]
    legal[legal_start[node[above]] + np.stack(local)[player, above], action[chosen]] = True

    entries[1] = dataclasses.replace(entries[1], start=entries[1].start + len(sources[0]))
    at_end = states.node_actor[node] == TERMINAL
    chance = histories.chance[history]
    keys = states.member_entry[0].astype(np.int64) * len(sources[1]) + states.member_entry[1]
    _, first, pair = np.unique(keys, return_index=True, return_inverse=True)
    pair_before = np.where(before[first] == NO_MEMBER, NO_MEMBER, pair[before[first]])
    follower = np.argsort(pair_before, kind="stable")[1:]  # the first has no predecessor
    return Tables(
        root=_after_the_deal(states.node_actor, children),
        node_actor=states.node_actor,
        node_parent=node_parent,
        node_depth=states.node_depth,
        children=children,
        entries=(entries[0], entries[1]),
        entry_source=np.concatenate(sources).astype(np.int32),
        entry_history=np.concatenate(entry_histories),
        actions=actions,
        action_number=action_number,
        legal_start=legal_start.astype(np.int32),
        legal=_not_empty(legal),
        pairs=_slices(node[first], num_nodes),
        pair_infostates=np.stack(local, axis=1)[first].astype(np.int32),
        pair_node=node[first].astype(np.int32),
        pair_weight=np.bincount(pair, chance),
        pair_payoff=np.bincount(pair, chance * np.where(at_end, histories.utility[history], 0)),
        pair_action=action[first].astype(np.int32),
        followers=_slices(pair_before[follower], len(first)),
        follower=_not_empty(follower.astype(np.int32)),
        members=_slices(node, num_nodes),
        member_history=history,
        member_waited=waited,
    )


def _not_empty(table: np.ndarray) -> np.ndarray:
    """The table, or a row of zeros if it is empty: JAX cannot index empty arrays."""
    return table if len(table) else np.zeros((1, *table.shape[1:]), table.dtype)


def _slices(sorted_owner: np.ndarray, num_owners: int, offset: int = 0) -> Slices:
    """The slice of each owner in a table sorted by owner."""
    count = np.bincount(sorted_owner, minlength=num_owners)
    start = np.cumsum(count) - count + offset
    return Slices(start=start.astype(np.int32), count=count.astype(np.int32))


def _actions(
    states: PublicStates, histories: Histories, came: np.ndarray, waited: np.ndarray
) -> tuple[Slices, np.ndarray, np.ndarray]:
    """Local actions: slices, OpenSpiel's numbers, and [member] the action that led to it.

    A node's actions are the union over its infostates, so that an action has one meaning.
    """
    above = states.member_node[states.member_parent[came]]
    by_player = states.node_actor[above] < CHANCE
    came, above = came[by_player], above[by_player]
    number = np.where(waited[came], WAIT, histories.action[states.member_history[came]])
    numbers, code = np.unique(number, return_inverse=True)
    kinds, index = np.unique(above.astype(np.int64) * len(numbers) + code, return_inverse=True)
    slices = _slices(kinds // max(1, len(numbers)), len(states.node_actor))
    action = np.zeros(len(states.member_node), np.int64)
    action[came] = index - slices.start[above]
    return slices, numbers[kinds % max(1, len(numbers))], action


def _after_the_deal(node_actor: np.ndarray, children: Slices) -> int:
    node = 0
    while node_actor[node] == CHANCE and children.count[node] == 1:
        node = int(children.start[node])
    return node
