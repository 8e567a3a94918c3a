"""Continual re-solving: the next search of a player's chain, from what his last one found.

Student of Games, "Modified Continual Re-solving". A chain belongs to one player p: in all of its
searches p is the one who is re-solved for, and his opponent has the gadget's choice. What passes
from one search to the next is p's average reach and the opponent's average cfvs at `prev`, a public
state of the last tree on the way to the next decision. Both are sums over the same updates with the
same weights, so that dividing by the mass of p's reach makes them the range and the terminate cfvs
of one and the same gadget.

Which state that is, is a setting (`SearchSettings.resolve_from`):

    deepest      the last one on the way that the tree holds (the paper). Where the opponent's reply
                 is in the tree, he is promised what that very reply was worth, an average over the
                 few updates that came so far
    reply        the state that p's move led to, where the opponent has not replied yet: he is
                 promised what his best reply was worth, as in DeepStack. If chance moved after it,
                 and the tree holds what chance chose, the state after the last such event
    first_child  the state that p's move led to, whatever came after it

All of them are states of the last tree, which is all that the paper's Theorem 4 asks for.
"""

import functools
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.flow import normalize
from gtcfr.gadget import NOBODY
from gtcfr.packing import unpack
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search import SearchResult
from gtcfr.settings import DEEPEST, FIRST_CHILD, REPLY
from gtcfr.tree import SearchTree
from sog.games.core import CHANCE, Game


def next_root(
    game: Game[Any],
    result: SearchResult,
    path: Array,
    player: Array,
    *,
    resolve_from: str = FIRST_CHILD,
    safe: bool = True,
) -> SearchRoot:
    """Where the next search of each chain starts.

    path: [batch, event] int32: what happened since the state that `result` searched, then NO_EVENT.
    player: [batch] int32: whose chain it is. Where p never came to `prev` by his own policy nothing
    can be promised to the opponent, and there is no gadget.

    resolve_from: one of `gtcfr.settings.RESOLVE_FROM`, see above. safe: False leaves the gadget out
    everywhere and trusts the last ranges. Such *unsafe* re-solving is exploitable; it is here for
    comparison.
    """
    summarize = functools.partial(_summarize, game, resolve_from=resolve_from, safe=safe)
    return jax.vmap(summarize)(result.tree, result.slot, path, player)


def _summarize(
    game: Game[Any],
    tree: SearchTree,
    slot: Array,
    path: Array,
    player: Array,
    *,
    resolve_from: str,
    safe: bool,
) -> SearchRoot:
    row, num_events = _start(tree, slot, path, resolve_from)
    is_interior = row < tree.shape.num_interior
    leaf = jnp.where(is_interior, 0, row - tree.shape.leaf_row)
    interior = jnp.where(is_interior, row, 0)

    def read(inside: Array, outside: Array) -> Array:
        return jnp.where(is_interior, inside[interior], outside[leaf])

    inner, outer = tree.interior_statistics, tree.leaf_statistics
    reach = read(inner.reach_sum, outer.reach_sum)
    cfvs = read(inner.cfv_sum, outer.cfv_sum)
    mask = read(tree.interior.mask, tree.leaf.mask)
    opponent = 1 - player
    mass = jnp.sum(reach[player])
    came = mass > 0
    # The path from `prev` on: what is left of the way, moved to the front.
    numbers = jnp.arange(path.shape[0]) + num_events
    rest = jnp.where(
        numbers < path.shape[0], path[jnp.minimum(numbers, path.shape[0] - 1)], NO_EVENT
    )
    return SearchRoot(
        state=unpack(game, read(tree.interior.state, tree.leaf.state)),
        ranges=normalize(reach, mask),
        path=rest,
        opponent=jnp.where(came & safe, opponent, NOBODY).astype(jnp.int32),
        terminate_cfvs=jnp.where(came, cfvs[opponent] / jnp.where(came, mass, 1), 0),
    )


def _start(tree: SearchTree, slot: Array, path: Array, resolve_from: str) -> tuple[Array, Array]:
    """The row of the node on the path, from an interior slot, where the next search starts.

    Also returns how many events lead there. Only nodes that an update has seen are gone to: those
    added after the last one know nothing yet.
    """
    shape = tree.shape

    def step(carry: tuple[Array, Array, Array, Array, Array], event: Array) -> tuple[Any, None]:
        row, num_events, is_over, start, events_to_start = carry
        interior = jnp.minimum(row, shape.num_interior - 1)
        is_child = tree.interior.outcome[interior] == event
        child = tree.interior.child[interior, jnp.argmax(is_child)]
        child = jnp.where(jnp.any(is_child), child, shape.nothing)
        inside = jnp.minimum(child, shape.num_interior - 1)
        outside = jnp.clip(child - shape.leaf_row, 0, shape.num_leaves - 1)
        is_interior = child < shape.num_interior
        since = jnp.where(is_interior, tree.interior.since[inside], tree.leaf.since[outside])
        goes_on = ~is_over & (event != NO_EVENT) & (row < shape.num_interior)
        goes_on &= (child < shape.terminal_row) & (since < tree.total_weight)
        starts_here = goes_on
        if resolve_from != DEEPEST:
            is_after_chance = tree.interior.actor[interior] == CHANCE
            starts_here &= (num_events == 0) | ((resolve_from == REPLY) & is_after_chance)
        row = jnp.where(goes_on, child, row)
        num_events = num_events + goes_on
        start = jnp.where(starts_here, row, start)
        events_to_start = jnp.where(starts_here, num_events, events_to_start)
        return (row, num_events, is_over | ~goes_on, start, events_to_start), None

    nothing = jnp.int32(0)
    carry = (slot, nothing, jnp.bool_(False), slot, nothing)
    (_, _, _, start, events_to_start), _ = jax.lax.scan(step, carry, path)
    return start, events_to_start
