"""What one player learns by trial and error from a sampled game: his own decisions, in order."""

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
    """[step]: a player's decision, and where it led him; the other's moves are his surroundings."""

    is_own: Array
    """bool: the player decides here; nothing else counts where he does not."""
    row: Array
    choice: Array
    next_row: Array
    """His next decision; the number of rows where there is none."""
    reward: Array
    """At his last decision, what he gets at the end of the game; else 0."""
    gain: Array
    """What he gets at the end of the game."""


def steps_of(played: Walk, player: int, num_rows: int) -> Steps:
    """One game as a player saw it."""
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
    """[player, step]: a game by a policy, from a row to [choice], as each player saw it."""

    def choose(_: None, place: Place, numbers: Array) -> tuple[Array, None, tuple[()]]:
        return draw(numbers[0], policy(place.row)), None, ()

    played = walk(histories, key, choose, None)
    both = [steps_of(played, player, histories.num_rows) for player in (0, 1)]
    steps: Steps = jax.tree.map(lambda *parts: jnp.stack(parts), *both)
    return steps


def play_games(histories: Histories, policy: Array, key: Array, count: int) -> Steps:
    """[player, step]: the same of some games by a policy [row + 1, choice], one after the other."""
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
    """[..., choice]: the policy, but with probability epsilon any legal choice."""
    uniform = legal / jnp.maximum(legal.sum(axis=-1, keepdims=True), 1)
    mixed: Array = (1 - epsilon) * policy + epsilon * uniform
    return mixed.astype(policy.dtype)
