"""Worlds of an enumerated game: the histories of `arrays.py`, walked in plain Python."""

import functools
import random
from array import array
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from sog.baselines.histories.arrays import (
    ACTOR,
    FIRST_EDGE,
    NUM_EDGES,
    ROOT,
    ROW,
    HistoryTree,
    places,
)
from sog.baselines.plain.worlds import InfostateGame, Policy, Seen, Target, World
from sog.games.core import CHANCE, TERMINAL
from sog.tabular import PublicTree


class HistoryWorld(World):
    """A history where a player chooses or the game is over. Actions are choices, from 0."""

    __slots__ = ("game", "history", "is_directed", "is_inside", "source", "target")

    def __init__(
        self,
        game: "HistoryGame",
        history: int,
        source: random.Random,
        target: "HistoryTarget | None" = None,
        *,
        is_directed: bool = False,
    ) -> None:
        """source: of later chance events. target: what they lead to if they are directed."""
        self.game, self.source, self.target = game, source, target
        self.is_directed, self.is_inside, self.directed = is_directed, False, 1.0
        self._go_to(history)

    def _go_to(self, history: int) -> None:
        """Goes to a history; samples chance events there."""
        game, target = self.game, self.target
        while True:
            if target is not None and history in target.entries:
                self.is_inside = True
            if (actor := game.actor[history]) != CHANCE:
                break
            if target is None or self.is_inside or history not in target.above:
                history = game.child[game.chance_edge(history, self.source)]
            else:
                history, ratio = target.chance(history, self.source, is_directed=self.is_directed)
                self.directed *= ratio
        self.history, self.player = history, actor

    def actions(self) -> Sequence[int]:
        """All choices."""
        return range(self.game.count[self.history])

    def play(self, action: int) -> None:
        """Chooses, and samples chance events after it."""
        self._go_to(self.game.child[self.game.first[self.history] + action])

    def key(self) -> Hashable:
        """The row."""
        return self.game.row[self.history]

    def finish(self, source: random.Random) -> float:
        """Chance events have their own probabilities from here on."""
        game, history, number = self.game, self.history, source.random
        actor, first, count, child = game.actor, game.first, game.count, game.child
        while (acts := actor[history]) != TERMINAL:
            if acts == CHANCE:
                history = child[game.chance_edge(history, source)]
            else:
                history = child[first[history] + int(number() * count[history])]
        return game.utility[history]


class HistoryGame(InfostateGame):
    """An enumerated game. Public states are node numbers of its public tree."""

    def __init__(self, tree: HistoryTree) -> None:
        histories, facts = tree.histories, tree.histories.facts
        self.tree, self.max_utility = tree, histories.max_utility
        self.actor, self.row, self.first, self.count = (
            _ints(facts[:, column]) for column in (ACTOR, ROW, FIRST_EDGE, NUM_EDGES)
        )
        self.child, self._alias = _ints(histories.child), _ints(histories.alias)
        self.utility, self.probability, self._threshold = (
            _floats(leaf)
            for leaf in (histories.utility, histories.probability, histories.threshold)
        )

    def chance_edge(self, history: int, source: random.Random) -> int:
        """Samples an event of chance."""
        edge = self.first[history] + int(source.random() * self.count[history])
        threshold = self._threshold[edge]
        if threshold < 1 and source.random() >= threshold:
            return self._alias[edge]
        return edge

    def seen_at(self, row: int) -> Seen:
        """The information at a row."""
        tree = self.tree
        player, infostate = tree.histories.row_player[row], tree.row_infostate[row]
        return Seen(int(player), int(infostate), (int(tree.row_node[row]),))

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """state: of the `EnumeratedGame`."""
        return Seen(player, infostate, (int(state.node),))

    def row_of(self, seen: Seen) -> int:
        """The row of an infostate where its player has a choice."""
        return int(self.tree.row_of[seen.public[0], seen.own])

    def deal(self, source: random.Random) -> HistoryWorld:
        """A new game."""
        return HistoryWorld(self, ROOT, source)

    def worlds(self, seen: Seen) -> Callable[[random.Random], World]:
        """Samples a history of the infostate."""
        histories = self._histories_of(self.row_of(seen))
        weights = np.cumsum(self.tree.weight[histories]).tolist()
        found = histories.tolist()

        def draw(source: random.Random) -> World:
            (history,) = source.choices(found, cum_weights=weights)
            return HistoryWorld(self, history, source)

        return draw

    def target(self, seen: Seen, *, public: bool) -> Target:
        """The histories of the infostate, or of the public state and those after it."""
        tree = self.tree
        if not public:
            return HistoryTarget(self, self._histories_of(self.row_of(seen)))
        inside = public_subgame(tree.tree, seen.public[0])[tree.node]
        inside[tree.node < 0] = False
        is_below = np.zeros_like(inside)
        is_below[tree.histories.child[inside[self._parent]]] = True
        return HistoryTarget(self, np.flatnonzero(inside & ~is_below))

    def parents(self, history: int) -> list[int]:
        """The histories just before one."""
        start, order = self._by_child
        found: list[int] = self._parent[order[start[history] : start[history + 1]]].tolist()
        return found

    def _histories_of(self, row: int) -> np.ndarray:
        start, order = self.tree.by_row
        return order[start[row] : start[row + 1]]

    @functools.cached_property
    def _parent(self) -> np.ndarray:
        return self.tree.histories.edge_parent

    @functools.cached_property
    def _by_child(self) -> tuple[np.ndarray, np.ndarray]:
        return places(self.tree.histories.child, len(self.actor))


