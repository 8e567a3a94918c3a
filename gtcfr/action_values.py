"""The value of each action, estimated from a finished search.

Like the values of a search, an action's value is an average over the updates: of what the action
earned under the policies of each. Up to the average regret, the best action's value equals the
infostate's value, and the average policy takes that action. The estimate also covers actions that
are never taken: the search finds policies below them too, while average policies, which are
weighted by the player's own reach, say nothing there.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.flow import choose_rows
from gtcfr.packing import unpack
from gtcfr.search import SearchResult
from gtcfr.tree import SearchTree, take_reach
from sog.games.core import CHANCE, Game
from sog.precision import in_32_bits


@in_32_bits
def action_values(game: Game[Any], result: SearchResult) -> Array:
    """[batch, S, A]: values of the actions at the searched states to the acting player, in utility
    units.

    NaN where an action is illegal or was not considered, where no update has passed through it, and
    where the other player's policy never lets the infostate occur.
    """
    found: Array = jax.vmap(functools.partial(action_values_at, game))(result.tree, result.slot)
    return found


def action_values_at(game: Game[Any], tree: SearchTree, slot: Array) -> Array:
    """[S, A]: the same at an interior slot of one tree; all NaN at a chance node.

    A child's cfvs and reach are sums over the updates since it joined the tree, which may differ
    from its siblings'; each is averaged by itself before an action's children are combined.
    """
    shape, layout = tree.shape, tree.shape.layout
    node = jax.tree.map(lambda table: table[slot], tree.interior)
    state, row = unpack(game, node.state), node.child
    is_end = (row >= shape.terminal_row) & (row < shape.nothing)
    is_there = row < shape.terminal_row
    inner = jnp.clip(row, 0, shape.num_interior - 1)
    leaf = jnp.clip(row - shape.leaf_row, 0, shape.num_leaves - 1)

    def kept(of_interior: Array, of_leaf: Array) -> Any:
        """[child, ...]: averages over the updates since a child joined; 0 before the first."""
        return choose_rows(row < shape.leaf_row, of_interior[inner], of_leaf[leaf])

    since = kept(tree.interior.since, tree.leaf.since)
    lasted = jnp.where(is_there, tree.total_weight - since, 0)[:, None, None]
    of_inner, of_leaf = tree.interior_statistics, tree.leaf_statistics
    reach = _average(kept(of_inner.reach_sum, of_leaf.reach_sum), lasted)
    cfvs = _average(kept(of_inner.cfv_sum, of_leaf.cfv_sum), lasted)
    # The tree keeps no sums for terminal nodes: their utilities are the same in every update.
    average = _average(of_inner.reach_sum[slot], tree.total_weight - node.since)
    takeable = node.takeable.astype(average.dtype)
    rows = layout.push(game, state, node.actor, node.listed, takeable, average)
    numbers = jnp.arange(layout.num_children, dtype=jnp.int32)
    sources = jax.vmap(functools.partial(layout.rows_to, node.actor))(numbers)
    states = jax.vmap(lambda event: game.apply(state, event))(layout.events(node.listed))
    masks = jax.vmap(game.infostate_mask)(states)
    reach = jnp.where(is_end[:, None, None], take_reach(rows, sources, masks), reach)
    ends = jax.vmap(game.utilities)(states, reach)
    cfvs = jnp.where(is_end[:, None, None], ends, cfvs)
    weights = jax.vmap(game.compatible_reach)(states, reach)
    exists = (is_there | is_end)[:, None, None] & masks

    def pull(table: Array) -> Array:
        """[A, S]: for the acting player."""
        inside = jnp.where(exists, table, 0)
        pulled: Array = layout.pull(game, state, node.actor, node.listed, inside)[0]
        return pulled

    weight = pull(weights)
    is_known = node.takeable & (weight > 0) & (node.actor < CHANCE)
    values = jnp.where(is_known, pull(cfvs) / jnp.where(weight > 0, weight, 1), 0)

    def over_all(table: Array) -> Array:
        return layout.over_all_actions(game, node.listed, table).T

    return jnp.where(over_all(is_known), over_all(values), jnp.nan)


def _average(sums: Array, weight: Array) -> Array:
    return jnp.where(weight > 0, sums / jnp.where(weight > 0, weight, 1), 0)
