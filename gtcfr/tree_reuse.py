"""Tree reuse: continues with a subtree after a public event, for perfect information.

The subtree below the event stays, with its visits, regrets and averages; the rest is freed. The
node after the event becomes the root and the searched state. With hidden information the next
search re-solves instead (`gtcfr.resolving`): ranges at the node depend on the rest of the tree.
"""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import sources_of
from gtcfr.children import chance_acts
from gtcfr.evaluator import Evaluator
from gtcfr.expansion import Requests, expand_leaves
from gtcfr.initial_state import empty_tree
from gtcfr.layout import NOT_LISTED
from gtcfr.packing import unpack
from gtcfr.search import keys_of
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT, ROOT, SearchTree, put
from sog.games.core import Game
from sog.precision import in_32_bits


def can_reuse(state: SearchState, outcome: Array) -> Array:
    """[batch] bool: whether the event leads to an expanded node, as `reuse_subtree` needs."""
    return jax.vmap(_row_after)(state.tree, state.slot, outcome)[1]


@in_32_bits
def reuse_subtree(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    outcome: Array,
    key: Array,
) -> SearchState:
    """Searches of the states after one event each, before their first update.

    outcome: [batch] int32, from the searched states, see `can_reuse`. key: as in
    `gtcfr.search.search`. The searched state gets all its children, as in any search, if it is a
    decision; a chance node keeps those that it has. The step count continues
    (`SearchState.num_before`), so that later updates weigh more than earlier ones. Raises
    ValueError for a game with hidden information.
    """
    if game.hides_information:
        raise ValueError(
            f"a tree can be kept in games of perfect information only, which {game.name} is not."
        )
    slot, _ = jax.vmap(_row_after)(state.tree, state.slot, outcome)
    kept = replace(
        state,
        tree=jax.vmap(functools.partial(_subtree, game, settings))(state.tree, slot),
        root_state=jax.vmap(lambda rows, slot: rows[slot])(state.tree.interior.state, slot),
        keys=keys_of(len(outcome), key),
        slot=jnp.zeros_like(state.slot),
        num_before=state.num_before + state.num_updates,
        num_updates=jnp.zeros_like(state.num_updates),
    )
    wanted = jax.vmap(functools.partial(_missing, game))(kept.tree)
    return expand_leaves(game, evaluator, settings, kept, wanted, 0)


def _missing(game: Game[Any], tree: SearchTree) -> Requests:
    """Requests all missing children of the root, if it is a decision."""
    layout, listed = tree.shape.layout, tree.interior.listed[ROOT]
    numbers = jnp.arange(layout.num_actions, dtype=jnp.int32)
    actions = jax.vmap(functools.partial(layout.action, listed))(numbers)
    state = unpack(game, tree.interior.state[ROOT])
    legal = game.legal_actions(state)[0] & ~chance_acts(game, state)
    is_legal = (actions != NOT_LISTED) & legal[actions]
    slots = jnp.where(is_legal, ROOT, NO_PARENT).astype(jnp.int32)
    return Requests(edge=jnp.full_like(slots, NO_PARENT), child=(slots, actions))


def _row_after(tree: SearchTree, slot: Array, outcome: Array) -> tuple[Array, Array]:
    """The row of the child that an event leads to (int32), and whether that is an interior node."""
    layout, listed, children = (
        tree.shape.layout,
        tree.interior.listed[slot],
        tree.interior.child[slot],
    )
    number, is_there = layout.child(listed, children, outcome, tree.shape.nothing)
    row = children[number]
    return row, is_there & (row < tree.shape.leaf_row)


