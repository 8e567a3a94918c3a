"""The aggregate method: what many searches have learned, as one policy."""

import dataclasses
import functools
from collections import Counter

import numpy as np
import pytest
from aggregate_method import aggregate, at_the_root, rows_below

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, HistoryTree
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.online.is_mcts import IsMcts
from sog.baselines.online.method import OnlineMethod
from sog.baselines.online.oos import OnlineOutcomeSampling
from sog.baselines.online.search import TreeSearch
from sog.baselines.plain.worlds import Seen
from sog.games.core import CHANCE
from tests.baselines.plain_histories import history_tree, random_policy
from tests.tabular.small_games import node_after


def test_the_rows_below_are_those_that_the_player_may_come_to() -> None:
    tree = history_tree("kuhn")
    first = int(tree.row_of[0, 1])  # player 0 holds the queen
    after_a_bet = int(tree.row_of[node_after(tree.tree, 1, 2), 1])  # he checked, and faces a bet
    assert sorted(rows_below(tree, first)) == sorted([first, after_a_bet])
    assert rows_below(tree, after_a_bet) == [after_a_bet]


# Against a slow one in plain Python.

LEDUC = "leduc(suit_isomorphism=true,max_raises=1)"
"""Two rounds, so that players search more than once in a match."""
MATCHES = 3000
Memory = tuple[int, ...]  # the rows that were searched in a match


@functools.cache
def skewed_tree() -> HistoryTree:
    """Leduc where chance is partial to some events."""
    tree = history_tree(LEDUC)
    facts, odds = tree.histories.facts, tree.histories.probability.copy()
    rng = np.random.default_rng(5)
    for first, count in facts[facts[:, ACTOR] == CHANCE][:, [FIRST_EDGE, NUM_EDGES]]:
        weight = rng.exponential(size=count) + 0.1
        odds[first : first + count] = weight / weight.sum()
    return dataclasses.replace(
        tree, histories=dataclasses.replace(tree.histories, probability=odds)
    )


class ScriptedSearch(TreeSearch[list[float]]):
    """Plays a fixed policy, and has learned something else after every search."""

    game: HistoryGame

    def __init__(self) -> None:
        self.histories = skewed_tree()
        super().__init__(HistoryGame(self.histories), budget=1, seconds=0, seed=0)
        self.policy_of = random_policy(self.histories, seed=2)
        self.searched: Counter[Memory] = Counter()

    def reset(self, seed: int | None = None) -> None:
        super().reset(seed)
        self.memory: Memory = ()

    def search(self, seen: Seen, num_actions: int) -> list[float]:
        row = self.game.row_of(seen)
        self.memory = (*self.memory, row)
        self.searched[self.memory] += 1
        lines = learned_after(self.memory).tolist()
        self.tree = {
            row: lines[row][: self.histories.histories.row_choices[row]]
            for row in range(len(lines) - 1)
        }
        found: list[float] = self.policy_of[row, :num_actions].tolist()
        return found

    def search_game(self) -> None:
        raise NotImplementedError

    def learned(self, node: list[float]) -> list[float]:
        return node


@functools.cache
def learned_after(memory: Memory) -> np.ndarray:
    """[row + 1, choice]: any numbers, others for every memory."""
    return random_policy(skewed_tree(), seed=hash(memory) % 2**32) * len(memory)


@functools.cache
def of_many_matches() -> tuple[ScriptedSearch, np.ndarray]:
    search = ScriptedSearch()
    return search, aggregate(search, MATCHES, seed=3)


def children(history: int) -> list[tuple[int, int, float]]:
    """What follows a history of Leduc: the number of the choice, the history, chance's odds."""
    histories = skewed_tree().histories
    first, count = histories.facts[history, [FIRST_EDGE, NUM_EDGES]]
    return [
        (number, int(histories.child[edge]), float(histories.probability[edge]))
        for number, edge in enumerate(range(first, first + count))
    ]


def rows_after(history: int, player: int) -> set[int]:
    """The rows of a player at a history and below it."""
    actor, row = skewed_tree().histories.facts[history, [ACTOR, ROW]].tolist()
    below = (rows_after(child, player) for _, child, _ in children(history))
    return set().union(*below, {row} if actor == player else ())


@pytest.mark.thorough
def test_all_that_searches_have_learned_of_what_may_come_is_added_up() -> None:
    search, policy = of_many_matches()
    histories = search.histories.histories
    below: dict[int, set[int]] = {}
    for history, facts in enumerate(histories.facts.tolist()):
        if facts[ACTOR] < CHANCE:
            below.setdefault(facts[ROW], set()).update(rows_after(history, facts[ACTOR]))
    total = np.zeros_like(policy)
    for memory, times in search.searched.items():
        for row in below[memory[-1]]:
            total[row] += times * learned_after(memory)[row]
    mass = total.sum(axis=1, keepdims=True)
    assert (mass[:-1] > 0).all()
    np.testing.assert_allclose(policy[:-1], (total / np.maximum(mass, 1e-9))[:-1], rtol=1e-9)


