"""Chooses the considered actions of a node, its children and its prior policy."""

from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.layout import AS_ADDED, BY_EVENT, BY_PRIOR, NOT_LISTED, Layout
from gtcfr.root import NO_EVENT
from gtcfr.settings import SearchSettings
from gtcfr.shape import children_added
from sog.games.core import CHANCE, Game
from sog.pytree import pytree


def prior_policy(logits: Array, legal: Array, temperature: float) -> Array:
    """[A, S]: softmax over legal actions; 0 where an infostate has none."""
    scaled = jnp.where(legal, logits / temperature, -jnp.inf)
    most = jnp.max(scaled, axis=0, keepdims=True)
    weight = jnp.where(legal, jnp.exp(scaled - jnp.where(jnp.isfinite(most), most, 0)), 0)
    total = jnp.sum(weight, axis=0, keepdims=True)
    return weight / jnp.where(total > 0, total, 1)


@pytree
class ChosenEvents:
    """The public events of a node that get a child."""

    number: Array  # [n] int32: which child of the node
    outcome: Array  # [n] int32: the public event that leads to it
    exists: Array  # [n] bool: False for padding
    chance_weight: Array  # [child], for all children that the node can have
    fits: Array  # bool: whether the node has places for all required children


def best_actions(legal: Array, logits: Array, count: int) -> tuple[Array, Array]:
    """The legal actions with the highest logits: numbers int32[count] and logits [1, count].

    Best first, padded with NOT_LISTED. For perfect information. legal: [1, A] bool. logits: [1, A].
    """
    best = _best(jnp.where(legal[0], logits[0], -jnp.inf), count)
    exists = legal[0, best]
    return jnp.where(exists, best, NOT_LISTED), jnp.where(exists, logits[:, best], 0)


def with_action(action: Array, wanted: Array | int) -> Array:
    """The considered actions [A]; `wanted` replaces the last one if it is an event they lack."""
    is_missing = (jnp.asarray(wanted) != NO_EVENT) & ~jnp.any(action == wanted)
    return jnp.where(is_missing, action.at[-1].set(wanted), action)


def chance_acts(game: Game[Any], state: Any) -> Array:
    """bool: whether this is a chance node."""
    return game.actor(state) == CHANCE


def is_wider(game: Game[Any], state: Any, widest_chance: int) -> Array:
    """bool: whether this is a chance node with more than `widest_chance` outcomes."""
    width = jnp.sum(game.legal_outcomes(state), dtype=jnp.int32)
    return (game.actor(state) == CHANCE) & (width > widest_chance)


def leads_to(number: Array, exists: Array, num_actions: int) -> Array:
    """[A, 1] bool: actions that lead to a child. number: the action that leads to each child."""
    found = (number[:, None] == jnp.arange(num_actions)[None]) & exists[:, None]
    return jnp.any(found, axis=0)[:, None]


def _best(score: Array, count: int) -> Array:
    """[count] int32: the indices of the highest scores, the best first."""
    if count == 1:
        return jnp.argmax(score)[None].astype(jnp.int32)
    return jax.lax.top_k(score, count)[1].astype(jnp.int32)