def _subtree(
    game: Game[Any], settings: SearchSettings, tree: SearchTree, root: Array
) -> SearchTree:
    """The subtree of an interior slot, in tables of the same size."""
    shape, interior = tree.shape, tree.interior
    children, chunk_size = shape.layout.num_children, shape.chunk_size
    is_below = _below(tree, root)
    # Nodes of a chunk stay together, and chunks keep their order: parents come before children.
    kept = is_below.reshape(-1, chunk_size)
    fill = jnp.sum(kept, axis=1, dtype=jnp.int32)
    chunk = _ranked(fill > 0)
    rank = jnp.cumsum(kept, axis=1, dtype=jnp.int32) - 1
    slots = (chunk[:, None] * chunk_size + rank).reshape(-1)
    slots = jnp.where(is_below, slots, shape.num_interior)

    def kept_ends(edge: Array) -> Array:
        """bool: the leaves or terminal nodes of the subtree."""
        return (edge != NO_PARENT) & (edge != shape.root_edge) & is_below[edge // children]

    leaves, ends = _ranked(kept_ends(tree.leaf.edge)), _ranked(kept_ends(tree.terminal.edge))
    rows = jnp.concatenate(
        [
            jnp.where(slots < shape.num_interior, slots, shape.nothing),
            jnp.where(leaves < shape.num_leaves, shape.leaf_row + leaves, shape.nothing),
            jnp.where(ends < shape.num_terminals, shape.terminal_row + ends, shape.nothing),
            jnp.full(1, shape.nothing, jnp.int32),
        ]
    )

    def moved_edge(edge: Array) -> Array:
        parent, number = edge // children, edge % children
        moved = slots[jnp.clip(parent, 0, shape.num_interior - 1)] * children + number
        return jnp.where(edge == NO_PARENT, NO_PARENT, moved)

    encoded = jax.tree.map(lambda leaf: leaf[0], tree.leaf.encoded)
    evaluated_once = tree.leaf_statistics.logits is not None
    empty = empty_tree(game, settings, shape, encoded, evaluated_once=evaluated_once)
    edge = moved_edge(interior.edge).at[root].set(shape.root_edge)
    interior = replace(interior, edge=edge, child=rows[interior.child])
    leaf = replace(tree.leaf, edge=moved_edge(tree.leaf.edge))
    terminal = replace(tree.terminal, edge=moved_edge(tree.terminal.edge))
    num_leaves = jnp.sum(leaves < shape.num_leaves, dtype=jnp.int32)
    small = replace(
        tree,
        interior=_moved(empty.interior, interior, slots),
        interior_statistics=_moved(empty.interior_statistics, tree.interior_statistics, slots),
        leaf=replace(_moved(empty.leaf, leaf, leaves), free=empty.leaf.free),
        leaf_statistics=_moved(empty.leaf_statistics, tree.leaf_statistics, leaves),
        terminal=_moved(empty.terminal, terminal, ends),
        chunk_fill=_moved(empty.chunk_fill, fill, chunk),
        num_leaves=num_leaves,
        leaf_limit=num_leaves,
        num_terminals=jnp.sum(ends < shape.num_terminals, dtype=jnp.int32),
        is_full=jnp.bool_(False),
    )
    of_edges = jax.vmap(functools.partial(sources_of, small))
    return replace(
        small,
        interior=replace(small.interior, source=of_edges(small.interior.edge)),
        leaf=replace(small.leaf, source=of_edges(small.leaf.edge)),
        terminal=replace(small.terminal, source=of_edges(small.terminal.edge)),
    )


def _below(tree: SearchTree, root: Array) -> Array:
    """[slot] bool: the root, and the interior nodes below it."""
    shape, edge = tree.shape, tree.interior.edge
    parent = jnp.where(edge == shape.root_edge, NO_PARENT, edge // shape.layout.num_children)
    by_chunk = parent.reshape(-1, shape.chunk_size)

    def chunk(number: Array, is_below: Array) -> Array:
        parents = by_chunk[number]
        start = number * shape.chunk_size
        here = jax.lax.dynamic_slice_in_dim(is_below, start, shape.chunk_size) | (
            is_below[parents] & (parents >= 0)
        )
        marked: Array = put(is_below, here, start)
        return marked

    is_root = jnp.arange(shape.num_interior) == root
    below: Array = jax.lax.fori_loop(0, shape.num_chunks, chunk, is_root)
    return below


def _ranked(is_kept: Array) -> Array:
    """[n] int32: consecutive new places of the kept ones; for others, one that does not exist."""
    return jnp.where(is_kept, jnp.cumsum(is_kept, dtype=jnp.int32) - 1, len(is_kept))


def _moved(empty: Any, tables: Any, places: Array) -> Any:
    """The rows at their new places in empty tables."""
    return jax.tree.map(
        lambda to, rows: to.at[places].set(rows.astype(to.dtype), mode="drop"), empty, tables
    )
