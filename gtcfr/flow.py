"""Sums, normalization and choices over the rows of small arrays."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.tabular.cfr import sum_actions


def by_player(first: Array, actors: Array, others: Array) -> Array:
    """Stacks the acting player's rows and the other's by player; first: player 0 acts."""
    return jnp.stack([jnp.where(first, actors, others), jnp.where(first, others, actors)])


def choose_rows(condition: Array, yes: Any, no: Any) -> Any:
    """Chooses between two structures of arrays, row by row. condition: [row] bool."""

    def choose(first: Array, second: Array) -> Array:
        return jnp.where(condition.reshape(-1, *[1] * (first.ndim - 1)), first, second)

    return jax.tree.map(choose, yes, no)


def normalize(weight: Array, mask: Array, axis: int = -1) -> Array:
    """Scaled to sum 1 along an axis; uniform over the mask where the sum is 0.

    Sums too small to divide by count as 0.
    """
    inside, even = jnp.where(mask, weight, 0), mask.astype(weight.dtype)
    total = jnp.sum(inside, axis=axis, keepdims=True)
    has_weight = total >= np.finfo(weight.dtype).tiny
    kept = jnp.where(has_weight, inside, even)
    count = jnp.maximum(jnp.sum(even, axis=axis, keepdims=True), 1)
    return kept / jnp.where(has_weight, total, count)


def uniform_over(mask: Array) -> Array:
    """[..., A, S]: uniform over the actions of a mask [..., A, S]; 0 where it has none."""
    weight = mask.astype(jnp.float32)
    return weight / jnp.maximum(sum_actions(weight, axis=-2), 1)
