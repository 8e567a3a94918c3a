"""The expansion phase of all searches: simulations, and the children that they want.

Student of Games, Algorithm 1, procedure Grow. `gtcfr.simulation` and `gtcfr.growth` are about one
search; here they are vmapped, and new leaves are put to the evaluator where that is needed.
"""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

import chex
import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.attaching import NewLeaves
from gtcfr.children import best_actions
from gtcfr.evaluator import BatchEncoder, Evaluator, LeafQueries, evaluate, look_for_faults
from gtcfr.growth import add_child, expand, leaf_at
from gtcfr.leaves import policy_logits
from gtcfr.packing import unpack
from gtcfr.query import offer_queries
from gtcfr.root import NO_EVENT
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.simulation import count_visits, simulate
from gtcfr.tree import NO_PARENT, SearchTree
from sog.games.core import Game

T = TypeVar("T")

# Expansions and simulations have keys of their own.
_EXPANSION_KEYS: Final = 0
_SIMULATION_KEYS: Final = 1
_KEYS_PER_LEVEL: Final = 2**15


def expansion_phase(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    phase: Array,
) -> SearchState:
    """The expansion phase: ceil(c) simulations, each of which adds what it wants to the tree."""
    chex.assert_tree_shape_prefix((state.tree, state.slot), state.num_updates.shape)
    num_simulations = settings.simulations_per_phase
    visits_before = state.tree.interior.visits

    def one(number: Array, state: SearchState) -> SearchState:
        number = phase * num_simulations + number
        keys = _keys(state, _SIMULATION_KEYS, number)
        paths = jax.vmap(functools.partial(simulate, game, settings))(
            state.tree, visits_before, state.slot, keys
        )
        state = replace(state, tree=jax.vmap(count_visits)(state.tree, paths))
        can_widen = settings.children_added(game) is not None or settings.first_outcomes is not None
        widen = (paths.slot_to_widen, paths.outcome) if can_widen else None
        key_number = _KEYS_PER_LEVEL + number
        return expand_leaves(game, evaluator, settings, state, paths.edge, key_number, widen=widen)

    return repeat(num_simulations, one, state)


def expand_leaves(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    edge: Array,
    number: Array | int,
    branch_outcome: Array | None = None,
    widen: tuple[Array, Array] | None = None,
    was_asked: bool = True,
) -> SearchState:
    """Expands a leaf of each tree, by the edge to it. number: of the expansion, for its key.

    was_asked: False for leaves that were in no update yet; their prior is uniform. widen: interior
    slots that get a child more instead, and the outcomes to it, see `add_child`.
    """
    if branch_outcome is None:
        branch_outcome = jnp.full_like(edge, NO_EVENT)
    keys = _keys(state, _EXPANSION_KEYS, number)
    logits = jnp.zeros((len(edge), game.num_infostates, state.tree.shape.layout.num_actions))
    if was_asked or game.num_infostates == 1:
        slot = jax.vmap(leaf_at)(state.tree, edge)[1]
        logits = policy_logits(game, evaluator, state, slot, settings.leaf_averaging)
    grow = functools.partial(expand, game, evaluator, settings)
    tree, new = jax.vmap(grow)(state.tree, edge, logits, keys, branch_outcome)
    if widen is not None:
        tree, other = jax.vmap(functools.partial(add_child, game, evaluator))(tree, *widen)
        # Evaluated together: XLA would copy whole tables that are read between two writes.
        new = jax.tree.map(functools.partial(jnp.where, new.count > 0), new, other)
    return evaluate_new(game, evaluator, replace(state, tree=tree), new)


def expand_down_to(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    depth: int,
    *,
    was_asked: bool,
) -> SearchState:
    """Expands all leaves less than so many public events below where growth starts.

    was_asked: see `expand_leaves`.
    """

    def to_expand(tree: SearchTree) -> Array:
        is_due = (tree.leaf.edge != NO_PARENT) & (tree.leaf.depth < depth) & ~tree.is_full
        edge = tree.leaf.edge[jnp.argmax(is_due)]
        return jnp.where(jnp.any(is_due), edge, NO_PARENT)

    def is_due(carry: tuple[Array, SearchState]) -> Array:
        return jnp.any(jax.vmap(to_expand)(carry[1].tree) != NO_PARENT)

    def one_more(carry: tuple[Array, SearchState]) -> tuple[Array, SearchState]:
        count, state = carry
        edge = jax.vmap(to_expand)(state.tree)
        expanded = expand_leaves(game, evaluator, settings, state, edge, count, was_asked=was_asked)
        return count + 1, expanded

    # Numbers far from those of the expansions on the branch: every one has a key of its own.
    start = (jnp.int32(depth % _KEYS_PER_LEVEL * _KEYS_PER_LEVEL), state)
    grown: SearchState = jax.lax.while_loop(is_due, one_more, start)[1]
    return grown


