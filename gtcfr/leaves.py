"""Evaluates the leaves, all of them, in every regret update or less often.

Searches of a batch have different numbers of leaves. The evaluator gets the leaves of all searches
concatenated, without gaps, so that none of its work is wasted; its answers are then scattered back
to the trees.
"""

from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import (
    Evaluator,
    Fault,
    LeafQueries,
    evaluate,
    evaluates_once,
    look_for_faults,
)
from gtcfr.flow import normalize
from gtcfr.packing import unpack
from gtcfr.query import QuerySample, sample_queries
from gtcfr.search_state import Answers, SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree import (
    NO_PARENT,
    LeafStatistics,
    SearchTree,
    put,
    reach_of,
    take_reach,
    take_slots,
    write,
)
from sog.games.core import Game

_LEAST_WEIGHT: Final = 1e-6

_Carry = tuple[LeafStatistics, Array, QuerySample, Fault]


def evaluate_leaves(
    game: Game[Any],
    evaluator: Evaluator,
    state: SearchState,
    settings: SearchSettings,
    weight: Array | None,
    is_due: Array | bool,
) -> SearchState:
    """Fills in the cfvs of the leaves of all trees, from the evaluator.

    Values that do not depend on ranges were stored when the leaf was added, and are scaled by reach
    here; so are those of an earlier pass, unless `is_due` (bool). weight: of this pass in the
    averages, None for no averaging.
    """
    averaging, smoothing = settings.leaf_averaging, settings.leaf_smoothing
    tree, shape = state.tree, state.tree.shape
    size = min(shape.ends_per_step, shape.num_leaves)
    memory, answers = state.memory, None
    if tree.leaf_statistics.logits is None:
        memory, answers = _evaluate_all(game, evaluator, state, averaging, is_due)
        if smoothing > 0:
            tree = _smooth(tree, answers, smoothing, is_due, size)

    def compatible_reach(row: Array, reach: Array) -> Array:
        return game.compatible_reach(unpack(game, row), reach)

    def some(number: Array, carry: _Carry) -> _Carry:
        statistics, cfvs, sample, fault = carry
        # The last step may overlap the one before; the overlap must be added only once.
        start = jnp.minimum(number * size, shape.num_leaves - size)
        is_new = start + jnp.arange(size) >= number * size
        leaf, old = take_slots((tree.leaf, statistics), start, size)
        reach = jax.vmap(reach_of)(tree, leaf)
        compatible = jax.vmap(jax.vmap(compatible_reach))(leaf.state, reach)
        is_valid = leaf.edge != NO_PARENT
        values: Any = old.values
        if answers is not None:
            if values is None:
                values = _rows_of(answers, start, size)
            ranges = _query_ranges(reach, old.reach_sum, leaf.mask, averaging)
            counted = LeafQueries(
                encoded=leaf.encoded, ranges=ranges, is_valid=is_valid & is_new[None] & is_due
            )
            sample = sample_queries(sample, leaf.state, counted, state.keys)
        fault = look_for_faults(fault, leaf.state, values, is_valid)
        leaf_cfvs = jnp.where(is_valid[:, :, None, None], values * compatible, 0)
        if weight is not None:
            # The condition, always true, orders the reads of old sums before the write: otherwise
            # XLA would copy the table.
            is_sampled = jnp.all(sample.beliefs.ranges >= 0)
            added = jnp.where(is_sampled & is_new, weight, 0)[None, :, None, None]
            statistics = write(
                statistics,
                start,
                reach_sum=old.reach_sum + added * reach,
                cfv_sum=old.cfv_sum + added * leaf_cfvs,
            )
        return statistics, put(cfvs, leaf_cfvs, shape.leaf_row + start, axis=1), sample, fault

    steps = (jnp.max(tree.leaf_limit) + size - 1) // size
    carry = (tree.leaf_statistics, tree.cfvs, state.queries, state.fault)
    statistics, cfvs, sample, fault = jax.lax.fori_loop(0, steps, some, carry)
    tree = replace(tree, leaf_statistics=statistics, cfvs=cfvs)
    if answers is not None:
        state = replace(state, answers=answers)
    return replace(state, tree=tree, memory=memory, queries=sample, fault=fault)


