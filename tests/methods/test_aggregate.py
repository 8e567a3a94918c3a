"""The aggregate method: what many searches have learned, as one policy."""

import jax
import numpy as np
import pytest

from sog.methods.aggregate import RowsBelow, aggregate, at_the_root
from sog.methods.is_mcts import IsMcts
from sog.methods.learning import RowEvaluator
from sog.methods.online import OnlineMethod
from sog.methods.online_outcome_sampling import OnlineOutcomeSampling
from tests.methods.plain_histories import history_tree
from tests.tabular.small_games import node_after


def test_the_rows_below_are_those_that_the_player_may_come_to() -> None:
    tree = history_tree("kuhn")
    first = int(tree.row_of[0, 1])  # player 0 holds the queen
    after_a_bet = int(tree.row_of[node_after(tree.tree, 1, 2), 1])  # he checked, and faces a bet
    assert sorted(RowsBelow(tree).of(first).tolist()) == sorted([first, after_a_bet])
    assert RowsBelow(tree).of(after_a_bet).tolist() == [after_a_bet]


@pytest.mark.slow
def test_oos_comes_nearer_to_an_equilibrium_of_kuhn_where_is_mcts_does_not() -> None:
    """As in Figure 3 of the paper, in its smallest form."""
    tree = history_tree("kuhn")
    evaluator = RowEvaluator(tree)

    def exploitability(method: OnlineMethod) -> float:
        policy = aggregate(method.searcher(tree), 60, seed=1)
        assert policy[:-1].sum(axis=1) == pytest.approx(np.ones(tree.histories.num_rows))
        return float(evaluator.evaluate(policy[None]).exploitability[0])

    short, long = (OnlineOutcomeSampling(delta=0.5, budget=budget) for budget in (100, 3000))
    assert exploitability(long) < 0.5 * exploitability(short)
    # Twice the largest utility is what the paper explores with.
    early, late = (IsMcts(final="mixed", c=2.0, budget=budget) for budget in (300, 3000))
    assert exploitability(late) > exploitability(early) > 2 * exploitability(long)


def test_where_nothing_was_learned_one_choice_is_made_and_always_the_same() -> None:
    tree = history_tree("kuhn")
    searcher = OnlineOutcomeSampling(budget=1).searcher(tree)
    first, second = (aggregate(searcher, 2, seed=seed)[:-1] for seed in (1, 2))
    fixed = (first.max(axis=1) == 1) & (second.max(axis=1) == 1)
    assert fixed.sum() >= 4
    np.testing.assert_array_equal(first[fixed], second[fixed])


def test_a_search_of_the_root_deals_before_it_plays() -> None:
    """Kuhn: player 0 begins with any of three cards, and joins the tree first."""
    tree = history_tree("kuhn")
    searcher = IsMcts(final="mixed", c=2.0, budget=300).searcher(tree)
    visits = searcher.learned(searcher.search_root(jax.random.key(0)))
    first = tree.row_of[0, :3]
    assert visits[first].sum() == 300 - 3
    assert (visits[first].sum(axis=1) > 50).all()  # a third of the deals each
    assert at_the_root(searcher)[:-1].sum(axis=1) == pytest.approx(np.ones(12))


def test_oos_converges_at_the_root() -> None:
    """Kuhn; a target that is the whole game changes nothing."""
    tree = history_tree("kuhn")
    evaluator = RowEvaluator(tree)
    found = {}
    for delta, budget in ((0.0, 100), (0.0, 30_000), (0.9, 30_000)):
        searcher = OnlineOutcomeSampling(delta=delta, budget=budget).searcher(tree)
        policies = np.stack([at_the_root(searcher, seed=seed) for seed in range(4)])
        found[delta, budget] = evaluator.evaluate(policies).exploitability.mean()
    assert found[0.0, 100] > 0.1
    assert found[0.0, 30_000] < 0.04
    assert found[0.9, 30_000] < 0.04


def test_both_seats_must_be_played() -> None:
    with pytest.raises(ValueError, match=r"^matches must be >= 2"):
        aggregate(OnlineOutcomeSampling(budget=1).searcher(history_tree("kuhn")), 1)
