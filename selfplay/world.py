"""A self-play game with both players' infostates: its start, and the moves after a search.

Student of Games, Algorithm 2, SelfPlay.

Algorithm 2 ends a game after `moves_max` moves and trains on "the outcome" of what was played,
which the paper does not define for a game that has not ended. Here such a game is played to its end
at random, so that it has one; random moves give no examples.
"""

from dataclasses import replace
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array

from gtcfr.root import NO_EVENT
from selfplay.settings import SelfplaySettings
from sog.games.core import CHANCE, TERMINAL, Game
from sog.games.random_play import random_action
from sog.pytree import pytree

_NEVER: Final = -1e9
"""The logit of actions that must not be drawn."""


@pytree
class GameInPlay:
    """A game in progress, with both players' infostates."""

    state: Any  # the public state
    infostates: Array  # [player] int32
    path: Array  # [player, event] int32: since the player's last search, or since the start
    num_events: Array  # [player] int32: on that path
    num_decisions: Array  # int32: so far
    may_resign: Array  # bool
    has_searched: Array  # [player] bool


def new_world(game: Game[Any], settings: SelfplaySettings, key: Array) -> GameInPlay:
    """A game at its first decision."""
    deal_key, chance_key, resign_key = jax.random.split(key, 3)
    world = GameInPlay(
        state=game.root(),
        infostates=game.deal(deal_key),
        path=jnp.full((2, settings.max_events), NO_EVENT, jnp.int32),
        num_events=jnp.zeros(2, jnp.int32),
        num_decisions=jnp.int32(0),
        may_resign=jax.random.uniform(resign_key) >= settings.no_resign,
        has_searched=jnp.zeros(2, bool),
    )
    return _let_chance_move(game, world, chance_key)


def make_move(
    game: Game[Any],
    settings: SelfplaySettings,
    world: GameInPlay,
    owners: Array,
    policy: Array,
    values: Array,
    key: Array,
) -> tuple[GameInPlay, Array]:
    """The player acts in one game, then chance; also returns whether the player resigns instead.

    After `max_moves` decisions the rest of the game is played out. owners: [search], the players
    who have searched there.
    """
    action_key, event_key, chance_key, rest_key = jax.random.split(key, 4)
    mover = game.actor(world.state)
    infostate = world.infostates[mover]
    legal = game.legal_actions(world.state)[infostate]
    uniform = legal / jnp.maximum(jnp.sum(legal), 1)
    mixed = (1 - settings.uniform_mix) * policy[infostate] + settings.uniform_mix * uniform
    mixed = jnp.where(legal, mixed, 0)
    logits = jnp.where(mixed > 0, jnp.log(jnp.where(mixed > 0, mixed, 1)), _NEVER)
    action = jax.random.categorical(action_key, logits)
    if settings.greedy_after is not None:
        is_greedy = world.num_decisions >= settings.greedy_after
        action = jnp.where(is_greedy, jnp.argmax(mixed), action)
    resigns = jnp.bool_(False)
    if settings.resign_threshold is not None:
        expected = values[mover, infostate] / game.max_utility
        resigns = world.may_resign & (expected < settings.resign_threshold)
    searched = replace(
        world,
        path=world.path.at[owners].set(NO_EVENT),
        num_events=world.num_events.at[owners].set(0),
        num_decisions=world.num_decisions + 1,
        has_searched=world.has_searched.at[owners].set(True),
    )
    moved = _one_event(game, searched, action.astype(jnp.int32), event_key)
    moved = _let_chance_move(game, moved, chance_key)
    if settings.max_moves is not None:
        moved = _play_out(game, moved, moved.num_decisions >= settings.max_moves, rest_key)
    return moved, resigns


def _one_event(game: Game[Any], world: GameInPlay, action: Array, key: Array) -> GameInPlay:
    outcome, infostates = game.transition(key, world.state, world.infostates, action)
    place = jnp.minimum(world.num_events, world.path.shape[1] - 1)
    return replace(
        world,
        state=game.apply(world.state, outcome),
        infostates=infostates,
        path=world.path.at[jnp.arange(2), place].set(outcome),
        num_events=world.num_events + 1,
    )


def _let_chance_move(game: Game[Any], world: GameInPlay, key: Array) -> GameInPlay:
    def is_chance(carry: tuple[GameInPlay, Array]) -> Array:
        is_it: Array = game.actor(carry[0].state) == CHANCE
        return is_it

    def event(carry: tuple[GameInPlay, Array]) -> tuple[GameInPlay, Array]:
        world, key = carry
        key, event_key = jax.random.split(key)
        return _one_event(game, world, jnp.int32(0), event_key), key

    settled: tuple[GameInPlay, Array] = jax.lax.while_loop(is_chance, event, (world, key))
    return settled[0]


def _play_out(game: Game[Any], world: GameInPlay, is_cut: Array, key: Array) -> GameInPlay:
    """Plays out a game that is cut: both players choose uniformly among their legal actions."""

    def continues(carry: tuple[GameInPlay, Array]) -> Array:
        return is_cut & (game.actor(carry[0].state) != TERMINAL)

    def event(carry: tuple[GameInPlay, Array]) -> tuple[GameInPlay, Array]:
        world, key = carry
        key, action_key, event_key = jax.random.split(key, 3)
        action = random_action(game, world.state, world.infostates, action_key)
        return _one_event(game, world, action, event_key), key

    ended: tuple[GameInPlay, Array] = jax.lax.while_loop(continues, event, (world, key))
    return ended[0]