def _ints(leaf: np.ndarray) -> "array[int]":
    """As numbers of Python, whose access is several times as fast as numpy's."""
    return array("i", leaf.astype(np.int32).tobytes())


def _floats(leaf: np.ndarray) -> "array[float]":
    return array("d", leaf.astype(np.float64).tobytes())


def public_subgame(tree: PublicTree, node: int) -> np.ndarray:
    """[node] bool: a public state and all its descendants."""
    inside = np.zeros(tree.num_nodes, bool)
    inside[node] = True
    for depth in range(int(tree.node_depth[node]) + 1, int(tree.node_depth[-1]) + 1):
        level = np.flatnonzero(tree.node_depth == depth)
        inside[level] = inside[tree.node_parent[level]]
    return inside


class HistoryTarget(Target):
    """The subgames after some histories."""

    def __init__(self, game: HistoryGame, entries: np.ndarray) -> None:
        """entries: where the target is entered."""
        self._game = game
        self.entries = frozenset(entries.tolist())
        self.above: set[int] = set()
        """Histories that lead to the target, without the entries."""
        pending = list(self.entries)
        while pending:
            new = set(game.parents(pending.pop())) - self.above
            self.above |= new
            pending += new
        self.above -= self.entries
        self._events: dict[int, tuple[list[int], list[float], float]] = {}

    def deal(self, source: random.Random, *, is_directed: bool) -> World:
        """A new game; directed events lead to the target until it is entered."""
        return HistoryWorld(self._game, ROOT, source, self, is_directed=is_directed)

    def chance(
        self, history: int, source: random.Random, *, is_directed: bool
    ) -> tuple[int, float]:
        """Samples an event above the target; how much more likely it is if events are directed."""
        if history not in self._events:
            edges = [edge for edge in self._edges(history) if self._leads(edge)]
            odds = [self._game.probability[edge] for edge in edges]
            self._events[history] = edges, odds, sum(odds)
        edges, odds, total = self._events[history]
        if is_directed:
            (edge,) = source.choices(edges, odds)
        else:
            edge = self._game.chance_edge(history, source)
        return self._game.child[edge], 1 / total if self._leads(edge) else 0.0

    def leads(self, world: World) -> bool | Sequence[bool]:
        """By the choice's child."""
        assert isinstance(world, HistoryWorld)
        if world.is_inside:
            return True
        return [self._leads(edge) for edge in self._edges(world.history)]

    def probability(self, policy: Policy) -> float:
        """Sums over the ways to the entries."""
        game, reach = self._game, {ROOT: 1.0}
        for history in sorted(self.above):  # parents precede children
            here, edges = reach.get(history, 0.0), self._edges(history)
            if game.actor[history] == CHANCE:
                odds: Sequence[float] = game.probability[edges.start : edges.stop]
            else:
                odds = policy(game.row[history]) or [1 / len(edges)] * len(edges)
            for edge, share in zip(edges, odds, strict=True):
                child = game.child[edge]
                reach[child] = reach.get(child, 0.0) + here * share
        return sum(reach.get(history, 0.0) for history in self.entries)

    def _edges(self, history: int) -> range:
        first = self._game.first[history]
        return range(first, first + self._game.count[history])

    def _leads(self, edge: int) -> bool:
        child = self._game.child[edge]
        return child in self.entries or child in self.above
