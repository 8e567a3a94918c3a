"""UCT and Smooth UCT over buckets of limit hold'em: rules, statistics, and what is learned."""

from pathlib import Path

import jax
import numpy as np
import pytest

from sog.games.cards.holdem import Holdem
from sog.tabular.blueprint.betting_tree import ILLEGAL, make_betting_tree
from sog.tabular.blueprint.buckets import Buckets, cards_of, make_buckets

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import limit_holdem as limit

SMALL = Holdem(
    ranks=5, suits=3, deals="3", blinds="1/2", stack="16", bets="2c|2c", caps="3|4", raises="same"
)


@pytest.fixture(scope="module")
def buckets() -> Buckets:
    return make_buckets(cards_of(SMALL), (25, 50), "grid")


@pytest.fixture(scope="module")
def rules(buckets: Buckets) -> limit.Rules:
    return limit.make_rules(SMALL, buckets)


def test_exploration_is_that_of_the_paper() -> None:
    tree = make_betting_tree(limit.GAME, 10_000)
    found = limit.Rules(game=limit.GAME, tree=tree, sizes=limit.SIZES).exploration
    # "exploration parameter values of c in [10, 24]"; the river adds at most 8 big blinds each.
    assert (found.min(), found.max(), found[0]) == (10, 24, 24)
    assert tree.won.max() == 24


def test_deals_have_the_buckets_of_their_boards(buckets: Buckets) -> None:
    deals = limit.deal(buckets, np.random.default_rng(3), 4000)
    found = np.asarray(deals.bucket)
    assert found.shape == (2, 2, 4000)
    pairs = np.bincount(found[0, 0], minlength=25) / 4000
    # 5 pairs of 3 hands each, 10 suited ones of 3, and 10 offsuit ones of 6, of 105.
    expected = np.bincount(buckets.of_boards(0, np.zeros((1, 0), np.int32))[0]) / 105
    np.testing.assert_allclose(pairs, expected, atol=0.02)
    better = np.asarray(deals.sign) > 0
    assert found[0, 1, better].mean() > found[1, 1, better].mean() + 5


def test_matches_are_played_by_the_rules(rules: limit.Rules, buckets: Buckets) -> None:
    deals = limit.deal(buckets, np.random.default_rng(0), 64)
    simple = limit.simple_policies(rules)
    calls, raises = simple["always call"], simple["always raise"]
    sign = np.asarray(deals.sign)
    for first, second, stake in ((calls, calls, 1), (raises, calls, 3), (raises, raises, 8)):
        for pair in ((first, second), (second, first)):
            found = limit.match(rules, np.stack(pair), deals)
            np.testing.assert_allclose(found, stake * sign)
    folds = np.where(rules.tree.child[:, 0] == ILLEGAL, 1, 0)
    folds = folds.repeat(np.diff(rules.first_row)).astype(np.int32)
    found = limit.match(rules, np.stack([folds, raises]), deals)
    np.testing.assert_allclose(found, -1)  # the big blind gives up against a raise
    assert limit.play_match(rules, buckets, raises, raises, 1)[0] == 0


@pytest.mark.parametrize("smooth", [False, True])
def test_statistics_are_visits_and_mean_gains(
    rules: limit.Rules, buckets: Buckets, smooth: bool
) -> None:
    tree = limit.empty_tree(rules)
    random = np.random.default_rng(1)
    for number in range(3):
        deals = limit.deal(buckets, random, 500)
        tree = limit.learn(rules, smooth, tree, deals, jax.random.key(number))
    visits, value = np.asarray(tree.visits), np.asarray(tree.value)
    root = slice(0, int(rules.first_row[1]))
    assert visits[root].sum() == 1500  # every game begins there
    legal = np.repeat(rules.tree.child != ILLEGAL, np.diff(rules.first_row), axis=0)
    assert (visits[:-1][~legal] == 0).all()
    assert (visits[-1] == 0).all()
    # Who folds the small blind loses it, and nobody wins more than the other has.
    folds = visits[root, 0] > 0
    np.testing.assert_allclose(value[root, 0][folds], -0.5, rtol=1e-6)
    assert np.abs(value).max() <= 8


def test_greedy_policies_beat_those_who_always_do_the_same(
    rules: limit.Rules, buckets: Buckets
) -> None:
    random, simple = np.random.default_rng(2), limit.simple_policies(rules)
    trees = {name: limit.empty_tree(rules) for name in limit.METHODS}
    for number in range(150):
        deals = limit.deal(buckets, random, 2048)
        for name, smooth in limit.METHODS.items():
            trees[name] = limit.learn(rules, smooth, trees[name], deals, jax.random.key(number))
    for tree in trees.values():
        greedy = limit.greedy_policy(rules, tree)
        for other in simple.values():
            mean, error = limit.play_match(rules, buckets, greedy, other, 2)
            assert mean > 4 * error > 0
