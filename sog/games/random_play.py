"""Random play: both players choose uniformly among their legal actions."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import TERMINAL, Game, draw


def random_action(game: Game[Any], state: Any, infostates: Array, key: Array) -> Array:
    """int32: a uniformly random legal action of the player to act in a world; any number at a
    chance node, which ignores it. infostates: int32[2]."""
    legal = game.world_actions(state, infostates)
    if not game.hides_information:  # a draw per action, as in published results
        action = jax.random.categorical(key, jnp.where(legal, 0.0, -jnp.inf))
        return action.astype(jnp.int32)
    return draw(jax.random.uniform(key), legal.astype(jnp.float32))


def play_out(
    game: Game[Any], state: Any, infostates: Array, is_valid: Array, key: Array
) -> tuple[Any, Array]:
    """The public state and the infostates [2] at the end of a random game; unchanged unless
    `is_valid`."""

    def continues(step: tuple[Any, Array, Array, Array]) -> Array:
        state, _, _, depth = step
        return is_valid & (game.actor(state) != TERMINAL) & (depth < game.max_depth)

    def move(step: tuple[Any, Array, Array, Array]) -> tuple[Any, Array, Array, Array]:
        state, infostates, key, depth = step
        key_action, key_transition, key_next = jax.random.split(key, 3)
        action = random_action(game, state, infostates, key_action)
        outcome, infostates = game.transition(key_transition, state, infostates, action)
        return game.apply(state, outcome), infostates, key_next, depth + 1

    start = (state, infostates, key, jnp.int32(0))
    end, infostates, _, _ = jax.lax.while_loop(continues, move, start)
    return end, infostates
