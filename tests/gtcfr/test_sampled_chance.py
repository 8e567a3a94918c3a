"""Wide chance nodes, of which a tree keeps a sample: right on average, and said so (trap 8)."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.children import spread
from gtcfr.evaluator import ZeroEvaluator
from gtcfr.evaluators.exact import NoisyEvaluator
from gtcfr.memory_estimate import tree_shapes
from gtcfr.root import NO_EVENT, known_root, start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import ROOT
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1
from sog.games.registry import make
from sog.memory import bytes_of
from sog.tabular.enumerated_game import EnumeratedState
from sog.tabular.public_tree import PublicTree
from tests.gtcfr.growing_cases import searched
from tests.gtcfr.grown_trees import (
    children_of,
    enumerated,
    public_tree,
    rows_of_nodes,
    run_search,
    tree_number,
)
from tests.gtcfr.plain_search import PlainSearch

_SAMPLES = 200
_BRANCH = 2


@functools.cache
def chance_node() -> tuple[int, np.ndarray, np.ndarray]:
    """A chance node of Leduc, random values of all nodes [node, player, S], random ranges."""
    public, rng = public_tree("leduc"), np.random.default_rng(1)
    node = int(np.flatnonzero(public.node_actor == CHANCE)[0])
    return node, rng.uniform(-1, 1, (public.num_nodes, 2, 6)), rng.dirichlet(np.ones(6), 2)


def searched_from_chance(paths: Any, settings: SearchSettings) -> SearchResult:
    """From that node, a search per path [search, event]."""
    node, table, ranges = chance_node()
    root = known_root(
        EnumeratedState(node=jnp.full(len(paths), node, jnp.int32)),
        jnp.broadcast_to(jnp.asarray(ranges, jnp.float32), (len(paths), 2, 6)),
        path=jnp.asarray(paths, jnp.int32),
    )
    values: Any = table.astype(np.float32)
    evaluator = NoisyEvaluator(inner=ZeroEvaluator(), node_noise=values)
    return run_search(enumerated("leduc"), settings, root=root, evaluator=evaluator)


@functools.cache
def sampled_chance(spread_outcomes: bool = False) -> tuple[PlainSearch, SearchResult]:
    """One update of a search that keeps three of the six cards that Leduc's chance can turn up.

    200 searches without and 200 with a branch. With them the oracle, which has all six.
    """
    public, (node, table, ranges) = public_tree("leduc"), chance_node()
    paths = np.repeat([[NO_EVENT], [_BRANCH]], _SAMPLES, axis=0)
    settings = SearchSettings(
        grow=False, num_simulations=1, max_outcomes=3, spread_outcomes=spread_outcomes
    )
    result = searched_from_chance(paths, settings)
    oracle = PlainSearch(public, root=node, ranges=ranges)
    oracle.update(np.arange(public.num_nodes) == node, lambda leaf, _: table[leaf])
    return oracle, result


@pytest.mark.thorough
def test_samples_of_a_wide_chance_node_have_the_right_expectation() -> None:
    """All twenty samples of three cards of six are equally likely; their mean is exact."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES))
    assert len(cfvs) == 20
    assert max(len(same) for same in cfvs.values()) < 25  # 10 on average
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, oracle.cfv_sum[:, oracle.root], atol=1e-6)
    assert np.std([same[0] for same in cfvs.values()], axis=0).max() > 5e-3


