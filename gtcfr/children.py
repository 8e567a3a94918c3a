"""Which children an expansion adds to a node, and the prior policy there."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.settings import SearchSettings
from sog.games.core import CHANCE, Game


def prior_policy(logits: Array, legal: Array, temperature: float) -> Array:
    """[A, S]: softmax over legal actions; 0 where an infostate has none."""
    scaled = jnp.where(legal, logits / temperature, -jnp.inf)
    most = jnp.max(scaled, axis=0, keepdims=True)
    weight = jnp.where(legal, jnp.exp(scaled - jnp.where(jnp.isfinite(most), most, 0)), 0)
    total = jnp.sum(weight, axis=0, keepdims=True)
    return weight / jnp.where(total > 0, total, 1)


def chance_acts(game: Game[Any], state: Any) -> Array:
    """bool: whether this is a chance node."""
    return game.actor(state) == CHANCE


def leads_to(outcome: Array, exists: Array, num_actions: int) -> Array:
    """[A, 1] bool: actions whose outcome, of the same number, is among the children."""
    found = (outcome[:, None] == jnp.arange(num_actions)[None]) & exists[:, None]
    return jnp.any(found, axis=0)[:, None]


def _best(score: Array, count: int) -> Array:
    """[count] int32: the indices of the highest scores, the best first."""
    if count == 1:
        return jnp.argmax(score)[None].astype(jnp.int32)
    return jax.lax.top_k(score, count)[1].astype(jnp.int32)


def choose_outcomes(
    game: Game[Any],
    settings: SearchSettings,
    num_children: int,
    state: Any,
    prior: Array,
    key: Array,
    branch_outcome: Array | int,
) -> tuple[Array, Array, Array, Array]:
    """Which public events get a child: (outcome, exists, chance weight) per child, and if all fit.

    All legal ones; after a decision only the best `num_children` by the prior if that is set; of a
    chance node that has more than there is room for, a sample without replacement, whose weights
    keep every expectation right on average. The weights have an entry for every child that a node
    can have; so have the others, except that without chance they list just the best `num_children`.
    """
    legal = game.legal_outcomes(state)
    num_outcomes = legal.shape[0]
    numbers = jnp.arange(num_outcomes, dtype=jnp.int32)
    if settings.num_children is not None and not game.has_chance:
        score = jnp.where(numbers == branch_outcome, 2, jnp.where(legal, prior[:, 0], -1))
        best = _best(score, min(settings.num_children, num_children))
        return best, legal[best], jnp.ones(num_children), jnp.bool_(True)
    is_chance, num_legal = chance_acts(game, state), jnp.sum(legal)
    if settings.num_children is None and num_children == num_outcomes:
        weight = jnp.ones(num_children)
        return numbers, legal, weight, jnp.bool_(True)
    limit = jnp.int32(num_children)
    score = jax.random.uniform(key, (num_outcomes,))
    if settings.num_children is not None:
        limit = jnp.where(is_chance, limit, min(settings.num_children, num_children))
        score = jnp.where(is_chance, score, prior[:, 0])
    score = jnp.where(legal, score, -1)
    score = jnp.where(numbers == branch_outcome, 2, score)
    _, best = jax.lax.top_k(score, num_children)
    kept = jnp.zeros(num_outcomes, bool).at[best].set(jnp.arange(num_children) < limit) & legal
    fits = is_chance | (settings.num_children is not None) | (num_legal <= num_children)
    outcome = numbers if num_children == num_outcomes else best.astype(jnp.int32)
    exists = kept[outcome]
    # The branch is kept for certain; of the others, as many as there is room for.
    certain = jnp.any(numbers == branch_outcome)
    kept_others, others = jnp.sum(kept) - certain, num_legal - certain
    weight = jnp.where(
        is_chance & (outcome != branch_outcome), others / jnp.maximum(kept_others, 1), 1.0
    )
    return outcome, exists, weight.astype(jnp.float32), fits
