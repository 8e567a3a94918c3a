"""Random playouts (plain Monte Carlo), for games of perfect information.

`gtcfr.evaluators.world_rollout` is for games with hidden information.
"""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries
from sog.games.core import Game
from sog.games.random_play import play_out
from sog.pytree import pytree


@pytree
class RolloutEvaluator(Evaluator):
    """The mean result of random games from the leaf, for games of perfect information (S = 1).

    Both players choose uniformly among legal actions. The memory is a random key per search, so
    that a search's games do not depend on its batch.
    """

    looks_at_ranges = False

    num_rollouts: int = dataclasses.field(metadata={"static": True})
    """Games per leaf and call."""
    seed: int = 0

    def encode(self, game: Game[Any], state: Any) -> Any:
        """The state itself."""
        return state

    def start(self, game: Game[Any], batch_size: int) -> Array:
        """A key per search; ValueError for a game with hidden information."""
        if game.hides_information:
            raise ValueError(
                f"a RolloutEvaluator values games of perfect information, and {game} has "
                f"{game.num_infostates} infostates per public state; a WorldRolloutEvaluator can."
            )
        key = jax.random.key(self.seed)
        keys: Array = jax.vmap(lambda row: jax.random.fold_in(key, row))(jnp.arange(batch_size))
        return keys

    def evaluate(self, game: Game[Any], memory: Array, queries: LeafQueries) -> LeafEvaluation:
        """Plays the games."""
        dtype = queries.ranges.dtype

        def value_of(key: Array, state: Any, is_valid: Array) -> Array:
            def utility_of(key: Array) -> Array:
                alone = jnp.zeros(2, jnp.int32)
                return game.world_utility(*play_out(game, state, alone, is_valid, key))

            keys = jax.random.split(jax.random.fold_in(key, 0), self.num_rollouts)
            return jnp.mean(jax.vmap(utility_of)(keys).astype(dtype))

        def key_of(memory: Array, is_valid: Array) -> tuple[Array, Array]:
            """Advances the key with the search's own leaves, not with those of its batch."""
            now, later = jnp.moveaxis(jax.vmap(jax.random.split)(memory), 1, 0)
            return jnp.where(is_valid, later, memory), now

        memory, keys = jax.lax.scan(key_of, memory, queries.is_valid.T)
        value = jax.vmap(jax.vmap(value_of))(keys.swapaxes(0, 1), queries.encoded, queries.is_valid)
        values = jnp.stack([value, -value], axis=-1)[..., None]
        logits = jnp.zeros((*value.shape, 1, game.num_actions), dtype)
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory)
