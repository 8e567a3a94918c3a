"""The opponent for Scotland Yard: its plain rules, where it looks for Mr X, and what it plays."""

import dataclasses
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.cards.kuhn import Kuhn
from sog.games.core import PLAYER_0, PLAYER_1
from sog.play.arena import play_match
from sog.players.player import Host
from sog.players.simple import Random
from sog.scotland_yard.game import Glasses, ScotlandYard
from sog.scotland_yard.pimbot import PimBot, Whereabouts, _reward, category, search
from sog.scotland_yard.plain import Roads, YardWorld
from sog.scotland_yard.rules import DETECTIVES_WIN, MR_X_WINS
from tests.baselines.plain_rules import check_random_ends, check_rules


@pytest.fixture(scope="module")
def roads() -> Roads:
    return Roads(Glasses())


def world_at(roads: Roads, mr_x: int, stations: list[int], turn: int) -> YardWorld:
    """On the glasses map, in the numbers of the map."""
    world = roads.world(Glasses().root(), (mr_x - 1, 0), random.Random(0))
    world.stations, world.turn = [station - 1 for station in stations], turn
    world.player = PLAYER_0 if turn == len(stations) else PLAYER_1
    return world


def test_distances_are_those_of_the_map(roads: Roads) -> None:
    # 1-2, a lens, 5-6-7, another lens, 10-11: a lens is crossed in two moves.
    distance = np.array(roads.distance)
    assert (distance == distance.T).all()
    assert distance[0, 10] == distance.max() == 8
    assert distance[0, 5] == distance[5, 10] == 4


def test_detectives_catch_a_mr_x_whom_they_know_to_be_next_to_them(roads: Roads) -> None:
    neighbor = roads.detective[5][0][1]
    world = world_at(roads, mr_x=neighbor + 1, stations=[6, 11], turn=0)
    where = Whereabouts(roads, world.stations, [neighbor], (1,) * 5)
    root = search(world, where, PimBot(budget=200), random.Random(1))
    best = max(root.children, key=lambda action: root.children[action].visits)
    assert {move[0]: move[1] for move in world.actions()}[best] == neighbor
    assert root.children[best].reward == root.children[best].visits  # a sure thing
    assert root.visits == 200


def test_stations_are_drawn_by_category_and_then_evenly(roads: Roads) -> None:
    stations = [0, 10]
    places = [2, 3, 5]  # both sides of the first lens, and the middle of the bridge
    categories = [category(roads, stations, place) for place in places]
    assert categories == [1, 1, 3]
    weights = [0.0] * 5
    weights[categories[0]], weights[categories[2]] = 1.0, 3.0
    where = Whereabouts(roads, stations, places, tuple(weights))
    source = random.Random(0)
    drawn = [where.draw(source) for _ in range(8000)]
    shares = [drawn.count(place) / 8000 for place in places]
    assert shares == pytest.approx([1 / 8, 1 / 8, 3 / 4], abs=0.02)


def test_a_detective_gets_less_for_what_another_one_catches(roads: Roads) -> None:
    world = world_at(roads, mr_x=6, stations=[1, 11], turn=0)
    caught = dataclasses.replace(world, winner=DETECTIVES_WIN, catcher=1)
    assert [_reward(caught, mover, 2, 0.3) for mover in (0, 1, 2)] == [0.7, 1, 0]
    escaped = dataclasses.replace(world, winner=MR_X_WINS)
    assert [_reward(escaped, mover, 2, 0.3) for mover in (0, 1, 2)] == [0, 0, 1]


@pytest.mark.thorough
def test_more_simulations_win_more_against_random_play() -> None:
    game = Glasses()
    method = PimBot(budget=100)
    result = play_match(
        game, method.agents(game, Host()), Random().agents(game, Host()), num_games=20
    )
    as_mr_x, as_detectives = result.mean_as
    # The value to Mr X is -7/9, so that detectives should hardly ever lose to random play.
    assert as_detectives > 0.7
    assert as_mr_x > -0.9


def test_agents_give_the_move_that_they_make_as_a_policy() -> None:
    game = Glasses()
    agent: Any = PimBot(budget=20).agents(game, Host())(PLAYER_0, 3)
    station = int(game.deal(jax.random.key(0))[0])
    policy = agent.policy(station)
    assert policy.sum() == policy.max() == 1
    assert np.asarray(game.legal_actions(game.root()))[station][policy.argmax()]


def test_other_games_are_refused() -> None:
    with pytest.raises(ValueError, match=r"^a game of Scotland Yard is needed .*kuhn is not\.$"):
        PimBot().check(Kuhn())


def test_detectives_know_only_where_mr_x_may_be() -> None:
    """The infostate of the detectives is always 0; station 0 must not be taken for Mr X's."""
    game = Glasses()
    agent = PimBot(budget=50).agents(game, Host())(PLAYER_1, 0)
    outcome = int(np.flatnonzero(np.asarray(game.legal_outcomes(game.root())))[0])
    agent.observe(outcome)
    state = game.apply(game.root(), jnp.int32(outcome))
    assert np.asarray(game.legal_actions(state))[0, agent.act(0)]


WITH_ALL_RULES = (
    "scotland_yard(map=quarter,rounds=7,reveals=2/5,detectives=2,starts=79/96/64,taxi=3,bus=1,"
    "underground=1,mr_x_taxi=2,mr_x_bus=1,mr_x_underground=1,black=1,doubles=2)"
)


def twin_of(game: object) -> Roads:
    assert isinstance(game, ScotlandYard)
    return Roads(game)


@pytest.mark.thorough(but=["glasses"])
@pytest.mark.parametrize("text", ["glasses", WITH_ALL_RULES])
def test_the_rules_are_those_of_the_contract(text: str) -> None:
    game = make(text)
    check_rules(game, twin_of(game))


def test_what_is_finished_at_random_ends_as_random_games_do() -> None:
    game = make("glasses")
    check_random_ends(game, twin_of(game))
