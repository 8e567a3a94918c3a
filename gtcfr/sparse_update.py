"""Reach and cfvs in a sparse tree, whose nodes have few of their children.

A node of 7 x 7 Go has fifty actions and, in most of a search, a child or two. So these passes visit
the children that exist, while those of `gtcfr.update` visit all actions of all nodes. Information
is perfect and chance never acts (`Layout.is_sparse`): S = 1, and the edge to a child has a *share*
for each player, the probability of the action for the one who acts and 1 for the other, with

    reach(child) = share * reach(parent)
    cfv(parent) = sum over its children of share * cfv(child)
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.tree import (
    NO_PARENT,
    InteriorNodes,
    LeafNodes,
    SearchTree,
    TerminalNodes,
    put,
    set_rows,
    share_of,
    take_rows,
    take_slots,
)
from sog.games.core import PLAYER_1


def push_reach(tree: SearchTree, reach: Array, num_chunks: Array) -> SearchTree:
    """Sends reach [batch, player, 1] from the roots down to the interior nodes of all trees, and
    sets their cfvs to 0, for `pull_cfvs` to add to."""
    shape, before = tree.shape, tree.interior_statistics
    size = min(shape.ends_per_step, shape.num_interior)

    def find_shares(number: Array, tables: tuple[Array, Array]) -> tuple[Array, Array]:
        start = jnp.minimum(number * size, shape.num_interior - size)
        source, edge = take_slots((tree.interior.source, tree.interior.edge), start, size)
        share = jax.vmap(share_of)(tree, source[..., 0], edge)
        share = jnp.where((edge == NO_PARENT)[..., None, None], 0, share)
        return put(tables[0], share, start, 1), put(tables[1], jnp.zeros_like(share), start, 1)

    steps = -(-num_chunks * shape.chunk_size // size)
    share, cfvs = jax.lax.fori_loop(0, steps, find_shares, (before.share, tree.cfvs))

    def chunk(number: Array, node_reach: Array) -> Array:
        start = number * shape.chunk_size
        source, here = take_slots((tree.interior.source, share), start, shape.chunk_size)
        pushed: Array = put(node_reach, here * take_rows(node_reach, source[..., 0]), start, 1)
        return pushed

    # The root is alone in its chunk.
    node_reach = put(before.reach, reach[:, None], jnp.int32(0), 1)
    node_reach = jax.lax.fori_loop(1, num_chunks, chunk, node_reach)
    statistics = replace(before, reach=node_reach, share=share)
    return replace(tree, interior_statistics=statistics, reach_rows=reach, cfvs=cfvs)


def pull_cfvs(tree: SearchTree, num_chunks: Array) -> SearchTree:
    """Backs the cfvs of leaves and terminal states up all trees, after `push_reach`."""
    shape = tree.shape
    ends = (
        _Nodes(tree.leaf, shape.leaf_row, jnp.max(tree.leaf_limit)),
        _Nodes(tree.terminal, shape.terminal_row, jnp.max(tree.num_terminals)),
    )

    def back_up(source: Array, edge: Array, row: Array, cfvs: Array) -> Array:
        """Adds the cfvs of some ends to those of their parents."""
        here = jax.lax.dynamic_slice_in_dim(cfvs, row, edge.shape[1], 1)
        more = jax.vmap(share_of)(tree, source, edge) * here
        return _added(cfvs, jnp.where(edge == NO_PARENT, shape.nothing + 1, source), more)

    def chunk(number: Array, cfvs: Array) -> Array:
        start = (num_chunks - 1 - number) * shape.chunk_size
        tables = tree.interior.source, tree.interior_statistics.share, cfvs
        source, share, here = take_slots(tables, start, shape.chunk_size)
        return _added(cfvs, source[..., 0], share * here)

    cfvs = tree.cfvs
    for nodes in ends:
        cfvs = _over(nodes, shape.ends_per_step, back_up, cfvs)
    cfvs = jax.lax.fori_loop(0, num_chunks - 1, chunk, cfvs)

    def store(source: Array, edge: Array, row: Array, action_cfv: Array) -> Array:
        """Stores the cfvs of some nodes by the actions that lead there."""
        here = jax.lax.dynamic_slice_in_dim(cfvs, row, edge.shape[1], 1)
        number = edge - source * shape.layout.num_children
        first = take_rows(tree.interior.actor, source) != PLAYER_1
        own = jnp.where(first[..., None], here[:, :, 0], here[:, :, 1])
        parent = jnp.where(edge == NO_PARENT, shape.num_interior, source)
        return set_rows(action_cfv, (parent, number), own)

    # Loops of their own: see `gtcfr.update.update_regrets`.
    action_cfv = tree.interior_statistics.action_cfv
    for nodes in (*ends, _Nodes(tree.interior, 0, num_chunks * shape.chunk_size)):
        action_cfv = _over(nodes, shape.ends_per_step, store, action_cfv)
    statistics = replace(tree.interior_statistics, action_cfv=action_cfv)
    return replace(tree, interior_statistics=statistics, cfvs=cfvs)


def _added(tables: Array, rows: Array, more: Array) -> Array:
    """The tables with `more` added to some rows; rows that do not exist are left out."""
    added: Array = jax.vmap(lambda table, row, new: table.at[row].add(new, mode="drop"))(
        tables, rows, more
    )
    return added


class _Nodes(NamedTuple):
    """Nodes of a kind, in all trees."""

    table: InteriorNodes | LeafNodes | TerminalNodes
    row: int  # of the first
    in_use: Array  # int32: slots


def _over(
    nodes: _Nodes, most: int, body: Callable[[Array, Array, Array, Array], Array], start: Array
) -> Array:
    """Calls `body` for all nodes of a kind, at most `most` at a time, with their parents' slots,
    the edges to them, the row of the first of them, and what the last call returned."""
    num_slots = nodes.table.edge.shape[1]
    size = min(most, num_slots)

    def some(number: Array, carry: Array) -> Array:
        # The last step may overlap the one before; the overlap must be added only once.
        first = jnp.minimum(number * size, num_slots - size)
        source, edge = take_slots((nodes.table.source, nodes.table.edge), first, size)
        is_new = (first + jnp.arange(size) >= number * size)[None]
        edge = jnp.where(is_new, edge, NO_PARENT)
        return body(source[..., 0], edge, nodes.row + first, carry)

    end: Array = jax.lax.fori_loop(0, -(-nodes.in_use // size), some, start)
    return end
