"""Our agents in OpenSpiel's hands."""

from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.evaluation import compose
from sog.games import Game
from sog.games import make as make_game
from sog.games.core import PLAYER_1
from sog.openspiel.game import load_openspiel
from sog.play import SearchAgent
from sog.play.simple_agents import RandomAgent, TabularAgent
from sog.tabular import CompiledGame, compile_tree, solve
from sog.tabular.enumerated_game import EnumeratedGame

pyspiel = pytest.importorskip("pyspiel")

from open_spiel.python.algorithms import exploitability  # noqa: E402 (where it is installed)
from open_spiel.python.bots.policy import PolicyBot  # noqa: E402
from open_spiel.python.policy import python_policy_to_pyspiel_policy  # noqa: E402

from sog.openspiel.policy import AgentPolicy  # noqa: E402
from tests.openspiel.openspiel_games import histories  # noqa: E402

KUHN = load_openspiel("kuhn_poker")
OPENSPIELS = (
    "openspiel:kuhn_poker",
    "openspiel:goofspiel(imp_info=True,num_cards=3,points_order=descending)",
    "openspiel:matrix_rps",
)
TWINS = (
    "kuhn",
    pytest.param("leduc", marks=pytest.mark.slow),
    "leduc(suit_isomorphism=true)",
    pytest.param("liars_dice(dice=2,faces=2)", marks=pytest.mark.slow),
    pytest.param("goofspiel(cards=3,order=random)", marks=pytest.mark.slow),
    "ii_goofspiel(cards=3)",
)
SEED = 5
SMALL = SearchSettings(num_simulations=4)


def random_policy(game: Game[Any]) -> AgentPolicy:
    return AgentPolicy(game, lambda player: RandomAgent(game, player=player))


def searching_policy(settings: SearchSettings, seed: int = 0) -> AgentPolicy:
    def make(player: int) -> SearchAgent:
        return SearchAgent(KUHN, ZeroEvaluator(), settings, player=player, seed=seed)

    return AgentPolicy(KUHN, make)


def table_of(policy: AgentPolicy, *, last_first: bool = False) -> dict[str, dict[int, float]]:
    """Probabilities at all information states of Kuhn poker."""
    states = [*histories(policy.game.new_initial_state())][:: -1 if last_first else 1]
    return {
        state.information_state_string(): policy.action_probabilities(state)
        for state in states
        if state.current_player() >= 0
    }


@pytest.mark.parametrize("text", [*OPENSPIELS, "kuhn"])
def test_a_random_agent_is_as_exploitable_as_openspiels_uniform_policy(text: str) -> None:
    policy = random_policy(make_game(text))
    uniform = pyspiel.UniformRandomPolicy(policy.game)
    expected = pyspiel.nash_conv(policy.game, uniform)
    assert exploitability.nash_conv(policy.game, policy) == pytest.approx(expected, abs=1e-6)


@pytest.mark.thorough(only=["goofspiel", "rps"])
@pytest.mark.parametrize("text", [*OPENSPIELS, *TWINS])
def test_openspiel_finds_the_exploitability_of_a_solution_that_we_find(text: str) -> None:
    game = make_game(text)
    compiled = compile_tree(game)
    solution = solve(compiled, iterations=7)
    enumerated = EnumeratedGame(tree=compiled.tree)
    policy = AgentPolicy(
        game, lambda player: TabularAgent(enumerated, solution.policy, player=player)
    )
    found = exploitability.exploitability(policy.game, policy)
    assert found == pytest.approx(solution.last.exploitability, abs=1e-5)


@pytest.mark.thorough
def test_what_openspiel_has_in_c_finds_the_same_of_a_table_of_a_policy() -> None:
    policy = searching_policy(SMALL)
    table = python_policy_to_pyspiel_policy(policy.to_tabular())
    found = pyspiel.exploitability(policy.game, table)
    assert found == pytest.approx(exploitability.exploitability(policy.game, policy), abs=1e-9)


@pytest.mark.thorough
def test_openspiel_finds_the_exploitability_of_a_search_that_composition_finds() -> None:
    """With the whole game in the tree nothing is random, so that both are of one policy."""
    compiled = compile_tree(KUHN)
    settings = SearchSettings(
        num_simulations=30, lookahead=WHOLE_GAME, grow=False, capacity=compiled.tree.num_nodes
    )
    composed = compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=8)
    policy = searching_policy(settings)
    found = exploitability.exploitability(policy.game, policy)
    assert found == pytest.approx(composed.exploitability[0], abs=1e-3)


