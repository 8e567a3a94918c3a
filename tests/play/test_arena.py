"""Matches, with results worked out by hand, and the agents that do not search."""

import math
from typing import Any

import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.play import SearchAgent
from sog.play.arena import AgentFactory, MatchResult, play_match
from sog.play.history import Opening
from sog.play.match import Agent
from sog.play.rules import after, first_state
from sog.play.simple_agents import RandomAgent, TabularAgent
from sog.tabular import compile_tree, evaluate_policy, solve, uniform_policy
from sog.tabular.enumerated_game import EnumeratedGame

KUHN = make("kuhn")
FOLD, CALL, BET = 0, 1, 2
COMPILED = compile_tree(KUHN)
SOLVED = EnumeratedGame(tree=COMPILED.tree)


def test_every_game_of_a_match_begins_with_the_opening() -> None:
    """X has a3 and b3, O has a2 and b2; whoever plays X takes the first free cell, which wins."""
    game = make("tic_tac_toe")
    told: list[list[int]] = []

    class First(Agent):
        def begin(self, state: Any = None, seed: int | None = None) -> None:
            self.events: list[int] = []
            told.append(self.events)

        def observe(self, outcome: int) -> None:
            self.events.append(outcome)

        def act(self, infostate: int) -> int:
            return min(set(range(9)) - set(self.events))

    def make_first(player: int, seed: int) -> Agent:
        return First()

    opening = game.parse("XX./OO./...")
    result = play_match(game, make_first, make_first, 4, openings=[Opening(outcomes=opening)])
    assert told == [[0, 3, 1, 4, 2]] * 8
    assert result.mean_as == (1, -1)
    assert result.won_all_as == (1, 0)


class Always(Agent):
    """Takes the same action wherever it can; it remembers its games: seeds, and what it held."""

    def __init__(self, action: int, player: int) -> None:
        self.action, self.player, self.num_closed = action, player, 0
        self.seeds: list[int | None] = []
        self.games: list[list[int]] = []

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        self.seeds.append(seed)
        self.games.append([])

    def close(self) -> None:
        self.num_closed += 1

    def observe(self, outcome: int) -> None:
        pass

    def act(self, infostate: int) -> int:
        self.games[-1].append(infostate)
        return self.action


class Makes:
    """A factory of such agents, which it keeps."""

    def __init__(self, action: int) -> None:
        self.action = action
        self.made: list[Always] = []

    def __call__(self, player: int, seed: int) -> Agent:
        self.made.append(Always(self.action, player))
        return self.made[-1]


def random_player(player: int, seed: int) -> Agent:
    return RandomAgent(KUHN, player=player, seed=seed)


def tabular_player(policy: np.ndarray) -> AgentFactory:
    return lambda player, seed: TabularAgent(SOLVED, policy, player=player, seed=seed)


def result_of(utilities: list[tuple[float, float]]) -> MatchResult:
    return MatchResult(game=KUHN, utilities=np.array(utilities), seconds=1.0, interrupted=False)


def test_swapped_roles_cancel_the_luck_of_the_deal() -> None:
    """Both check: whoever has the higher card wins 1, and in the other game of the pair loses 1."""
    result = play_match(KUHN, Makes(CALL), Makes(CALL), 20)
    assert (result.num_games, result.wins, result.draws, result.losses) == (20, 10, 0, 10)
    assert result.mean == 0
    assert result.half_width == 0
    assert set(result.utilities.ravel().tolist()) == {-1, 1}
    assert (result.utilities.sum(axis=1) == 0).all()
    assert not result.interrupted


def test_a_bet_against_a_folder_wins_the_ante_as_either_player() -> None:
    """As player 1 the folder begins, which in Kuhn poker he cannot do by folding: he checks."""

    class ChecksThenFolds(Always):
        def act(self, infostate: int) -> int:
            self.games[-1].append(infostate)
            return CALL if self.player == 0 and len(self.games[-1]) == 1 else FOLD

    result = play_match(KUHN, Makes(BET), lambda player, seed: ChecksThenFolds(0, player), 8)
    assert result.utilities.tolist() == [[1, 1]] * 4
    assert result.mean_as == (1, 1)
    assert (result.wins, result.draws, result.losses) == (8, 0, 0)


def test_roles_are_swapped_with_the_cards() -> None:
    first, second = Makes(CALL), Makes(CALL)
    play_match(KUHN, first, second, 12, seed=5)
    by_player, others = (
        {agent.player: agent.games for agent in made} for made in (first.made, second.made)
    )
    assert by_player == others
    assert len(by_player[0]) == len(by_player[1]) == 6
    assert len({str(held) for held in by_player[0]}) > 1


def test_agents_play_one_game_after_another_each_with_a_seed_of_its_own() -> None:
    first, second = Makes(CALL), Makes(CALL)
    play_match(KUHN, first, second, 6)
    agents = first.made + second.made
    assert [len(agent.games) for agent in agents] == [3, 3, 3, 3]
    assert len({seed for agent in agents for seed in agent.seeds}) == 12


def test_agents_are_closed_once_also_where_a_match_fails() -> None:
    first, second = Makes(CALL), Makes(FOLD)  # as player 0 he folds before a bet, which is illegal
    with pytest.raises(ValueError, match="must choose one of the actions"):
        play_match(KUHN, first, second, 6)
    assert {agent.num_closed for agent in first.made + second.made} == {1}


