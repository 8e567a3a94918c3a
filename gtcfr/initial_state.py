"""Initial search trees: the path to the searched state, and its children."""

import functools
from dataclasses import replace
from typing import Any

import chex
import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import sources_of
from gtcfr.evaluator import Evaluator, Fault, encode_to_keep, evaluates_once
from gtcfr.expansion import Requests, evaluate_new, expand_down_to, expand_leaves
from gtcfr.gadget import make_gadget
from gtcfr.layout import NOT_LISTED
from gtcfr.leaves import evaluate_leaves, no_answers
from gtcfr.packing import kept_width, pack, packed_width
from gtcfr.query import no_queries
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search_state import SearchState
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.shape import children_added, tree_shape
from gtcfr.tree import (
    NO_PARENT,
    ROOT,
    InteriorNodes,
    InteriorStatistics,
    LeafNodes,
    LeafStatistics,
    SearchTree,
    TerminalNodes,
    TreeShape,
)
from gtcfr.update import push_ranges
from sog.games.core import Game


def initial_state(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    root: SearchRoot,
    keys: Array,
) -> SearchState:
    """A batch of searches before the first update.

    A tree holds the branch from the root to the searched state, the children that an expansion adds
    to the states on it, all children of the searched state, and `lookahead` levels below. If it
    grows from its root, it also holds all other states of these levels.
    """
    batch_size, path_length = root.path.shape
    state = root_only_state(game, evaluator, settings, root, keys)
    shape = state.tree.shape
    state = evaluate_new(game, evaluator, state, jnp.full((batch_size, 1), 0, jnp.int32))

    path = jnp.pad(root.path, ((0, 0), (0, 1)), constant_values=NO_EVENT)
    all_children = replace(settings, num_children=game.num_actions)

    def expand_next(
        settings: SearchSettings, number: Array | int, carry: tuple[SearchState, Array]
    ) -> tuple[SearchState, Array]:
        """Expands the next state on the path; number `path_length` is the searched state."""
        state, edge = carry
        outcome, is_last = path[:, number], number == path_length
        is_evaluated = settings.grows_from_root or is_last
        state = _evaluate_for_priors(game, evaluator, state, settings, is_evaluated)
        wanted = jnp.where((outcome == NO_EVENT) & ~jnp.bool_(is_last), NO_PARENT, edge)
        state = expand_leaves(
            game,
            evaluator,
            settings,
            state,
            Requests(edge=wanted[:, None]),
            number,
            outcome,
            was_evaluated=is_evaluated,
        )
        return state, jax.vmap(_edge_to)(state.tree, edge, outcome)

    carry = state, jnp.full(batch_size, shape.root_edge, jnp.int32)
    # One loop if all get their children alike: code outside the loop is compiled once more.
    are_alike = children_added(game, settings) == children_added(game, all_children)
    if path_length > 0:
        on_the_way = functools.partial(expand_next, settings)
        carry = jax.lax.fori_loop(0, path_length + are_alike, on_the_way, carry)
    if path_length == 0 or not are_alike:
        carry = expand_next(all_children, path_length, carry)
    state, edge = carry
    state = replace(state, slot=jax.vmap(_slot_below)(state.tree, edge))
    if settings.lookahead == WHOLE_GAME:
        return expand_down_to(game, evaluator, settings, state, WHOLE_GAME, was_evaluated=False)

    def expand_level(level: Array | int, state: SearchState) -> SearchState:
        state = _evaluate_for_priors(game, evaluator, state, settings, True)
        return expand_down_to(game, evaluator, settings, state, level, was_evaluated=True)

    if settings.grows_from_root and path_length > 0:
        state = jax.lax.fori_loop(1 - path_length, 2, expand_level, state)
    for level in range(2, settings.lookahead + 1):
        state = expand_level(level, state)
    return state


