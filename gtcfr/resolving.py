"""Continual re-solving: the root of a player's next search, from the results of the last one.

Student of Games, "Modified Continual Re-solving". A chain of searches belongs to one player p: each
re-solves p's policy, and the opponent has the gadget's choice. What passes from one search to the
next is p's average reach and the opponent's average cfvs at `prev`, a public state of the last tree
on the path to the next decision. Both are sums over the same updates with the same weights, so that
dividing both by the mass of p's reach gives the range and the terminate cfvs of one gadget.

`SearchSettings.resolve_from` chooses `prev`:

    deepest      the last state on the path that the tree holds (the paper). Where the opponent's
                 reply is in the tree, the promise is the value of that reply, an average over
                 the few updates since it joined
    reply        the state after p's move, before the opponent's reply: the promise is the value of
                 the best reply, as in DeepStack. If chance moved after it, and the tree holds
                 its outcome, the state after the last such event
    first_child  the state after p's move, whatever came next

All of them are states of the last tree, which is all that the paper's Theorem 4 requires. Where the
search could start at a chance node that the last tree left to the evaluator (`widest_chance`), it
starts after it instead: the outcome counts as a leaf of the last tree, which is evaluated now.
Otherwise the opponent's choice would depend on a sample of the other outcomes.

A chain carries only a `Summary`, and not the tree.
"""

import dataclasses
import functools
from typing import Any, Final

import chex
import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.children import is_wider
from gtcfr.evaluator import Evaluator, evaluate_beliefs
from gtcfr.flow import choose_rows, normalize
from gtcfr.gadget import NOBODY
from gtcfr.packing import unpack
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search import SearchResult
from gtcfr.settings import FIRST_CHILD, REPLY
from gtcfr.tree import SearchTree
from sog.games.core import CHANCE, Game
from sog.precision import in_32_bits
from sog.pytree import pytree

_NOWHERE: Final = -1  # the row of a child that no search can start from


@pytree
class Summary:
    """What a search passes to the next one of its chain: nodes where that may start, a row each.

    Those are the searched state, in row 0, and its children; or the whole tree where the next
    search may start deeper. Arrays of a batch have the batch axis first.
    """

    state: Array  # [row, width] int32, packed
    reach_sum: Array  # [row, player, S]
    cfv_sum: Array  # [row, player, S]
    is_known: Array  # [row] bool: some update has included the node
    outcome: Array  # [parent, child] int32: the events that follow the first rows
    child: Array  # [parent, child] int32: rows, or _NOWHERE
    is_chance: Array  # [parent] bool: chance moves there
    start: Array  # int32: the row of the searched state
    resolve_from: str = dataclasses.field(metadata={"static": True})


@in_32_bits
def summarize(result: SearchResult, resolve_from: str = FIRST_CHILD) -> Summary:
    """Summarizes the searches of a batch. resolve_from: one of `gtcfr.settings.RESOLVE_FROM`."""
    one = functools.partial(summarize_tree, resolve_from=resolve_from)
    summary: Summary = jax.vmap(one)(result.tree, result.slot)
    return summary


def summarize_tree(tree: SearchTree, slot: Array, *, resolve_from: str) -> Summary:
    """Summarizes one search. slot: int32, of the searched state."""
    if resolve_from == FIRST_CHILD:
        return _first_children(tree, slot)
    return _all_nodes(resolve_from, tree, slot)


@in_32_bits
def next_root(
    game: Game[Any],
    summary: Summary,
    path: Array,
    player: Array,
    *,
    safe: bool = True,
    evaluator: Evaluator | None = None,
    widest_chance: int | None = None,
) -> SearchRoot:
    """The root of the next search of each chain.

    summary: of the last search. path: [batch, event] int32: the events since its searched state,
    padded with NO_EVENT. player: [batch] int32: the player p of the chain. Where p's own policy
    never reaches `prev` there is no promise to the opponent, and no gadget.

    safe: False leaves the gadget out everywhere and trusts the last ranges. Such *unsafe*
    re-solving is exploitable; it is here for comparison. evaluator: of the last search, which
    valued chance nodes wider than `widest_chance`.
    """
    chex.assert_rank((path, player), (2, 1))
    chex.assert_tree_shape_prefix((summary, path), player.shape)
    one = functools.partial(_next_root, game, safe=safe, widest_chance=widest_chance)
    root: SearchRoot = jax.vmap(one)(summary, path, player)
    if evaluator is None or widest_chance is None:
        return root
    return _after_wide_chance(game, evaluator, widest_chance, root)


def _first_children(tree: SearchTree, slot: Array) -> Summary:
    """Summarizes the searched state and its children."""
    rows = jnp.concatenate([slot[None], tree.interior.child[slot]])
    nodes = _nodes(tree, rows)
    number = jnp.arange(1, len(rows), dtype=jnp.int32)
    is_open = rows[1:] < tree.shape.terminal_row
    return Summary(
        **nodes,
        outcome=tree.outcomes[slot][None],
        child=jnp.where(is_open, number, _NOWHERE)[None],
        is_chance=(tree.interior.actor[slot] == CHANCE)[None],
        start=jnp.int32(0),
        resolve_from=FIRST_CHILD,
    )


def _all_nodes(resolve_from: str, tree: SearchTree, slot: Array) -> Summary:
    """Summarizes every node at which the game is not over."""
    child = tree.interior.child
    return Summary(
        **_nodes(tree, jnp.arange(tree.shape.terminal_row, dtype=jnp.int32)),
        outcome=tree.outcomes,
        child=jnp.where(child < tree.shape.terminal_row, child, _NOWHERE),
        is_chance=tree.interior.actor == CHANCE,
        start=slot,
        resolve_from=resolve_from,
    )


