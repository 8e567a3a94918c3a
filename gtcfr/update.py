"""The regret update phase: one update of public tree CFR on the trees grown so far.

Student of Games, "Search via Growing-Tree CFR", and Algorithm 1, procedure CFR. Reach flows down
chunk by chunk, the evaluator values the leaves and the game the terminal states, cfvs flow up chunk
by chunk, and regrets and averages of both players are updated from the same policy profile. An
alternating rule updates the regrets of one player, and those of the other after a second pass.

Loops go up to the largest number of chunks and leaves in the batch, so they cost what has been
grown and not the capacity. They are loops over slots of all trees, not batches of loops over slots
of one: so XLA knows that all trees are written in the same place, and updates them in place without
a scatter.
"""

import functools
from dataclasses import replace
from typing import Any, NamedTuple

import chex
import jax
import jax.numpy as jnp
from jax import Array

from gtcfr import sparse_update
from gtcfr.evaluator import Evaluator
from gtcfr.expansion import repeat
from gtcfr.flow import by_player, choose_rows, uniform_over
from gtcfr.gadget import root_reach, update_gadget
from gtcfr.leaves import evaluate_leaves
from gtcfr.locks import hold
from gtcfr.packing import unpack, unpack_kept
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree import (
    ROOT,
    InteriorNodes,
    InteriorStatistics,
    SearchTree,
    put,
    reach_of,
    take_reach,
    take_rows,
    take_slots,
    write,
)
from sog.games.core import PLAYER_1, Game
from sog.tabular.cfr import regret_matching, sum_actions
from sog.tabular.rules import Rule, Step, accumulate, averaging_weight, predict


def regret_update(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    step: Step,
    in_phase: Array,
) -> SearchState:
    """One update of all searches.

    in_phase: int32 scalar, the number of earlier updates in its phase.
    """
    chex.assert_rank((step.number, in_phase), 0)
    chex.assert_tree_shape_prefix((state.tree, state.ranges), state.num_updates.shape)
    rule = settings.cfr_rule
    weight = averaging_weight(rule, step)

    def one(number: Array, state: SearchState) -> SearchState:
        passes = in_phase * (2 if rule.alternating else 1) + number
        is_due = settings.leaf_interval == 1 or passes % settings.leaf_interval == 0
        if not rule.alternating:
            both = jnp.ones(2, bool)
            return _one_pass(game, evaluator, settings, state, step, weight, both, is_due)
        # All averages are of the profile before the update, so that a player's average reach and
        # the opponent's average cfvs are of the same profiles, as re-solving requires.
        counted, updated = jnp.where(number == 0, weight, 0), jnp.arange(2) == number
        return _one_pass(game, evaluator, settings, state, step, counted, updated, is_due)

    # A loop, so that the pass is compiled once.
    state = repeat(2 if rule.alternating else 1, one, state)
    tree = replace(state.tree, total_weight=state.tree.total_weight + weight)
    return replace(state, tree=tree)


def _one_pass(
    game: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    state: SearchState,
    step: Step,
    weight: Array,
    updated: Array,
    is_due: Array | bool,
) -> SearchState:
    """weight: of this pass in the averages; updated: [player] bool, whose regrets change; is_due:
    bool, whether to evaluate the leaves.
    """
    rule = settings.cfr_rule
    state = push_ranges(game, state, settings.alpha)
    num_chunks = jnp.max(state.tree.num_chunks)
    num_terminals = jnp.max(state.tree.num_terminals)
    state = replace(state, tree=value_terminals(game, state.tree, num_terminals))
    state = evaluate_leaves(game, evaluator, state, settings, weight, is_due)
    tree = pull_cfvs(game, state.tree, num_chunks)
    tree = update_regrets(rule, tree, num_chunks, step, weight, updated)
    gadget = jax.vmap(functools.partial(update_gadget, rule=rule, step=step))(
        state.gadget, tree.cfvs[:, ROOT]
    )
    chooses = (state.gadget.opponent >= 0) & updated[jnp.maximum(state.gadget.opponent, 0)]
    return replace(state, tree=tree, gadget=choose_rows(chooses, gadget, state.gadget))


