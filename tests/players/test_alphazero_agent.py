"""An agent that plays by AlphaZero's search, alone and in batches; runs that bring it along."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.loop import InlineSchedule
from selfplay.runs.checkpoint import CheckpointStore
from selfplay.runs.config import load_config
from selfplay.runs.metrics import MetricsFile
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import AlphaZeroSettings, Config, LearnerSettings, RunSettings
from selfplay.training import Training
from sog.games import make
from sog.play.agent import SearchAgent
from sog.play.arena import play_match
from sog.play.simple_agents import RandomAgent
from sog.players.alphazero_agent import AlphaZeroAgent
from sog.players.player import Host
from sog.players.seating import seat
from tests.play.line_games import TIC_TAC_TOE as PLAIN

pytest.importorskip("mctx")

TIC_TAC_TOE = make("tic_tac_toe")
ZEROS = ZeroEvaluator()


def new_agent(player: int, simulations: int = 40, **settings: Any) -> AlphaZeroAgent:
    how = AlphaZeroSettings(**settings)
    return AlphaZeroAgent(TIC_TAC_TOE, ZEROS, how, num_simulations=simulations, player=player)


def test_an_agent_takes_a_win_and_says_what_it_expects() -> None:
    agent = new_agent(0)
    for event in (0, 3, 1, 4):  # XX./OO./...
        agent.observe(event)
    assert agent.act(0) == 2
    assert agent.policies().tolist() == [[0, 0, 1, 0, 0, 0, 0, 0, 0]]
    assert agent.policy(0).argmax() == 2
    assert agent.value(0) > 0.8
    assert agent.doubt is not None  # it can judge games, too
    assert np.nanargmax(agent.action_values(0)) == 2
    assert agent.action_values(0)[2] == 1  # the end of the game is no estimate
    assert np.isnan(agent.action_values(0)[[0, 1, 3, 4]]).all()


def test_an_agent_can_begin_anywhere_and_searches_anew_after_an_event() -> None:
    agent = new_agent(1)
    agent.begin(state=TIC_TAC_TOE.start("XX./OO./X.."), seed=5)
    assert not agent.is_searched
    assert agent.act(0) == 5
    assert agent.is_searched
    agent.begin()
    agent.observe(4)
    assert not agent.is_searched
    assert agent.act(0) != 4


def test_the_only_legal_action_is_played_without_a_search() -> None:
    agent = new_agent(0)
    agent.begin(state=TIC_TAC_TOE.start("XOX/XOO/OX."))
    assert agent.is_searched
    assert agent.act(0) == 8
    assert agent.policy(0)[8] == 1


@pytest.mark.thorough
def test_games_that_search_together_are_those_that_each_plays_alone() -> None:
    def searching(player: int, seed: int) -> AlphaZeroAgent:
        return new_agent(player)

    def random_player(player: int, seed: int) -> RandomAgent:
        return RandomAgent(TIC_TAC_TOE, player=player, seed=seed)

    alone, together = (
        play_match(TIC_TAC_TOE, searching, random_player, 8, seed=3, batch_size=batch_size)
        for batch_size in (1, 3)
    )
    np.testing.assert_array_equal(alone.utilities, together.utilities)
    assert alone.mean > 0.3


@pytest.mark.thorough
def test_both_kinds_of_search_meet_in_one_match() -> None:
    settings = SearchSettings(num_simulations=4)

    def searching(player: int, seed: int) -> SearchAgent:
        return SearchAgent(TIC_TAC_TOE, ZEROS, settings, player=player, seed=seed)

    def other(player: int, seed: int) -> AlphaZeroAgent:
        return new_agent(player)

    assert play_match(TIC_TAC_TOE, searching, other, 4, batch_size=3).num_games == 4


def test_less_than_one_simulation_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^num_simulations must be >= 1, got 0\.$"):
        new_agent(0, simulations=0)


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of AlphaZero that has just begun."""
    config = Config(
        game="tic_tac_toe",
        algorithm="alphazero",
        network=NetworkSettings(width=8, depth=1),
        run=RunSettings(steps=1, evaluate_search=SearchSettings(num_simulations=6)),
        learner=LearnerSettings(batch_size=8),
    )
    path = tmp_path_factory.mktemp("runs") / "alpha"
    with RunFolder.open(path, config) as folder:
        store = CheckpointStore(folder.checkpoints, keep=1)
        training = Training(InlineSchedule(TIC_TAC_TOE, config), store, MetricsFile(folder.metrics))
        training._save(None, [])
    return path


@pytest.mark.thorough
def test_a_run_of_alphazero_plays_by_its_own_search(run: Path) -> None:
    seating = seat([str(run), "random"])
    first, second = seating.players
    agent = first.make(0, 0)
    assert isinstance(agent, AlphaZeroAgent)
    assert agent.num_simulations == 6
    assert first.name == "alpha at step 0"
    assert play_match(seating.game, first.make, second.make, 2).num_games == 2
    (more,) = seat([str(run)], search="9,1").players
    told = more.make(1, 0)
    assert isinstance(told, AlphaZeroAgent)
    assert told.num_simulations == 9


@pytest.mark.parametrize(
    ("search", "says"),
    [
        ("8,2", "AlphaZero's search can change num_simulations only, not simulations_per_update"),
        ({"rule": "cfr"}, "AlphaZero's search can change num_simulations only, not rule = cfr"),
    ],
)
def test_what_its_search_does_not_have_cannot_be_changed(run: Path, search: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        seat([str(run)], search=search)


def test_its_search_has_no_clock(run: Path) -> None:
    with pytest.raises(ValueError, match="is limited by simulations, not by seconds"):
        seat([str(run)], host=Host(seconds=1.0))


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["gumbel", "puct"])
def test_what_it_learns_of_tic_tac_toe_loses_to_nobody(kind: str) -> None:
    overrides = ["algorithm=alphazero", f"alphazero.search={kind}", "run.steps=3000"]
    config = load_config("tic_tac_toe", overrides)
    schedule = InlineSchedule(TIC_TAC_TOE, config)
    while not schedule.is_done:
        schedule.cycle()
    for player in (0, 1):
        agent = AlphaZeroAgent(
            TIC_TAC_TOE, schedule.evaluator, config.alphazero, num_simulations=50, player=player
        )
        found = [*PLAIN.results(agent, player)]
        assert min(found) == 0, f"as player {player}"
        assert found.count(1) > len(found) / 2
