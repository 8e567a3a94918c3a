"""The expansion phase of all searches: simulations, and the children they request.

Student of Games, Algorithm 1, procedure Grow. `gtcfr.simulation` and `gtcfr.growth` handle one
search; here they are vmapped, and new leaves are evaluated where needed.
"""

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final, TypeVar

import chex
import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.children import best_actions
from gtcfr.evaluator import BatchEncoder, Evaluator, LeafQueries, evaluate, look_for_faults
from gtcfr.flow import normalize
from gtcfr.growth import grow, leaf_at
from gtcfr.leaves import policy_logits
from gtcfr.packing import unpack
from gtcfr.query import QuerySample, sample_queries
from gtcfr.root import NO_EVENT
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.shape import children_added
from gtcfr.simulation import count_visits, simulate
from gtcfr.tree import NO_PARENT, ROOT, SearchTree, set_rows
from sog.games.core import Game
from sog.pytree import pytree

T = TypeVar("T")
U = TypeVar("U")

# Expansions and simulations have keys of their own.
_EXPANSION_KEYS: Final = 0
_SIMULATION_KEYS: Final = 1
_KEYS_PER_LEVEL: Final = 2**15
_LEAVES_PER_CALL: Final = 16  # of those that are evaluated once, if the evaluator does not say


@pytree
class Requests:
    """Requested additions to the trees of a batch: each entry requests at most one of the two."""

    edge: Array  # [batch, n] int32: the edge to a leaf to expand, or NO_PARENT
    child: tuple[Array, Array] | None = None
    """[batch, n] int32, both: a node that gets one more child, or NO_PARENT, and the event to
    it."""


def expansion_phase(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    phase: Array,
) -> SearchState:
    """The expansion phase: its simulations, then all their requests are added to the tree.

    The evaluator gets all new leaves at once. Visits of the phase count as losses (virtual loss),
    so that its simulations take different paths; a leaf that several of them reach is expanded
    once.
    """
    chex.assert_tree_shape_prefix((state.tree, state.slot), state.num_updates.shape)
    count, visits_before = settings.simulations_per_phase, state.tree.interior.visits
    first = phase * count
    can_widen = children_added(game, settings) is not None
    start = jnp.full_like(state.slot, ROOT) if settings.grows_from_root else state.slot

    def one(tree: SearchTree, number: Array) -> tuple[SearchTree, Requests]:
        keys = _keys(state, _SIMULATION_KEYS, first + number)
        walk = jax.vmap(functools.partial(simulate, game, settings))
        paths = walk(tree, visits_before, start, keys, state.held)
        child = (paths.slot_to_widen, paths.outcome) if can_widen else None
        wanted = Requests(edge=paths.edge, child=child)
        return jax.vmap(count_visits)(tree, paths), wanted

    tree, by_number = _each(one, state.tree, jnp.arange(count, dtype=jnp.int32))
    wanted = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 0, 1), by_number)
    state = replace(state, tree=tree)
    return expand_leaves(game, evaluator, settings, state, wanted, _KEYS_PER_LEVEL + first)


