"""A sampled game as one player's sequence of decisions, for reinforcement learning."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import Histories
from sog.baselines.histories.walk import Place, Walk, walk
from sog.games.core import draw
from sog.pytree import pytree


@pytree
class Steps:
    """[step]: a player's decision and its outcome; the opponent is part of the environment."""

    is_own: Array
    """bool: the player decides here; the other fields are valid only then."""
    row: Array
    choice: Array
    next_row: Array
    """The player's next decision; the number of rows if there is none."""
    reward: Array
    """The player's final utility at its last decision; else 0."""
    gain: Array
    """The player's final utility."""


def steps_of(played: Walk, player: int, num_rows: int) -> Steps:
    """One game from the view of a player."""
    is_own = played.place.actor == player
    number = jnp.arange(len(is_own))
    is_later = is_own[None, :] & (number[None, :] > number[:, None])
    goes_on = is_later.any(axis=1)
    following = played.place.row[jnp.argmax(is_later, axis=1)]
    gain = played.utility_to(jnp.full(is_own.shape, player))
    return Steps(
        is_own=is_own,
        row=jnp.where(is_own, played.place.row, num_rows),
        choice=played.choice,
        next_row=jnp.where(goes_on, following, num_rows),
        reward=jnp.where(goes_on, 0, gain),
        gain=gain,
    )


def play(histories: Histories, policy: Callable[[Array], Array], key: Array) -> Steps:
    """[player, step]: plays a game; policy maps a row to [choice]."""

    def choose(_: None, place: Place, numbers: Array) -> tuple[Array, None, tuple[()]]:
        return draw(numbers[0], policy(place.row)), None, ()

    played = walk(histories, key, choose, None)
    both = [steps_of(played, player, histories.num_rows) for player in (0, 1)]
    steps: Steps = jax.tree.map(lambda *parts: jnp.stack(parts), *both)
    return steps


def play_games(histories: Histories, policy: Array, key: Array, count: int) -> Steps:
    """[player, step]: plays `count` games by a policy [row + 1, choice], concatenated."""
    games = jax.vmap(lambda one: play(histories, policy.__getitem__, one))(
        jax.random.split(key, count)
    )
    steps: Steps = jax.tree.map(lambda part: part.swapaxes(0, 1).reshape(2, -1), games)
    return steps


def greedy_policy(values: Array, legal: Array) -> Array:
    """[..., choice]: 1 for the first of the best legal choices."""
    best = jnp.argmax(jnp.where(legal, values, -jnp.inf), axis=-1)
    is_best: Array = jax.nn.one_hot(best, values.shape[-1], dtype=values.dtype)
    return jnp.where(legal, is_best, 0)


def explored(policy: Array, legal: Array, epsilon: Array | float) -> Array:
    """[..., choice]: the policy, mixed with uniform play by epsilon."""
    uniform = legal / jnp.maximum(legal.sum(axis=-1, keepdims=True), 1)
    mixed: Array = (1 - epsilon) * policy + epsilon * uniform
    return mixed.astype(policy.dtype)
