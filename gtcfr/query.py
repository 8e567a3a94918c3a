"""Reservoir sampling of the leaf queries of a search.

Student of Games solves some of the belief states that its searches evaluated by the network, and
trains on the result (Algorithm 2).
"""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import LeafQueries
from gtcfr.packing import BeliefState, packed_width
from sog.games.core import Game
from sog.pytree import pytree


@pytree
class QuerySample:
    """Some queries of each search, each drawn uniformly from all queries of that search."""

    beliefs: BeliefState  # [batch, query, ...]
    num_seen: Array  # [batch] int32: queries made; where 0 the sample is undefined


def no_queries(game: Game[Any], batch_size: int, num_queries: int) -> QuerySample:
    """An empty sample."""
    return QuerySample(
        beliefs=BeliefState(
            state=jnp.zeros((batch_size, num_queries, packed_width(game)), jnp.int32),
            ranges=jnp.zeros((batch_size, num_queries, 2, game.num_infostates)),
        ),
        num_seen=jnp.zeros(batch_size, jnp.int32),
    )


def sample_queries(
    sample: QuerySample, states: Array, queries: LeafQueries, keys: Array
) -> QuerySample:
    """Offers queries to the sample. states: [batch, leaf, width], packed; keys: [batch]."""
    num_new = jnp.sum(queries.is_valid, axis=1, dtype=jnp.int32)
    num_seen = sample.num_seen + num_new
    if sample.beliefs.state.shape[1] == 0:
        return QuerySample(beliefs=sample.beliefs, num_seen=num_seen)

    def choose(
        old: BeliefState, new: BeliefState, valid: Array, seen: Array, key: Array
    ) -> BeliefState:
        # Each entry of the sample becomes one of the new queries with probability new / seen.
        takes_key, which_key = jax.random.split(key)
        takes = jax.random.uniform(takes_key) * seen < jnp.sum(valid)
        which = jnp.argmax(jnp.where(valid, jax.random.uniform(which_key, valid.shape), -1))
        chosen: BeliefState = jax.tree.map(
            lambda kept, offered: jnp.where(takes, offered[which], kept), old, new
        )
        return chosen

    def choose_all(
        old: BeliefState, new: BeliefState, valid: Array, seen: Array, key: Array
    ) -> BeliefState:
        places = jax.random.split(jax.random.fold_in(key, seen), len(old.state))
        each = jax.vmap(choose, in_axes=(0, None, None, None, 0))
        chosen: BeliefState = each(old, new, valid, seen, places)
        return chosen

    offered = BeliefState(state=states, ranges=queries.ranges)
    beliefs = jax.vmap(choose_all)(sample.beliefs, offered, queries.is_valid, num_seen, keys)
    return QuerySample(beliefs=beliefs, num_seen=num_seen)
