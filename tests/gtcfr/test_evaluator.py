"""A network at the leaves of a search: in which order it is asked, and in which unit it answers."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import LeafQueries, NetworkEvaluator
from gtcfr.settings import SearchSettings
from sog.games import make
from tests.gtcfr.grown_trees import run_search


def first_range(params: Array, features: Array, ranges: Array) -> tuple[Array, Array]:
    """A network that answers, as a fraction of the most that can be won, with a range."""
    return params * ranges, jnp.zeros((*ranges.shape[:1], ranges.shape[2], 3)) + params


@pytest.mark.parametrize(
    ("text", "most"), [("kuhn", 2), ("leduc", 13), ("leduc(first_raise=1)", 11)]
)
def test_a_networks_answers_are_fractions_of_the_most_that_can_be_won(text: str, most: int) -> None:
    game = make(text)
    evaluator = NetworkEvaluator(apply_fn=first_range, params=jnp.float32(0.5))
    ranges = jax.random.uniform(jax.random.key(0), (2, 3, 2, game.num_infostates))
    features = jnp.broadcast_to(game.observe(game.root()), (2, 3, *game.observe(game.root()).shape))
    queries = LeafQueries(encoded=features, ranges=ranges, is_valid=jnp.ones((2, 3), bool))
    answer = evaluator.evaluate(game, evaluator.start(game, 2), queries)
    np.testing.assert_allclose(answer.values, 0.5 * most * ranges, rtol=1e-6)
    np.testing.assert_array_equal(
        answer.policy_logits, np.full((2, 3, game.num_infostates, 3), 0.5)
    )


def partial_to_ranges(params: Array, features: Array, ranges: Array) -> tuple[Array, Array]:
    """A network whose policies depend on both ranges, and whose values make infostates differ."""
    infostate = jnp.arange(ranges.shape[2], dtype=ranges.dtype)
    both = ranges @ infostate
    values = jnp.sin(9 * jnp.sum(features, axis=1)[:, None, None] + infostate[None, None])
    values = values * jnp.ones_like(ranges)
    actions = jnp.arange(3)[None, None, :]
    logits = both[:, :1, None] * actions - both[:, 1:, None] * actions * ranges[:, 0, :, None]
    return params * values, params * logits


@pytest.mark.slow
@pytest.mark.parametrize("averaging", [0.0, 0.5])
def test_the_prior_of_a_node_is_the_policy_that_its_leaf_was_given_in_the_last_update(
    averaging: float,
) -> None:
    """Whether policies come with the answers about all leaves or only those needed are asked for.

    With a rule that takes turns, since with others averages go on after the last question.
    """
    game = make("leduc")
    settings = SearchSettings(
        num_simulations=12, simulations_per_update=2, rule="dcfr", leaf_averaging=averaging
    )
    found = []
    for leaves_per_call in (None, 3):
        network = NetworkEvaluator(
            apply_fn=partial_to_ranges, params=jnp.float32(0.5), leaves_per_call=leaves_per_call
        )
        found.append(run_search(game, settings, evaluator=network, seeds=(0, 1)))
    priors = [np.asarray(result.tree.interior.prior) for result in found]
    np.testing.assert_allclose(priors[0], priors[1], rtol=1e-4, atol=1e-6)
    assert len(np.unique(np.round(priors[0], 3))) > 10
    np.testing.assert_array_equal(found[0].tree.interior.edge, found[1].tree.interior.edge)