@pytest.mark.thorough
def test_the_branch_is_kept_for_certain_and_the_rest_of_chance_is_weighted_up() -> None:
    """Two of the other five cards, ten samples; below the card of the branch the tree goes on."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES, 2 * _SAMPLES))
    assert all(_BRANCH in sample for sample in cfvs)
    assert len(cfvs) == 10
    tree, root = tree_number(result, _SAMPLES), oracle.root
    row = children_of(tree, int(ROOT))[_BRANCH]
    assert row == result.slot[_SAMPLES]
    now = oracle.tree.child_of_edge[root, _BRANCH]
    mask = oracle.tree.node_mask[now]
    # Each card has its own part of the cfvs; that of the branch is no longer the evaluator's.
    exact = oracle.cfv_sum[:, root] + mask * (tree.cfvs[row] - oracle.cfv_sum[:, now])
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, exact, atol=1e-6)


def test_spread_samples_have_the_right_expectation_and_the_branch_for_certain() -> None:
    """Every other card of six; of the five beside the branch two, each in two of five samples."""
    oracle, result = sampled_chance(spread_outcomes=True)
    cfvs = by_sample(result, range(_SAMPLES))
    assert sorted(cfvs) == [(0, 2, 4), (1, 3, 5)]
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, oracle.cfv_sum[:, oracle.root], atol=1e-6)
    with_branch = by_sample(result, range(_SAMPLES, 2 * _SAMPLES))
    assert sorted(with_branch) == [(0, 2, 3), (0, 2, 4), (1, 2, 4), (1, 2, 5), (2, 3, 5)]
    counts = [len(same) for same in (*cfvs.values(), *with_branch.values())]
    np.testing.assert_allclose(counts, [100] * 2 + [40] * 5, atol=30)


@pytest.mark.parametrize(("count", "total"), [(0, 5), (1, 5), (3, 7), (5, 7), (7, 7), (9, 4)])
def test_each_outcome_is_in_as_many_spread_samples_as_any_other(count: int, total: int) -> None:
    free = jnp.array([True, False, *[True] * (total - 1), False])
    samples = np.asarray(jax.vmap(lambda start: spread(free, count, start))(jnp.arange(total)))
    assert not samples[:, ~np.asarray(free)].any()
    assert (samples.sum(axis=1) == min(count, total)).all()
    assert (samples[:, np.asarray(free)].sum(axis=0) == min(count, total)).all()


def by_sample(result: SearchResult, searches: range) -> dict[tuple[int, ...], list[np.ndarray]]:
    """The root's cfvs [2, S], by which outcomes were kept."""
    found: dict[tuple[int, ...], list[np.ndarray]] = {}
    for search in searches:
        tree = tree_number(result, search)
        kept = tuple(sorted(children_of(tree, int(ROOT))))
        found.setdefault(kept, []).append(np.asarray(tree.cfvs[ROOT]))
    return found


def test_a_sample_of_chance_is_reported() -> None:
    assert sampled_chance()[1].tree.is_sampled.all()
    assert not searched("poker, SoG(s, 1)").tree.is_sampled.any()


FORTY = SearchSettings(num_simulations=24, max_outcomes=8)
"""Of the cards that a public card is one of."""


def test_a_few_of_forty_cards_need_half_of_the_room_at_most() -> None:
    game = make("board_poker")
    some, whole = (
        bytes_of(tree_shapes(game, (), settings, 1))
        for settings in (FORTY, SearchSettings(num_simulations=24))
    )
    assert 2 * some < whole


@pytest.mark.thorough
@pytest.mark.parametrize("widest", [5, 6])
def test_wider_chance_than_asked_for_stays_a_leaf_but_where_the_search_begins(widest: int) -> None:
    """Leduc turns up one of six cards: with five at most simulations find the first round alone;
    a search from before the card has all six, and goes on below them."""
    public, (node, _, ranges) = public_tree("leduc"), chance_node()
    settings = SearchSettings(num_simulations=60, widest_chance=widest)
    state = EnumeratedState(node=jnp.array([0, node], jnp.int32))
    start = start_of_game(enumerated("leduc"), batch_size=1).ranges
    both = jnp.concatenate([start, jnp.asarray(ranges, jnp.float32)[None]])
    result = run_search(enumerated("leduc"), settings, root=known_root(state, both))
    whole, after_the_round = (expanded_nodes(public, result, n) for n in (0, 1))
    assert CHANCE in public.node_actor[after_the_round]
    assert (public.node_actor[after_the_round] != CHANCE).sum() > 6
    first_round = reached_without_chance(public)
    assert first_round <= set(whole)
    assert (set(whole) == first_round) == (widest == 5)


def expanded_nodes(public: PublicTree, result: SearchResult, number: int) -> list[int]:
    """The nodes of the game that are interior to a search's tree."""
    tree = tree_number(result, number)
    rows = rows_of_nodes(public, tree, root=[0, chance_node()[0]][number])
    return np.flatnonzero((rows >= 0) & (rows < tree.shape.num_interior)).tolist()


def reached_without_chance(public: PublicTree) -> set[int]:
    """The decisions of the first round."""
    found, waiting = set(), [0]
    while waiting:
        node = waiting.pop()
        if public.node_actor[node] in (PLAYER_0, PLAYER_1):
            found.add(node)
            waiting += np.flatnonzero(public.node_parent == node).tolist()
    return found