def test_matches_are_against_random_play_and_every_other_one_as_player_0() -> None:
    """How often what was searched in which order, against odds by enumeration."""
    search, _ = of_many_matches()
    histories = search.histories.histories
    expected: dict[Memory, float] = {}

    def visit(history: int, player: int, odds: float, memory: Memory) -> None:
        actor, row = histories.facts[history, [ACTOR, ROW]].tolist()
        if actor == player:
            memory = (*memory, row)
            expected[memory] = expected.get(memory, 0) + odds
        for choice, child, luck in children(history):
            chosen = search.policy_of[row, choice] if actor == player else 1 / 2
            visit(child, player, odds * (luck if actor == CHANCE else chosen), memory)

    assert histories.max_choices == 2
    for player in (0, 1):
        visit(ROOT, player, MATCHES / 2, ())
    assert set(search.searched) <= set(expected)
    assert max(map(len, search.searched)) > 2
    squares = [(search.searched[memory] - times) ** 2 / times for memory, times in expected.items()]
    assert np.mean(squares) < 1.5  # about 1 where all odds are right
    assert len(squares) > 100


@pytest.mark.slow
def test_oos_comes_nearer_to_an_equilibrium_of_kuhn_where_is_mcts_does_not() -> None:
    """As in Figure 3 of the paper, in its smallest form."""
    tree = history_tree("kuhn")
    evaluator = RowEvaluator(tree)

    def exploitability(method: OnlineMethod) -> float:
        policy = aggregate(method.search(HistoryGame(tree)), 60, seed=1)
        assert policy[:-1].sum(axis=1) == pytest.approx(np.ones(tree.histories.num_rows))
        return float(evaluator.evaluate(policy[None]).exploitability[0])

    short, long = (OnlineOutcomeSampling(delta=0.5, budget=budget) for budget in (100, 3000))
    assert exploitability(long) < 0.5 * exploitability(short)
    # Twice the largest utility is what the paper explores with.
    early, late = (IsMcts(final="mixed", c=2.0, budget=budget) for budget in (300, 3000))
    assert exploitability(late) > exploitability(early) > 2 * exploitability(long)


def test_where_nothing_was_learned_one_choice_is_made_and_always_the_same() -> None:
    tree = history_tree("kuhn")
    search = OnlineOutcomeSampling(budget=1).search(HistoryGame(tree))
    first, second = (aggregate(search, 2, seed=seed)[:-1] for seed in (1, 2))
    fixed = (first.max(axis=1) == 1) & (second.max(axis=1) == 1)
    assert fixed.sum() >= 4
    np.testing.assert_array_equal(first[fixed], second[fixed])


def test_a_search_of_the_root_deals_before_it_plays() -> None:
    """Kuhn: player 0 begins with any of three cards, and joins the tree first."""
    tree = history_tree("kuhn")
    search = IsMcts(final="mixed", c=2.0, budget=300).search(HistoryGame(tree))
    search.search_game()
    visits = [sum(search.tree[row].visits) for row in tree.row_of[0, :3].tolist()]
    assert sum(visits) == 300 - 3
    assert min(visits) > 50  # a third of the deals each
    assert at_the_root(search)[:-1].sum(axis=1) == pytest.approx(np.ones(12))


@pytest.mark.slow
def test_oos_converges_at_the_root() -> None:
    """Kuhn; a target that is the whole game changes nothing."""
    tree = history_tree("kuhn")
    evaluator = RowEvaluator(tree)
    found = {}
    for delta, budget in ((0.0, 100), (0.0, 30_000), (0.9, 30_000)):
        search = OnlineOutcomeSampling(delta=delta, budget=budget).search(HistoryGame(tree))
        policies = np.stack([at_the_root(search, seed=seed) for seed in range(4)])
        found[delta, budget] = evaluator.evaluate(policies).exploitability.mean()
    assert found[0.0, 100] > 0.1
    assert found[0.0, 30_000] < 0.04
    assert found[0.9, 30_000] < 0.04


def test_both_seats_must_be_played() -> None:
    with pytest.raises(ValueError, match=r"^matches must be >= 2"):
        aggregate(OnlineOutcomeSampling(budget=1).search(HistoryGame(history_tree("kuhn"))), 1)
