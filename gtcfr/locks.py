"""Locks: policies held fixed at some public states of a search while the rest is optimized.

A lock applies to every node with its public state, whatever the path there. Leaves are evaluated as
usual: the evaluator does not know of locks below them.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.flow import normalize
from gtcfr.layout import BY_PRIOR, NOT_LISTED, Layout
from gtcfr.packing import pack, packed_width
from gtcfr.tree import InteriorNodes, SearchTree
from sog.games.core import Game
from sog.precision import in_32_bits
from sog.pytree import pytree


@pytree
class HeldPolicies:
    """The locks of a batch of searches; every array has the batch axis first.

    With no locks in force, `is_held` all False, the same compiled programs run.
    """

    state: Array  # [batch, lock, width] int32: the public states, packed
    is_held: Array  # [batch, lock, S] bool
    policy: Array  # [batch, lock, A, S]


@in_32_bits
def held_policies(
    game: Game[Any],
    held: Sequence[tuple[Any, np.ndarray, np.ndarray]],
    *,
    batch_size: int = 1,
) -> HeldPolicies:
    """The same in all searches of a batch. held: public states, each with the locked infostates,
    [S] bool, and the policy [S, A], whose rows for those sum to 1."""
    width, size, actions = packed_width(game), game.num_infostates, game.num_actions
    states = np.zeros((len(held), width), np.int32)
    is_held = np.zeros((len(held), size), bool)
    policy = np.zeros((len(held), actions, size), np.float32)
    for number, (state, where, rows) in enumerate(held):
        states[number], is_held[number], policy[number] = pack(state), where, rows.T
    one = HeldPolicies(
        state=jnp.asarray(states), is_held=jnp.asarray(is_held), policy=jnp.asarray(policy)
    )
    return HeldPolicies(
        state=jnp.broadcast_to(one.state, (batch_size, *one.state.shape)),
        is_held=jnp.broadcast_to(one.is_held, (batch_size, *one.is_held.shape)),
        policy=jnp.broadcast_to(one.policy, (batch_size, *one.policy.shape)),
    )


def held_row(
    layout: Layout, held: HeldPolicies, state: Array, listed: Array, infostate: Array
) -> tuple[Array, Array]:
    """Whether an infostate is locked at a node (bool), and its policy: [A], sums to 1.

    state: [width]; listed: as in `InteriorNodes`. Over the actions that the tree considers; not
    locked where it considers none of the policy's actions.
    """
    is_there = jnp.all(state[None] == held.state, axis=-1)
    lock = jnp.argmax(is_there)
    given = held.policy[lock, :, infostate]
    if layout.decisions == BY_PRIOR:
        given = jnp.where(listed == NOT_LISTED, 0, given[jnp.maximum(listed, 0)])
    is_held = jnp.any(is_there) & held.is_held[lock, infostate] & (jnp.sum(given) > 0)
    return is_held, given


def nothing_held(held: HeldPolicies) -> HeldPolicies:
    """The same public states without locks in force, for the same compiled programs."""
    return replace(held, is_held=jnp.zeros_like(held.is_held))


def hold(tree: SearchTree, held: HeldPolicies | None) -> SearchTree:
    """One tree with its locks applied to the current policies."""
    if held is None or held.state.shape[-2] == 0:
        return tree
    old = tree.interior_statistics
    policy = hold_rows(tree.shape.layout, held, tree.interior, old.policy)
    return replace(tree, interior_statistics=replace(old, policy=policy))


def hold_rows(layout: Layout, held: HeldPolicies, nodes: InteriorNodes, policy: Array) -> Array:
    """Policies [node, A, S] of some nodes of one tree, with the locks applied.

    An action that the tree lacks (so far) gets probability 0; the others are rescaled.
    """
    is_there = jnp.all(nodes.state[:, None] == held.state[None], axis=-1)  # [node, lock]
    lock = jnp.argmax(is_there, axis=1)
    is_held = held.is_held[lock] & jnp.any(is_there, axis=1)[:, None]
    given = held.policy[lock]
    if layout.decisions == BY_PRIOR:
        listed = jnp.maximum(nodes.listed, 0)[:, :, None]
        given = jnp.take_along_axis(given, listed, axis=1)
    given = normalize(given, nodes.takeable, axis=-2)
    return jnp.where(is_held[:, None], given, policy)
