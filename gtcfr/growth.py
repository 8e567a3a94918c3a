"""Adding nodes to a tree: a leaf gets its children, or an interior node one child more.

About one search; `gtcfr.search` vmaps it. Writes that are not to happen go to a slot that does not
exist, which JAX drops.
"""

from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import Children, NewLeaves, attach, has_room_for, sources_of
from gtcfr.children import chance_acts, choose_outcomes, leads_to, prior_policy, with_action
from gtcfr.evaluator import Evaluator
from gtcfr.flow import uniform_over
from gtcfr.layout import NOT_LISTED, Order
from gtcfr.packing import pack, unpack
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT, ROOT, SearchTree
from sog.games.core import TERMINAL, Game
from sog.tabular.cfr import regret_matching

OFF_BRANCH: Final = 2**30
"""The depth of what cannot be reached from the state that growth starts from."""


def leaf_at(tree: SearchTree, edge: Array) -> tuple[Array, Array]:
    """Whether an edge leads to a leaf (bool), and its slot (int32; of some leaf, if not)."""
    shape, children = tree.shape, tree.shape.layout.num_children
    child = tree.interior.child[edge // children, edge % children]
    row = jnp.where(edge == shape.root_edge, shape.leaf_row, child)
    is_leaf = (edge != NO_PARENT) & (row >= shape.leaf_row) & (row < shape.terminal_row)
    return is_leaf, jnp.where(is_leaf, row - shape.leaf_row, 0)


def expand(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    tree: SearchTree,
    edge: Array,
    logits: Array,
    key: Array,
    branch_outcome: Array | int,
) -> tuple[SearchTree, NewLeaves]:
    """Expands the leaf that an edge leads to; adds nothing where the edge leads to no leaf.

    logits: [S, A], of the policy there, A as in the tree. branch_outcome: the one public event that
    leads on towards where growth starts, if the leaf lies before that, else NO_EVENT. Returns the
    tree and the new leaves.
    """
    shape, layout = tree.shape, tree.shape.layout
    is_leaf, old = leaf_at(tree, edge)
    sums = jax.tree.map(lambda table: table[old], tree.leaf_statistics)
    state = unpack(game, tree.leaf.state[old])
    legal, listed = game.legal_actions(state).T, jnp.full(layout.num_listed, NOT_LISTED, jnp.int32)
    is_pruned = jnp.bool_(False)
    if layout.decisions is Order.BY_PRIOR:
        listed = with_action(tree.leaf.listed[old], branch_outcome)
        considered = (listed != NOT_LISTED)[:, None]
        is_pruned, legal = jnp.sum(legal) > jnp.sum(considered), considered
    prior = prior_policy(logits.T, legal, settings.prior_temperature)
    chosen = choose_outcomes(game, settings, layout, state, listed, prior, key, branch_outcome)
    outcome, exists, fits = chosen.outcome, chosen.exists, chosen.fits
    depth, since = tree.leaf.depth[old], tree.leaf.since[old]
    leads_on = (depth >= 0) | (outcome == branch_outcome)
    children = Children(
        number=chosen.number,
        outcome=outcome,
        exists=exists,
        depth=jnp.where(leads_on, jnp.minimum(depth + 1, OFF_BRANCH), OFF_BRANCH),
    )
    parent, number = edge // layout.num_children, edge % layout.num_children
    chunk = jnp.where(edge == shape.root_edge, -1, parent // shape.chunk_size)
    has_room = (jnp.arange(shape.num_chunks) > chunk) & (tree.chunk_fill < shape.chunk_size)
    chunk = jnp.argmax(has_room).astype(jnp.int32)
    slot = chunk * shape.chunk_size + tree.chunk_fill[chunk]
    # A search that went wrong does not grow. Also, this is how XLA knows that what is read here and
    # in the last update is read before anything is written: otherwise it would copy whole tables.
    is_sound = _is_finite((logits, sums, since, _statistics_of(tree, ROOT)))
    states = jax.vmap(lambda outcome: game.apply(state, outcome))(jnp.maximum(outcome, 0))
    is_terminal = jax.vmap(game.actor)(states) == TERMINAL
    fits &= jnp.any(has_room) & has_room_for(tree, exists, is_terminal, freed=1)
    do = is_leaf & fits & is_sound
    slot, old = jnp.where(do, slot, shape.num_interior), jnp.where(do, old, shape.num_leaves)

    interior, statistics = tree.interior, tree.interior_statistics
    takeable = legal
    if settings.children_added(game) is not None:
        taken = chosen.number if layout.decisions is Order.BY_PRIOR else outcome
        takeable = legal & (chance_acts(game, state) | leads_to(taken, exists, len(legal)))
    interior = replace(
        interior,
        state=interior.state.at[slot].set(pack(state), mode="drop"),
        edge=interior.edge.at[slot].set(edge, mode="drop"),
        source=interior.source.at[slot].set(sources_of(tree, edge), mode="drop"),
        actor=interior.actor.at[slot].set(game.actor(state), mode="drop"),
        mask=interior.mask.at[slot].set(game.infostate_mask(state), mode="drop"),
        listed=interior.listed.at[slot].set(listed, mode="drop"),
        takeable=interior.takeable.at[slot].set(takeable, mode="drop"),
        child=interior.child.at[jnp.where(do, parent, shape.num_interior), number].set(
            slot, mode="drop"
        ),
        chance_weight=interior.chance_weight.at[slot].set(chosen.chance_weight, mode="drop"),
        prior=interior.prior.at[slot].set(prior.astype(interior.prior.dtype), mode="drop"),
        since=interior.since.at[slot].set(since, mode="drop"),
    )
    statistics = replace(
        statistics,
        policy=statistics.policy.at[slot].set(uniform_over(takeable), mode="drop"),
        reach_sum=statistics.reach_sum.at[slot].set(sums.reach_sum, mode="drop"),
        cfv_sum=statistics.cfv_sum.at[slot].set(sums.cfv_sum, mode="drop"),
    )
    top = tree.num_leaves - do
    leaves = replace(
        tree.leaf,
        edge=tree.leaf.edge.at[old].set(NO_PARENT, mode="drop"),
        free=tree.leaf.free.at[jnp.where(do, top, shape.num_leaves)].set(old, mode="drop"),
    )
    tree = replace(
        tree,
        interior=interior,
        interior_statistics=statistics,
        leaf=leaves,
        num_leaves=top,
        chunk_fill=tree.chunk_fill.at[chunk].add(do),
        is_full=tree.is_full | (is_leaf & ~fits),
        is_sampled=tree.is_sampled | (do & jnp.any(chosen.chance_weight != 1)),
        is_pruned=tree.is_pruned | (do & is_pruned),
    )
    return attach(game, evaluator, tree, slot, children, states, is_terminal & do, do)


def add_child(
    game: Game[Any], evaluator: Evaluator, tree: SearchTree, slot: Array, outcome: Array
) -> tuple[SearchTree, NewLeaves]:
    """Gives an interior node one child more, unless it is there or `slot` is NO_PARENT.

    Of a decision in games of perfect information, where the outcome is the action; or of a chance
    node, all of whose outcomes then stand for more or less of the others.
    """
    shape, layout, listed = tree.shape, tree.shape.layout, tree.interior.listed[slot]
    state = unpack(game, tree.interior.state[slot])
    is_chance = chance_acts(game, state)
    rows = tree.interior.child[slot]
    count = jnp.sum(rows != shape.nothing, dtype=jnp.int32)
    action = layout.number_of(listed, outcome)
    number = layout.place(listed, outcome, count, is_chance)
    is_new = (slot != NO_PARENT) & ~layout.child(listed, rows, outcome, shape.nothing)[1]
    states = jax.tree.map(lambda leaf: leaf[None], game.apply(state, jnp.maximum(outcome, 0)))
    is_terminal = jax.vmap(game.actor)(states) == TERMINAL
    fits = (number < layout.num_children) & has_room_for(tree, is_new[None], is_terminal, freed=0)
    do = is_new & fits
    at = jnp.where(do, slot, shape.num_interior)
    # The depth of a child matters for looking ahead only, which comes before.
    children = Children(
        number=number[None],
        outcome=outcome[None],
        exists=do[None],
        depth=jnp.full(1, OFF_BRANCH, jnp.int32),
    )
    takeable, weight = tree.interior.takeable[slot], tree.interior.chance_weight[slot]
    takeable = jnp.where(is_chance, takeable, takeable.at[action].set(True, mode="drop"))
    if layout.samples_chance:
        num_legal = jnp.sum(game.legal_outcomes(state))
        weight = jnp.where(is_chance, num_legal / (count + 1), weight).astype(weight.dtype)
    statistics = tree.interior_statistics
    policy = regret_matching(statistics.matched_regret[slot], uniform_over(takeable), axis=-2)
    tree = replace(
        tree,
        interior=replace(
            tree.interior,
            takeable=tree.interior.takeable.at[at].set(takeable, mode="drop"),
            chance_weight=tree.interior.chance_weight.at[at].set(weight, mode="drop"),
        ),
        interior_statistics=replace(
            statistics, policy=statistics.policy.at[at].set(policy, mode="drop")
        ),
        is_full=tree.is_full | (is_new & ~fits),
    )
    return attach(game, evaluator, tree, at, children, states, is_terminal & do, do)


def _statistics_of(tree: SearchTree, slot: Array | int) -> Any:
    return jax.tree.map(lambda table: table[slot], tree.interior_statistics)


def _is_finite(arrays: Any) -> Array:
    """bool: every number of all the arrays is finite."""
    return jnp.all(jnp.stack([jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(arrays)]))
