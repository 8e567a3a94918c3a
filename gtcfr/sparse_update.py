"""Reach and cfvs in a sparse tree, whose nodes have few of their children.

A node of Go has fifty actions and, in most of a search, a child or two. So here each child looks
after itself, where `gtcfr.update` passes over all actions of a node. Information is perfect and
chance never acts (`Layout.is_sparse`): S = 1, and the edge to a child has a *share* for each
player, the probability of the action for the one who acts and 1 for the other, with

    reach(child) = share * reach(parent)
    cfv(parent) = sum over its children of share * cfv(child)
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.tree import NO_PARENT, SearchTree, put, share_of
from sog.games.core import PLAYER_1


def push_reach(tree: SearchTree, reach: Array, num_chunks: Array) -> SearchTree:
    """Sends reach [batch, player, 1] from the roots down to the interior nodes of all trees, and
    sets their cfvs to 0, for `pull_cfvs` to add to."""
    size = tree.shape.chunk_size

    def chunk(number: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        node_reach, cfvs = carry
        start = number * size
        edge = jax.lax.dynamic_slice_in_dim(tree.interior.edge, start, size, 1)
        parent, share = jax.vmap(share_of)(tree, edge)
        above = jax.vmap(lambda rows, slot: jnp.take(rows, slot, axis=0, mode="clip"))(
            node_reach, parent
        )
        exists = (edge != NO_PARENT)[..., None, None]
        here = jnp.where(exists, share * above, 0)
        return put(node_reach, here, start, 1), put(cfvs, jnp.zeros_like(here), start, 1)

    root = reach[:, None]  # which is alone in its chunk
    start = (
        put(tree.interior_statistics.reach, root, jnp.int32(0), 1),
        put(tree.cfvs, jnp.zeros_like(root), jnp.int32(0), 1),
    )
    node_reach, cfvs = jax.lax.fori_loop(1, num_chunks, chunk, start)
    statistics = replace(tree.interior_statistics, reach=node_reach)
    return replace(tree, interior_statistics=statistics, reach_rows=reach, cfvs=cfvs)


def pull_cfvs(tree: SearchTree, num_chunks: Array) -> SearchTree:
    """Backs the cfvs of leaves and terminal states up all trees."""
    shape = tree.shape
    tables = (
        _Nodes(tree.leaf.edge, shape.leaf_row, jnp.max(tree.leaf_limit)),
        _Nodes(tree.terminal.edge, shape.terminal_row, jnp.max(tree.num_terminals)),
        _Nodes(tree.interior.edge, 0, num_chunks * shape.chunk_size),
    )

    def back_up(edge: Array, row: Array, cfvs: Array) -> Array:
        """Adds the cfvs of some nodes to those of their parents."""

        def one(tree: SearchTree, cfvs: Array, edge: Array) -> Array:
            parent, share = share_of(tree, edge)
            here = jax.lax.dynamic_slice_in_dim(cfvs, row, len(edge))
            parent = jnp.where(edge == NO_PARENT, shape.nothing + 1, parent)
            return cfvs.at[parent].add(share * here, mode="drop")

        return jax.vmap(one)(tree, cfvs, edge)

    def chunk(number: Array, cfvs: Array) -> Array:
        start = (num_chunks - 1 - number) * shape.chunk_size
        edge = jax.lax.dynamic_slice_in_dim(tree.interior.edge, start, shape.chunk_size, 1)
        return back_up(edge, start, cfvs)

    cfvs = tree.cfvs
    for nodes in tables[:2]:
        cfvs = _over(nodes, shape.ends_per_step, back_up, cfvs)
    cfvs = jax.lax.fori_loop(0, num_chunks - 1, chunk, cfvs)

    def store(edge: Array, row: Array, action_cfv: Array) -> Array:
        """Stores the cfvs of some nodes by the actions that lead there."""

        def one(actor: Array, action_cfv: Array, cfvs: Array, edge: Array) -> Array:
            most = shape.layout.num_children
            parent, number = jax.lax.div(edge, most), jax.lax.rem(edge, most)
            here = jax.lax.dynamic_slice_in_dim(cfvs, row, len(edge))
            first = jnp.take(actor, parent, mode="clip") != PLAYER_1
            own = jnp.where(first[:, None], here[:, 0], here[:, 1])
            parent = jnp.where(edge == NO_PARENT, shape.num_interior, parent)
            return action_cfv.at[parent, number].set(own, mode="drop")

        return jax.vmap(one)(tree.interior.actor, action_cfv, cfvs, edge)

    # Loops of their own: see `gtcfr.update.update_regrets`.
    action_cfv = tree.interior_statistics.action_cfv
    for nodes in tables:
        action_cfv = _over(nodes, shape.ends_per_step, store, action_cfv)
    statistics = replace(tree.interior_statistics, action_cfv=action_cfv)
    return replace(tree, interior_statistics=statistics, cfvs=cfvs)


class _Nodes(NamedTuple):
    """Nodes of a kind, in all trees."""

    edge: Array  # [batch, slot] int32: to them
    row: int  # of the first
    in_use: Array  # int32: slots


def _over(
    nodes: _Nodes, most: int, body: Callable[[Array, Array, Array], Array], start: Array
) -> Array:
    """Calls `body` for at most so many nodes at a time: the edges to them, the row of the first of
    them, and what the last call returned."""
    num_slots = nodes.edge.shape[1]
    size = min(most, num_slots)

    def some(number: Array, carry: Array) -> Array:
        # The last step may overlap the one before; the overlap must be added only once.
        first = jnp.minimum(number * size, num_slots - size)
        edge = jax.lax.dynamic_slice_in_dim(nodes.edge, first, size, 1)
        is_new = (first + jnp.arange(size) >= number * size)[None]
        return body(jnp.where(is_new, edge, NO_PARENT), nodes.row + first, carry)

    end: Array = jax.lax.fori_loop(0, -(-nodes.in_use // size), some, start)
    return end
