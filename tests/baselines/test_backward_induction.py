"""Exact solvers of simultaneous moves: against the sequence-form program, and by hand."""

import numpy as np
import pytest

from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.simultaneous.backward_induction import ExactSolver
from sog.baselines.simultaneous.matrix_solver import solve_matrix
from sog.baselines.simultaneous.serialized import Serialized
from sog.baselines.simultaneous.stages import Stages
from sog.games.matrix import MatrixGame
from sog.players.player import Host
from sog.tabular import compile_game, enumerate_public_tree
from sog.tabular.lp import solve_lp
from tests.baselines.plain_histories import history_tree
from tests.tabular.small_games import tree_of

PRUNINGS = ("none", "alpha_beta", "double_oracle")


def solver(text: str, pruning: str) -> ExactSolver:
    return ExactSolver(pruning, history_tree(text), Host())


@pytest.mark.thorough(but=["seed=", "connect_four"])
@pytest.mark.parametrize(
    "text",
    [
        "random_game",
        "random_game(actions=4,rounds=2,payoff=sign,seed=1)",
        "random_game(actions=2,rounds=4,seed=2)",
        "pursuit_evasion",
        "tron",
        "oshi_zumo(coins=5)",
        "goofspiel(cards=3,order=random,payoff=diff)",
        "goofspiel(cards=4)",
        "connect_four(rows=2,columns=3,run_length=2)",  # players in turns: matrices of one row
    ],
)
def test_all_three_find_the_value_and_an_equilibrium(text: str) -> None:
    value = solve_lp(compile_game(tree_of(text))).value
    evaluator = RowEvaluator(history_tree(text))
    for pruning in PRUNINGS:
        found = solver(text, pruning)
        assert found.value == pytest.approx(value, abs=1e-8), pruning
        assert evaluator.evaluate(found.policy()[None]).exploitability[0] < 1e-8, pruning


@pytest.mark.thorough
def test_pruning_spares_states_and_programs() -> None:
    text = "random_game(actions=4,rounds=3,seed=3)"
    plain, alpha_beta, oracle = (solver(text, pruning).counts for pruning in PRUNINGS)
    assert plain.states == plain.programs == 1 + 16 + 256
    assert plain.serialized_states == plain.settled == 0
    assert oracle.states < alpha_beta.states < plain.states
    assert oracle.skipped_responses > 0
    assert alpha_beta.cut_offs > 0


def matrix_tree(*payoffs: tuple[float, ...]) -> HistoryTree:
    return lay_out_histories(enumerate_public_tree(MatrixGame(payoffs=payoffs)))


def test_the_serializations_of_the_papers_example_agree_so_that_nothing_is_solved() -> None:
    """The figure in section 4.2: both are worth 3, which row 2 and column 1 guarantee."""
    found = ExactSolver("alpha_beta", matrix_tree((2, 0), (3, 4)), Host())
    assert (found.value, found.counts.states, found.counts.settled) == (3, 0, 1)
    assert found.policy()[:2].tolist() == [[0, 1], [1, 0]]


def test_serializations_are_the_pure_maximin_and_minimax() -> None:
    bounds = Serialized(Stages(matrix_tree((1, -1), (-1, 1)).histories))
    assert (bounds.low(0), bounds.high(0)) == (-1, 1)


@pytest.mark.parametrize(
    "text",
    ["goofspiel(cards=4,order=random,payoff=diff)", "random_game(actions=3,rounds=3,seed=1)"],
)
def test_alpha_beta_is_minimax_of_the_serialized_game(text: str) -> None:
    stages = Stages(history_tree(text).histories)

    def minimax(history: int, second: int) -> float:
        stage = stages.stage[history]
        if stage is None:
            return stages.utility[history]
        values = np.array([[minimax(child, second) for child in line] for line in stage.children])
        if stage.odds:
            return float(values[0] @ stage.odds)
        if second == 1:
            return float(values.min(axis=1).max())
        return float(values.max(axis=0).min())

    bounds = Serialized(stages)
    assert bounds.low(0) == pytest.approx(minimax(0, 1))
    assert bounds.high(0) == pytest.approx(minimax(0, 0))
    assert bounds.low(0) < bounds.high(0)
    assert bounds.states < 2 * sum(stage is not None for stage in stages.stage)
    assert bounds.cut_offs > 0


def test_a_matrix_is_solved_for_both_players() -> None:
    """Rock, paper, scissors with rock's win counting twice: (1, 2, 1) / 4, as in matrix.py."""
    value, first, second = solve_matrix(np.array([[0, -1, 2], [1, 0, -1], [-2, 1, 0.0]]))
    assert value == pytest.approx(0, abs=1e-9)
    assert first == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    assert second == pytest.approx([1 / 4, 1 / 2, 1 / 4])
    value, first, second = solve_matrix(np.array([[3.0, 0], [1, 2]]))
    assert (value, *first, *second) == pytest.approx((1.5, 0.25, 0.75, 0.5, 0.5))


@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(dice=1,faces=2)"])
def test_games_that_hide_more_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the game must hide nothing but simultaneous moves"):
        Stages(history_tree(text).histories)
