"""Random questions to a network."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.games import Game, make
from sog.games.cards.kuhn import Kuhn
from sog.games.cards.poker import PokerState
from sog.games.encoding import Moves, Planes

apply = jax.jit(lambda apply_fn, params, *inputs: apply_fn(params, *inputs), static_argnums=0)


class BoardKuhn(Kuhn):
    """Kuhn poker that shows its features as planes of a row of three cells, an action for each."""

    encoding = Planes(channels=8, rows=1, columns=3, moves=Moves(planes=1))

    def observe(self, state: PokerState) -> jax.Array:
        features = super().observe(state)
        return jnp.pad(features, (0, self.encoding.num_features - len(features)))


def queries(text: str, batch: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Random features and ranges."""
    game, random = make(text), np.random.default_rng(seed)
    features = random.uniform(-1, 1, (batch, len(observed(game)))).astype(np.float32)
    weight = random.exponential(size=(batch, 2, game.num_infostates)).astype(np.float32)
    return features, weight / weight.sum(axis=2, keepdims=True)


def observed(game: Game[Any]) -> jax.Array:
    return game.observe(game.root())


def given(text: str, batch: int) -> tuple[jax.Array, jax.Array]:
    """The same as JAX's arrays."""
    features, ranges = queries(text, batch)
    return jnp.asarray(features), jnp.asarray(ranges)


def random_ranges(game: Game[Any], states: list[Any], seed: int = 0) -> jax.Array:
    """[state, player, S]: of all infostates that can be, and of no others."""
    masks = np.stack([game.infostate_mask(state) for state in states])
    weight = np.random.default_rng(seed).exponential(size=masks.shape) * masks
    return jnp.asarray(weight / weight.sum(axis=2, keepdims=True), jnp.float32)
