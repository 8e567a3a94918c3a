"""Which actions of a node are considered, which children it gets, and the prior policy there."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.root import NO_EVENT
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_ACTION
from sog.games.core import CHANCE, Game


def prior_policy(logits: Array, legal: Array, temperature: float) -> Array:
    """[A, S]: softmax over legal actions; 0 where an infostate has none."""
    scaled = jnp.where(legal, logits / temperature, -jnp.inf)
    most = jnp.max(scaled, axis=0, keepdims=True)
    weight = jnp.where(legal, jnp.exp(scaled - jnp.where(jnp.isfinite(most), most, 0)), 0)
    total = jnp.sum(weight, axis=0, keepdims=True)
    return weight / jnp.where(total > 0, total, 1)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Chosen:
    """The children that an expansion adds to a node."""

    number: Array  # [n] int32: which child of the node
    outcome: Array  # [n] int32: the public event to it
    exists: Array  # [n] bool: or an entry that means nothing
    chance_weight: Array  # [child], of all that the node can have
    fits: Array  # bool: whether there is room for all that should be there


def best_actions(legal: Array, logits: Array, count: int) -> tuple[Array, Array]:
    """The legal actions that the evaluator likes best: numbers int32[count] and logits [1, count].

    The best first, NO_ACTION at the end. For perfect information. legal: [1, A] bool. logits:
    [1, A].
    """
    best = _best(jnp.where(legal[0], logits[0], -jnp.inf), count)
    exists = legal[0, best]
    return jnp.where(exists, best, NO_ACTION), jnp.where(exists, logits[:, best], 0)


def with_action(action: Array, wanted: Array | int) -> Array:
    """The considered actions [A], the last of them `wanted` if that is an event they lack."""
    is_missing = (jnp.asarray(wanted) != NO_EVENT) & ~jnp.any(action == wanted)
    return jnp.where(is_missing, action.at[-1].set(wanted), action)


def chance_acts(game: Game[Any], state: Any) -> Array:
    """bool: whether this is a chance node."""
    return game.actor(state) == CHANCE


def leads_to(number: Array, exists: Array, num_actions: int) -> Array:
    """[A, 1] bool: actions that lead to a child. number: of the action to each child."""
    found = (number[:, None] == jnp.arange(num_actions)[None]) & exists[:, None]
    return jnp.any(found, axis=0)[:, None]


def _best(score: Array, count: int) -> Array:
    """[count] int32: the indices of the highest scores, the best first."""
    if count == 1:
        return jnp.argmax(score)[None].astype(jnp.int32)
    return jax.lax.top_k(score, count)[1].astype(jnp.int32)


def choose_outcomes(
    game: Game[Any],
    settings: SearchSettings,
    num_children: int,
    state: Any,
    action: Array | None,
    prior: Array,
    key: Array,
    branch_outcome: Array | int,
) -> Chosen:
    """Which public events get a child.

    All legal ones; after a decision only the best by the prior where some are added; of a
    chance node that has more than there is room for, or than it begins with, a sample without
    replacement, whose weights keep every expectation right on average (as long as its size does not
    depend on what it holds, see `SearchSettings.first_outcomes`). action: those that are
    considered, see `InteriorNodes`; prior: [A, S], of them.
    """
    added = settings.children_added(game)
    legal = game.legal_outcomes(state)
    num_outcomes = legal.shape[0]
    numbers = jnp.arange(num_outcomes, dtype=jnp.int32)
    if action is not None or (added is not None and not game.has_chance):
        if action is not None:
            numbers, legal = action, action != NO_ACTION
        score = jnp.where(numbers == branch_outcome, 2, jnp.where(legal, prior[:, 0], -1))
        best = _best(score, min(added or num_children, num_children))
        in_order = jnp.arange(len(best), dtype=jnp.int32)
        return Chosen(
            number=best if num_children == len(numbers) else in_order,
            outcome=numbers[best],
            exists=legal[best],
            chance_weight=jnp.ones(num_children),
            fits=jnp.bool_(True),
        )
    is_chance, num_legal = chance_acts(game, state), jnp.sum(legal)
    few = settings.first_outcomes if game.has_chance else None
    if added is None and num_children == num_outcomes and few is None:
        return Chosen(
            number=numbers,
            outcome=numbers,
            exists=legal,
            chance_weight=jnp.ones(num_children),
            fits=jnp.bool_(True),
        )
    certain = jnp.any(numbers == branch_outcome)
    limit = jnp.int32(num_children)
    if few is not None:
        # No simulation comes to a node on the way of a re-solve, so its sample would never grow.
        limit = jnp.where(is_chance & ~certain, min(few, num_children), limit)
    score = jax.random.uniform(key, (num_outcomes,))
    if added is not None:
        limit = jnp.where(is_chance, limit, min(added, num_children))
        score = jnp.where(is_chance, score, prior[:, 0])
    score = jnp.where(legal, score, -1)
    score = jnp.where(numbers == branch_outcome, 2, score)
    _, best = jax.lax.top_k(score, num_children)
    kept = jnp.zeros(num_outcomes, bool).at[best].set(jnp.arange(num_children) < limit) & legal
    fits = is_chance | (added is not None) | (num_legal <= num_children)
    outcome = numbers if num_children == num_outcomes else best.astype(jnp.int32)
    exists = kept[outcome]
    # The branch is kept for certain; of the others, as many as there is room for.
    kept_others, others = jnp.sum(kept) - certain, num_legal - certain
    weight = jnp.where(
        is_chance & (outcome != branch_outcome), others / jnp.maximum(kept_others, 1), 1.0
    )
    return Chosen(
        number=outcome if num_children == num_outcomes else numbers[:num_children],
        outcome=outcome,
        exists=exists,
        chance_weight=weight.astype(jnp.float32),
        fits=fits,
    )
