"""The agent that searches: its chain, its games, its mistakes."""

import copy
import dataclasses
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.evaluation import compose
from sog.games import CHANCE, TERMINAL, Game, make
from sog.play import PlayedGame, SearchAgent, play_game
from sog.pytree import pytree
from sog.tabular import PublicTree
from tests.tabular.small_games import compiled_game

KUHN = make("kuhn")
KUHN_VALUE = -1 / 18  # of player 0 (Kuhn 1950)
CHECK, BET = 1, 2
UPDATES = 30  # the same everywhere, so that Kuhn poker is compiled once


def whole_game(updates: int, num_nodes: int, **more: Any) -> SearchSettings:
    return SearchSettings(
        num_simulations=updates, lookahead=WHOLE_GAME, grow=False, capacity=num_nodes, **more
    )


def kuhn_agent(player: int = 0, *, seed: int = 0, greedy: bool = False, **more: Any) -> SearchAgent:
    settings = whole_game(UPDATES, 9, **more)
    return SearchAgent(KUHN, ZeroEvaluator(), settings, player=player, seed=seed, greedy=greedy)


def tiny_agent(game: Game[Any], player: int, *, seed: int = 0, **more: Any) -> SearchAgent:
    settings = SearchSettings(num_simulations=2, **more)
    return SearchAgent(game, ZeroEvaluator(), settings, player=player, seed=seed)


# The chain of searches.


def decisions_on_the_way(
    tree: PublicTree, agent: SearchAgent, node: int = 0
) -> Iterator[tuple[int, SearchAgent]]:
    """Every public state where the agent is to move, with an agent that was led there."""
    if tree.node_actor[node] == agent.player:
        yield node, agent
    for child in np.flatnonzero(tree.node_parent == node).tolist():
        led = copy.copy(agent)
        led.observe(int(tree.node_outcome[child]))
        yield from decisions_on_the_way(tree, led, child)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "search_everywhere", "safe"),
    [
        ("kuhn", False, True),
        pytest.param("kuhn", True, True, marks=pytest.mark.slow),
        pytest.param("kuhn", False, False, marks=pytest.mark.slow),
        pytest.param("leduc(suit_isomorphism=true)", False, True, marks=pytest.mark.slow),
        pytest.param("leduc(suit_isomorphism=true)", True, True, marks=pytest.mark.slow),
    ],
)
def test_with_the_whole_game_in_its_tree_an_agent_plays_the_composed_policy(
    text: str, search_everywhere: bool, safe: bool
) -> None:
    compiled = compiled_game(text)
    tree = compiled.tree
    settings = whole_game(UPDATES, tree.num_nodes, search_everywhere=search_everywhere, safe=safe)
    composed = compose(compiled, ZeroEvaluator(), settings, seeds=1, batch_size=8)
    num_seen = 0
    for player in (0, 1):
        agent = SearchAgent(tree.game, ZeroEvaluator(), settings, player=player)
        for node, led in decisions_on_the_way(tree, agent):
            for infostate in np.flatnonzero(tree.node_mask[node, player]).tolist():
                np.testing.assert_allclose(
                    led.policy(infostate), composed.policy[0, node, infostate], atol=1e-3
                )
            num_seen += 1
    assert num_seen == np.sum(tree.node_actor < CHANCE)


def test_a_state_is_searched_once_and_only_where_there_is_a_choice() -> None:
    agent = kuhn_agent()
    assert agent.last_search is None
    agent.act(0)
    found = agent.last_search
    assert found is not None
    agent.policy(1)
    agent.value(2)
    assert agent.last_search is found
    agent.observe(CHECK)
    assert agent.last_search is found
    agent.observe(BET)
    agent.act(0)
    assert agent.last_search is not found


@pytest.mark.thorough
def test_a_forced_move_needs_no_search_and_has_a_value() -> None:
    agent = tiny_agent(make("tic_tac_toe"), player=0)
    for cell in (0, 1, 2, 4, 3, 5, 7, 6):
        agent.observe(cell)
    assert agent.policy(0).tolist() == [0] * 8 + [1]
    assert agent.act(0) == 8
    assert agent.last_search is None
    assert agent.value(0) == 0  # a draw


def legal_rows(agent: SearchAgent) -> np.ndarray:
    return np.asarray(agent.game.legal_actions(agent.state))


