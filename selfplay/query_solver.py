"""Solves queries: a belief state that the network evaluated becomes a training example.

Student of Games, Algorithm 2, QuerySolver: GT-CFR from the belief state, both ranges known, so
there is no gadget; its values and policy are the targets. The solve makes queries of its own, some
of which are solved recursively.
"""

import dataclasses
import math
from typing import Any

import chex
import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.flow import normalize
from gtcfr.packing import BeliefState, packed_width, unpack
from gtcfr.query import QuerySample
from gtcfr.root import known_root
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from selfplay.examples import StoredExample, store_example
from selfplay.settings import SolverSettings
from sog.games.core import Game
from sog.pytree import pytree


@pytree
class NewQueries:
    """Queries of a batch of searches; those of `chosen` are to be solved."""

    beliefs: BeliefState  # [query, ...]
    chosen: Array  # [query] bool


@pytree
class Solved:
    """A batch of solved queries."""

    examples: StoredExample
    queries: NewQueries
    fault: Fault


def with_queries(settings: SearchSettings, per_search: float) -> SearchSettings:
    """Settings to return a sample of `per_search` queries on average (see `choose_queries`)."""
    return dataclasses.replace(settings, num_queries=math.ceil(per_search))


def choose_queries(sample: QuerySample, per_search: float, key: Array) -> NewQueries:
    """Chooses `per_search` queries of each search on average, from the sample that it returned."""
    batch_size, num_queries = sample.beliefs.state.shape[:2]
    share = per_search / max(num_queries, 1)
    chosen = jax.random.uniform(key, (batch_size, num_queries)) < share
    return NewQueries(
        beliefs=jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), sample.beliefs),
        chosen=(chosen & (sample.num_seen > 0)[:, None]).reshape(-1),
    )


def solve_queries(
    game: Game[Any],
    settings: SolverSettings,
    evaluator: Evaluator,
    beliefs: BeliefState,
    version: Array,
    key: Array,
    mesh: Mesh | None = None,
) -> Solved:
    """Solves a batch of queries. beliefs: [query, ...].

    version: of the network. mesh: the devices that share the searches. The examples have the solved
    ranges, see `SolverSettings.tremble` and `SolverSettings.random_ranges`.
    """
    batch_size = len(beliefs.state)
    chex.assert_shape(beliefs.state, (batch_size, packed_width(game)))
    chex.assert_shape(beliefs.ranges, (batch_size, 2, game.num_infostates))
    search_key, query_key, range_key = jax.random.split(key, 3)
    public = jax.vmap(lambda row: unpack(game, row))(beliefs.state)
    mask = jax.vmap(game.infostate_mask)(public)
    ranges = _some_at_random(beliefs.ranges, mask, settings.random_ranges, range_key)
    uniform = normalize(jnp.zeros_like(ranges), mask)
    ranges = (1 - settings.tremble) * ranges + settings.tremble * uniform
    recursive = settings.recursive_queries
    result = search(
        game,
        evaluator=evaluator,
        root=known_root(public, ranges),
        key=search_key,
        settings=with_queries(settings.search, recursive),
        mesh=mesh,
    )
    solved = BeliefState(state=beliefs.state, ranges=ranges)
    versions = jnp.broadcast_to(version, len(ranges))

    def store(*parts: Any) -> StoredExample:
        return store_example(game, *parts)

    examples = jax.vmap(store)(solved, result.values, result.policy, versions)
    queries = choose_queries(result.queries, recursive, query_key)
    return Solved(examples=examples, queries=queries, fault=result.fault)


def _some_at_random(ranges: Array, mask: Array, share: float, key: Array) -> Array:
    """Replaces the ranges of a share of the queries: each player's is drawn uniformly from all
    distributions over the possible infostates."""
    if share == 0:
        return ranges
    choice_key, range_key = jax.random.split(key)
    chosen = jax.random.uniform(choice_key, (len(ranges),)) < share
    drawn = normalize(jax.random.exponential(range_key, ranges.shape) * mask, mask)
    return jnp.where(chosen[:, None, None], drawn, ranges)
