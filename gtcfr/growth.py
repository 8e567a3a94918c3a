"""Adds nodes to a tree: expands a leaf, or gives an interior node one more child.

Unbatched; `gtcfr.expansion` vmaps it. Disabled writes go to a slot that does not exist; JAX drops
them.
"""

from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import Additions, add_children, has_room_for
from gtcfr.children import (
    ChosenEvents,
    chance_acts,
    choose_outcomes,
    leads_to,
    prior_policy,
    with_action,
)
from gtcfr.evaluator import Evaluator
from gtcfr.flow import uniform_over
from gtcfr.layout import BY_PRIOR, NOT_LISTED
from gtcfr.packing import unpack
from gtcfr.settings import SearchSettings
from gtcfr.shape import children_added
from gtcfr.tree import NO_PARENT, ROOT, SearchTree
from sog.games.core import TERMINAL, Game
from sog.pytree import pytree
from sog.tabular.cfr import regret_matching

OFF_BRANCH: Final = 2**30
"""The depth of nodes beside the path to the searched state, unless the root is where trees grow."""


def leaf_at(tree: SearchTree, edge: Array) -> tuple[Array, Array]:
    """Whether an edge leads to a leaf (bool), and its slot (int32; of some leaf, if not)."""
    shape, children = tree.shape, tree.shape.layout.num_children
    child = tree.interior.child[edge // children, edge % children]
    row = jnp.where(edge == shape.root_edge, shape.leaf_row, child)
    is_leaf = (edge != NO_PARENT) & (row >= shape.leaf_row) & (row < shape.terminal_row)
    return is_leaf, jnp.where(is_leaf, row - shape.leaf_row, 0)


def grow(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    tree: SearchTree,
    edge: Array,
    logits: Array,
    key: Array,
    branch_outcome: Array | int,
    child: tuple[Array, Array] | None = None,
) -> tuple[SearchTree, Array]:
    """Expands the leaf that an edge leads to; otherwise gives an interior node one more child.

    logits: [S, A], of the policy at the leaf, A as in the tree. branch_outcome: the public event
    that leads towards the searched state, if the leaf lies above it, else NO_EVENT.
    child: a slot (or NO_PARENT) and the event to the child that it needs, if missing. Such a node
    is a decision with perfect information, where the outcome is the action, or a chance node, whose
    outcomes are then reweighted. Returns the tree and the slots of new leaves, see `add_children`.
    """
    is_leaf, leaf = leaf_at(tree, edge)
    row = tree.leaf.state[leaf]
    if child is not None:
        row = jnp.where(is_leaf, row, tree.interior.state[child[0]])
    state = unpack(game, row)
    new, entry = _expanded(game, settings, tree, state, leaf, logits, key, branch_outcome)
    new = replace(new, chosen=replace(new.chosen, exists=new.chosen.exists & is_leaf))
    slot, has_slot = _free_slot(tree, edge)
    fits, at = new.chosen.fits & has_slot, slot
    if child is not None:
        wider = _with_child(game, tree, state, child, len(new.depth))
        new = jax.tree.map(lambda one, other: jnp.where(is_leaf, one, other), new, wider)
        fits, at = jnp.where(is_leaf, fits, new.chosen.fits), jnp.where(is_leaf, slot, child[0])
    is_wanted = is_leaf | jnp.any(new.chosen.exists)
    # A search with non-finite numbers does not grow. The check also orders the reads of this
    # function and of the last update before its writes: otherwise XLA would copy whole tables.
    root = jax.tree.map(lambda table: table[ROOT], tree.interior_statistics)
    is_sound = _is_finite((logits, entry.sums, entry.since, new.policy, root))
    is_sound &= jnp.all(entry.source >= 0)
    states = jax.vmap(lambda event: game.apply(state, event))(jnp.maximum(new.chosen.outcome, 0))
    is_terminal = jax.vmap(game.actor)(states) == TERMINAL
    fits &= has_room_for(tree, new.chosen.exists, is_terminal, freed=is_leaf)
    do = is_wanted & fits & is_sound
    tree = replace(tree, is_full=tree.is_full | (is_wanted & ~fits))
    tree = _move_to_interior(game, tree, state, row, edge, leaf, slot, entry, do & is_leaf)
    at = jnp.where(do, at, tree.shape.num_interior)
    return add_children(game, evaluator, tree, at, new, states, is_terminal & do, do)


@pytree
class _Entry:
    """What the interior row of a node has besides its children."""

    listed: Array  # [`Layout.num_listed`] int32
    prior: Array  # [A, S]
    sums: Any  # of the leaf: `LeafStatistics`
    source: Array  # [player] int32
    since: Array
    is_pruned: Array  # bool: it has more legal actions than are considered
    is_sampled: Array  # bool: some outcomes of chance were left out


def _free_slot(tree: SearchTree, edge: Array) -> tuple[Array, Array]:
    """The first free interior slot after the chunk of the parent, and whether there is one."""
    shape = tree.shape
    parent = edge // shape.layout.num_children
    chunk = jnp.where(edge == shape.root_edge, -1, parent // shape.chunk_size)
    has_room = (jnp.arange(shape.num_chunks) > chunk) & (tree.chunk_fill < shape.chunk_size)
    chunk = jnp.argmax(has_room).astype(jnp.int32)
    return chunk * shape.chunk_size + tree.chunk_fill[chunk], jnp.any(has_room)


def _move_to_interior(
    game: Game[Any],
    tree: SearchTree,
    state: Any,
    row: Array,
    edge: Array,
    leaf: Array,
    slot: Array,
    entry: _Entry,
    do: Array,
) -> SearchTree:
    """Moves a leaf to a free interior slot, without children. row: its state, packed."""
    shape, layout = tree.shape, tree.shape.layout
    chunk, top = slot // shape.chunk_size, tree.num_leaves - do
    slot = jnp.where(do, slot, shape.num_interior)
    leaf = jnp.where(do, leaf, shape.num_leaves)
    parent, number = edge // layout.num_children, edge % layout.num_children
    interior, statistics = tree.interior, tree.interior_statistics
    interior = replace(
        interior,
        state=interior.state.at[slot].set(row, mode="drop"),
        edge=interior.edge.at[slot].set(edge, mode="drop"),
        source=interior.source.at[slot].set(entry.source, mode="drop"),
        actor=interior.actor.at[slot].set(game.actor(state), mode="drop"),
        mask=interior.mask.at[slot].set(game.infostate_mask(state), mode="drop"),
        listed=interior.listed.at[slot].set(entry.listed, mode="drop"),
        child=interior.child.at[jnp.where(do, parent, shape.num_interior), number].set(
            slot, mode="drop"
        ),
        prior=interior.prior.at[slot].set(entry.prior.astype(interior.prior.dtype), mode="drop"),
        since=interior.since.at[slot].set(entry.since, mode="drop"),
    )
    statistics = replace(
        statistics,
        reach_sum=statistics.reach_sum.at[slot].set(entry.sums.reach_sum, mode="drop"),
        cfv_sum=statistics.cfv_sum.at[slot].set(entry.sums.cfv_sum, mode="drop"),
    )
    leaves = replace(
        tree.leaf,
        edge=tree.leaf.edge.at[leaf].set(NO_PARENT, mode="drop"),
        free=tree.leaf.free.at[jnp.where(do, top, shape.num_leaves)].set(leaf, mode="drop"),
    )
    return replace(
        tree,
        interior=interior,
        interior_statistics=statistics,
        leaf=leaves,
        num_leaves=top,
        chunk_fill=tree.chunk_fill.at[chunk].add(do),
        is_sampled=tree.is_sampled | (do & entry.is_sampled),
        is_pruned=tree.is_pruned | (do & entry.is_pruned),
    )


def _expanded(
    game: Game[Any],
    settings: SearchSettings,
    tree: SearchTree,
    state: Any,
    leaf: Array,
    logits: Array,
    key: Array,
    branch_outcome: Array | int,
) -> tuple[Additions, _Entry]:
    """The children of a leaf that is expanded, and the rest of its interior row.

    state: of the leaf, whose slot is `leaf`; the rest as in `grow`.
    """
    layout = tree.shape.layout
    legal, listed = game.legal_actions(state).T, jnp.full(layout.num_listed, NOT_LISTED, jnp.int32)
    is_pruned = jnp.bool_(False)
    if layout.decisions == BY_PRIOR:
        listed = with_action(tree.leaf.listed[leaf], branch_outcome)
        considered = (listed != NOT_LISTED)[:, None]
        is_pruned, legal = jnp.sum(legal) > jnp.sum(considered), considered
    prior = prior_policy(logits.T, legal, settings.prior_temperature)
    chosen = choose_outcomes(game, settings, layout, state, listed, prior, key, branch_outcome)
    takeable = legal
    if children_added(game, settings) is not None:
        taken = chosen.number if layout.decisions == BY_PRIOR else chosen.outcome
        led_to = leads_to(taken, chosen.exists, len(legal))
        takeable = legal & (chance_acts(game, state) | led_to)
    depth = tree.leaf.depth[leaf]
    leads_on = (depth >= 0) | (chosen.outcome == branch_outcome) | settings.grows_from_root
    new = Additions(
        chosen=chosen,
        depth=jnp.where(leads_on, jnp.minimum(depth + 1, OFF_BRANCH), OFF_BRANCH),
        takeable=takeable,
        policy=uniform_over(takeable),
    )
    entry = _Entry(
        listed=listed,
        prior=prior,
        sums=jax.tree.map(lambda table: table[leaf], tree.leaf_statistics),
        source=tree.leaf.source[leaf],
        since=tree.leaf.since[leaf],
        is_pruned=is_pruned,
        is_sampled=jnp.any(chosen.chance_weight != 1),
    )
    return new, entry


def _with_child(
    game: Game[Any], tree: SearchTree, state: Any, child: tuple[Array, Array], size: int
) -> Additions:
    """One more child for an interior node, unless the child exists or there is no node.

    state: of the node; size: entries for children.
    """
    slot, outcome = child
    shape, layout, interior = tree.shape, tree.shape.layout, tree.interior
    listed, rows, is_chance = interior.listed[slot], interior.child[slot], chance_acts(game, state)
    count = jnp.sum(rows != shape.nothing, dtype=jnp.int32)
    is_new = (slot != NO_PARENT) & ~layout.child(listed, rows, outcome, shape.nothing)[1]
    number = layout.place(listed, outcome, count, is_chance)
    takeable, weight = interior.takeable[slot], interior.chance_weight[slot]
    taken = takeable.at[layout.number_of(listed, outcome)].set(True, mode="drop")
    takeable = jnp.where(is_chance, takeable, taken)
    if layout.samples_chance:
        num_legal = jnp.sum(game.legal_outcomes(state))
        weight = jnp.where(is_chance, num_legal / (count + 1), weight).astype(weight.dtype)
    regret = tree.interior_statistics.matched_regret[slot]
    return Additions(
        chosen=ChosenEvents(
            number=jnp.full(size, number),
            outcome=jnp.full(size, outcome),
            exists=(jnp.arange(size) == 0) & is_new,
            chance_weight=weight,
            fits=number < layout.num_children,
        ),
        # Only the initial lookahead uses depths, and it is done.
        depth=jnp.full(size, OFF_BRANCH, jnp.int32),
        takeable=takeable,
        policy=regret_matching(regret, uniform_over(takeable), axis=-2),
    )


def _is_finite(arrays: Any) -> Array:
    """bool: every number of all the arrays is finite."""
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(arrays)]))
