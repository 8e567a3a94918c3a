"""How reach flows from a node to its children, and cfvs back: `Game.advance` and its transpose."""

import functools
from typing import TYPE_CHECKING, Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_1, Game

if TYPE_CHECKING:
    from gtcfr.tree import TreeShape

_MOST_SUMMED: Final = 64


def by_player(first: Array, actors: Array, others: Array, axis: int = 0) -> Array:
    """Stacks the acting player's rows and the other's by player; first: player 0 acts."""
    return jnp.stack(
        [jnp.where(first, actors, others), jnp.where(first, others, actors)], axis=axis
    )


def child_rows(shape: "TreeShape", actor: Array, number: Array) -> Array:
    """[player] int32: which of its parent's rows of reach child `number` takes up."""
    if not shape.has_rows_per_action:
        return 2 * number + jnp.arange(2, dtype=jnp.int32)
    action, others = jnp.where(actor == CHANCE, 0, number), jnp.int32(shape.num_actions)
    return by_player(actor != PLAYER_1, action, others).astype(jnp.int32)


def push(
    game: Game[Any],
    shape: "TreeShape",
    state: Any,
    actor: Array,
    outcomes: Array,
    policy: Array,
    reach: Array,
) -> Array:
    """The rows of reach that a node sends to its children: [row, S], `TreeShape.rows_per_node`.

    Entries outside a child's infostate mask, and rows to a child that is not there, mean nothing.
    outcomes: [child]. policy: [A, S]. reach: [player, S].
    """
    first = actor != PLAYER_1
    actors, others = jnp.where(first, reach[0], reach[1]), jnp.where(first, reach[1], reach[0])
    action_reach = actors[None] * policy
    if shape.has_rows_per_action:
        return jnp.concatenate([action_reach, others[None]])
    below = _advance(game, state, outcomes, action_reach, others)
    return below.reshape(-1, game.num_infostates)


def pull(
    game: Game[Any],
    shape: "TreeShape",
    state: Any,
    actor: Array,
    outcomes: Array,
    child_cfvs: Array,
) -> tuple[Array, Array]:
    """The transpose of `push`: cfvs of the actor's actions [A, S] and of the other player [S].

    child_cfvs: [child, player, S], 0 outside the children's masks and for children not there.
    """
    if shape.has_rows_per_action:
        first = actor != PLAYER_1
        actors = jnp.where(first, child_cfvs[:, 0], child_cfvs[:, 1])
        others = jnp.where(first, child_cfvs[:, 1], child_cfvs[:, 0])
        # The forced action of chance leads to every child; its other actions cannot be taken.
        every = sum_rows(actors)[None]
        return jnp.where(actor == CHANCE, every, actors[: shape.num_actions]), sum_rows(others)
    pulled: tuple[Array, Array] = jax.vjp(
        lambda action_reach, others: _advance(game, state, outcomes, action_reach, others),
        jnp.zeros((game.num_actions, game.num_infostates), child_cfvs.dtype),
        jnp.zeros(game.num_infostates, child_cfvs.dtype),
    )[1](child_cfvs)
    return pulled


def _advance(
    game: Game[Any], state: Any, outcomes: Array, action_reach: Array, others: Array
) -> Array:
    """[child, player, S] from the actor's [A, S] and the other player's [S]."""

    def child(outcome: Array) -> Array:
        return game.advance(state, outcome, action_reach.T, others)

    if len(outcomes) == game.num_outcomes:
        # Child k is outcome k: what depends on it alone is then the same for all nodes.
        outcomes = jnp.arange(len(outcomes), dtype=jnp.int32)
    below: Array = jax.vmap(child)(outcomes)
    return below


def sum_rows(rows: Array) -> Array:
    """The sum over the first axis, written out where that is short: XLA's CPU code is faster so."""
    if len(rows) > _MOST_SUMMED:
        return jnp.sum(rows, axis=0)
    total: Array = functools.reduce(jnp.add, list(rows))
    return total


def normalize(weight: Array, mask: Array, axis: int = -1) -> Array:
    """Scaled to sum 1 along an axis; where there is nothing, uniform over the mask.

    Sums too small to divide by count as nothing.
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
    num_actions = mask.shape[-2]
    if num_actions > _MOST_SUMMED:
        count = jnp.sum(weight, axis=-2, keepdims=True)
    else:
        count = functools.reduce(jnp.add, jnp.split(weight, num_actions, axis=-2))
    return weight / jnp.maximum(count, 1)
