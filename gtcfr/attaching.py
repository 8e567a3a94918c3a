"""Adds children to an interior node, as leaves or terminal nodes.

Unbatched. Disabled writes go to a slot that does not exist; JAX drops them.
"""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.children import ChosenEvents
from gtcfr.evaluator import Evaluator, encode_to_keep
from gtcfr.packing import pack
from gtcfr.tree import ROOT, SearchTree
from sog.games.core import Game
from sog.pytree import pytree


@pytree
class Additions:
    """Children to add to a node, and what its row holds with them."""

    chosen: ChosenEvents
    depth: Array  # [n] int32, as in `LeafNodes`
    takeable: Array  # [A, S]
    policy: Array  # [A, S]


def add_children(
    game: Game[Any],
    evaluator: Evaluator,
    tree: SearchTree,
    slot: Array,
    new: Additions,
    states: Any,
    is_terminal: Array,
    do: Array,
) -> tuple[SearchTree, Array]:
    """Adds children to an interior node; there must be room.

    states: [n, ...]; is_terminal: [n] bool. Returns the tree and the slots of the new leaves, [n]
    int32; a slot that does not exist for a child that is not a leaf.
    """
    shape, layout, exists = tree.shape, tree.shape.layout, new.chosen.exists & do
    is_leaf = exists & ~is_terminal
    is_end = exists & is_terminal
    leaf_rank = jnp.cumsum(is_leaf, dtype=jnp.int32) - 1
    leaf_slot = tree.leaf.free[jnp.clip(tree.num_leaves + leaf_rank, 0, shape.num_leaves - 1)]
    leaf_slot = jnp.where(is_leaf, leaf_slot, shape.num_leaves)
    end_slot = tree.num_terminals + jnp.cumsum(is_end, dtype=jnp.int32) - 1
    end_slot = jnp.where(is_end, end_slot, shape.num_terminals)
    rows = jnp.where(is_leaf, shape.leaf_row + leaf_slot, shape.terminal_row + end_slot)
    rows = jnp.where(exists, rows, shape.nothing)
    edges = slot * layout.num_children + new.chosen.number
    sources = jax.vmap(lambda edge: sources_of(tree, edge))(edges)
    packed = jax.vmap(pack)(states)
    encoded = jax.vmap(lambda state: encode_to_keep(game, evaluator, state))(states)
    masks = jax.vmap(game.infostate_mask)(states)

    number = jnp.where(exists, new.chosen.number, layout.num_children)
    interior = replace(
        tree.interior,
        child=tree.interior.child.at[slot, number].set(rows, mode="drop"),
        listed=tree.interior.listed.at[slot, number].set(new.chosen.outcome, mode="drop"),
        takeable=tree.interior.takeable.at[slot].set(new.takeable, mode="drop"),
        chance_weight=tree.interior.chance_weight.at[slot].set(
            new.chosen.chance_weight, mode="drop"
        ),
    )
    policy = tree.interior_statistics.policy.at[slot].set(new.policy, mode="drop")
    leaf = replace(
        tree.leaf,
        state=tree.leaf.state.at[leaf_slot].set(packed, mode="drop"),
        edge=tree.leaf.edge.at[leaf_slot].set(edges, mode="drop"),
        source=tree.leaf.source.at[leaf_slot].set(sources, mode="drop"),
        mask=tree.leaf.mask.at[leaf_slot].set(masks, mode="drop"),
        depth=tree.leaf.depth.at[leaf_slot].set(new.depth, mode="drop"),
        encoded=jax.tree.map(
            lambda whole, rows: whole.at[leaf_slot].set(rows, mode="drop"),
            tree.leaf.encoded,
            encoded,
        ),
        since=tree.leaf.since.at[leaf_slot].set(tree.total_weight, mode="drop"),
    )
    # Clear the sums of the leaf that had this slot before.
    statistics = jax.tree.map(
        lambda whole: whole.at[leaf_slot].set(0, mode="drop"), tree.leaf_statistics
    )
    terminal = tree.terminal
    if not game.hides_information:
        worth = jax.vmap(lambda state: game.utilities(state, jnp.ones((2, 1))))(states)
        terminal = replace(terminal, worth=terminal.worth.at[end_slot].set(worth, mode="drop"))
    else:
        kept = jax.vmap(lambda state: pack(game.keep_terminal(state)))(states)
        terminal = replace(terminal, kept=terminal.kept.at[end_slot].set(kept, mode="drop"))
    terminal = replace(
        terminal,
        edge=tree.terminal.edge.at[end_slot].set(edges, mode="drop"),
        source=tree.terminal.source.at[end_slot].set(sources, mode="drop"),
        mask=tree.terminal.mask.at[end_slot].set(masks, mode="drop"),
    )
    count = jnp.sum(is_leaf, dtype=jnp.int32)
    used = jnp.max(jnp.where(is_leaf, leaf_slot + 1, 0))
    grown = replace(
        tree,
        interior=interior,
        interior_statistics=replace(tree.interior_statistics, policy=policy),
        leaf=leaf,
        leaf_statistics=statistics,
        terminal=terminal,
        num_leaves=tree.num_leaves + count,
        leaf_limit=jnp.maximum(tree.leaf_limit, used),
        num_terminals=tree.num_terminals + jnp.sum(is_end, dtype=jnp.int32),
    )
    return grown, leaf_slot


def sources_of(tree: SearchTree, edge: Array) -> Array:
    """[player] int32: the rows that bring reach along an edge; see `InteriorNodes.source`."""
    shape, layout = tree.shape, tree.shape.layout
    parent, number = edge // layout.num_children, edge % layout.num_children
    if layout.is_sparse:
        return jnp.where(edge == shape.root_edge, ROOT, parent)[None].astype(jnp.int32)
    rows = layout.rows_to(tree.interior.actor[parent], number)
    rows = parent * layout.rows_per_node + rows
    return jnp.where(edge == shape.root_edge, jnp.array(shape.root_source, jnp.int32), rows)


def has_room_for(tree: SearchTree, exists: Array, is_terminal: Array, freed: Array) -> Array:
    """bool: whether these children fit into the tables of leaves and terminal nodes. freed: bool,
    whether a leaf makes room."""
    num_leaves = tree.num_leaves - freed + jnp.sum(exists & ~is_terminal)
    num_terminals = tree.num_terminals + jnp.sum(exists & is_terminal)
    return (num_leaves <= tree.shape.num_leaves) & (num_terminals <= tree.shape.num_terminals)