def _rows_of(answers: Answers, start: Array, size: int) -> Array:
    """[batch, leaf, player, S]: the values of `size` leaves of each search, from `start` on."""
    rows = answers.first[:, None] + (start + jnp.arange(size))[None]
    return jnp.take(answers.values, rows, axis=0, mode="clip")


def _smooth(
    tree: SearchTree, answers: Answers, smoothing: float, is_due: Array | bool, size: int
) -> SearchTree:
    """Mixes new answers into the values of leaves, `size` at a time: they are all of the values in
    a leaf's first update, and then replace the share 1 - `smoothing`.

    A loop of its own: see `update_regrets`.
    """
    shape = tree.shape

    def some(number: Array, statistics: LeafStatistics) -> LeafStatistics:
        start = jnp.minimum(number * size, shape.num_leaves - size)
        is_new = start + jnp.arange(size) >= number * size
        since, old = take_slots((tree.leaf.since, statistics.values), start, size)
        values = _rows_of(answers, start, size)
        is_first = (since == tree.total_weight[:, None])[:, :, None, None]
        mixed = values + smoothing * (old - values)
        mixed = jnp.where((is_new & is_due)[None, :, None, None], mixed, old)
        new: LeafStatistics = write(statistics, start, values=jnp.where(is_first, values, mixed))
        return new

    steps = (jnp.max(tree.leaf_limit) + size - 1) // size
    return replace(tree, leaf_statistics=jax.lax.fori_loop(0, steps, some, tree.leaf_statistics))