def actor_at(agent: SearchAgent) -> int:
    return int(agent.game.actor(agent.state))


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "num_walks"),
    [("leduc", 5)]
    + [
        pytest.param(text, 6, marks=pytest.mark.slow)
        for text in ("tic_tac_toe", "glasses", "liars_dice", "ii_goofspiel(cards=3,order=random)")
    ],
)
@pytest.mark.parametrize("search_everywhere", [False, True])
def test_a_policy_is_over_legal_actions_whatever_has_happened(
    text: str, num_walks: int, search_everywhere: bool
) -> None:
    """The tree of SoG(2, 1) misses most events; the agent's own moves are not its choice either."""
    game, rng = make(text), np.random.default_rng(0)
    agents = [tiny_agent(game, player, search_everywhere=search_everywhere) for player in (0, 1)]
    for _ in range(num_walks):
        for agent in agents:
            agent.begin()
        while (actor := actor_at(agents[0])) != TERMINAL:
            if actor != CHANCE and rng.random() < 0.8:
                legal = legal_rows(agents[actor])
                for infostate in np.flatnonzero(legal.any(axis=1)).tolist():
                    policy = agents[actor].policy(infostate)
                    assert policy.sum() == pytest.approx(1)
                    assert (policy >= 0).all()
                    assert policy[~legal[infostate]].max(initial=0) == 0
                    assert abs(agents[actor].value(infostate)) <= game.max_utility + 1e-4
            outcome = int(rng.choice(np.flatnonzero(game.legal_outcomes(agents[0].state))))
            for agent in agents:
                agent.observe(outcome)


@pytest.mark.thorough
def test_any_number_of_events_may_pass_between_two_searches() -> None:
    """The chain is the same whatever room for events there is, and there is more when needed."""
    game = make("leduc")
    patient, fresh = (tiny_agent(game, player=0) for _ in range(2))
    for outcome in (CHECK, BET, BET, CHECK, 3, CHECK):
        patient.observe(outcome)  # six events, and a card turned up among them
    fresh.observe(CHECK)
    for agent in (patient, fresh):
        agent.observe(BET)
        assert agent.policy(0).sum() == pytest.approx(1)
        agent.begin()
        agent.policy(0)
        for outcome in (CHECK, BET):
            agent.observe(outcome)
    for infostate in range(6):
        np.testing.assert_allclose(patient.policy(infostate), fresh.policy(infostate), atol=1e-5)


# Many games with one compiled program.


@pytree
class ConstantEvaluator:
    """Every public state is worth the same; remembers how often a search was traced."""

    value: float
    """To player 0."""

    looks_at_ranges = False

    @property
    def leaves_per_call(self) -> int | None:
        return None

    def encode(self, game: Game[Any], state: Any) -> Any:
        return ()

    def start(self, game: Game[Any], batch_size: int) -> Any:
        TRACES.append(game)
        return ()

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        blank = ZeroEvaluator().evaluate(game, memory, queries)
        signed = jnp.array([self.value, -self.value])[None, None, :, None]
        return dataclasses.replace(blank, values=jnp.broadcast_to(signed, blank.values.shape))


TRACES: list[Game[Any]] = []


@pytest.mark.thorough
def test_a_search_is_compiled_once_for_all_agents_games_and_parameters() -> None:
    TRACES.clear()
    settings = SearchSettings(num_simulations=1)  # both moves of the first player are leaves
    agents = [
        SearchAgent(KUHN, ConstantEvaluator(value=0.5), settings, player=player)
        for player in (0, 1, 0)
    ]
    for value in (0.5, -0.25):
        for agent in agents:
            agent.evaluator = ConstantEvaluator(value=value)
            agent.begin()
        for infostate in range(3):
            assert agents[0].value(infostate) == pytest.approx(value)
        for agent in agents:
            agent.observe(CHECK)
        assert agents[1].policy(0).sum() == pytest.approx(1)
        for agent in agents:
            agent.observe(BET)
        assert agents[0].policy(0).sum() == pytest.approx(1)
    assert TRACES == [KUHN]


def test_the_values_of_kuhn_poker_come_out() -> None:
    agent = kuhn_agent()
    values = [agent.value(infostate) for infostate in range(3)]
    assert np.mean(values) == pytest.approx(KUHN_VALUE, abs=0.02)
    assert values[0] == pytest.approx(-1, abs=0.15)  # the jack loses the ante at least
    assert values == sorted(values)


def games_of(seeds: tuple[int, int], num_games: int) -> list[PlayedGame]:
    agents = [kuhn_agent(player, seed=seed) for player, seed in enumerate(seeds)]
    deals: Array = jax.random.key(7)
    # The same cards every time: what differs comes from the agents.
    return [play_game(KUHN, agents, deals) for _ in range(num_games)]


