"""A simulation of the expansion phase: a walk from a sampled world to the frontier of the tree.

Student of Games, "Search via Growing-Tree CFR" and Algorithm 1, SamplePathDownTheTree. Unbatched;
`gtcfr.expansion` vmaps it.
"""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.children import is_wider
from gtcfr.flow import normalize
from gtcfr.layout import BY_PRIOR, NOT_LISTED
from gtcfr.locks import HeldPolicies, held_row
from gtcfr.packing import unpack
from gtcfr.settings import SearchSettings
from gtcfr.shape import children_added
from gtcfr.tree import NO_PARENT, SearchTree
from sog.games.core import CHANCE, PLAYER_1, Game, draw
from sog.pytree import pytree


@pytree
class Path:
    """The path of a simulation, and the node that it requests."""

    slot: Array  # [step] int32: interior nodes where an action was chosen, NO_PARENT where none was
    infostate: Array  # [step] int32
    action: Array  # [step] int32: its number in the tree
    edge: Array  # int32: the edge to the leaf reached, or NO_PARENT
    slot_to_widen: Array  # int32: the node that lacks a child for the action chosen, or NO_PARENT
    outcome: Array  # int32: the public event that this child would follow


@pytree
class _Walk:
    """A simulation in progress."""

    slot: Array  # int32: the current interior node
    infostates: Array  # [player] int32
    is_over: Array  # bool
    num_steps: Array  # int32
    path: Path


def simulate(
    game: Game[Any],
    settings: SearchSettings,
    tree: SearchTree,
    visits_before: Array,
    slot: Array,
    key: Array,
    held: HeldPolicies | None = None,
) -> Path:
    """Walks from an interior node to a leaf, a terminal state, or an action without a child.

    visits_before: [slot, A, S], from before this phase; later visits count as losses (virtual
    loss). held: locked policies, which the walk follows.
    """
    longest = tree.shape.depth
    world_key, select_key, move_key = jax.random.split(key, 3)
    # All at once: the fixed cost of a draw exceeds the cost per number by far.
    points = jax.random.uniform(select_key, (longest, 2))
    move_keys = jax.vmap(functools.partial(jax.random.fold_in, move_key))(jnp.arange(longest))
    state = unpack(game, tree.interior.state[slot])
    reach = tree.interior_statistics.reach_sum[slot]
    nowhere = jnp.full(longest, NO_PARENT, jnp.int32)
    none = jnp.int32(NO_PARENT)
    walk = _Walk(
        slot=slot,
        infostates=sample_world(game, state, reach, world_key),
        is_over=jnp.bool_(False),
        num_steps=jnp.int32(0),
        path=Path(
            slot=nowhere,
            infostate=nowhere,
            action=nowhere,
            edge=none,
            slot_to_widen=none,
            outcome=none,
        ),
    )

    def is_unfinished(walk: _Walk) -> Array:
        return ~walk.is_over & (walk.num_steps < longest)

    def step(walk: _Walk) -> _Walk:
        at = walk.num_steps
        return _step(game, settings, tree, visits_before, walk, points[at], move_keys[at], held)

    walked: _Walk = jax.lax.while_loop(is_unfinished, step, walk)
    return walked.path


def count_visits(tree: SearchTree, path: Path) -> SearchTree:
    """Counts the actions that a simulation chose."""
    slot = jnp.where(path.slot == NO_PARENT, tree.shape.num_interior, path.slot)
    visits = tree.interior.visits.at[slot, path.action, path.infostate].add(1, mode="drop")
    return replace(tree, interior=replace(tree.interior, visits=visits))


def sample_world(game: Game[Any], state: Any, reach: Array, key: Array) -> Array:
    """int32[player]: a pair of infostates, with probability proportional to the joint weight.

    reach: [player, S]. The weight is w(s0, s1) reach_0(s0) reach_1(s1), card removal included; if
    it is 0 everywhere, uniform reach replaces the given one.
    """
    if not game.hides_information:
        return jnp.zeros(2, jnp.int32)
    mask = game.infostate_mask(state)
    points = jax.random.uniform(key, (2,))
    ranges = normalize(reach, mask)
    together = ranges[0] * game.compatible_reach(state, ranges)[0]
    even = normalize(jnp.zeros_like(ranges), mask)
    ranges = jnp.where(jnp.sum(together) > 0, ranges, even)
    together = normalize(ranges[0] * game.compatible_reach(state, ranges)[0], mask[0])
    first = draw(points[0], together)
    alone = (jnp.arange(len(together)) == first).astype(ranges.dtype)
    given = game.compatible_reach(state, jnp.stack([alone, ranges[1]]))[1]
    second = draw(points[1], normalize(ranges[1] * given, mask[1]))
    return jnp.stack([first, second])


