"""What each action is worth at the state that was searched."""

import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.flow import normalize
from gtcfr.leaves import value_leaves
from gtcfr.packing import unpack
from gtcfr.search_state import SearchState
from gtcfr.tree import ROOT, SearchTree
from gtcfr.update import pull_cfvs, push_reach, value_terminals
from sog.games.core import PLAYER_1, Game
from sog.precision import in_32_bits


@in_32_bits
def action_values(game: Game[Any], *, evaluator: Evaluator, state: SearchState) -> Array:
    """[batch, S, A]: expected utility of the acting player's actions, in utility units.

    Both players follow the average policies of the search, from its root on and after the action
    too, and the evaluator values the leaves there; `SearchResult.values` are averages over the
    updates instead. Before the first update there is nothing to tell. NaN where an action is
    illegal or was not considered, and where the other player lets the infostate never be there.
    evaluator: of the search.
    """
    statistics = state.tree.interior_statistics
    policy = normalize(statistics.policy_sum, state.tree.interior.takeable, axis=-2)
    tree = replace(state.tree, interior_statistics=replace(statistics, policy=policy))
    # The average range of the gadget's player, too: his last one may be far from it.
    total = tree.total_weight[:, None, None]
    tree = push_reach(game, tree, statistics.reach_sum[:, ROOT] / total, jnp.max(tree.num_chunks))
    tree = value_terminals(game, tree, jnp.max(tree.num_terminals))
    state = value_leaves(game, evaluator, replace(state, tree=tree), None, 0.0)
    tree = pull_cfvs(game, state.tree, jnp.max(tree.num_chunks))
    found: Array = jax.vmap(functools.partial(_at, game))(tree, state.slot)
    return found


def _at(game: Game[Any], tree: SearchTree, slot: Array) -> Array:
    """[S, A] at an interior slot."""
    node = jax.tree.map(lambda table: table[slot], tree.interior)
    cfvs = tree.interior_statistics.action_cfv[slot]
    compatible = game.compatible_reach(
        unpack(game, node.state), tree.interior_statistics.reach[slot]
    )
    weight = jnp.where(node.actor != PLAYER_1, compatible[0], compatible[1])
    known = node.takeable & (weight > 0)[None]
    values = jnp.where(known, cfvs / jnp.where(weight > 0, weight, 1)[None], 0)
    layout = tree.shape.layout

    def over_all(table: Array) -> Array:
        return layout.over_all_actions(game, node.listed, table).T

    return jnp.where(over_all(known), over_all(values), jnp.nan)