def expand_leaves(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    wanted: Requests,
    number: Array | int,
    branch_outcome: Array | int = NO_EVENT,
    *,
    was_evaluated: Array | bool = True,
) -> SearchState:
    """Adds what is requested to the trees, one entry after the other, and evaluates all new leaves.

    number: of the first expansion, for its key. was_evaluated: False for leaves that no update has
    evaluated yet; their prior is uniform. branch_outcome: see `grow`; [batch], or one for all.
    """
    tree, (batch_size, count) = state.tree, wanted.edge.shape
    branch = jnp.broadcast_to(jnp.asarray(branch_outcome, jnp.int32), (batch_size,))
    layout = tree.shape.layout
    logits = jnp.zeros((batch_size, count, game.num_infostates, layout.num_actions))
    is_kept = tree.leaf_statistics.logits is not None
    if was_evaluated is not False or is_kept:
        slots = jax.vmap(jax.vmap(leaf_at, (None, 0)))(tree, wanted.edge)[1]
        logits = policy_logits(game, evaluator, state, slots, settings.leaf_averaging)
        logits = jnp.where(jnp.bool_(was_evaluated) | is_kept, logits, 0)

    def one(tree: SearchTree, row: tuple[Array, Requests, Array]) -> tuple[SearchTree, Array]:
        place, now, logits = row
        keys = _keys(state, _EXPANSION_KEYS, number + place)
        grow_one = jax.vmap(functools.partial(grow, game, evaluator, settings))
        grown: tuple[SearchTree, Array] = grow_one(tree, now.edge, logits, keys, branch, now.child)
        return grown

    rows = (jnp.arange(count, dtype=jnp.int32), wanted, logits)
    moved = jax.tree.map(lambda leaf: jnp.moveaxis(leaf, 1, 0), rows[1:])
    tree, new = _each(one, tree, (rows[0], *moved))
    slots = jnp.moveaxis(new, 0, 1).reshape(batch_size, -1)
    return evaluate_new(game, evaluator, replace(state, tree=tree), slots)


