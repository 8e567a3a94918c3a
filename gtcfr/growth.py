"""Adding nodes to a tree: a leaf gets its children, or an interior node one child more.

About one search; `gtcfr.search` vmaps it. Writes that are not to happen go to a slot that does not
exist, which JAX drops.
"""

import dataclasses
from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.flow import child_rows, normalize, regret_matching, rows_per_node
from gtcfr.packing import pack, unpack
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT, UNEXPANDED, SearchTree, root_source
from sog.games.core import CHANCE, TERMINAL, Game
from sog.pytree import pytree

OFF_BRANCH: Final = 2**30
"""The depth of what cannot be reached from the state that growth starts from."""


@pytree
class NewLeaves:
    """Leaves that were added: those at `first`, ..., `first + count - 1` of the stack of slots."""

    first: Array  # int32
    count: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Children:
    """Children to attach to one node; each array has an entry per child."""

    number: Array  # int32: which child of the node
    outcome: Array  # int32
    exists: Array  # bool
    depth: Array  # int32


def plant(
    game: Game[Any], evaluator: Evaluator, tree: SearchTree, state: Any, depth: Array
) -> SearchTree:
    """Puts the root into an empty tree, as a leaf. depth: minus the way to where growth starts."""
    encoded = evaluator.encode(game, state)
    leaf = replace(
        tree.leaf,
        state=tree.leaf.state.at[0].set(pack(state)),
        edge=tree.leaf.edge.at[0].set(tree.shape.root_edge),
        source=tree.leaf.source.at[0].set(jnp.array(root_source(game, tree.shape), jnp.int32)),
        mask=tree.leaf.mask.at[0].set(game.infostate_mask(state)),
        depth=tree.leaf.depth.at[0].set(depth),
        encoded=jax.tree.map(lambda whole, row: whole.at[0].set(row), tree.leaf.encoded, encoded),
    )
    return replace(tree, leaf=leaf, num_leaves=jnp.int32(1), leaf_limit=jnp.int32(1))