def push_ranges(game: Game[Any], state: SearchState, alpha: float) -> SearchState:
    """Sends the root's ranges, the gadget's included, down all trees under the current policies."""
    state = replace(state, tree=jax.vmap(hold)(state.tree, state.held))
    mask = jax.vmap(lambda row: game.infostate_mask(unpack(game, row)))(state.root_state)
    reach = jax.vmap(functools.partial(root_reach, alpha=alpha))(state.gadget, state.ranges, mask)
    num_chunks = jnp.max(state.tree.num_chunks)
    return replace(state, tree=push_reach(game, state.tree, reach, num_chunks))


def push_reach(game: Game[Any], tree: SearchTree, reach: Array, num_chunks: Array) -> SearchTree:
    """Sends reach [batch, player, S] from the roots down all trees under the current policies."""
    if tree.shape.layout.is_sparse:
        return sparse_update.push_reach(tree, reach, num_chunks)
    shape, layout = tree.shape, tree.shape.layout

    def node(nodes: InteriorNodes, policy: Array, reach: Array) -> Array:
        state = unpack(game, nodes.state)
        return layout.push(game, state, nodes.actor, nodes.listed, policy, reach)

    def chunk(number: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        node_reach, rows = carry
        start = number * shape.chunk_size
        tables = tree.interior, tree.interior_statistics.policy
        nodes, policy = take_slots(tables, start, shape.chunk_size)
        above = jax.vmap(take_reach)(rows, nodes.source, nodes.mask)
        below = jax.vmap(jax.vmap(node))(nodes, policy, above)
        below = below.reshape(len(reach), -1, reach.shape[-1])
        return put(node_reach, above, start, 1), put(rows, below, start * layout.rows_per_node, 1)

    rows = put(tree.reach_rows, reach, jnp.int32(shape.root_source[0]), 1)
    start = (tree.interior_statistics.reach, rows)
    node_reach, rows = jax.lax.fori_loop(0, num_chunks, chunk, start)
    statistics = replace(tree.interior_statistics, reach=node_reach)
    return replace(tree, interior_statistics=statistics, reach_rows=rows)


def value_terminals(game: Game[Any], tree: SearchTree, num_terminals: Array) -> SearchTree:
    """Fills in the cfvs of the terminal states of all trees."""
    size = min(tree.shape.ends_per_step, tree.shape.num_terminals)

    def utilities_of(row: Array, reach: Array) -> Array:
        return game.utilities_of_kept(unpack_kept(game, row), reach)

    def some(number: Array, cfvs: Array) -> Array:
        start = jnp.minimum(number * size, tree.shape.num_terminals - size)
        nodes = take_slots(tree.terminal, start, size)
        reach = jax.vmap(reach_of)(tree, nodes)
        if not game.hides_information:
            utilities = nodes.worth * reach[:, :, ::-1]
        else:
            utilities = jax.vmap(jax.vmap(utilities_of))(nodes.kept, reach)
        new = jnp.where(nodes.mask, utilities, 0)
        filled: Array = put(cfvs, new, tree.shape.terminal_row + start, 1)
        return filled

    steps = (num_terminals + size - 1) // size
    return replace(tree, cfvs=jax.lax.fori_loop(0, steps, some, tree.cfvs))


def pull_cfvs(game: Game[Any], tree: SearchTree, num_chunks: Array) -> SearchTree:
    """Backs the cfvs of leaves and terminal states up all trees."""
    if tree.shape.layout.is_sparse:
        return sparse_update.pull_cfvs(tree, num_chunks)
    shape, layout = tree.shape, tree.shape.layout

    def node(nodes: InteriorNodes, policy: Array, child_cfvs: Array) -> tuple[Array, Array]:
        state = unpack(game, nodes.state)
        q, others = layout.pull(game, state, nodes.actor, nodes.listed, child_cfvs)
        return q, by_player(nodes.actor != PLAYER_1, sum_actions(policy * q, 0)[0], others)

    def chunk(number: Array, carry: tuple[Array, Array]) -> tuple[Array, Array]:
        action_cfv, cfvs = carry
        start = (num_chunks - 1 - number) * shape.chunk_size
        tables = tree.interior, tree.interior_statistics.policy
        nodes, policy = take_slots(tables, start, shape.chunk_size)
        child_cfvs = take_rows(cfvs, nodes.child)
        if layout.samples_chance:
            child_cfvs = child_cfvs * nodes.chance_weight[..., None, None]
        q, node_cfvs = jax.vmap(jax.vmap(node))(nodes, policy, child_cfvs)
        return put(action_cfv, q, start, 1), put(cfvs, node_cfvs, start, 1)

    start = (tree.interior_statistics.action_cfv, tree.cfvs)
    action_cfv, cfvs = jax.lax.fori_loop(0, num_chunks, chunk, start)
    statistics = replace(tree.interior_statistics, action_cfv=action_cfv)
    return replace(tree, interior_statistics=statistics, cfvs=cfvs)


def update_regrets(
    rule: Rule, tree: SearchTree, num_chunks: Array, step: Step, weight: Array, updated: Array
) -> SearchTree:
    """Updates the averages of the interior nodes of all trees, and the regrets and policies of the
    players `updated`, [player] bool. weight: of this pass in the averages.

    In two loops: what a loop writes to a table may depend on old rows of that table only, or XLA
    would copy whole tables, and a policy depends on new regrets.
    """
    shape = tree.shape
    # On accelerators, where chunks are large, few and wide steps.
    size = min(max(shape.ends_per_step, shape.chunk_size**2), shape.num_interior)

    def some(number: Array | int, statistics: InteriorStatistics) -> _Some:
        # The last step may overlap the one before; the overlap must be updated only once.
        start = jnp.minimum(number * size, shape.num_interior - size)
        is_new = (start + jnp.arange(size) >= number * size)[None, :, None, None]
        nodes, old, cfvs = take_slots((tree.interior, statistics, tree.cfvs), start, size)
        first = (nodes.actor != PLAYER_1)[..., None, None]
        own_cfvs = jnp.where(first, cfvs[:, :, :1], cfvs[:, :, 1:])
        return _Some(
            start=start,
            weight=weight * is_new,
            first=first,
            acts=jnp.where(first, updated[0], updated[1]) & is_new,
            takeable=nodes.takeable,
            old=old,
            cfvs=cfvs,
            instant=jnp.where(nodes.takeable, old.action_cfv - own_cfvs, 0),
        )

    def add_up(number: Array, statistics: InteriorStatistics) -> InteriorStatistics:
        now = some(number, statistics)
        old = now.old
        own_reach = jnp.where(now.first, old.reach[:, :, :1], old.reach[:, :, 1:])
        regret = accumulate(rule, old.cumulative_regret, now.instant, step)
        new: InteriorStatistics = write(
            statistics,
            now.start,
            cumulative_regret=jnp.where(now.acts, regret, old.cumulative_regret),
            policy_sum=old.policy_sum + now.weight * own_reach * old.policy,
            reach_sum=old.reach_sum + now.weight * old.reach,
            cfv_sum=old.cfv_sum + now.weight * now.cfvs,
        )
        return new

    def match(number: Array, statistics: InteriorStatistics) -> InteriorStatistics:
        now = some(number, statistics)
        old, regret = now.old, now.old.cumulative_regret
        if old.prediction is not None:
            predicted = predict(rule, regret, now.instant, step)
            regret = regret + predicted
            predicted = jnp.where(now.acts, predicted, old.prediction)
            statistics = write(statistics, now.start, prediction=predicted)
        policy = regret_matching(regret, uniform_over(now.takeable), axis=-2)
        policy = jnp.where(now.acts, policy, old.policy)
        new: InteriorStatistics = write(statistics, now.start, policy=policy)
        return new

    steps: Array | int = (num_chunks * shape.chunk_size + size - 1) // size
    if size == shape.num_interior:
        steps = 1  # known to XLA, which then makes no loop
    statistics = jax.lax.fori_loop(0, steps, add_up, tree.interior_statistics)
    statistics = jax.lax.fori_loop(0, steps, match, statistics)
    return replace(tree, interior_statistics=statistics)


class _Some(NamedTuple):
    """Some interior slots of all trees: [batch, slot, ...]."""

    start: Array  # int32: the first of them
    weight: Array  # of the pass in their averages
    first: Array  # bool: player 0 acts
    acts: Array  # bool: the acting player is updated
    takeable: Array
    old: InteriorStatistics
    cfvs: Array  # [batch, slot, player, S]
    instant: Array  # [batch, slot, A, S]: instant regrets