def expand_down_to(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    depth: Array | int,
    *,
    was_evaluated: bool,
) -> SearchState:
    """Expands all leaves fewer than `depth` public events below the searched state.

    was_evaluated: see `expand_leaves`.
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
        wanted = Requests(edge=edge[:, None])
        expanded = expand_leaves(
            game, evaluator, settings, state, wanted, count, was_evaluated=was_evaluated
        )
        return count + 1, expanded

    # Numbers far from those of the expansions on the branch, so that no two share a key.
    level = (jnp.int32(depth) + _KEYS_PER_LEVEL // 2) % _KEYS_PER_LEVEL
    start = (level * _KEYS_PER_LEVEL, state)
    grown: SearchState = jax.lax.while_loop(is_due, one_more, start)[1]
    return grown


def evaluate_new(
    game: Game[Any], evaluator: Evaluator, state: SearchState, slots: Array
) -> SearchState:
    """Evaluates new leaves for good, if the evaluator is called only once per leaf.

    Otherwise encodes them where that was deferred, see `encode_to_keep`. slots: [batch, n] int32,
    of the leaves, padded with a slot that does not exist.
    """
    if state.tree.leaf_statistics.logits is None:
        if isinstance(evaluator, BatchEncoder):
            return _encode_new(game, evaluator, state, slots)
        return state
    nothing, most = state.tree.shape.num_leaves, slots.shape[1]
    calls = -(-most // min(most, evaluator.leaves_per_call or _LEAVES_PER_CALL))
    size = -(-most // calls)  # calls of equal size, so that the last has little padding
    if most > 1:  # existing leaves first, in their order
        order = jnp.argsort(slots == nothing, axis=1, stable=True)
        slots = jnp.take_along_axis(slots, order, axis=1)
        slots = jnp.pad(slots, ((0, 0), (0, -most % size)), constant_values=nothing)
    num_new = jnp.max(jnp.sum(slots != nothing, axis=1, dtype=jnp.int32))

    def some(step: Array, state: SearchState) -> SearchState:
        part = jax.lax.dynamic_slice_in_dim(slots, step * size, size, axis=1)
        return _evaluate(game, evaluator, state, part)

    evaluated: SearchState = jax.lax.fori_loop(0, -(-num_new // size), some, state)
    return evaluated


def _evaluate(
    game: Game[Any], evaluator: Evaluator, state: SearchState, slots: Array
) -> SearchState:
    """Evaluates some leaves of each search in one call, and stores the answers."""
    tree, layout = state.tree, state.tree.shape.layout

    def find(tree: SearchTree, slot: Array) -> tuple[Array, Array, Array, Any]:
        row = tree.leaf.state[slot]
        there = unpack(game, row)
        return row, tree.leaf.mask[slot], game.legal_actions(there), evaluator.encode(game, there)

    states, mask, legal, encoded = jax.vmap(jax.vmap(find, (None, 0)))(tree, slots)
    is_valid, ranges = slots != tree.shape.num_leaves, normalize(jnp.ones(mask.shape), mask)
    queries = LeafQueries(encoded=encoded, ranges=ranges, is_valid=is_valid)
    answer = evaluate(game, evaluator, state.memory, queries)

    def offer(number: Array, sample: QuerySample) -> QuerySample:
        """One by one, so that the sample does not depend on the number of leaves per call."""
        query = replace(queries, encoded=())
        query, rows = jax.tree.map(
            lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, number, 1, axis=1), (query, states)
        )
        return sample_queries(sample, rows, query, state.keys)

    if len(state.queries.beliefs.state[0]):
        sample = repeat(slots.shape[1], offer, state.queries)
    else:
        sample = sample_queries(state.queries, states, queries, state.keys)
    old = tree.leaf_statistics
    assert old.values is not None  # stored where leaves are evaluated once
    assert old.logits is not None
    logits, listed = answer.policy_logits, tree.leaf.listed
    if layout.num_best:
        best = functools.partial(best_actions, count=layout.num_best)
        best_ones, logits = jax.vmap(jax.vmap(best))(legal, logits)
        listed = set_rows(listed, slots, best_ones)
    statistics = replace(
        old,
        values=set_rows(old.values, slots, answer.values),
        logits=set_rows(old.logits, slots, logits),
    )
    return replace(
        state,
        tree=replace(tree, leaf=replace(tree.leaf, listed=listed), leaf_statistics=statistics),
        memory=answer.memory,
        queries=sample,
        fault=look_for_faults(state.fault, states, answer.values, is_valid),
    )


def _encode_new(
    game: Game[Any], evaluator: BatchEncoder, state: SearchState, slots: Array
) -> SearchState:
    """Encodes the new leaves of all trees in one call."""
    tree = state.tree
    is_new = slots != tree.shape.num_leaves
    rows = jax.vmap(lambda table, slot: table[slot])(tree.leaf.state, slots)
    states = jax.vmap(lambda row: unpack(game, row))(rows.reshape(-1, rows.shape[-1]))
    encoded = evaluator.encode_many(game, states, is_new.reshape(-1))

    by_tree = jax.tree.map(lambda rows: rows.reshape(*slots.shape, *rows.shape[1:]), encoded)
    kept = jax.tree.map(
        lambda whole, rows: set_rows(whole, slots, rows), tree.leaf.encoded, by_tree
    )
    return replace(state, tree=replace(tree, leaf=replace(tree.leaf, encoded=kept)))


def repeat(count: int, body: Callable[[Any, T], T], start: T) -> T:
    """A loop, or the body alone if count is 1: XLA copies the carry of a one-iteration loop."""
    if count == 1:
        return body(jnp.int32(0), start)
    repeated: T = jax.lax.fori_loop(0, count, body, start)
    return repeated


def _each(body: Callable[[T, Any], tuple[T, U]], start: T, rows: Any) -> tuple[T, U]:
    """As `jax.lax.scan`, but without a loop for a single row: see `repeat`."""
    if len(jax.tree.leaves(rows)[0]) > 1:
        scanned: tuple[T, U] = jax.lax.scan(body, start, rows)
        return scanned
    end, found = body(start, jax.tree.map(lambda leaf: leaf[0], rows))
    return end, jax.tree.map(lambda leaf: leaf[None], found)


def _keys(state: SearchState, purpose: int, number: Array | int) -> Array:
    """[batch]: a key for each search."""

    def fold(key: Array) -> Array:
        return jax.random.fold_in(jax.random.fold_in(key, purpose), number)

    return jax.vmap(fold)(state.keys)
