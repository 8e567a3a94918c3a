"""The moves of a perfect-information search: visits, values and principal variations.

lines = read_lines(game, thinking.read())
lines.actions[0], lines.values[0], lines.line(0)

For variations alone, `best_lines` (or `best_line` inside a program) has less to compile.
"""

import dataclasses
import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.action_values import action_values
from gtcfr.search import SearchResult
from gtcfr.tree import SearchTree
from sog.games.core import Game
from sog.kept_programs import HostProgram, kept
from sog.precision import in_32_bits
from sog.pytree import pytree

_LEAST: Final = 1e-30
"""Avoids division by a sum of 0."""
_NOTHING: Final = -1
"""Pads lines of events."""
_DEPTH: Final = 8
"""Events of the lines of `Lines`."""
LINE_LENGTH: Final = 6
"""Events of a line as shown to people."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Lines:
    """The considered moves of the searched state, the best first."""

    actions: np.ndarray
    """[n] int."""
    policy: np.ndarray
    """[n]: the average policy, which sums to 1."""
    visits: np.ndarray
    """[n] int: simulations that chose the move."""
    prior: np.ndarray
    """[n]: the evaluator's policy."""
    values: np.ndarray
    """[n]: value of the move to the player to move, see `gtcfr.action_values`."""
    events: np.ndarray
    """[n, depth] int: the move and the best continuation, padded with -1."""
    value: float
    """Value to the player to move."""

    @property
    def num_visits(self) -> int:
        """Visits of all moves."""
        return int(self.visits.sum())

    def line(self, number: int) -> list[int]:
        """The principal variation from a move on."""
        return events_of(self.events[number])


@pytree
class _Moves:
    """See `Lines`; a row for each action of the game."""

    is_listed: Array
    policy: Array
    visits: Array
    prior: Array
    values: Array
    events: Array
    value: Array  # [player]
    actor: Array


@in_32_bits
def read_lines(game: Game[Any], result: SearchResult) -> Lines:
    """Reads the result of one search (a batch of 1) after at least one update.

    Moves are ordered by the average policy, which agents play, then by visits. Raises ValueError
    for hidden information.
    """
    if game.hides_information:
        raise ValueError(f"only games of perfect information have lines, {game.name} hides some.")
    found: Any = jax.device_get(_read_moves(game, result))
    shown = np.flatnonzero(found.is_listed)
    order = shown[np.lexsort((-found.visits[shown], -found.policy[shown]))]
    actor = int(found.actor)
    value, values = float(found.value[actor]), found.values[order]
    return Lines(
        actions=order,
        policy=found.policy[order],
        visits=found.visits[order].astype(int),
        prior=found.prior[order],
        # No value is known before the first update.
        values=np.where(np.isnan(values), value, values),
        events=found.events[order],
        value=value,
    )


@in_32_bits
def compile_lines(game: Game[Any], result: SearchResult) -> None:
    """Compiles `read_lines` for results of these shapes."""
    _read_moves.compile(game, result)


@in_32_bits
@functools.partial(HostProgram, static_argnums=0)
def best_lines(game: Game[Any], result: SearchResult) -> Array:
    """[interior row, LINE_LENGTH] int: the principal variation from each public state of one search
    (a batch of 1), padded with -1. Empty where information is hidden."""
    tree: SearchTree = jax.tree.map(lambda leaf: leaf[0], result.tree)
    slots = jnp.arange(tree.shape.num_interior, dtype=jnp.int32)
    return jax.vmap(lambda slot: best_line(game, tree, slot))(slots)


def best_line(game: Game[Any], tree: SearchTree, slot: Array) -> Array:
    """[LINE_LENGTH] int32: the principal variation at an interior node, see `events_of`; [0] with
    hidden information."""
    return _follow(tree, slot, 0 if game.hides_information else LINE_LENGTH)


def events_of(line: np.ndarray) -> list[int]:
    """The public events of a padded line."""
    return [event for event in line.tolist() if event != _NOTHING]


@functools.partial(HostProgram, static_argnums=0)
def _read_moves(game: Game[Any], result: SearchResult) -> _Moves:
    moves: _Moves = kept(functools.partial(_moves_of, game))(result)
    return moves


def _moves_of(game: Game[Any], result: SearchResult) -> _Moves:
    tree: SearchTree = jax.tree.map(lambda leaf: leaf[0], result.tree)
    slot, layout, statistics = result.slot[0], tree.shape.layout, tree.interior_statistics
    listed = tree.interior.listed[slot]

    def of_all(table: Any) -> Array:
        """[A] from a node's [A, S]."""
        everything: Array = layout.over_all_actions(game, listed, table)[:, 0]
        return everything

    policy_sum = of_all(statistics.policy_sum[slot])
    total = jnp.sum(policy_sum)
    actions = jnp.arange(game.num_actions, dtype=jnp.int32)
    child = functools.partial(_child, tree, slot)
    rows, is_there = jax.vmap(child)(actions)

    def follow(row: Array, action: Array) -> Array:
        """[_DEPTH]: the action and the best continuation."""
        return jnp.concatenate([action[None], _follow(tree, row, _DEPTH - 1)])

    return _Moves(
        is_listed=is_there & of_all(tree.interior.takeable[slot]),
        policy=policy_sum / jnp.maximum(total, _LEAST),
        visits=of_all(tree.interior.visits[slot]),
        prior=of_all(jnp.asarray(tree.interior.prior[slot], jnp.float32)),
        values=action_values(game, result)[0, 0],
        events=jax.vmap(follow)(rows, actions),
        value=result.values[0, :, 0],
        actor=tree.interior.actor[slot],
    )


def _child(tree: SearchTree, slot: Array, action: Array) -> tuple[Array, Array]:
    """The row of an action's child, and whether it exists."""
    layout, shape = tree.shape.layout, tree.shape
    children, listed = tree.interior.child[slot], tree.interior.listed[slot]
    number, is_there = layout.child(listed, children, action, shape.nothing)
    return jnp.where(is_there, children[number], shape.nothing), is_there


def _follow(tree: SearchTree, row: Array, depth: int) -> Array:
    """[depth]: the best events from a row on."""

    def step(row: Array, _: None) -> tuple[Array, Array]:
        event, below = _best(tree, row)
        return below, event

    _, events = jax.lax.scan(step, row, None, length=depth)
    found: Array = events
    return found


def _best(tree: SearchTree, row: Array) -> tuple[Array, Array]:
    """The best event at a row and the row after it; _NOTHING unless both are known."""
    shape, layout = tree.shape, tree.shape.layout
    slot = jnp.minimum(row, shape.num_interior - 1)
    policy_sum = tree.interior_statistics.policy_sum[slot, :, 0]
    number = jnp.argmax(policy_sum).astype(jnp.int32)
    action = layout.action(tree.interior.listed[slot], number)
    child, is_there = _child(tree, slot, action)
    is_known = (row < shape.leaf_row) & (policy_sum[number] > 0) & is_there
    return jnp.where(is_known, action, _NOTHING), jnp.where(is_known, child, shape.nothing)
