"""The aggregate method: what many searches have learned, as one policy."""

from collections import Counter

import numpy as np
import pytest
from aggregate_method import aggregate, at_the_root, rows_below

from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.online.is_mcts import IsMcts
from sog.baselines.online.method import OnlineMethod, TreeSearch
from sog.baselines.online.oos import OnlineOutcomeSampling
from sog.baselines.plain.worlds import Seen
from tests.baselines.plain_histories import history_tree
from tests.tabular.small_games import node_after


def test_the_rows_below_are_those_that_the_player_may_come_to() -> None:
    tree = history_tree("kuhn")
    first = int(tree.row_of[0, 1])  # player 0 holds the queen
    after_a_bet = int(tree.row_of[node_after(tree.tree, 1, 2), 1])  # he checked, and faces a bet
    assert sorted(rows_below(tree, first)) == sorted([first, after_a_bet])
    assert rows_below(tree, after_a_bet) == [after_a_bet]


class KnowsItsOwnRows(TreeSearch[list[float]]):
    """Learns the first choice at the row that is searched and below it, the second elsewhere."""

    game: HistoryGame

    def __init__(self) -> None:
        super().__init__(HistoryGame(history_tree("kuhn")), budget=1, seconds=0, seed=0)
        self.searched: Counter[int] = Counter()

    def search(self, seen: Seen, num_actions: int) -> list[float]:
        row = self.game.row_of(seen)
        self.searched[row] += 1
        below = rows_below(self.game.tree, row)
        self.tree = {one: [float(one in below), float(one not in below)] for one in range(12)}
        return [0.5, 0.5]

    def search_game(self) -> None:
        raise NotImplementedError

    def learned(self, node: list[float]) -> list[float]:
        return node


def test_what_a_search_has_learned_of_what_may_come_counts_and_nothing_else() -> None:
    search = KnowsItsOwnRows()
    policy = aggregate(search, 60, seed=3)
    assert policy[:-1].tolist() == [[1, 0]] * 12
    first, second = (search.game.tree.row_of[node, :3].tolist() for node in (0, 1))
    # Every other match is one as player 0, who begins it; the other player bets half of the time.
    assert sum(search.searched[row] for row in first) == 30
    assert 5 <= sum(search.searched[row] for row in second) <= 25


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


def test_both_seats_must_be_played() -> None:
    with pytest.raises(ValueError, match=r"^matches must be >= 2"):
        aggregate(OnlineOutcomeSampling(budget=1).search(HistoryGame(history_tree("kuhn"))), 1)