def expand(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    tree: SearchTree,
    edge: Array,
    key: Array,
    branch_outcome: Array | int,
) -> tuple[SearchTree, NewLeaves]:
    """Expands the leaf that an edge leads to; adds nothing where the edge leads to no leaf.

    branch_outcome: the one public event that leads on towards where growth starts, if the leaf lies
    before that, else NO_EVENT. Returns the tree and the new leaves.
    """
    shape = tree.shape
    parent, number = edge // shape.num_children, edge % shape.num_children
    is_root = edge == shape.root_edge
    row = jnp.where(is_root, shape.leaf_row, tree.interior.child[parent, number])
    is_leaf = (edge != NO_PARENT) & (row >= shape.leaf_row) & (row < shape.terminal_row)
    old = jnp.where(is_leaf, row - shape.leaf_row, 0)
    state = unpack(game, tree.leaf.state[old])
    legal = game.legal_actions(state).T
    prior = _prior(tree.leaf_statistics.logits[old].T, legal, settings.prior_temperature)
    outcome, exists, chance_weight, fits = _choose_outcomes(
        game, settings, shape.num_children, state, prior, key, branch_outcome
    )
    depth = tree.leaf.depth[old]
    leads_on = (depth >= 0) | (outcome == branch_outcome)
    children = _Children(
        number=jnp.arange(shape.num_children, dtype=jnp.int32),
        outcome=outcome,
        exists=exists,
        depth=jnp.where(leads_on, jnp.minimum(depth + 1, OFF_BRANCH), OFF_BRANCH),
    )
    chunk = jnp.where(is_root, -1, parent // shape.chunk_size)
    has_room = (jnp.arange(shape.num_chunks) > chunk) & (tree.chunk_fill < shape.chunk_size)
    chunk = jnp.argmax(has_room).astype(jnp.int32)
    slot = chunk * shape.chunk_size + tree.chunk_fill[chunk]
    states = jax.vmap(lambda outcome: game.apply(state, outcome))(jnp.maximum(outcome, 0))
    is_terminal = jax.vmap(game.actor)(states) == TERMINAL
    fits &= jnp.any(has_room) & _has_room(tree, exists, is_terminal, freed=1)
    do = is_leaf & fits
    slot, old = jnp.where(do, slot, shape.num_interior), jnp.where(do, old, shape.num_leaves)

    interior, statistics = tree.interior, tree.interior_statistics
    takeable = legal
    if settings.num_children is not None:
        takeable = legal & (_is_chance(game, state) | _leads_to(outcome, exists, len(legal)))
    uniform = normalize(jnp.zeros_like(prior), takeable, axis=0)
    interior = replace(
        interior,
        state=interior.state.at[slot].set(pack(state), mode="drop"),
        edge=interior.edge.at[slot].set(edge, mode="drop"),
        source=interior.source.at[slot].set(tree.leaf.source[old], mode="drop"),
        actor=interior.actor.at[slot].set(game.actor(state), mode="drop"),
        mask=interior.mask.at[slot].set(tree.leaf.mask[old], mode="drop"),
        uniform=interior.uniform.at[slot].set(uniform, mode="drop"),
        child=interior.child.at[jnp.where(do, parent, shape.num_interior), number].set(
            slot, mode="drop"
        ),
        chance_weight=interior.chance_weight.at[slot].set(chance_weight, mode="drop"),
        prior=interior.prior.at[slot].set(prior, mode="drop"),
        since=interior.since.at[slot].set(tree.leaf.since[old], mode="drop"),
    )
    reach_sum, cfv_sum = tree.leaf_statistics.reach_sum[old], tree.leaf_statistics.cfv_sum[old]
    statistics = replace(
        statistics,
        policy=statistics.policy.at[slot].set(uniform, mode="drop"),
        reach_sum=statistics.reach_sum.at[slot].set(reach_sum, mode="drop"),
        cfv_sum=statistics.cfv_sum.at[slot].set(cfv_sum, mode="drop"),
    )
    top = tree.num_leaves - do
    leaf = replace(
        tree.leaf,
        edge=tree.leaf.edge.at[old].set(NO_PARENT, mode="drop"),
        free=tree.leaf.free.at[jnp.where(do, top, shape.num_leaves)].set(old, mode="drop"),
    )
    tree = replace(
        tree,
        interior=interior,
        interior_statistics=statistics,
        leaf=leaf,
        num_leaves=top,
        chunk_fill=tree.chunk_fill.at[chunk].add(do),
        is_full=tree.is_full | (is_leaf & ~fits),
        is_sampled=tree.is_sampled | (do & jnp.any(chance_weight != 1)),
    )
    return _attach(game, evaluator, tree, slot, children, states, is_terminal & do, do)


def add_child(
    game: Game[Any], evaluator: Evaluator, tree: SearchTree, slot: Array, outcome: Array
) -> tuple[SearchTree, NewLeaves]:
    """Gives an interior node one child more, unless it is there or `slot` is NO_PARENT.

    For games of perfect information, where the outcome is the action.
    """
    shape, outcomes = tree.shape, tree.interior.outcome[slot]
    state = unpack(game, tree.interior.state[slot])
    is_identity = shape.num_children == game.num_outcomes
    number = outcome if is_identity else jnp.sum(outcomes != UNEXPANDED, dtype=jnp.int32)
    is_new = (slot != NO_PARENT) & ~jnp.any(outcomes == outcome)
    states = jax.tree.map(lambda leaf: leaf[None], game.apply(state, jnp.maximum(outcome, 0)))
    is_terminal = jax.vmap(game.actor)(states) == TERMINAL
    fits = (number < shape.num_children) & _has_room(tree, is_new[None], is_terminal, freed=0)
    do = is_new & fits
    at = jnp.where(do, slot, shape.num_interior)
    # The first row of a child's depth matters for looking ahead only, which comes before.
    children = _Children(
        number=number[None],
        outcome=outcome[None],
        exists=do[None],
        depth=jnp.full(1, OFF_BRANCH, jnp.int32),
    )
    takeable = (tree.interior.uniform[slot] > 0).at[outcome].set(True)
    uniform = normalize(jnp.zeros_like(takeable, jnp.float32), takeable, axis=0)
    statistics = tree.interior_statistics
    policy = regret_matching(statistics.matched_regret[slot], uniform)
    tree = replace(
        tree,
        interior=replace(
            tree.interior, uniform=tree.interior.uniform.at[at].set(uniform, mode="drop")
        ),
        interior_statistics=replace(
            statistics, policy=statistics.policy.at[at].set(policy, mode="drop")
        ),
        is_full=tree.is_full | (is_new & ~fits),
    )
    return _attach(game, evaluator, tree, at, children, states, is_terminal & do, do)


def _attach(
    game: Game[Any],
    evaluator: Evaluator,
    tree: SearchTree,
    slot: Array,
    children: _Children,
    states: Any,
    is_terminal: Array,
    do: Array,
) -> tuple[SearchTree, NewLeaves]:
    """Gives an interior node children; there must be room. states: [child, ...]."""
    shape, exists = tree.shape, children.exists & do
    is_leaf = exists & ~is_terminal
    is_end = exists & is_terminal
    leaf_rank = jnp.cumsum(is_leaf, dtype=jnp.int32) - 1
    leaf_slot = tree.leaf.free[jnp.clip(tree.num_leaves + leaf_rank, 0, shape.num_leaves - 1)]
    leaf_slot = jnp.where(is_leaf, leaf_slot, shape.num_leaves)
    end_slot = tree.num_terminals + jnp.cumsum(is_end, dtype=jnp.int32) - 1
    end_slot = jnp.where(is_end, end_slot, shape.num_terminals)
    rows = jnp.where(is_leaf, shape.leaf_row + leaf_slot, shape.terminal_row + end_slot)
    rows = jnp.where(exists, rows, shape.nothing)
    edges = slot * shape.num_children + children.number
    actor = tree.interior.actor[slot]
    sources = slot * rows_per_node(game, shape.num_children) + jax.vmap(
        lambda number: child_rows(game, shape.num_children, actor, number)
    )(children.number)
    packed = jax.vmap(pack)(states)
    encoded = jax.vmap(lambda state: evaluator.encode(game, state))(states)
    masks = jax.vmap(game.infostate_mask)(states)

    number = jnp.where(exists, children.number, shape.num_children)
    interior = replace(
        tree.interior,
        child=tree.interior.child.at[slot, number].set(rows, mode="drop"),
        outcome=tree.interior.outcome.at[slot, number].set(children.outcome, mode="drop"),
    )
    leaf = replace(
        tree.leaf,
        state=tree.leaf.state.at[leaf_slot].set(packed, mode="drop"),
        edge=tree.leaf.edge.at[leaf_slot].set(edges, mode="drop"),
        source=tree.leaf.source.at[leaf_slot].set(sources, mode="drop"),
        mask=tree.leaf.mask.at[leaf_slot].set(masks, mode="drop"),
        depth=tree.leaf.depth.at[leaf_slot].set(children.depth, mode="drop"),
        encoded=jax.tree.map(
            lambda whole, new: whole.at[leaf_slot].set(new, mode="drop"),
            tree.leaf.encoded,
            encoded,
        ),
        since=tree.leaf.since.at[leaf_slot].set(tree.total_weight, mode="drop"),
    )
    # What the leaf before in this slot had summed up is forgotten.
    statistics = jax.tree.map(
        lambda whole: whole.at[leaf_slot].set(0, mode="drop"), tree.leaf_statistics
    )
    terminal = replace(
        tree.terminal,
        state=tree.terminal.state.at[end_slot].set(packed, mode="drop"),
        edge=tree.terminal.edge.at[end_slot].set(edges, mode="drop"),
        source=tree.terminal.source.at[end_slot].set(sources, mode="drop"),
        mask=tree.terminal.mask.at[end_slot].set(masks, mode="drop"),
    )
    count = jnp.sum(is_leaf, dtype=jnp.int32)
    used = jnp.max(jnp.where(is_leaf, leaf_slot + 1, 0))
    grown = replace(
        tree,
        interior=interior,
        leaf=leaf,
        leaf_statistics=statistics,
        terminal=terminal,
        num_leaves=tree.num_leaves + count,
        leaf_limit=jnp.maximum(tree.leaf_limit, used),
        num_terminals=tree.num_terminals + jnp.sum(is_end, dtype=jnp.int32),
    )
    return grown, NewLeaves(first=tree.num_leaves, count=count)


def _has_room(tree: SearchTree, exists: Array, is_terminal: Array, freed: int) -> Array:
    """bool: whether these children fit into the tables of leaves and terminal nodes."""
    num_leaves = tree.num_leaves - freed + jnp.sum(exists & ~is_terminal)
    num_terminals = tree.num_terminals + jnp.sum(exists & is_terminal)
    return (num_leaves <= tree.shape.num_leaves) & (num_terminals <= tree.shape.num_terminals)


def _prior(logits: Array, legal: Array, temperature: float) -> Array:
    """[A, S]: softmax over legal actions; 0 where an infostate has none."""
    scaled = jnp.where(legal, logits / temperature, -jnp.inf)
    most = jnp.max(scaled, axis=0, keepdims=True)
    weight = jnp.where(legal, jnp.exp(scaled - jnp.where(jnp.isfinite(most), most, 0)), 0)
    total = jnp.sum(weight, axis=0, keepdims=True)
    return weight / jnp.where(total > 0, total, 1)


def _is_chance(game: Game[Any], state: Any) -> Array:
    return game.actor(state) == CHANCE


def _leads_to(outcome: Array, exists: Array, num_actions: int) -> Array:
    """[A, 1] bool: actions whose outcome, of the same number, is among the children."""
    found = (outcome[:, None] == jnp.arange(num_actions)[None]) & exists[:, None]
    return jnp.any(found, axis=0)[:, None]


def _choose_outcomes(
    game: Game[Any],
    settings: SearchSettings,
    num_children: int,
    state: Any,
    prior: Array,
    key: Array,
    branch_outcome: Array | int,
) -> tuple[Array, Array, Array, Array]:
    """Which public events get a child: (outcome, exists, chance weight) per child, and if all fit.

    All legal ones; after a decision only the best `num_children` by the prior if that is set; of a
    chance node that has more than there is room for, a sample without replacement, whose weights
    keep every expectation right on average.
    """
    legal = game.legal_outcomes(state)
    num_outcomes = legal.shape[0]
    numbers = jnp.arange(num_outcomes, dtype=jnp.int32)
    is_chance, num_legal = _is_chance(game, state), jnp.sum(legal)
    if settings.num_children is None and num_children == num_outcomes:
        weight = jnp.ones(num_children)
        return numbers, legal, weight, jnp.bool_(True)
    limit = jnp.int32(num_children)
    score = jax.random.uniform(key, (num_outcomes,))
    if settings.num_children is not None:
        limit = jnp.where(is_chance, limit, min(settings.num_children, num_children))
        score = jnp.where(is_chance, score, prior[:, 0])
    score = jnp.where(legal, score, -1)
    score = jnp.where(numbers == branch_outcome, 2, score)
    _, best = jax.lax.top_k(score, num_children)
    kept = jnp.zeros(num_outcomes, bool).at[best].set(jnp.arange(num_children) < limit) & legal
    fits = is_chance | (settings.num_children is not None) | (num_legal <= num_children)
    outcome = numbers if num_children == num_outcomes else best.astype(jnp.int32)
    exists = kept[outcome]
    # The branch is kept for certain; of the others, as many as there is room for.
    certain = jnp.any(numbers == branch_outcome)
    kept_others, others = jnp.sum(kept) - certain, num_legal - certain
    weight = jnp.where(
        is_chance & (outcome != branch_outcome), others / jnp.maximum(kept_others, 1), 1.0
    )
    return outcome, exists, weight.astype(jnp.float32), fits
