"""Random playouts: the evaluator of plain Monte Carlo, for games too large to enumerate."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import LeafEvaluation, LeafQueries
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree


@pytree
class RolloutEvaluator:
    """The mean result of random games from the leaf on, for games of perfect information (S = 1).

    Both players choose uniformly among legal actions, and chance moves as it does. The memory is a
    random key per search, so that a search plays the same games in whatever batch it is.
    """

    num_rollouts: int = dataclasses.field(metadata={"static": True})
    """Games per leaf and call."""
    seed: int = 0

    @property
    def leaves_per_call(self) -> int | None:
        """No limit."""
        return None

    def encode(self, game: Game[Any], state: Any) -> Any:
        """The state itself."""
        return state

    def start(self, game: Game[Any], batch_size: int) -> Array:
        """A key per search; ValueError for a game with hidden information."""
        if game.num_infostates != 1:
            raise ValueError(
                f"random playouts value games of perfect information, and {game} has "
                f"{game.num_infostates} infostates per public state."
            )
        key = jax.random.key(self.seed)
        keys: Array = jax.vmap(lambda row: jax.random.fold_in(key, row))(jnp.arange(batch_size))
        return keys

    def evaluate(self, game: Game[Any], memory: Array, queries: LeafQueries) -> LeafEvaluation:
        """Plays the games."""
        split = jax.vmap(jax.random.split)(memory)
        dtype = queries.ranges.dtype

        def value_of(key: Array, leaf: Array, state: Any, is_valid: Array) -> Array:
            keys = jax.random.split(jax.random.fold_in(key, leaf), self.num_rollouts)
            ends = jax.vmap(lambda key: _play_out(game, state, is_valid, key))(keys)
            return jnp.mean(jax.vmap(lambda end: _result(game, end, dtype))(ends))

        leaves = jnp.arange(queries.is_valid.shape[1])
        of_search = jax.vmap(value_of, (None, 0, 0, 0))
        of_batch = jax.vmap(of_search, (0, None, 0, 0))
        value = of_batch(split[:, 0], leaves, queries.encoded, queries.is_valid)
        values = jnp.stack([value, -value], axis=-1)[..., None]
        logits = jnp.zeros((*value.shape, 1, game.num_actions), dtype)
        # The key moves on with the search's own leaves, not with those of its neighbours.
        asked = jnp.any(queries.is_valid, axis=1)
        return LeafEvaluation(
            values=values, policy_logits=logits, memory=jnp.where(asked, split[:, 1], memory)
        )


def _play_out(game: Game[Any], state: Any, is_valid: Array, key: Array) -> Any:
    """The end of a random game; a state that is not valid stays as it is."""

    def goes_on(step: tuple[Any, Array, Array]) -> Array:
        state, _, depth = step
        return is_valid & (game.actor(state) != TERMINAL) & (depth < game.max_depth)

    def move(step: tuple[Any, Array, Array]) -> tuple[Any, Array, Array]:
        state, key, depth = step
        key_action, key_transition, key_next = jax.random.split(key, 3)
        legal = game.legal_actions(state)[0]
        action = jax.random.categorical(key_action, jnp.where(legal, 0.0, -jnp.inf))
        alone = jnp.zeros(2, jnp.int32)
        outcome, _ = game.transition(key_transition, state, alone, action.astype(jnp.int32))
        return game.apply(state, outcome), key_next, depth + 1

    end, _, _ = jax.lax.while_loop(goes_on, move, (state, key, jnp.int32(0)))
    return end


def _result(game: Game[Any], end: Any, dtype: Any) -> Array:
    """Player 0's utility at the end of a game."""
    everything = jnp.ones((2, 1), dtype)
    cfv = game.utilities(end, everything)[0, 0]  # contains the probability of chance's moves
    compatible = game.compatible_reach(end, everything)[0, 0]
    return jnp.where(compatible > 0, cfv / jnp.where(compatible > 0, compatible, 1), 0)
