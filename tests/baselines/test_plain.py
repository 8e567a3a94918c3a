"""Games in plain Python keep the rules of the contract's, and one agent plays with them all."""

from typing import Any

import jax
import pytest

from sog.baselines.online.method import infostate_game
from sog.baselines.plain.goofspiel import PlainGoofspiel
from sog.games import make
from sog.games.core import Game
from sog.games.goofspiel import Goofspiel
from sog.play.plain_agent import PlainAgent
from sog.play.rules import deal
from sog.players.methods import make_method
from sog.players.player import Host
from tests.baselines.plain_rules import check_random_ends, check_rules


def twin_of(game: Game[Any]) -> Any:
    """The game in plain Python."""
    return PlainGoofspiel(game) if isinstance(game, Goofspiel) else infostate_game(game)


@pytest.mark.thorough(but=["liars_dice(dice=1", "goofspiel(cards=5,order=random"])
@pytest.mark.parametrize(
    "text",
    [
        "liars_dice(dice=2,faces=3,dice1=1)",
        "liars_dice(dice=1,faces=2)",
        "goofspiel(cards=5,order=random,payoff=diff)",
        "goofspiel(cards=5,order=descending)",
    ],
)
def test_the_rules_are_those_of_the_contract(text: str) -> None:
    game = make(text)
    check_rules(game, twin_of(game))


def test_what_is_finished_at_random_ends_as_random_games_do() -> None:
    game = make("goofspiel(cards=4)")
    check_random_ends(game, twin_of(game))


@pytest.mark.parametrize(
    ("method", "text"),
    [
        ("ismcts(tree=grown,final=mixed):30", "liars_dice"),
        ("sm_search:30", "goofspiel"),
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
