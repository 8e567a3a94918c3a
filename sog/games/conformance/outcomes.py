"""Chooses the public events of a state that a check follows: all, or some of thousands.

Laws about infostates after an event need memory for all events at once: 22,100 flops times 1,326
hands of both players are too many. So checks follow a random sample of wide chance, while laws
about the probabilities of all outcomes go through them in parts.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.conformance.sample import MOST_ENTRIES_PER_CALL
from sog.games.core import Game

_ROWS = 8  # arrays [S] that a law keeps per event, about


def num_followed(game: Game[Any]) -> int:
    """F: the number of events to follow; all K if that fits, and always all of a decision."""
    return min(game.num_outcomes, max(_at_once(game), game.num_decision_outcomes))


def _at_once(game: Game[Any]) -> int:
    return MOST_ENTRIES_PER_CALL // (_ROWS * game.num_infostates)


def followed_outcomes(game: Game[Any], state: Any, key: Array) -> Array:
    """int32[F]: every outcome in order, or a random sample in which legal ones come first."""
    count = num_followed(game)
    if count == game.num_outcomes:
        return jnp.arange(count, dtype=jnp.int32)
    score = jax.random.uniform(key, (game.num_outcomes,)) + game.legal_outcomes(state)
    return jax.lax.top_k(score, count)[1].astype(jnp.int32)


def of_all_outcomes(
    game: Game[Any], state: Any, function: Callable[[Array], Array], copies: int = 1
) -> Array:
    """[K, ...]: a function of each outcome, in parts that fit into memory.

    If there are several parts, results for illegal outcomes are undefined. copies: arrays [S] that
    the function works on.
    """
    every_outcome = jnp.arange(game.num_outcomes, dtype=jnp.int32)
    size = max(1, _at_once(game) // copies)
    if size >= game.num_outcomes:
        return jax.vmap(function)(every_outcome)
    legal = game.legal_outcomes(state)
    nothing = game.num_outcomes
    order = jnp.argsort(~legal, stable=True).astype(jnp.int32)  # legal ones first
    order = jnp.pad(order, (0, -nothing % size), constant_values=nothing)

    def add(part: Array, found: Array) -> Array:
        some = jax.lax.dynamic_slice_in_dim(order, part * size, size)
        values = jax.vmap(function)(jnp.minimum(some, nothing - 1))
        return found.at[some].set(values, mode="drop")

    one = jax.eval_shape(function, every_outcome[0])
    zeros = jnp.zeros((nothing, *one.shape), one.dtype)
    found: Array = jax.lax.fori_loop(0, -(-jnp.sum(legal) // size), add, zeros)
    return found
