"""A sampled game: one walk through the histories, from the deal to the end.

What the players choose is the method's business, a function that `walk` calls at every step; what
chance does is drawn here.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, Histories
from sog.games.core import CHANCE
from sog.pytree import pytree

NUMBERS_PER_STEP = 3
"""Random numbers in [0, 1) that a step has: two decide the event, the third is left to methods."""


@pytree
class Place:
    """Where a step is taken."""

    actor: Array
    """int32: as `Game.actor`; TERMINAL for the steps that a shorter game does not need."""
    row: Array
    """int32."""
    num_choices: Array
    """int32: edges, 0 at the end."""
    first_edge: Array
    """int32."""

    @property
    def is_decision(self) -> Array:
        """bool: a player chooses."""
        return self.actor < CHANCE


@pytree
class Walk:
    """The steps of a game, and how it ended."""

    place: Place
    """[step]."""
    choice: Array
    """[step] int32: the player's; 0 elsewhere."""
    edge: Array
    """[step] int32: what was chosen or drawn; any edge after the end."""
    record: Any
    """[step, ...]: what `choose` noted."""
    utility: Array
    """To player 0."""

    def utility_to(self, player: Array) -> Array:
        """Like `player`: the utility to each."""
        return jnp.where(player == 0, self.utility, -self.utility)


@pytree
class Chance:
    """Alias tables for the events of chance, one or several behind each other."""

    threshold: Array
    """[table, edge] in one axis."""
    alias: Array
    """[table, edge] in one axis: edges."""
    offset: Array
    """int32: where the table to be used begins."""


Choose = Callable[[Any, Place, Array], tuple[Array, Any, Any]]
"""(memory, place, random numbers [3]) -> (choice int32, memory, record). At a place that is no
decision the choice is ignored."""


def walk(
    histories: Histories,
    key: Array,
    choose: Choose,
    memory: Any = (),
    start: Array | int = ROOT,
    chance: Chance | None = None,
) -> Walk:
    """Plays one game.

    memory: what `choose` is given at the first step. start: a history. chance: how its events are
    drawn, if not with their probabilities.
    """
    # In one axis: where the last one is short, XLA hashes number by number, in four times the time.
    numbers = jax.random.uniform(key, (histories.depth * NUMBERS_PER_STEP,))
    numbers = numbers.reshape(histories.depth, NUMBERS_PER_STEP)
    if chance is None:
        chance = Chance(threshold=histories.threshold, alias=histories.alias, offset=jnp.int32(0))

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
        entry = chance.offset + edge
        is_exchanged = ~place.is_decision & (drawn[1] >= chance.threshold[entry])
        edge = jnp.where(is_exchanged, chance.alias[entry], edge)
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