def evaluate_new(
    game: Game[Any], evaluator: Evaluator, state: SearchState, new: NewLeaves
) -> SearchState:
    """With perfect information, evaluates new leaves once and for all.

    Else has them encoded where that was put off, see `encode_to_keep`.
    """
    if game.num_infostates > 1:
        if isinstance(evaluator, BatchEncoder):
            return _encode_new(game, evaluator, state, new)
        return state
    shape = state.tree.shape

    def one(number: Array, state: SearchState) -> SearchState:
        tree = state.tree

        def find(tree: SearchTree, new: NewLeaves) -> tuple[Array, Array, Array, Any]:
            slot = tree.leaf.free[jnp.minimum(new.first + number, shape.num_leaves - 1)]
            row = tree.leaf.state[slot]
            there = unpack(game, row)
            return slot, row, game.legal_actions(there), evaluator.encode(game, there)

        slot, rows, legal, encoded = jax.vmap(find)(tree, new)
        is_valid = (number < new.count)[:, None]
        slot = jnp.where(is_valid[:, 0], slot, shape.num_leaves)
        queries = LeafQueries(
            encoded=jax.tree.map(lambda leaf: leaf[:, None], encoded),
            ranges=jnp.ones((*is_valid.shape, 2, 1)),
            is_valid=is_valid,
        )
        answer = evaluate(game, evaluator, state.memory, queries)
        sample = offer_queries(state.queries, rows[:, None], queries, state.keys)

        def write(old: Array, slot: Array, new: Array) -> Array:
            return old.at[slot].set(new, mode="drop")

        fault = look_for_faults(state.fault, rows[:, None], answer.values, is_valid)
        old = tree.leaf_statistics
        assert old.values is not None  # they are kept exactly where S = 1
        assert old.logits is not None
        logits, listed = answer.policy_logits[:, 0], tree.leaf.listed
        if shape.layout.num_best:
            best = functools.partial(best_actions, count=shape.layout.num_best)
            best_ones, logits = jax.vmap(best)(legal, logits)
            listed = jax.vmap(write)(listed, slot, best_ones)
        statistics = replace(
            old,
            values=jax.vmap(write)(old.values, slot, answer.values[:, 0]),
            logits=jax.vmap(write)(old.logits, slot, logits),
        )
        return replace(
            state,
            tree=replace(tree, leaf=replace(tree.leaf, listed=listed), leaf_statistics=statistics),
            memory=answer.memory,
            queries=sample,
            fault=fault,
        )

    evaluated: SearchState = jax.lax.fori_loop(0, jnp.max(new.count), one, state)
    return evaluated


def _encode_new(
    game: Game[Any], evaluator: BatchEncoder, state: SearchState, new: NewLeaves
) -> SearchState:
    """Encodes the new leaves of all trees in one call."""
    tree, shape = state.tree, state.tree.shape
    number = jnp.arange(shape.layout.num_children, dtype=jnp.int32)

    def find(tree: SearchTree, new: NewLeaves) -> tuple[Array, Any]:
        slot = tree.leaf.free[jnp.minimum(new.first + number, shape.num_leaves - 1)]
        return slot, jax.vmap(lambda row: unpack(game, row))(tree.leaf.state[slot])

    slot, states = jax.vmap(find)(tree, new)
    is_new = number[None] < new.count[:, None]
    flat = jax.tree.map(lambda leaf: leaf.reshape(-1, *leaf.shape[2:]), states)
    encoded = evaluator.encode_many(game, flat, is_new.reshape(-1))
    slot = jnp.where(is_new, slot, shape.num_leaves)

    def write(whole: Array, slot: Array, rows: Array) -> Array:
        return whole.at[slot].set(rows, mode="drop")

    by_tree = jax.tree.map(lambda rows: rows.reshape(*slot.shape, *rows.shape[1:]), encoded)
    written = jax.tree.map(
        lambda whole, rows: jax.vmap(write)(whole, slot, rows), tree.leaf.encoded, by_tree
    )
    return replace(state, tree=replace(tree, leaf=replace(tree.leaf, encoded=written)))


def repeat(count: int, body: Callable[[Any, T], T], start: T) -> T:
    """A loop, or the body alone: XLA copies the carry of a loop that turns only once."""
    if count == 1:
        return body(jnp.int32(0), start)
    repeated: T = jax.lax.fori_loop(0, count, body, start)
    return repeated


def _keys(state: SearchState, purpose: int, number: Array | int) -> Array:
    """[batch]: a key for each search."""

    def fold(key: Array) -> Array:
        return jax.random.fold_in(jax.random.fold_in(key, purpose), number)

    return jax.vmap(fold)(state.keys)
