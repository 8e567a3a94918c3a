"""An agent that goes on with its tree between moves."""

from types import SimpleNamespace

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.boards.thinker import thinker_of
from sog.games import make
from sog.play.agent import SearchAgent
from sog.play.analyst import Analyst, NextSlice
from sog.play.game_in_progress import Position
from sog.play.match import play_game
from sog.play.simple_agents import RandomAgent
from sog.play.tree_reuse_agent import TreeReuseAgent
from sog.players.seating import seat

GAME = make("tic_tac_toe")
SETTINGS = SearchSettings(num_simulations=60, kept_simulations=60)


@pytest.mark.thorough
def test_a_tree_is_kept_below_what_was_played_and_not_in_another_game() -> None:
    agent = TreeReuseAgent(GAME, ZeroEvaluator(), SETTINGS, player=0, seed=3, greedy=True)
    first = agent.act(0)
    lines = agent._analyst.lines()
    assert lines is not None
    assert (lines.num_visits, lines.line(0)[0]) == (60, first)
    for outcome in lines.line(0)[:2]:  # what was looked at most
        agent.observe(outcome)
    agent.act(0)
    lines = agent._analyst.lines()
    assert lines is not None
    assert 60 < lines.num_visits < 120  # 60 of its own, and what was grown there before
    agent.begin(GAME.start("XX./OO./..."), seed=3)
    assert agent.doubt is not None  # it can judge games, too
    assert np.nanargmax(agent.action_values(0)) == agent.act(0) == 2
    assert np.isnan(agent.action_values(0)[[0, 1, 3, 4]]).all()
    assert agent.line(0) == [2]
    assert agent.value(0) == pytest.approx(1, abs=0.1)
    lines = agent._analyst.lines()
    assert lines is not None
    assert lines.num_visits == 60


@pytest.mark.thorough
def test_a_player_keeps_its_tree_where_its_search_is_told_so_and_wins() -> None:
    (player,) = seat(["zero?search=60,1&kept_simulations=60"], game="tic_tac_toe").players
    agent = player.make(0, 1)
    assert isinstance(agent, TreeReuseAgent)
    other = RandomAgent(GAME, player=1, seed=1)
    for seed in range(5):
        agent.begin(seed=seed)
        other.begin(seed=seed)
        played = play_game(GAME, (agent, other), jax.random.key(seed))
        assert played.utility >= 0  # who begins need not lose
    (usual,) = seat(["zero?search=60,1"], game="tic_tac_toe").players
    assert isinstance(usual.make(0, 1), SearchAgent)


def test_a_program_that_shows_a_game_has_it_search_and_tell_lines() -> None:
    (player,) = seat(["zero?search=60,1&kept_simulations=60"], game="tic_tac_toe").players
    assert isinstance(thinker_of(GAME, player.make, most=60), Analyst)


def test_a_search_has_the_seconds_that_are_left_of_those_given(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    agent = TreeReuseAgent(GAME, ZeroEvaluator(), SETTINGS, player=0, seconds=2.0, greedy=True)
    now, left = iter([10.0, 10.5, 12.5]), list[float]()
    monkeypatch.setattr(
        "sog.play.tree_reuse_agent.time", SimpleNamespace(monotonic=lambda: next(now))
    )

    def think(position: Position, simulations: int, next_slice: NextSlice) -> None:
        left.extend([next_slice(), next_slice()])

    analyst = SimpleNamespace(think=think, usual_simulations=60, policy=lambda: np.ones(9))
    monkeypatch.setattr(agent, "_analyst", analyst)
    agent.act(0)
    assert left == [1.5, -0.5]


def test_hidden_information_is_refused() -> None:
    with pytest.raises(ValueError, match=r"kept_simulations must be 0 with hidden information"):
        seat(["zero?kept_simulations=10"], game="kuhn")
