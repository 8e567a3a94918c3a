"""Oracles for games in plain Python: the contract's games, step by step."""

import random
from typing import Any

import jax
import numpy as np
import pytest

from sog.baselines.plain.goofspiel import PlainGoofspiel
from sog.baselines.plain.liars_dice import LiarsDiceWorld, PlainLiarsDice
from sog.games.core import CHANCE, PLAYER_1, TERMINAL, Game
from sog.play.rules import after, deal, first_state, situation, step, utility


def by_number(world: Any) -> dict[int, Any]:
    """Actions, those of Scotland Yard being moves that begin with their number."""
    return {
        action[0] if isinstance(action, tuple) else action: action for action in world.actions()
    }


def world_of(twin: Any, state: Any, infostates: list[int], source: random.Random) -> Any:
    """The world of a public state where a player is to move, and of both infostates."""
    if isinstance(twin, PlainGoofspiel):
        world: Any = twin.round(state, source)
        if int(state.stage) == PLAYER_1:  # after the bid of player 0, its infostate
            world.play(infostates[0])
        return world
    if isinstance(twin, PlainLiarsDice):
        draw = twin.worlds(twin.seen(state, 0, infostates[0]))
        while (world := draw(source)).deal[1] != infostates[1]:
            pass
        return world
    return twin.world(state, infostates, source)


def check_rules(game: Game[Any], twin: Any) -> None:
    """Forty random games, step by step in both."""
    source, ends = random.Random(1), set()
    assert twin.max_utility == game.max_utility
    for number in range(40):
        key = jax.random.key(number)
        state, infostates = first_state(game), deal(game, key)
        world: Any = None
        while (now := situation(game, state)).actor != TERMINAL:
            action = 0
            if now.actor != CHANCE:
                held = int(infostates[now.actor])
                fresh = world_of(twin, jax.device_get(state), infostates.tolist(), source)
                if world is None or getattr(game, "order", "") == "random":
                    world = fresh  # which draws point cards of its own
                legal = np.flatnonzero(now.legal_actions[held]).tolist()
                for one in (world, fresh):
                    assert one.player == now.actor
                    assert list(by_number(one)) == legal
                if isinstance(twin, PlainLiarsDice):
                    assert isinstance(world, LiarsDiceWorld)
                    seen = twin.seen(jax.device_get(state), now.actor, held)
                    assert world.key() == fresh.key() == (held, seen.public)
                action = source.choice(legal)
                world.play(by_number(world)[action])
            key, step_key = jax.random.split(key)
            outcome, infostates = step(game, step_key, state, infostates, action)
            state = after(game, state, outcome)
        assert world is not None
        assert world.player == TERMINAL
        ends.add(utility(game, state, infostates))
        assert world.finish(source) == pytest.approx(utility(game, state, infostates))  # 32 bits
    assert len(ends) > 1


def check_random_ends(game: Game[Any], twin: Any) -> None:
    """As games of the contract's that are drawn step by step, within five standard errors."""
    source, games = random.Random(2), 4000
    start = deal(game, jax.random.key(0)).tolist()
    state = jax.device_get(first_state(game))
    finished = [world_of(twin, state, start, source).finish(source) for _ in range(games)]
    stepped = []
    for _ in range(games):
        world = world_of(twin, state, start, source)
        while world.player != TERMINAL:
            world.play(source.choice(world.actions()))
        stepped.append(world.finish(source))
    spread = np.hypot(np.std(finished), np.std(stepped)) / games**0.5
    assert spread > 0
    assert abs(np.mean(finished) - np.mean(stepped)) < 5 * spread
    assert abs(np.std(finished) - np.std(stepped)) < 5 * spread