def root_only_state(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    root: SearchRoot,
    keys: Array,
) -> SearchState:
    """The searches with only the root, as a leaf, in each tree; it has the shapes of all arrays."""
    batch_size, path_length = root.path.shape
    chex.assert_shape(root.ranges, (batch_size, 2, game.num_infostates))
    chex.assert_shape(root.terminate_cfvs, (batch_size, game.num_infostates))
    chex.assert_tree_shape_prefix((root, keys), (batch_size,))
    shape = tree_shape(game, settings, path_length)
    encoded = jax.eval_shape(lambda: encode_to_keep(game, evaluator, game.root()))
    evaluated_once = evaluates_once(game, evaluator)
    empty = empty_tree(game, settings, shape, encoded, evaluated_once=evaluated_once)
    depth = -jnp.sum(root.path != NO_EVENT, axis=1, dtype=jnp.int32)
    planted = jax.vmap(functools.partial(_with_root, game, evaluator, empty))(root.state, depth)
    return SearchState(
        tree=planted,
        gadget=jax.vmap(make_gadget)(root.opponent, root.terminate_cfvs),
        root_state=jax.vmap(pack)(root.state),
        ranges=root.ranges,
        memory=evaluator.start(game, batch_size),
        fault=Fault(
            found=jnp.zeros(batch_size, bool),
            state=jnp.zeros((batch_size, packed_width(game)), jnp.int32),
        ),
        queries=no_queries(game, batch_size, settings.num_queries),
        keys=keys,
        answers=no_answers(game, evaluator, batch_size, shape.num_leaves),
        slot=jnp.zeros(batch_size, jnp.int32),
        num_updates=jnp.zeros(batch_size, jnp.int32),
        num_before=jnp.zeros(batch_size, jnp.int32),
        held=root.held,
    )


def empty_tree(
    game: Game[Any],
    settings: SearchSettings,
    shape: TreeShape,
    encoded: Any,
    *,
    evaluated_once: bool,
) -> SearchTree:
    """A tree of no nodes.

    encoded: the structure of an encoded state. evaluated_once: from `evaluates_once`.
    """
    predictive, smooths = settings.cfr_rule.prediction > 0, settings.leaf_smoothing > 0
    size, layout, width = game.num_infostates, shape.layout, packed_width(game)
    actions, children = layout.num_actions, layout.num_children
    slots, leaves, ends = shape.num_interior, shape.num_leaves, shape.num_terminals
    is_perfect = size == 1

    def zeros(*axes: int, dtype: Any = jnp.float32) -> Array:
        return jnp.zeros(axes, dtype)

    def full(value: int, *axes: int) -> Array:
        return jnp.full(axes, value, jnp.int32)

    interior = InteriorNodes(
        state=zeros(slots, width, dtype=jnp.int32),
        edge=full(NO_PARENT, slots),
        source=full(0, slots, layout.num_sources),
        actor=full(0, slots),
        mask=zeros(slots, 2, size, dtype=bool),
        takeable=zeros(slots, actions, size, dtype=bool),
        child=full(shape.nothing, slots, children),
        listed=full(NOT_LISTED, slots, layout.num_listed),
        chance_weight=jnp.ones((slots, layout.num_weights)),
        prior=zeros(slots, actions, size, dtype=jnp.float16),
        visits=zeros(slots, actions, size),
        since=zeros(slots),
    )
    interior_statistics = InteriorStatistics(
        policy=zeros(slots, actions, size),
        cumulative_regret=zeros(slots, actions, size),
        prediction=zeros(slots, actions, size) if predictive else None,
        policy_sum=zeros(slots, actions, size),
        action_cfv=zeros(slots, actions, size),
        reach=zeros(slots, 2, size),
        reach_sum=zeros(slots, 2, size),
        cfv_sum=zeros(slots, 2, size),
        share=zeros(slots, 2, size) if layout.is_sparse else None,
    )
    leaf = LeafNodes(
        state=zeros(leaves, width, dtype=jnp.int32),
        edge=full(NO_PARENT, leaves),
        source=full(0, leaves, layout.num_sources),
        mask=zeros(leaves, 2, size, dtype=bool),
        listed=full(NOT_LISTED, leaves, layout.num_best),
        depth=full(0, leaves),
        encoded=jax.tree.map(lambda leaf: jnp.zeros((leaves, *leaf.shape), leaf.dtype), encoded),
        since=zeros(leaves),
        free=jnp.arange(leaves, dtype=jnp.int32),
    )
    leaf_statistics = LeafStatistics(
        values=zeros(leaves, 2, size) if evaluated_once or smooths else None,
        logits=zeros(leaves, size, actions) if evaluated_once else None,
        reach_sum=zeros(leaves, 2, size),
        cfv_sum=zeros(leaves, 2, size),
    )
    terminal = TerminalNodes(
        kept=zeros(ends, 0 if is_perfect else kept_width(game), dtype=jnp.int32),
        worth=zeros(ends, 2, 1 if is_perfect else 0),
        edge=full(NO_PARENT, ends),
        source=full(0, ends, layout.num_sources),
        mask=zeros(ends, 2, size, dtype=bool),
    )
    return SearchTree(
        shape=shape,
        interior=interior,
        interior_statistics=interior_statistics,
        leaf=leaf,
        leaf_statistics=leaf_statistics,
        terminal=terminal,
        chunk_fill=full(0, shape.num_chunks),
        num_leaves=jnp.int32(0),
        leaf_limit=jnp.int32(0),
        num_terminals=jnp.int32(0),
        is_full=jnp.bool_(False),
        is_sampled=jnp.bool_(False),
        is_pruned=jnp.bool_(False),
        total_weight=jnp.float32(0),
        reach_rows=zeros(shape.root_source[1] + 1, size),
        cfvs=zeros(shape.nothing + 1, 2, size),
    )


