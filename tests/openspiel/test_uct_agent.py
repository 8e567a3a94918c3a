"""OpenSpiel's UCT at our table."""

import re

import pytest

from sog.games import make
from sog.play.arena import play_match
from sog.play.match import Agent
from sog.play.simple_agents import RandomAgent

pytest.importorskip("pyspiel")

from sog.openspiel.uct import UctAgent

TIC_TAC_TOE = make("tic_tac_toe")
# x takes the top row, o the middle one: both must go to 2, x to win and o not to lose.
MOVES = (0, 3, 1, 4)


def uct(player: int, seed: int) -> Agent:
    return UctAgent(TIC_TAC_TOE, 300, player=player, seed=seed)


def random_player(player: int, seed: int) -> Agent:
    return RandomAgent(TIC_TAC_TOE, player=player, seed=seed)


@pytest.mark.parametrize("seed", range(3))
def test_a_win_is_taken_and_a_loss_prevented(seed: int) -> None:
    first, second = (UctAgent(TIC_TAC_TOE, 200, player=player, seed=seed) for player in (0, 1))
    for move in MOVES:
        first.observe(move)
    assert first.act(0) == 2
    for move in MOVES[:3]:
        second.observe(move)
    assert second.act(0) == 2
    first.begin()
    assert first.policy(0).sum() == 1


def test_a_policy_is_what_is_played() -> None:
    agent = UctAgent(make("connect_four"), 20, player=0)
    for _ in range(3):
        assert agent.policy(0)[agent.act(0)] == 1


def test_random_play_is_beaten() -> None:
    result = play_match(TIC_TAC_TOE, uct, random_player, num_games=16, seed=1)
    assert result.mean > 0.5
    assert result.utilities.min() >= 0


@pytest.mark.parametrize(
    ("game", "message"),
    [
        ("kuhn", "uct needs perfect information, which kuhn"),
        ("connect_four(rows=5)", "OpenSpiel has no game with the rules of connect_four"),
    ],
)
def test_what_cannot_be_is_refused(game: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        UctAgent(make(game), 10, player=0)
