"""Positions that people type: events from the root, or a position of its own."""

import math
from typing import Any, Final

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.settings import SearchSettings
from sog.boards.go import Go
from sog.games import make
from sog.games.core import CHANCE, TERMINAL
from sog.play import SearchAgent, play_game
from sog.play.aivat import Aivat
from sog.play.arena import play_match
from sog.play.chained_search import Searching, _roots
from sog.play.history import read_history
from sog.play.match import Agent
from sog.play.replay import ReplayError, played_of, replay_of
from sog.play.rules import after, situation
from sog.play.simple_agents import RandomAgent
from sog.play.thinking import first_root

MATE: Final = "2k2/5/2K2/5/R4 w - - 0 1"
GAME: Final[Any] = make("gardner_chess")


def test_a_position_of_its_own_is_read_where_that_is_allowed() -> None:
    history = read_history(GAME, f"{MATE} moves Kd3 Kb5", anywhere=True)
    assert GAME.fen(history.start) == MATE
    assert history.events == ("c3d3", "c5b5")
    assert GAME.fen(history.state) == "1k3/5/3K1/5/R4 w - - 2 2"


def test_elsewhere_it_is_refused_in_a_line() -> None:
    with pytest.raises(ValueError, match=f"a list of events cannot begin at '{MATE}'"):
        read_history(GAME, MATE)


def test_the_usual_start_as_a_position_is_the_root() -> None:
    history = read_history(GAME, "rnbqk/ppppp/5/PPPPP/RNBQK w moves Nc3", anywhere=True)
    assert history.beginning is None
    assert history.outcomes == GAME.parse("Nc3")
    assert read_history(make("tic_tac_toe"), "b2", anywhere=True).beginning is None


def test_a_search_begins_with_the_position() -> None:
    history = read_history(GAME, f"{MATE} moves Kd3", anywhere=True)
    root = first_root(GAME, history.path, history.start)
    assert GAME.fen(jax.tree.map(lambda leaf: leaf[0], root.state)) == MATE
    assert np.asarray(root.path).tolist() == [list(history.outcomes)]


def test_where_something_is_hidden_a_search_begins_at_the_root() -> None:
    kuhn = make("kuhn")
    with pytest.raises(ValueError, match="kuhn hides information, so it cannot begin at a given"):
        start_of_game(kuhn, state=kuhn.root())


class _Mates(Agent):
    """White mates; Black goes the first way that is legal."""

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        self.state = state

    def observe(self, outcome: int) -> None:
        self.state = after(GAME, self.state, outcome)

    def act(self, infostate: int) -> int:
        legal = np.flatnonzero(situation(GAME, self.state).legal_outcomes)
        if situation(GAME, self.state).actor == 1:
            return int(legal[0])
        return next(int(a) for a in legal if GAME.describe_action(self.state, 0, a)[2:] == "a5")


def test_in_a_match_from_a_position_either_has_both_sides_of_it() -> None:
    """White has the rook, which mates on a5; with it each agent wins, and without it loses."""
    opening = read_history(GAME, MATE, anywhere=True)
    played: list[tuple[Any, Any]] = []

    def keep(number: int, first: Any, second: Any) -> None:
        played.append((first, second))

    def mates(player: int, seed: int) -> Agent:
        return _Mates()

    result = play_match(GAME, mates, mates, 4, openings=[opening], record=keep)
    assert result.mean_as == (1, -1)
    for pair in played:
        for game in pair:
            assert game.beginning is opening.beginning
            assert len(game.outcomes) == 1
            record = replay_of(GAME, 0, game)
            again = played_of(GAME, record)
            assert again.outcomes == game.outcomes
            assert GAME.fen(again.beginning.state) == MATE  # type: ignore[union-attr]
            for said in (math.nan, math.inf, -math.inf, 1e9, -game.utility):
                with pytest.raises(ReplayError, match="the file gives"):
                    played_of(GAME, record | {"utility": said})
            for resigned in (7, TERMINAL, CHANCE, True):
                with pytest.raises(ReplayError, match="resigned must be player 0 or 1"):
                    played_of(GAME, record | {"resigned": resigned})


@pytest.mark.thorough
def test_luck_is_taken_out_of_a_game_from_a_position() -> None:
    """White moves once and the game ends, so all that is left is the mean over his moves."""
    game = Go(size=2, komi=0.0, move_limit=2, payoff="diff")
    opening = read_history(game, "(;SZ[2]AB[aa]PL[W])", anywhere=True)
    agents = [RandomAgent(game, player=player) for player in (0, 1)]
    aivat = Aivat(game, ZeroEvaluator())
    games = [
        play_game(game, agents, jax.random.key(seed), with_policies=True, opening=opening)
        for seed in range(8)
    ]
    # The two points beside Black's stone have a liberty, as has the one across, which is shared;
    # after a pass all four points are Black's.
    scores = [game.score(game.play([action], opening.beginning.state)) for action in (1, 2, 3, 4)]  # type: ignore[union-attr]
    assert [float(score) for score in scores] == [0, 0, 0, 4]
    assert len({one.utility for one in games}) > 1
    assert [aivat.estimate(one) for one in games] == pytest.approx([1.0] * 8)


def test_first_searches_of_a_batch_begin_where_each_game_did() -> None:
    game = Go(size=2)
    start = game.read_position("(;SZ[2]AB[aa]PL[W])")[0]
    how = Searching(game=game, evaluator=ZeroEvaluator(), settings=SearchSettings(), seconds=None)
    agents = [SearchAgent(game, ZeroEvaluator(), player=player) for player in (0, 1)]
    agents[1].begin(start)
    agents[1].observe(3)
    root = _roots(how, [agent._chain for agent in agents])
    assert np.asarray(root.state.num_moves).tolist() == [0, 1]
    assert np.asarray(root.path)[:, 0].tolist() == [NO_EVENT, 3]


def test_where_something_is_hidden_an_agent_begins_at_the_root() -> None:
    kuhn = make("kuhn")
    with pytest.raises(ValueError, match="only a game of perfect information can begin at a later"):
        SearchAgent(kuhn, ZeroEvaluator(), player=0).begin(kuhn.root())