def spread(free: Array, count: Array | int, start: Array | int) -> Array:
    """[K] bool: `count` of the free outcomes, spread evenly over them.

    A systematic sample: of L, each is chosen for `count` of the L starts 0, 1, ..., L - 1.
    """
    total = jnp.sum(free, dtype=jnp.int32)
    some, wanted = jnp.maximum(total, 1), jnp.clip(count, 0, total)
    steps = (jnp.cumsum(free, dtype=jnp.int32) - 1) * wanted + start
    return free & (steps // some < (steps + wanted) // some)


def choose_outcomes(
    game: Game[Any],
    settings: SearchSettings,
    layout: Layout,
    state: Any,
    listed: Array,
    prior: Array,
    key: Array,
    branch_outcome: Array | int,
) -> ChosenEvents:
    """Chooses the public events that get a child.

    All legal ones, with two exceptions: a decision whose children are added a few at a time gets
    the best by the prior, and a chance node with more outcomes than there is room for gets a sample
    without replacement, weighted so that expectations are unbiased. listed: the considered actions,
    where not all are; prior: [A, S], over them. branch_outcome: an event that is always chosen.
    """
    added, most = children_added(game, settings), layout.num_children
    legal, by_prior = game.legal_outcomes(state), prior[:, 0]
    if layout.decisions == BY_PRIOR:
        score = jnp.where(listed != NOT_LISTED, by_prior, -1)
        return _best_actions_of(layout, listed, score, min(added or most, most), branch_outcome)
    numbers = jnp.arange(len(legal), dtype=jnp.int32)
    if added is not None:  # outcomes are actions; chance may have more of them
        by_prior = jnp.pad(by_prior, (0, len(legal) - len(by_prior)))
        if not game.has_chance:
            score = jnp.where(legal, by_prior, -1)
            return _best_actions_of(layout, numbers, score, min(added, most), branch_outcome)
    if layout.chance == BY_EVENT and added is None:
        return _certain(layout, numbers, numbers, legal)
    is_chance = chance_acts(game, state)
    score, limit = jax.random.uniform(key, legal.shape), jnp.int32(most)
    if settings.spread_outcomes:
        free, order = legal & (numbers != branch_outcome), game.outcomes_in_order(state)
        most_starts = jnp.maximum(jnp.sum(free, dtype=jnp.int32), 1)
        start = jax.random.randint(key, (), 0, most_starts, jnp.int32)
        chosen = spread(free[order], limit - jnp.any(numbers == branch_outcome), start)
        score = jnp.where(is_chance, jnp.zeros_like(score).at[order].set(chosen), score)
    if added is not None:
        limit = jnp.where(is_chance, limit, min(added, most))
        score = jnp.where(is_chance, score, by_prior)
    fits = is_chance | (added is not None) | (jnp.sum(legal) <= most)
    score = jnp.where(legal, score, -1)
    return _sampled(layout, listed, legal, score, limit, fits, is_chance, branch_outcome)


def _certain(layout: Layout, number: Array, outcome: Array, exists: Array) -> ChosenEvents:
    """Children without a sample of chance, for which there is always room."""
    return ChosenEvents(
        number=number,
        outcome=outcome,
        exists=exists,
        chance_weight=jnp.ones(layout.num_weights),
        fits=jnp.bool_(True),
    )


def _best_actions_of(
    layout: Layout, events: Array, score: Array, count: int, branch_outcome: Array | int
) -> ChosenEvents:
    """The `count` events with the highest scores; those with a negative one are not legal."""
    is_branch = (events == branch_outcome) & (score >= 0)  # padding equals NO_EVENT
    best = _best(jnp.where(is_branch, 2, score), count)
    in_order = jnp.arange(len(best), dtype=jnp.int32)
    number = in_order if layout.decisions == AS_ADDED else best
    return _certain(layout, number, events[best], score[best] >= 0)


def _sampled(
    layout: Layout,
    listed: Array,
    legal: Array,
    score: Array,
    limit: Array,
    fits: Array,
    is_chance: Array,
    branch_outcome: Array | int,
) -> ChosenEvents:
    """The `limit` events with the highest scores, weighted if chance acts.

    The branch is always kept; of the others, as many as there is room for.
    """
    most, numbers = layout.num_children, jnp.arange(len(legal), dtype=jnp.int32)
    certain = jnp.any(numbers == branch_outcome)
    _, best = jax.lax.top_k(jnp.where(numbers == branch_outcome, 2, score), most)
    kept = jnp.zeros(len(legal), bool).at[best].set(jnp.arange(most) < limit) & legal
    outcome = numbers if layout.chance == BY_EVENT else best.astype(jnp.int32)
    kept_others, others = jnp.sum(kept) - certain, jnp.sum(legal) - certain
    weight = jnp.where(
        is_chance & (outcome != branch_outcome), others / jnp.maximum(kept_others, 1), 1.0
    )
    in_order = jnp.arange(most, dtype=jnp.int32)
    return ChosenEvents(
        number=layout.place(listed, outcome, in_order, is_chance),
        outcome=outcome,
        exists=kept[outcome],
        chance_weight=weight.astype(jnp.float32)[: layout.num_weights],
        fits=fits,
    )
