"""The same agent where nothing is hidden, against exact play by plain exhaustive search."""

import copy
import dataclasses
import functools
import itertools
import random
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.rollout import RolloutEvaluator
from gtcfr.layout import NOT_LISTED
from gtcfr.root import known_root, start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from gtcfr.tree import ROOT
from sog.games import make
from sog.play import SearchAgent
from sog.play.chained_search import LastSearch
from tests.play.line_games import CONNECT_FOUR, TIC_TAC_TOE, Position

BATCH = 32
EVALUATORS: dict[str, Evaluator] = {
    "zero": ZeroEvaluator(),
    "rollouts": RolloutEvaluator(num_rollouts=8),
}


def settings_of(simulations: int, per_update: float = 1.0) -> SearchSettings:
    return SearchSettings(
        num_simulations=simulations,
        simulations_per_update=per_update,
        capacity=simulations + 100,  # a node per simulation, and those on the way to where it grows
    )


class Searches:
    """Searches from many positions, in batches of one size."""

    def __init__(self, text: str, evaluator: str, settings: SearchSettings) -> None:
        self.game, self.evaluator = make(text), EVALUATORS[evaluator]
        self._search = jax.jit(functools.partial(search, self.game, settings=settings))
        self._apply = jax.jit(self.game.apply)

    def greedy_actions(self, lines: Sequence[tuple[int, ...]]) -> list[int]:
        """The most probable action after each line of actions from the start."""
        found: list[int] = []
        for first in range(0, len(lines), BATCH):
            part = list(lines[first : first + BATCH])
            found += self._batch(part + part[:1] * (BATCH - len(part)))[: len(part)]
        return found

    def _batch(self, lines: list[tuple[int, ...]]) -> list[int]:
        states = [self._after(line) for line in lines]
        stacked = jax.tree.map(lambda *leaves: jnp.stack(leaves), *states)
        root = known_root(stacked, jnp.ones((len(lines), 2, 1)))
        result: SearchResult = self._search(
            evaluator=self.evaluator, root=root, key=jax.random.key(0)
        )
        assert not result.is_full.any()
        policy = np.asarray(result.policy[:, 0])
        np.testing.assert_allclose(policy.sum(axis=-1), 1, atol=1e-5)
        return [int(action) for action in np.argmax(policy, axis=-1)]

    def _after(self, line: tuple[int, ...]) -> Any:
        state = self.game.root()
        for action in line:
            state = self._apply(state, jnp.int32(action))
        return state


# Tic-tac-toe.


def test_the_plain_solver_knows_that_tic_tac_toe_is_a_draw() -> None:
    start = TIC_TAC_TOE.after(())
    assert TIC_TAC_TOE.value(start) == 0
    assert TIC_TAC_TOE.best_actions(start) == set(range(9))
    assert TIC_TAC_TOE.best_actions(TIC_TAC_TOE.after((0,))) == {4}


def wins_at_once(position: Position) -> bool:
    return any(TIC_TAC_TOE.end_value(child) == -1 for _, child in TIC_TAC_TOE.moves(position))


def forcing_lines(num_lines: int) -> tuple[list[tuple[int, ...]], list[tuple[int, ...]]]:
    """Random lines after which one can win at once, and such where one stone holds the draw."""
    rng = random.Random(0)
    wins: list[tuple[int, ...]] = []
    threats: list[tuple[int, ...]] = []
    while min(len(wins), len(threats)) < num_lines:
        line: tuple[int, ...] = ()
        position = TIC_TAC_TOE.after(line)
        while TIC_TAC_TOE.end_value(position) is None:
            children = dict(TIC_TAC_TOE.moves(position))
            if wins_at_once(position):
                wins.append(line)
            elif (
                wins_at_once((position[1], position[0]))  # if it were the other's turn
                and len(TIC_TAC_TOE.best_actions(position)) == 1
            ):
                threats.append(line)
            action = rng.choice(list(children))
            line, position = (*line, action), children[action]
    return wins[:num_lines], threats[:num_lines]