class NumberedAgent(SearchAgent):
    """Draws the random numbers of a composition: a key for each decision node, from its number."""

    def __init__(self, compiled: CompiledGame, settings: SearchSettings, player: int) -> None:
        super().__init__(KUHN, ZeroEvaluator(), settings, player=player)
        tree = self._tree = compiled.tree
        self._node = 0
        self._numbers = np.cumsum((tree.node_actor <= PLAYER_1) & tree.has_choice.any(axis=1)) - 1

    def observe(self, outcome: int) -> None:
        super().observe(outcome)
        tree = self._tree
        found = (tree.node_parent == self._node) & (tree.node_outcome == outcome)
        self._node = int(np.flatnonzero(found)[0])

    def _next_key(self) -> jax.Array:
        return jax.random.fold_in(jax.random.key(SEED), self._numbers[self._node])


@pytest.mark.slow
def test_openspiel_finds_the_exploitability_of_a_growing_search_with_the_same_random_numbers() -> (
    None
):
    compiled = compile_tree(KUHN)
    settings = SearchSettings(num_simulations=10)
    composed = compose(compiled, ZeroEvaluator(), settings, seeds=1, first_seed=SEED, batch_size=8)
    policy = AgentPolicy(KUHN, lambda player: NumberedAgent(compiled, settings, player))
    found = exploitability.exploitability(policy.game, policy)
    assert found == pytest.approx(composed.exploitability[0], abs=1e-5)


@pytest.mark.thorough
def test_a_policy_of_searches_does_not_change_while_it_is_asked() -> None:
    policy = searching_policy(SMALL)
    first, again = table_of(policy), table_of(policy)
    assert first == again
    assert len(first) == 12  # 3 cards, 2 decisions of each player
    for probabilities in first.values():
        assert sorted(probabilities) == [0, 1]
        assert sum(probabilities.values()) == pytest.approx(1)


@pytest.mark.thorough
def test_it_does_not_matter_which_state_is_asked_about_first() -> None:
    """An agent that is asked late in the game has searched on the way there all the same."""
    first, last = searching_policy(SMALL), searching_policy(SMALL)
    expected, found = table_of(first), table_of(last, last_first=True)
    for string, probabilities in expected.items():
        assert found[string] == pytest.approx(probabilities, abs=1e-6)


def test_every_public_state_is_played_up_to_once() -> None:
    told: list[int] = []

    class Counting(RandomAgent):
        def observe(self, outcome: int) -> None:
            told.append(outcome)
            super().observe(outcome)

    policy = AgentPolicy(KUHN, lambda player: Counting(KUHN, player=player))
    for _ in range(2):
        table_of(policy)
    # Check, bet, check and bet lead to a decision; player 0 is led through player 1's as well.
    assert len(told) == 2 + 2


def test_seeds_make_different_policies_of_searches() -> None:
    one, other = (table_of(searching_policy(SMALL, seed)) for seed in (0, 1))
    gaps = [abs(one[string][0] - other[string][0]) for string in one]
    assert max(gaps) > 0.01


@pytest.mark.parametrize("text", ["tic_tac_toe", "connect_four", "liars_dice(dice=2,faces=6)"])
def test_large_games_are_played_too(text: str) -> None:
    """Nothing is enumerated: only the states of one game are looked at."""
    policy, random = random_policy(make_game(text)), np.random.default_rng(0)
    bots = [PolicyBot(player, random, policy) for player in (0, 1)]
    state = policy.game.new_initial_state()
    while not state.is_terminal():
        if state.is_chance_node():
            numbers = state.legal_actions()
            state.apply_action(int(random.choice(numbers)))
        else:
            probabilities = policy.action_probabilities(state)
            uniform = 1 / len(state.legal_actions())
            assert probabilities == pytest.approx(dict.fromkeys(state.legal_actions(), uniform))
            state.apply_action(bots[state.current_player()].step(state))
    assert len(state.history()) > 2


@pytest.mark.parametrize("text", ["leduc(ranks=4)", "goofspiel(payoff=diff)"])
def test_a_game_that_openspiel_does_not_have_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="OpenSpiel has no game with the rules of"):
        random_policy(make_game(text))


def test_only_the_player_to_move_has_probabilities() -> None:
    policy = random_policy(KUHN)
    state = policy.game.new_initial_state()
    for card in (0, 1):
        state.apply_action(card)
    with pytest.raises(ValueError, match="player_id must be the player to move, 0, got 1"):
        policy.action_probabilities(state, 1)


def test_a_state_of_another_game_is_refused() -> None:
    state = pyspiel.load_game("tic_tac_toe").new_initial_state()
    with pytest.raises(ValueError, match="state must be one of kuhn_poker"):
        random_policy(KUHN).action_probabilities(state)