def test_the_interval_is_that_of_the_pairs() -> None:
    """Pair means 1, -1, 0, 2: their mean is 1/2, their variance 5/3, 1.96 sqrt(5/3 / 4) = 1.265."""
    result = result_of([(2, 0), (-1, -1), (1, -1), (2, 2)])
    assert result.mean == 0.5
    assert result.half_width == pytest.approx(1.2651, abs=1e-4)
    assert result.mean_as == (1, 0)
    assert (result.wins, result.draws, result.losses) == (4, 1, 3)


def test_one_pair_has_no_interval() -> None:
    assert math.isnan(result_of([(1, 0)]).half_width)


def test_the_same_seed_plays_the_same_match() -> None:
    one, again, other = (
        play_match(KUHN, random_player, random_player, 40, seed).utilities.tolist()
        for seed in (1, 1, 2)
    )
    assert one == again
    assert one != other


@pytest.mark.thorough
def test_the_interval_of_a_long_match_holds_the_true_value() -> None:
    """A solver's policy against uniform play: the exact value of both ways to sit."""
    policy = solve(COMPILED, iterations=1000).policy
    uniform, truth = uniform_policy(COMPILED), []
    player_0 = (COMPILED.tree.node_actor == 0)[:, None, None]
    for mixed in (np.where(player_0, policy, uniform), np.where(player_0, uniform, policy)):
        truth.append(float(evaluate_policy(COMPILED, mixed).value[0]))
    expected = (truth[0] - truth[1]) / 2
    result = play_match(KUHN, tabular_player(policy), random_player, 2000, seed=3)
    assert expected > 0.1
    assert abs(result.mean - expected) < 2 * result.half_width
    assert result.half_width < 0.05
    assert result.mean_as == pytest.approx((truth[0], -truth[1]), abs=0.15)


def test_a_tabular_agent_follows_the_events() -> None:
    """The policy bets after a check, whatever it holds, and is uniform elsewhere."""
    policy = uniform_policy(COMPILED)
    after_check = int(SOLVED.node_child[0, CALL])
    policy[after_check] = np.eye(3)[BET]
    agent = TabularAgent(SOLVED, policy, player=1)
    for _ in range(5):
        agent.begin()
        agent.observe(CALL)
        assert agent.act(2) == BET
    np.testing.assert_allclose(agent.policy(0), [0, 0, 1])


def test_a_tabular_agent_refuses_what_cannot_be() -> None:
    policy = uniform_policy(COMPILED)
    with pytest.raises(ValueError, match=r"policy must have shape .* got \(3, 3\)"):
        TabularAgent(SOLVED, policy[0], player=0)
    agent = TabularAgent(SOLVED, policy, player=0)
    with pytest.raises(ValueError, match=r"outcome must be one of \[1, 2\], got 0"):
        agent.observe(FOLD)


def test_a_random_agent_begins_anywhere_and_a_tabular_one_at_the_start() -> None:
    state = after(KUHN, first_state(KUHN), CALL)
    agent = RandomAgent(KUHN, player=1)
    agent.begin(state)
    assert agent.policy(0).tolist() == [0, 0.5, 0.5]  # he checks, or bets
    with pytest.raises(ValueError, match="can begin at the start of a game only"):
        TabularAgent(SOLVED, uniform_policy(COMPILED), player=1).begin(state)


def test_a_seed_begins_the_same_game_again_and_none_goes_on() -> None:
    agent, games = RandomAgent(make("connect_four"), player=0, seed=3), list[list[int]]()
    for seed in (None, 3, None):
        if games:
            agent.begin(seed=seed)
        games.append([agent.act(0) for _ in range(20)])
    assert games[0] == games[1] != games[2]


def test_an_interrupted_match_keeps_the_finished_pairs() -> None:
    def interrupt(now: MatchResult) -> None:
        if now.num_games == 6:
            raise KeyboardInterrupt

    result = play_match(KUHN, random_player, random_player, 100, progress=interrupt)
    assert (result.num_games, result.interrupted) == (6, True)


def test_an_interrupt_before_the_first_pair_is_passed_on() -> None:
    class Interrupting(Always):
        def act(self, infostate: int) -> int:
            raise KeyboardInterrupt

    def make_interrupting(player: int, seed: int) -> Any:
        return Interrupting(CALL, player)

    with pytest.raises(KeyboardInterrupt):
        play_match(KUHN, make_interrupting, random_player, 2)


@pytest.mark.parametrize("num_games", [0, 3])
def test_the_number_of_games_must_be_even(num_games: int) -> None:
    with pytest.raises(ValueError, match=f"num_games must be even and >= 2 .* got {num_games}"):
        play_match(KUHN, random_player, random_player, num_games)


@pytest.mark.thorough
def test_games_that_search_together_are_the_games_that_each_plays_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # One evaluator for all: others are not searched together.
    settings, evaluator = SearchSettings(num_simulations=4), ZeroEvaluator()
    sizes, search_together = list[int](), SearchAgent.search_together

    def search(agents: Any, batch_size: int = 1) -> None:
        sizes.append(len(agents))
        search_together(agents, batch_size)

    monkeypatch.setattr(SearchAgent, "search_together", staticmethod(search))

    def searching(player: int, seed: int) -> Agent:
        return SearchAgent(KUHN, evaluator, settings, player=player, seed=seed)

    alone, together = (
        play_match(KUHN, searching, random_player, 24, seed=3, batch_size=batch_size)
        for batch_size in (1, 4)
    )
    np.testing.assert_array_equal(alone.utilities, together.utilities)
    assert len(np.unique(alone.utilities)) > 2
    assert (sizes[0], max(sizes)) == (1, 4)