def _nodes(tree: SearchTree, rows: Array) -> dict[str, Array]:
    """The arrays of a summary for some rows of a tree."""
    shape = tree.shape
    is_interior = rows < shape.num_interior
    inside = jnp.where(is_interior, rows, 0)
    outside = jnp.where(is_interior, 0, jnp.clip(rows - shape.leaf_row, 0, shape.num_leaves - 1))

    def read(interior: Array, leaf: Array) -> Any:
        return choose_rows(is_interior, interior[inside], leaf[outside])

    inner, outer = tree.interior_statistics, tree.leaf_statistics
    return {
        "state": read(tree.interior.state, tree.leaf.state),
        "reach_sum": read(inner.reach_sum, outer.reach_sum),
        "cfv_sum": read(inner.cfv_sum, outer.cfv_sum),
        "is_known": read(tree.interior.since, tree.leaf.since) < tree.total_weight,
    }


def _next_root(
    game: Game[Any],
    summary: Summary,
    path: Array,
    player: Array,
    *,
    safe: bool,
    widest_chance: int | None,
) -> SearchRoot:
    (row, num_events), deepest = _start(summary, path)
    if widest_chance is not None:
        is_wide = is_wider(game, unpack(game, summary.state[deepest[0]]), widest_chance)
        row, num_events = jax.tree.map(
            lambda start, deep: jnp.where(is_wide, deep, start), (row, num_events), deepest
        )
    state = unpack(game, summary.state[row])
    reach, cfvs = summary.reach_sum[row], summary.cfv_sum[row]
    opponent = 1 - player
    mass = jnp.sum(reach[player])
    came = mass > 0
    # The path from `prev` on: the remaining events, moved to the front.
    numbers = jnp.arange(path.shape[0]) + num_events
    rest = jnp.where(
        numbers < path.shape[0], path[jnp.minimum(numbers, path.shape[0] - 1)], NO_EVENT
    )
    return SearchRoot(
        state=state,
        ranges=normalize(reach, game.infostate_mask(state)),
        path=rest,
        opponent=jnp.where(came & safe, opponent, NOBODY).astype(jnp.int32),
        terminate_cfvs=jnp.where(came, cfvs[opponent] / jnp.where(came, mass, 1), 0),
    )


def _after_wide_chance(
    game: Game[Any], evaluator: Evaluator, widest_chance: int, root: SearchRoot
) -> SearchRoot:
    """Moves roots that are wide chance nodes to the outcome that followed."""

    def move(root: SearchRoot) -> tuple[Array, SearchRoot, Array]:
        path = jnp.append(root.path, NO_EVENT).astype(root.path.dtype)
        event, forced = path[0], jnp.arange(game.num_actions) == 0
        is_due = is_wider(game, root.state, widest_chance) & (event != NO_EVENT)
        state = game.apply(root.state, jnp.maximum(event, 0))
        reach = game.advance(
            root.state, event, root.ranges[0][:, None] * forced[None], root.ranges[1]
        )
        ranges = normalize(reach, game.infostate_mask(state))
        moved = dataclasses.replace(root, state=state, ranges=ranges, path=path[1:])
        return is_due, moved, game.compatible_reach(state, ranges)

    is_due, moved, compatible = jax.vmap(move)(root)
    cfvs = evaluate_beliefs(game, evaluator, moved.state, moved.ranges).values * compatible
    promised = jax.vmap(lambda rows, player: rows[player])(cfvs, jnp.maximum(root.opponent, 0))
    has_gadget = (root.opponent != NOBODY)[:, None]
    moved = dataclasses.replace(moved, terminate_cfvs=jnp.where(has_gadget, promised, 0))
    chosen: SearchRoot = choose_rows(is_due, moved, root)
    return chosen


def _start(summary: Summary, path: Array) -> tuple[tuple[Array, Array], tuple[Array, Array]]:
    """The row of the node on the path where the next search starts, and of the last node on it.

    Also the number of events to each. Only nodes that an update has included count: those added
    after the last update have no statistics yet.
    """
    num_parents, resolve_from = len(summary.child), summary.resolve_from

    def step(carry: tuple[Array, Array, Array, Array, Array], event: Array) -> tuple[Any, None]:
        row, num_events, is_over, start, events_to_start = carry
        parent = jnp.minimum(row, num_parents - 1)
        is_child = summary.outcome[parent] == event
        child = summary.child[parent, jnp.argmax(is_child)]
        continues = ~is_over & (event != NO_EVENT) & (row < num_parents)
        continues &= jnp.any(is_child) & (child != _NOWHERE) & summary.is_known[child]
        starts_here = continues
        if resolve_from in (FIRST_CHILD, REPLY):
            is_after_chance = summary.is_chance[parent] & (resolve_from == REPLY)
            starts_here &= (num_events == 0) | is_after_chance
        row = jnp.where(continues, child, row)
        num_events = num_events + continues
        start = jnp.where(starts_here, row, start)
        events_to_start = jnp.where(starts_here, num_events, events_to_start)
        return (row, num_events, is_over | ~continues, start, events_to_start), None

    nothing = jnp.int32(0)
    carry = (summary.start, nothing, jnp.bool_(False), summary.start, nothing)
    (row, num_events, _, start, events_to_start), _ = jax.lax.scan(step, carry, path)
    return (start, events_to_start), (row, num_events)