def _with_root(
    game: Game[Any], evaluator: Evaluator, tree: SearchTree, state: Any, depth: Array
) -> SearchTree:
    """Puts the root into an empty tree, as a leaf. depth: minus the number of events to the
    searched state."""
    encoded = encode_to_keep(game, evaluator, state)
    leaf = replace(
        tree.leaf,
        state=tree.leaf.state.at[0].set(pack(state)),
        edge=tree.leaf.edge.at[0].set(tree.shape.root_edge),
        source=tree.leaf.source.at[0].set(sources_of(tree, jnp.int32(tree.shape.root_edge))),
        mask=tree.leaf.mask.at[0].set(game.infostate_mask(state)),
        depth=tree.leaf.depth.at[0].set(depth),
        encoded=jax.tree.map(lambda whole, row: whole.at[0].set(row), tree.leaf.encoded, encoded),
    )
    return replace(tree, leaf=leaf, num_leaves=jnp.int32(1), leaf_limit=jnp.int32(1))


def _evaluate_for_priors(
    game: Game[Any],
    evaluator: Evaluator,
    state: SearchState,
    settings: SearchSettings,
    do: Array | bool,
) -> SearchState:
    """Evaluates all leaves without an update, for the priors of those to expand."""
    if state.tree.leaf_statistics.logits is not None:
        return state  # they were evaluated when they were added

    def evaluate_all(state: SearchState) -> SearchState:
        state = push_ranges(game, state, settings.alpha)
        return evaluate_leaves(game, evaluator, state, settings, None, True)

    if isinstance(do, bool):
        return evaluate_all(state) if do else state
    evaluated: SearchState = jax.lax.cond(do, evaluate_all, lambda state: state, state)
    return evaluated


def _edge_to(tree: SearchTree, edge: Array, outcome: Array) -> Array:
    """The edge that an outcome follows from the interior node below `edge`; `edge` itself if there
    is no outcome."""
    slot, layout = _slot_below(tree, edge), tree.shape.layout
    number, _ = layout.find(tree.interior.listed[slot], outcome)
    return jnp.where(outcome == NO_EVENT, edge, slot * layout.num_children + number)


def _slot_below(tree: SearchTree, edge: Array) -> Array:
    """The interior slot that an edge leads to; if there is none, a slot that does not exist."""
    children, parent = tree.shape.layout.num_children, edge // tree.shape.layout.num_children
    row = tree.interior.child[parent, edge % children]
    row = jnp.where(parent < tree.shape.num_interior, row, tree.shape.nothing)
    return jnp.where(edge == tree.shape.root_edge, ROOT, row)