def test_a_sequence_of_games_is_reproduced_by_its_seeds() -> None:
    games = games_of((0, 1), 12)
    assert games == games_of((0, 1), 12)
    assert games != games_of((2, 3), 12)
    assert len(set(games)) > 1


# How it chooses.


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize(
    ("text", "events", "infostate"),
    [("kuhn", (), 0), ("kuhn", (BET,), 1), ("matching_pennies", (), 0)],
)
def test_actions_are_sampled_with_the_probabilities_of_the_policy(
    text: str, events: tuple[int, ...], infostate: int
) -> None:
    """Trap 18. A jack may bluff, a queen may call; and either side of a penny."""
    num_samples = 4000
    player = len(events)
    agent = SearchAgent(make(text), ZeroEvaluator(), whole_game(UPDATES, 9), player=player)
    for event in events:
        agent.observe(event)
    policy = agent.policy(infostate)
    assert policy.max() < 0.98
    actions = [agent.act(infostate) for _ in range(num_samples)]
    frequency = np.bincount(actions, minlength=len(policy)) / num_samples
    deviation = np.sqrt(policy * (1 - policy) / num_samples)
    assert (np.abs(frequency - policy) <= 4.5 * deviation + 1e-6).all()


def test_a_greedy_agent_takes_the_most_probable_action() -> None:
    agent = kuhn_agent(greedy=True)
    most = int(np.argmax(agent.policy(1)))
    assert {agent.act(1) for _ in range(50)} == {most}


# Mistakes.


def test_what_is_not_possible_is_refused_in_one_line() -> None:
    agent = kuhn_agent(player=1)
    refused(agent.act, 0, "player 1 cannot move: it is player 0's turn at 'start")
    refused(agent.observe, 0, r"outcome must be one of \[1, 2\] at 'start .*', got 0[.]")
    refused(agent.observe, 3, r"outcome must be one of \[1, 2\] at 'start .*', got 3[.]")
    agent.observe(BET)
    for infostate in (-1, 3):
        message = f"infostate must be one that player 1 can have at 'bet1 .*', got {infostate}[.]"
        for ask in (agent.act, agent.policy, agent.value):
            refused(ask, infostate, message)
    agent.observe(0)
    refused(agent.policy, 0, "player 1 cannot move: the game is over at 'bet1 fold")
    refused(agent.observe, 1, "outcome 1 comes after the end of the game at 'bet1 fold")
    agent.begin()
    agent.observe(BET)
    assert agent.act(0) in (0, 1)


def refused(ask: Any, number: int, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        ask(number)
    assert "\n" not in str(caught.value)


def test_a_card_on_the_table_is_nobodys_and_chance_is_nobodys_turn() -> None:
    agent = tiny_agent(make("leduc"), player=0)
    for outcome in (CHECK, CHECK):
        agent.observe(outcome)
    refused(agent.act, 0, "player 0 cannot move: it is chance's turn at 'check check")
    agent.observe(4)
    refused(agent.act, 4, "infostate must be one that player 0 can have at 'check check .*', got 4")


def test_what_cannot_be_searched_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="player must be 0 or 1, got 2"):
        kuhn_agent(player=2)
    with pytest.raises(ValueError, match="num_children must be left out"):
        SearchAgent(KUHN, ZeroEvaluator(), SearchSettings(num_children=1), player=0)
    with pytest.raises(ValueError, match=r"capacity must be at least 7 .*, got 6"):
        SearchAgent(KUHN, ZeroEvaluator(), SearchSettings(capacity=6), player=0)


@pytest.mark.thorough
def test_a_tree_without_room_for_what_has_happened_is_no_answer() -> None:
    game = make("tic_tac_toe")
    agent = SearchAgent(
        game,
        ZeroEvaluator(),
        SearchSettings(num_simulations=2, num_children=9, capacity=19),
        player=1,
    )
    for outcome in (0, 1, 2):
        agent.observe(outcome)
    with pytest.raises(
        ValueError, match=r"capacity must have room for the 3 public events .*, got 19"
    ):
        agent.act(0)


@pytest.mark.thorough
def test_an_evaluator_that_breaks_down_is_reported() -> None:
    agent = SearchAgent(
        KUHN, ConstantEvaluator(value=float("nan")), SearchSettings(num_simulations=1), player=0
    )
    with pytest.raises(ValueError, match="the evaluator gave a value that is not finite"):
        agent.act(0)
