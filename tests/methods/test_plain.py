"""Games in plain Python keep the rules of the contract's, and one agent plays with them all."""

import random
from typing import Any

import jax
import numpy as np
import pytest

from sog.games import make
from sog.games.cards.poker import BettingGame
from sog.games.core import CHANCE, TERMINAL, Game
from sog.methods.plain.games import plain_game
from sog.methods.plain.worlds import InfostateGame, InfostateWorld, PlainGame, World
from sog.play.plain_agent import PlainAgent
from sog.play.rules import after, deal, first_state, situation, step, utility
from sog.players.methods import make_method
from sog.players.player import Host

WITH_ALL_RULES = (
    "scotland_yard(map=quarter,rounds=7,reveals=2/5,detectives=2,starts=79/96/64,taxi=3,bus=1,"
    "underground=1,mr_x_taxi=2,mr_x_bus=1,mr_x_underground=1,black=1,doubles=2)"
)


def twin_of(game: Game[Any]) -> PlainGame:
    """The game in plain Python."""
    found = plain_game(game)
    assert found is not None
    return found


def by_number(world: World) -> dict[int, Any]:
    """Actions, those of Scotland Yard being moves that begin with their number."""
    return {
        action[0] if isinstance(action, tuple) else action: action for action in world.actions()
    }


@pytest.mark.thorough(
    but=[
        "liars_dice(dice=1",
        "ii_goofspiel(cards=3",
        "goofspiel(cards=5,order=random",
        "kuhn",
        "glasses",
    ]
)
@pytest.mark.parametrize(
    "text",
    [
        "liars_dice(dice=2,faces=3,dice1=1)",
        "liars_dice(dice=1,faces=2)",
        "ii_goofspiel(cards=4)",
        "ii_goofspiel(cards=3,order=ascending,payoff=diff)",
        "goofspiel(cards=5,order=random,payoff=diff)",
        "goofspiel(cards=5,order=descending)",
        "kuhn",
        "leduc(suit_isomorphism=true)",
        "generic_poker(types=3,cards=2,raises=2,bets=2)",
        "glasses",
        WITH_ALL_RULES,
    ],
)
def test_the_rules_are_those_of_the_contract(text: str) -> None:
    game, source = make(text), random.Random(1)
    twin, ends = twin_of(game), set()
    assert twin.max_utility == game.max_utility
    for number in range(40):
        key = jax.random.key(number)
        state, infostates = first_state(game), deal(game, key)
        world: World | None = None
        while (now := situation(game, state)).actor != TERMINAL:
            action = 0
            if now.actor != CHANCE:
                held = int(infostates[now.actor])
                fresh = twin.world(jax.device_get(state), infostates.tolist(), source)
                # Worlds of these games draw cards of their own.
                if world is None or "order=random" in text or isinstance(game, BettingGame):
                    world = fresh
                legal = np.flatnonzero(now.legal_actions[held]).tolist()
                for one in (world, fresh):
                    assert one.player == now.actor
                    assert list(by_number(one)) == legal
                if isinstance(twin, InfostateGame):
                    assert isinstance(world, InfostateWorld)
                    assert isinstance(fresh, InfostateWorld)
                    assert world.key() == fresh.key()
                    assert world.seen() == twin.seen(jax.device_get(state), now.actor, held)
                action = source.choice(legal)
                world.play(by_number(world)[action])
            key, step_key = jax.random.split(key)
            outcome, infostates = step(game, step_key, state, infostates, action)
            state = after(game, state, outcome)
        assert world is not None
        assert world.player == TERMINAL
        ends.add(utility(game, state, infostates))
        assert world.finish(source) == utility(game, state, infostates)
    assert len(ends) > 1


@pytest.mark.parametrize(
    "text", ["goofspiel(cards=4)", "ii_goofspiel(cards=4,payoff=diff)", "glasses"]
)
def test_what_is_finished_at_random_ends_as_random_games_do(text: str) -> None:
    """As games of the contract's that are drawn step by step, within five standard errors."""
    game, source, games = make(text), random.Random(2), 4000
    twin, start = twin_of(game), deal(game, jax.random.key(0)).tolist()
    state = jax.device_get(first_state(game))
    finished = [twin.world(state, start, source).finish(source) for _ in range(games)]
    stepped = []
    for _ in range(games):
        world = twin.world(state, start, source)
        while world.player != TERMINAL:
            world.play(source.choice(world.actions()))
        stepped.append(world.finish(source))
    spread = np.hypot(np.std(finished), np.std(stepped)) / games**0.5
    assert spread > 0
    assert abs(np.mean(finished) - np.mean(stepped)) < 5 * spread
    assert abs(np.std(finished) - np.std(stepped)) < 5 * spread


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("ismcts(tree=grown,final=mixed):30", "liars_dice"),
        ("sm_search:30", "goofspiel"),
        ("pimbot:20", "glasses"),
    ],
)
def test_an_agent_acts_by_the_policy_that_it_told(method: str, text: str) -> None:
    """One search serves both; of another one the policy would differ."""
    game = make(text)
    agent = make_method(method).agents(game, Host())(0, 3)
    assert isinstance(agent, PlainAgent)
    held = int(deal(game, jax.random.key(0))[0])
    policy = agent.policy(held)
    assert policy.sum() == pytest.approx(1)
    for _ in range(20):
        assert policy[agent.act(held)] > 0
        assert (agent.policy(held) == policy).all()