@pytest.mark.thorough
def test_a_small_search_from_the_rules_alone_takes_wins_and_parries_threats() -> None:
    wins, threats = forcing_lines(2 * BATCH)
    searches = Searches("tic_tac_toe", "zero", settings_of(400, 4))
    for line, action in zip(wins, searches.greedy_actions(wins), strict=True):
        assert TIC_TAC_TOE.end_value(TIC_TAC_TOE.after((*line, action))) == -1, line
    for line, action in zip(threats, searches.greedy_actions(threats), strict=True):
        assert {action} == TIC_TAC_TOE.best_actions(TIC_TAC_TOE.after(line)), line


@pytest.mark.slow
def test_a_greedy_agent_that_begins_loses_no_line_of_tic_tac_toe() -> None:
    """The agent itself, its chain of searches included: some 100 searches."""
    agent = SearchAgent(
        make("tic_tac_toe"),
        EVALUATORS["rollouts"],
        settings_of(1000, 10),
        player=0,
        greedy=True,
    )
    results = list(TIC_TAC_TOE.results(agent, player=0))
    assert min(results) == 0
    assert results.count(1) > len(results) / 2


@pytest.mark.thorough
def test_a_search_goes_on_from_a_state_that_the_last_tree_holds() -> None:
    """And where it does not hold it, from an earlier one, by the events since."""
    settings = dataclasses.replace(settings_of(40), resolve_from="deepest")
    agent = SearchAgent(make("tic_tac_toe"), ZeroEvaluator(), settings, player=0)
    agent.act(0)
    first = agent.last_search
    assert first is not None
    known = pairs_of_events(first)
    unknown = [path for path in itertools.permutations(range(9), 2) if path not in known]
    for path, is_root in ((known[0], True), (unknown[-1], False)):
        led = copy.copy(agent)
        for event in path:
            led.observe(event)
        assert led.policy(0).sum() == pytest.approx(1)
        result = led.last_search
        assert result is not None
        assert bool(result.summary.start == ROOT) == is_root


def pairs_of_events(last: LastSearch) -> list[tuple[int, int]]:
    """From the root to nodes that were expanded, so that updates have seen them."""
    outcomes, children = last.summary.outcome, last.summary.child
    num_interior = len(children)
    found = []
    for one, child in zip(outcomes[ROOT].tolist(), children[ROOT].tolist(), strict=True):
        if one != NOT_LISTED and 0 <= child < num_interior:
            rows = zip(outcomes[child].tolist(), children[child].tolist(), strict=True)
            found += [
                (one, two) for two, row in rows if two != NOT_LISTED and 0 <= row < num_interior
            ]
    return found


# Connect four.

ENDGAMES = [
    "600623253141456264534634153",
    "6436643412426065204635134220",
    "1611243624655040524461054625",
    "0133403443065300116436421251",
    "6232610443113010226613512465",
    "012210013523626205312335530",
    "313201660035224451621565660",
    "03233543406530545300460554166",
    "520052220163004014216111552",
    "5654166062063311316115243023",
]
"""Columns played, in random games, until 13 to 15 cells are empty and only one column is right:
it holds the draw in the first three, and wins in the others, but not at once."""


@pytest.mark.slow
def test_a_search_from_the_rules_alone_finds_the_only_column_in_endgames() -> None:
    lines = [tuple(int(column) for column in columns) for columns in ENDGAMES]
    positions = [CONNECT_FOUR.after(line) for line in lines]
    assert [CONNECT_FOUR.value(position) for position in positions] == [0] * 3 + [1] * 7
    searches = Searches("connect_four", "zero", settings_of(1000, 10))
    for position, action in zip(positions, searches.greedy_actions(lines), strict=True):
        assert {action} == CONNECT_FOUR.best_actions(position)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "simulations",
    [pytest.param(50, marks=pytest.mark.slow), pytest.param(100, marks=pytest.mark.slow), 200],
)
def test_a_simulation_costs_one_evaluation(simulations: int) -> None:
    """The root and its children, then a node per simulation: the game cannot end so soon."""
    game = make("connect_four(run_length=7)")
    run = jax.jit(functools.partial(search, game, settings=settings_of(simulations)))
    result = run(evaluator=ZeroEvaluator(), root=start_of_game(game), key=jax.random.key(0))
    assert result.tree.num_terminals[0] == 0
    assert result.queries.num_seen[0] == 1 + 7 + simulations