def _evaluate_all(
    game: Game[Any],
    evaluator: Evaluator,
    state: SearchState,
    averaging: float,
    is_due: Array | bool,
) -> tuple[Any, Answers]:
    """Evaluates the leaves of all searches if `is_due`; returns the evaluator's memory and the new
    answers, or the old ones."""
    tree, per_search = state.tree, state.tree.shape.num_leaves
    sums = tree.leaf_statistics.reach_sum
    batch_size = len(tree.leaf_limit)
    if evaluator.leaves_per_call is None:
        reach = jax.vmap(reach_of)(tree, tree.leaf)
        queries = LeafQueries(
            encoded=tree.leaf.encoded,
            ranges=_query_ranges(reach, sums, tree.leaf.mask, averaging),
            is_valid=tree.leaf.edge != NO_PARENT,
        )

        def all_at_once() -> tuple[Any, Answers]:
            answer = evaluate(game, evaluator, state.memory, queries)
            return answer.memory, Answers(
                values=answer.values.reshape(-1, *answer.values.shape[2:]),
                logits=answer.policy_logits.reshape(-1, *answer.policy_logits.shape[2:]),
                first=jnp.arange(batch_size, dtype=jnp.int32) * per_search,
            )

        if is_due is True:  # always: no condition
            return all_at_once()
        evaluated: tuple[Any, Answers] = jax.lax.cond(
            is_due, all_at_once, lambda: (state.memory, state.answers)
        )
        return evaluated
    size = min(evaluator.leaves_per_call, per_search) * batch_size
    ends = jnp.cumsum(tree.leaf_limit, dtype=jnp.int32)
    first = ends - tree.leaf_limit

    def call(number: Array, carry: tuple[Array, Any]) -> tuple[Array, Any]:
        values, memory = carry
        row = number * size + jnp.arange(size, dtype=jnp.int32)
        search = jnp.sum(ends[None] <= row[:, None], axis=1, dtype=jnp.int32)
        search = jnp.minimum(search, batch_size - 1)
        slot = jnp.clip(row - first[search], 0, per_search - 1)
        encoded, source, mask, edge, sum_ = jax.tree.map(
            lambda table: table[search, slot],
            (tree.leaf.encoded, tree.leaf.source, tree.leaf.mask, tree.leaf.edge, sums),
        )
        reach = jnp.where(mask, tree.reach_rows[search[:, None], source], 0)
        queries = LeafQueries(
            encoded=encoded,
            ranges=_query_ranges(reach, sum_, mask, averaging),
            is_valid=(row < ends[-1]) & (edge != NO_PARENT),
        )
        answer = evaluate(game, evaluator, memory, jax.tree.map(lambda leaf: leaf[None], queries))
        return put(values, answer.values[0], number * size), answer.memory

    carry = (state.answers.values, state.memory)
    calls = jnp.where(is_due, -(-ends[-1] // size), 0)
    values, memory = jax.lax.fori_loop(0, calls, call, carry)
    return memory, Answers(values=values, logits=None, first=first)


def policy_logits(
    game: Game[Any], evaluator: Evaluator, state: SearchState, slots: Array, averaging: float
) -> Array:
    """[batch, n, S, A]: the evaluator's policy logits at some leaves of each search.

    For the ranges of the last update, or from the stored answers, if there are any; uniform at a
    leaf that joined since. slots: [batch, n] int32, of the leaves.
    """
    tree, search = state.tree, jnp.arange(len(slots))[:, None]
    if tree.leaf_statistics.logits is not None:
        return tree.leaf_statistics.logits[search, slots]
    if state.answers.logits is not None:
        logits = state.answers.logits[state.answers.first[:, None] + slots]
    else:
        logits = _evaluate_policy(game, evaluator, state, slots, averaging)
    is_new = (tree.leaf.since[search, slots] == tree.total_weight[:, None]) & (
        tree.total_weight > 0
    )[:, None]
    return jnp.where(is_new[..., None, None], 0, logits)


def _evaluate_policy(
    game: Game[Any], evaluator: Evaluator, state: SearchState, slots: Array, averaging: float
) -> Array:
    """The same from an evaluator that takes any subset of the leaves.

    Only leaves that are expanded need a policy, which is the largest part of an answer, so it is
    not stored for all: those leaves are evaluated again.
    """
    tree, search = state.tree, jnp.arange(len(slots))[:, None]
    encoded, source, mask, sums = jax.tree.map(
        lambda table: table[search, slots],
        (tree.leaf.encoded, tree.leaf.source, tree.leaf.mask, tree.leaf_statistics.reach_sum),
    )
    reach = jax.vmap(take_reach)(tree.reach_rows, source, mask)
    queries = LeafQueries(
        encoded=encoded,
        ranges=_query_ranges(reach, sums, mask, averaging),
        is_valid=jnp.ones(slots.shape, bool),
    )
    flat = jax.tree.map(lambda leaf: leaf.reshape(1, -1, *leaf.shape[2:]), queries)
    logits = evaluate(game, evaluator, state.memory, flat).policy_logits
    return logits.reshape(*slots.shape, *logits.shape[2:])


def _query_ranges(reach: Array, reach_sum: Array, mask: Array, averaging: float) -> Array:
    """[..., player, S]: the ranges for the query of a leaf.

    Those of this update, mixed with the average ranges so far, which have the share `averaging`.
    (The averages are of earlier updates; the second pass of an alternating rule finds this one in
    them.) Policies swing from update to update, so a range often lacks infostates that it had
    before and will have again; the solution of the leaf would ignore them.
    """
    if averaging == 0:
        return normalize(reach, mask)
    total = reach_sum + _LEAST_WEIGHT * reach  # the sum is 0 before the first update
    return normalize((1 - averaging) * _scaled(reach) + averaging * _scaled(total), mask)


def _scaled(reach: Array) -> Array:
    """Scaled to sum 1, or 0 where the sum is 0."""
    total = jnp.sum(reach, axis=-1, keepdims=True)
    return reach / jnp.maximum(total, np.finfo(reach.dtype).tiny)


def no_answers(game: Game[Any], evaluator: Evaluator, batch_size: int, per_search: int) -> Answers:
    """Empty answers."""
    size = min(evaluator.leaves_per_call or per_search, per_search) * batch_size
    num_rows = 0 if evaluates_once(game, evaluator) else -(-per_search * batch_size // size) * size
    infostates, actions = game.num_infostates, game.num_actions
    logits = jnp.zeros((num_rows, infostates, actions))
    return Answers(
        values=jnp.zeros((num_rows, 2, infostates)),
        logits=logits if evaluator.leaves_per_call is None else None,
        first=jnp.zeros(batch_size, jnp.int32),
    )
