"""The trees that searches begin with: the way to the state that is searched, and its children."""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import Evaluator, Fault, encode_to_keep
from gtcfr.expansion import evaluate_new, expand_down_to, expand_leaves
from gtcfr.gadget import make_gadget
from gtcfr.growth import NewLeaves, plant
from gtcfr.leaves import no_answers, value_leaves
from gtcfr.packing import pack, packed_width
from gtcfr.query import no_queries
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search_state import SearchState
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.tree import NO_PARENT, ROOT, SearchTree, empty_tree
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

    A tree holds the branch from the root to the state that is searched, what an expansion adds to
    the states on it, all children of the state itself, and `lookahead` levels below.
    """
    batch_size, path_length = root.path.shape
    shape = settings.shape(game, path_length)
    predictive = settings.cfr_rule.predictive
    encoded = jax.eval_shape(lambda: encode_to_keep(game, evaluator, game.root()))
    empty = empty_tree(game, shape, encoded, predictive=predictive)
    depth = -jnp.sum(root.path != NO_EVENT, axis=1, dtype=jnp.int32)
    planted = jax.vmap(functools.partial(plant, game, evaluator, empty))(root.state, depth)
    state = SearchState(
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
    )
    root_leaf = NewLeaves(
        first=jnp.zeros(batch_size, jnp.int32), count=jnp.ones(batch_size, jnp.int32)
    )
    state = evaluate_new(game, evaluator, state, root_leaf)

    def follow(number: Array, carry: tuple[SearchState, Array]) -> tuple[SearchState, Array]:
        state, edge = carry
        outcome = root.path[:, number]
        here = jnp.where(outcome == NO_EVENT, NO_PARENT, edge)
        state = expand_leaves(
            game, evaluator, settings, state, here, number, outcome, was_asked=False
        )
        return state, jax.vmap(_edge_to)(state.tree, edge, outcome)

    edge = jnp.full(batch_size, shape.root_edge, jnp.int32)
    if path_length > 0:
        state, edge = jax.lax.fori_loop(0, path_length, follow, (state, edge))
    state = _ask_for_priors(game, evaluator, state, settings)
    all_children = replace(settings, num_children=None)
    state = expand_leaves(game, evaluator, all_children, state, edge, path_length)
    state = replace(state, slot=jax.vmap(_slot_below)(state.tree, edge))
    if settings.lookahead == WHOLE_GAME:
        return expand_down_to(game, evaluator, settings, state, WHOLE_GAME, was_asked=False)
    for level in range(2, settings.lookahead + 1):
        state = _ask_for_priors(game, evaluator, state, settings)
        state = expand_down_to(game, evaluator, settings, state, level, was_asked=True)
    return state


def _ask_for_priors(
    game: Game[Any], evaluator: Evaluator, state: SearchState, settings: SearchSettings
) -> SearchState:
    """Puts all leaves to the evaluator without an update, for the policies of those to expand."""
    if game.num_infostates == 1:
        return state  # they were evaluated when they were added
    state = push_ranges(game, state, settings.alpha)
    return value_leaves(game, evaluator, state, None, settings.leaf_averaging)


def _edge_to(tree: SearchTree, edge: Array, outcome: Array) -> Array:
    """The edge that an outcome leads along from the interior node below `edge`; or `edge` itself
    where there is no outcome."""
    slot = _slot_below(tree, edge)
    number = jnp.argmax(tree.interior.outcome[slot] == outcome).astype(jnp.int32)
    return jnp.where(outcome == NO_EVENT, edge, slot * tree.shape.num_children + number)


def _slot_below(tree: SearchTree, edge: Array) -> Array:
    """The interior slot that an edge leads to."""
    children = tree.shape.num_children
    row = tree.interior.child[edge // children, edge % children]
    return jnp.where(edge == tree.shape.root_edge, ROOT, row)
