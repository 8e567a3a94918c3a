"""The sample of a search's queries: every query is as likely as any other to be in it."""

import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.evaluator import LeafQueries
from gtcfr.packing import packed_width
from gtcfr.query import QuerySample, no_queries, sample_queries
from sog.games import make

GAME: Final = make("kuhn")
SEARCHES: Final = 6000
PLACES: Final = 2
VALID: Final = np.array(
    [
        [True, False, True, False, False],
        [False, False, False, False, False],  # an update that asks nothing
        [False, True, True, True, True],
        [False, False, False, False, True],
    ]
)
"""[update, leaf]: what is asked; seven queries in all."""
NUMBERS: Final = np.arange(VALID.size).reshape(VALID.shape)


@functools.cache
def sampled() -> QuerySample:
    """The samples of many searches that made the same queries, each with a number of its own."""
    width = packed_width(GAME)

    def offer(sample: QuerySample, update: jax.Array) -> tuple[QuerySample, None]:
        numbers = jnp.broadcast_to(jnp.asarray(NUMBERS)[update], (SEARCHES, VALID.shape[1]))
        queries = LeafQueries(
            encoded=(),
            ranges=jnp.broadcast_to(numbers[..., None, None], (*numbers.shape, 2, 3)) / 100,
            is_valid=jnp.broadcast_to(jnp.asarray(VALID)[update], numbers.shape),
        )
        states = jnp.broadcast_to(numbers[..., None], (*numbers.shape, width)).astype(jnp.int32)
        return sample_queries(sample, states, queries, keys), None

    keys = jax.random.split(jax.random.key(5), SEARCHES)
    start = no_queries(GAME, SEARCHES, PLACES)
    run = jax.jit(lambda: jax.lax.scan(offer, start, jnp.arange(len(VALID)))[0])
    found: QuerySample = jax.device_get(run())
    return found


def test_a_sample_is_uniform_over_leaves_and_over_updates() -> None:
    drawn = sampled().beliefs.state[:, :, 0]
    share = 1 / VALID.sum()
    bound = 5 * (share * (1 - share) / SEARCHES) ** 0.5
    for place in range(PLACES):
        found = np.bincount(drawn[:, place], minlength=VALID.size) / SEARCHES
        np.testing.assert_allclose(found[VALID.reshape(-1)], share, atol=bound)
        assert found[~VALID.reshape(-1)].sum() == 0


def test_the_places_of_a_sample_are_drawn_independently() -> None:
    drawn = sampled().beliefs.state[:, :, 0]
    share = 1 / VALID.sum()
    same = (drawn[:, 0] == drawn[:, 1]).mean()
    assert abs(same - share) < 5 * (share * (1 - share) / SEARCHES) ** 0.5


def test_a_state_comes_with_its_own_ranges_and_all_queries_are_counted() -> None:
    found = sampled()
    beliefs = found.beliefs
    np.testing.assert_allclose(beliefs.ranges[:, :, 1, 2], beliefs.state[:, :, 0] / 100, rtol=1e-6)
    assert (found.num_seen == VALID.sum()).all()
