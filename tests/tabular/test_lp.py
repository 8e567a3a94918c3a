"""The linear program: known values, exact equilibria, and agreement with CFR."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from sog.games.matrix import MatrixGame
from sog.tabular import CompiledGame, Solver, compile_game, compile_tree, evaluate_policy, solve_lp
from tests.tabular.small_games import compiled_game, node_after

SMALL_GAMES = (
    "rps",
    "non_locality",
    "kuhn",
    "leduc",
    "liars_dice(dice=2,dice1=1,faces=2)",
    "goofspiel(cards=4,order=descending)",
    "ii_goofspiel(cards=4,order=descending)",
    "glasses",
)


@pytest.mark.thorough(only=["liars_dice"])
@pytest.mark.parametrize(
    ("game", "value"),
    [
        ("biased_rps(bias=3)", 0),
        ("kuhn", -1 / 18),
        ("leduc", -0.085606424078),
        ("liars_dice", -7 / 258),
        # (3 + leftmost) / 4; Figure 1 of the OOS paper has leftmost = 1.
        ("non_locality", 1),
        ("non_locality(leftmost=2)", 5 / 4),
        # The players are alike.
        ("goofspiel(cards=4,order=descending)", 0),
        ("ii_goofspiel(cards=4,order=descending)", 0),
        # Mr X is caught with probability 8/9.
        ("glasses", -7 / 9),
    ],
)
def test_known_values(game: str, value: float) -> None:
    assert solve_lp(compiled_game(game)).value == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("leftmost", "left"), [(1, 1 / 3), (2, 1 / 6)])
def test_player_1_of_the_non_locality_game_plays_as_the_oos_paper_says(
    leftmost: int, left: float
) -> None:
    compiled = compiled_game(f"non_locality(leftmost={leftmost})")
    goes_on = node_after(compiled.tree, 0, 0)
    np.testing.assert_allclose(solve_lp(compiled).policy[goes_on, 0], [left, 1 - left], atol=1e-9)


@pytest.mark.parametrize("game", SMALL_GAMES)
def test_the_solution_cannot_be_exploited(game: str) -> None:
    compiled = compiled_game(game)
    solution = solve_lp(compiled)
    found = evaluate_policy(compiled, solution.policy)
    assert found.exploitability[0] == pytest.approx(0, abs=1e-9)
    assert found.value[0] == pytest.approx(solution.value, abs=1e-9)


def check_cfr_agrees(compiled: CompiledGame, value: float, within: float) -> None:
    """CFR's best responses enclose the value, and come near it."""
    solver = Solver(compiled, "cfr+", precision="float64")
    solver.run(1000)
    found = solver.evaluate()
    assert found.exploitability[0] <= within
    first, second = found.best_response_value[:, 0]
    assert -second - 1e-9 <= value <= first + 1e-9


# Random matrices: one compiled game, its payoffs replaced.


def matrix_game(payoffs: np.ndarray) -> CompiledGame:
    rows, columns = payoffs.shape
    tree = compiled_game_of_ones(rows, columns).tree
    first, second = tree.payoffs.infostates.T
    replaced = dataclasses.replace(tree.payoffs, amount=payoffs[first, second])
    return compile_game(dataclasses.replace(tree, payoffs=replaced))


def compiled_game_of_ones(rows: int, columns: int) -> CompiledGame:
    return compile_tree(MatrixGame(payoffs=((1.0,) * columns,) * rows))


def matrices(rows: int, columns: int) -> st.SearchStrategy[np.ndarray]:
    elements = st.integers(-40, 40).map(lambda number: number / 4)  # ties and saddle points too
    return hnp.arrays(np.float64, (rows, columns), elements=elements)


few = settings(max_examples=25)


@pytest.mark.thorough
@few
@given(payoffs=matrices(3, 4))
def test_each_side_of_a_matrix_game_guarantees_the_value(payoffs: np.ndarray) -> None:
    compiled = matrix_game(payoffs)
    solution = solve_lp(compiled)
    row, column = solution.policy[0, 0, :3], solution.policy[1, 0, :4]
    assert (row @ payoffs).min() == pytest.approx(solution.value, abs=1e-9)
    assert (payoffs @ column).max() == pytest.approx(solution.value, abs=1e-9)
    check_cfr_agrees(compiled, solution.value, within=0.05)


def test_what_decides_nothing_has_the_value_of_its_end() -> None:
    kuhn = compiled_game("kuhn").tree
    bet, fold, call = 2, 0, 1
    folded = compile_tree(kuhn.game, root=kuhn.state(node_after(kuhn, bet, fold)))
    assert solve_lp(folded).value == pytest.approx(1)
    called = compile_tree(kuhn.game, root=kuhn.state(node_after(kuhn, bet, call)))
    assert solve_lp(called).value == pytest.approx(0)  # cards are dealt alike


def test_a_program_that_is_not_solved_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    failure = SimpleNamespace(success=False, message="out of luck")
    monkeypatch.setattr(scipy.optimize, "linprog", lambda **program: failure)
    with pytest.raises(RuntimeError, match=r"the linear program was not solved: out of luck"):
        solve_lp(compiled_game("kuhn"))
