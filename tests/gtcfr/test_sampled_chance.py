"""Wide chance nodes, of which a tree keeps a sample: right on average, and said so (trap 8)."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import LeafEvaluation, LeafQueries
from gtcfr.root import NO_EVENT, belief_state
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import ROOT
from sog.games.core import CHANCE, Game
from sog.pytree import pytree
from sog.tabular.enumerated_game import EnumeratedState
from tests.gtcfr.growing_cases import CASES, searched
from tests.gtcfr.grown_trees import (
    children_of,
    enumerated,
    public_tree,
    run_search,
    tree_number,
)
from tests.gtcfr.plain_search import PlainSearch
from tests.tabular.small_games import child_of


@pytree
class ValueOfNode:
    """Values from a table, whatever the ranges."""

    node_values: Any  # [node, player, S]

    @property
    def leaves_per_call(self) -> int | None:
        return None

    def encode(self, game: Game[Any], state: EnumeratedState) -> jax.Array:
        return state.node

    def start(self, game: Game[Any], batch_size: int) -> Any:
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        values = jnp.asarray(self.node_values)[queries.encoded]
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions))
        return LeafEvaluation(values=values, policy_logits=logits, memory=())


_SAMPLES = 200
_BRANCH = 2


@functools.cache
def sampled_chance() -> tuple[PlainSearch, SearchResult]:
    """One update of a search that keeps three of the six cards that Leduc's chance can turn up.

    200 searches without and 200 with a branch. With them the oracle, which has all six.
    """
    public, rng = public_tree("leduc"), np.random.default_rng(1)
    node = int(np.flatnonzero(public.node_actor == CHANCE)[0])
    table = rng.uniform(-1, 1, (public.num_nodes, 2, 6))
    ranges = rng.dirichlet(np.ones(6), 2)
    path = np.repeat([[NO_EVENT], [_BRANCH]], _SAMPLES, axis=0)
    root = belief_state(
        EnumeratedState(node=jnp.full(2 * _SAMPLES, node, jnp.int32)),
        jnp.broadcast_to(jnp.asarray(ranges, jnp.float32), (2 * _SAMPLES, 2, 6)),
        path=jnp.asarray(path, jnp.int32),
    )
    settings = SearchSettings(grow=False, num_simulations=1, max_outcomes=3)
    values = ValueOfNode(node_values=table.astype(np.float32))
    result = run_search(enumerated("leduc"), settings, root=root, evaluator=values)
    oracle = PlainSearch(public, root=node, ranges=ranges)
    oracle.update(np.arange(public.num_nodes) == node, lambda leaf, _: table[leaf])
    return oracle, result


def test_samples_of_a_wide_chance_node_have_the_right_expectation() -> None:
    """All twenty samples of three cards of six are equally likely; their mean is exact."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES))
    assert len(cfvs) == 20
    assert max(len(same) for same in cfvs.values()) < 25  # 10 on average
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, oracle.cfv_sum[:, oracle.root], atol=1e-6)
    assert np.std([same[0] for same in cfvs.values()], axis=0).max() > 5e-3


def test_the_branch_is_kept_for_certain_and_the_rest_of_chance_is_weighted_up() -> None:
    """Two of the other five cards, ten samples; below the card of the branch the tree goes on."""
    oracle, result = sampled_chance()
    cfvs = by_sample(result, range(_SAMPLES, 2 * _SAMPLES))
    assert all(_BRANCH in sample for sample in cfvs)
    assert len(cfvs) == 10
    tree, root = tree_number(result, _SAMPLES), oracle.root
    row = children_of(tree, int(ROOT))[_BRANCH]
    assert row == result.slot[_SAMPLES]
    now = child_of(oracle.tree, root, _BRANCH)
    mask = oracle.tree.node_mask[now]
    # Each card has its own part of the cfvs; that of the branch is no longer the evaluator's.
    exact = oracle.cfv_sum[:, root] + mask * (tree.cfvs[row] - oracle.cfv_sum[:, now])
    mean = np.mean([same[0] for same in cfvs.values()], axis=0)
    np.testing.assert_allclose(mean, exact, atol=1e-6)


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


@pytest.mark.slow
def test_where_all_of_chance_is_in_the_tree_no_sample_is_reported() -> None:
    assert not any(searched(name).tree.is_sampled.any() for name in CASES)
