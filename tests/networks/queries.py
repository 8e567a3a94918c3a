"""Random questions to a network."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.games import Game, make


def queries(text: str, batch: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random features and ranges."""
    game, random = make(text), np.random.default_rng(seed)
    features = random.uniform(-1, 1, (batch, len(observed(game)))).astype(np.float32)
    weight = random.exponential(size=(batch, 2, game.num_infostates)).astype(np.float32)
    return features, weight / weight.sum(axis=2, keepdims=True)


def observed(game: Game[Any]) -> np.ndarray:
    return np.asarray(game.observe(game.root()))


def given(text: str, batch: int) -> tuple[jax.Array, jax.Array]:
    """The same as JAX's arrays."""
    features, ranges = queries(text, batch)
    return jnp.asarray(features), jnp.asarray(ranges)


def random_ranges(game: Game[Any], states: list[Any], seed: int = 0) -> jax.Array:
    """[state, player, S]: of all infostates that can be, and of no others."""
    masks = np.stack([game.infostate_mask(state) for state in states])
    weight = np.random.default_rng(seed).exponential(size=masks.shape) * masks
    return jnp.asarray(weight / weight.sum(axis=2, keepdims=True), jnp.float32)