def _step(
    game: Game[Any],
    settings: SearchSettings,
    tree: SearchTree,
    visits_before: Array,
    walk: _Walk,
    points: Array,
    move_key: Array,
    held: HeldPolicies | None,
) -> _Walk:
    shape, layout, slot = tree.shape, tree.shape.layout, walk.slot
    listed, children = tree.interior.listed[slot], tree.interior.child[slot]
    state = unpack(game, tree.interior.state[slot])
    actor = game.actor(state)
    player = jnp.where(actor == PLAYER_1, 1, 0)
    infostate = walk.infostates[player]
    chosen = _select(game, settings, tree, visits_before, state, slot, player, infostate, points)
    if held is not None and len(held.state) > 0:
        row = tree.interior.state[slot]
        is_held, given = held_row(layout, held, row, listed, infostate)
        chosen = jnp.where(is_held, draw(points[1], given), chosen)
    is_choice = actor != CHANCE
    action = jnp.where(is_choice, chosen, 0)
    move = layout.action(listed, action)
    outcome, infostates = game.transition(move_key, state, walk.infostates, move)
    if layout.samples_chance:
        kept = _sample_kept_outcome(game, tree, state, slot, walk.infostates, move_key)
        outcome = jnp.where(is_choice, outcome, kept[0])
        infostates = jnp.where(is_choice, infostates, kept[1])
    number, has_child = layout.child(listed, children, outcome, shape.nothing)
    row = jnp.where(has_child, children[number], shape.nothing)
    is_leaf = (row >= shape.leaf_row) & (row < shape.terminal_row)
    can_expand = is_leaf
    if settings.widest_chance is not None:
        leaf = unpack(game, tree.leaf.state[jnp.where(is_leaf, row - shape.leaf_row, 0)])
        can_expand &= ~is_wider(game, leaf, settings.widest_chance)
    path = walk.path
    can_widen = children_added(game, settings) is not None
    # By comparison, not by index: a batch of single writes is a scatter, with a kernel of its own.
    is_now = jnp.arange(len(path.slot)) == walk.num_steps
    path = Path(
        slot=jnp.where(is_now & is_choice, slot, path.slot),
        infostate=jnp.where(is_now, infostate, path.infostate),
        action=jnp.where(is_now, action, path.action),
        edge=jnp.where(can_expand, slot * layout.num_children + number, NO_PARENT),
        slot_to_widen=jnp.where(~has_child & can_widen, slot, NO_PARENT),
        outcome=outcome,
    )
    return _Walk(
        slot=jnp.where(row < shape.num_interior, row, slot),
        infostates=infostates,
        is_over=row >= shape.num_interior,
        num_steps=walk.num_steps + 1,
        path=path,
    )


def _select(
    game: Game[Any],
    settings: SearchSettings,
    tree: SearchTree,
    visits_before: Array,
    state: Any,
    slot: Array,
    player: Array,
    infostate: Array,
    points: Array,
) -> Array:
    """int32: an action, as numbered in the tree, by 1/2 PUCT + 1/2 the average policy.

    points: [2], uniform in [0, 1).
    """
    statistics = tree.interior_statistics
    legal = game.legal_actions(state)[infostate]
    if tree.shape.layout.decisions == BY_PRIOR:
        legal = tree.interior.listed[slot] != NOT_LISTED
    takeable = tree.interior.takeable[slot, :, infostate]
    cfvs = statistics.action_cfv[slot, :, infostate]
    compatible = game.compatible_reach(state, statistics.reach[slot])[player, infostate]
    # Q is a value: divide the cfv by the reach of the opponent and chance.
    scale = jnp.where(compatible > 0, compatible, 1) * game.max_utility
    values = jnp.where(compatible > 0, cfvs / scale, 0)
    if children_added(game, settings) is not None:
        own_value = jnp.sum(statistics.policy[slot, :, infostate] * values)
        values = jnp.where(takeable, values, own_value)
    visits = tree.interior.visits[slot, :, infostate]
    if settings.simulations_per_phase > 1:
        before = visits_before[slot, :, infostate]
        lost = visits - before  # virtual losses of this phase
        total = before + lost
        pessimistic = (before * values - lost) / jnp.where(total > 0, total, 1)
        values = jnp.where(lost > 0, pessimistic, values)
    prior = tree.interior.prior[slot, :, infostate].astype(visits.dtype)
    bonus = settings.c_puct * prior * jnp.sqrt(jnp.sum(visits)) / (1 + visits)
    by_puct = jnp.argmax(jnp.where(legal, values + bonus, -jnp.inf))
    average = normalize(statistics.policy_sum[slot, :, infostate], takeable)
    by_policy = draw(points[1], average)
    return jnp.where(points[0] < 0.5, by_puct, by_policy).astype(jnp.int32)


def _sample_kept_outcome(
    game: Game[Any], tree: SearchTree, state: Any, slot: Array, infostates: Array, key: Array
) -> tuple[Array, Array]:
    """At a chance node with a sample of its outcomes: one of them and the infostates after it.

    Drawn by each kept outcome's probability in this world.
    """
    outcome_key, world_key = jax.random.split(key)
    outcomes = tree.shape.layout.events(tree.interior.listed[slot])
    worlds = (jnp.arange(game.num_infostates)[None] == infostates[:, None]).astype(jnp.float32)
    forced = (jnp.arange(game.num_actions) == 0)[:, None] * jnp.ones_like(worlds[:1])
    action_reach = (worlds[:1] * forced).T
    reach = jax.vmap(lambda event: game.advance(state, event, action_reach, worlds[1]))(outcomes)
    states = jax.vmap(lambda outcome: game.apply(state, outcome))(outcomes)
    compatible = jax.vmap(game.compatible_reach)(states, reach)
    weight = jnp.sum(reach[:, 0] * compatible[:, 0], axis=-1)
    exists = tree.interior.child[slot] != tree.shape.nothing
    number = draw(jax.random.uniform(outcome_key), normalize(weight, exists))
    after = jax.tree.map(lambda leaf: leaf[number], states)
    return outcomes[number], sample_world(game, after, reach[number], world_key)
