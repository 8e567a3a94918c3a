"""Samples a game: one walk through the histories, from the deal to the end.

The method supplies a function that chooses for the players at every step; `walk` samples chance.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, Histories
from sog.games.core import CHANCE, draw
from sog.pytree import pytree

NUMBERS_PER_STEP = 3
"""Random numbers in [0, 1) per step: two select the event, the third is for methods."""


@pytree
class Place:
    """The history where a step is taken."""

    actor: Array
    """int32: as `Game.actor`; TERMINAL for the unused steps of a short game."""
    row: Array
    """int32."""
    num_choices: Array
    """int32: the number of edges, 0 at the end."""
    first_edge: Array
    """int32."""

    @property
    def is_decision(self) -> Array:
        """bool: a player chooses."""
        return self.actor < CHANCE


@pytree
class Walk:
    """The steps of a game, and its utility."""

    place: Place
    """[step]."""
    choice: Array
    """[step] int32: the player's; 0 elsewhere."""
    edge: Array
    """[step] int32: the edge chosen or sampled; arbitrary after the end."""
    record: Any
    """[step, ...]: the records that `choose` returned."""
    utility: Array
    """To player 0."""

    def utility_to(self, player: Array) -> Array:
        """Like `player`: the utility to each."""
        return jnp.where(player == 0, self.utility, -self.utility)


Choose = Callable[[Any, Place, Array], tuple[Array, Any, Any]]
"""(memory, place, random numbers [3]) -> (choice int32, memory, record). The choice is ignored
where no player decides."""


def walk(
    histories: Histories,
    key: Array,
    choose: Choose,
    memory: Any = (),
    start: Array | int = ROOT,
) -> Walk:
    """Plays one game.

    memory: of `choose`, at the first step. start: a history.
    """
    # One axis: with a short last axis, XLA hashes number by number, which takes four times as long.
    numbers = jax.random.uniform(key, (histories.depth * NUMBERS_PER_STEP,))
    numbers = numbers.reshape(histories.depth, NUMBERS_PER_STEP)

    def step(carry: tuple[Array, Any], drawn: Array) -> tuple[tuple[Array, Any], Any]:
        history, memory = carry
        facts = histories.facts[history]
        count, first = facts[NUM_EDGES], facts[FIRST_EDGE]
        place = Place(actor=facts[ACTOR], row=facts[ROW], num_choices=count, first_edge=first)
        choice, memory, record = choose(memory, place, drawn)
        choice = jnp.where(place.is_decision, choice, 0)
        event = jnp.where(place.is_decision, choice, (drawn[0] * count).astype(jnp.int32))
        edge = first + jnp.clip(event, 0, jnp.maximum(count - 1, 0))
        edge = jnp.minimum(edge, len(histories.child) - 1)
        is_exchanged = ~place.is_decision & (drawn[1] >= histories.threshold[edge])
        edge = jnp.where(is_exchanged, histories.alias[edge], edge)
        history = jnp.where(count > 0, histories.child[edge], history)
        return (history, memory), (place, choice, edge, record)

    begin = (jnp.int32(start), memory)
    (end, _), (place, choice, edge, record) = jax.lax.scan(step, begin, numbers)
    utility = histories.utility[end]
    return Walk(place=place, choice=choice, edge=edge, record=record, utility=utility)


def before(factors: Array) -> Array:
    """[step]: the product of all factors before each step."""
    return jnp.concatenate([jnp.ones_like(factors[:1]), jnp.cumprod(factors)[:-1]])


def after(factors: Array) -> Array:
    """[step]: the product of all factors after each step."""
    return before(factors[::-1])[::-1]


@pytree
class Steps:
    """[step]: a player's decision and its outcome; the opponent is part of the environment."""

    is_own: Array
    """bool: the player decides here; the other fields are valid only then."""
    row: Array
    choice: Array
    next_row: Array
    """The player's next decision; the number of rows if there is none."""
    reward: Array
    """The player's final utility at its last decision; else 0."""
    gain: Array
    """The player's final utility."""


def steps_of(played: Walk, player: int, num_rows: int) -> Steps:
    """One game from the view of a player."""
    is_own = played.place.actor == player
    number = jnp.arange(len(is_own))
    is_later = is_own[None, :] & (number[None, :] > number[:, None])
    goes_on = is_later.any(axis=1)
    following = played.place.row[jnp.argmax(is_later, axis=1)]
    gain = played.utility_to(jnp.full(is_own.shape, player))
    return Steps(
        is_own=is_own,
        row=jnp.where(is_own, played.place.row, num_rows),
        choice=played.choice,
        next_row=jnp.where(goes_on, following, num_rows),
        reward=jnp.where(goes_on, 0, gain),
        gain=gain,
    )


def play(histories: Histories, policy: Callable[[Array], Array], key: Array) -> Steps:
    """[player, step]: plays a game; policy maps a row to [choice]."""

    def choose(_: None, place: Place, numbers: Array) -> tuple[Array, None, tuple[()]]:
        return draw(numbers[0], policy(place.row)), None, ()

    played = walk(histories, key, choose, None)
    both = [steps_of(played, player, histories.num_rows) for player in (0, 1)]
    steps: Steps = jax.tree.map(lambda *parts: jnp.stack(parts), *both)
    return steps


def play_games(histories: Histories, policy: Array, key: Array, count: int) -> Steps:
    """[player, step]: plays `count` games by a policy [row + 1, choice], concatenated."""
    games = jax.vmap(lambda one: play(histories, policy.__getitem__, one))(
        jax.random.split(key, count)
    )
    steps: Steps = jax.tree.map(lambda part: part.swapaxes(0, 1).reshape(2, -1), games)
    return steps


def greedy_policy(values: Array, legal: Array) -> Array:
    """[..., choice]: 1 for the first of the best legal choices."""
    best = jnp.argmax(jnp.where(legal, values, -jnp.inf), axis=-1)
    is_best: Array = jax.nn.one_hot(best, values.shape[-1], dtype=values.dtype)
    return jnp.where(legal, is_best, 0)


def explored(policy: Array, legal: Array, epsilon: Array | float) -> Array:
    """[..., choice]: the policy, mixed with uniform play by epsilon."""
    uniform = legal / jnp.maximum(legal.sum(axis=-1, keepdims=True), 1)
    mixed: Array = (1 - epsilon) * policy + epsilon * uniform
    return mixed.astype(policy.dtype)
