"""The driver: when it stops, what it reports on the way, what it refuses."""

import dataclasses
from collections.abc import Callable
from typing import get_args

import jax
import numpy as np
import pytest

from sog.tabular import (
    Checkpoint,
    Solution,
    Solver,
    evaluate_policy,
    solve,
    uniform_policy,
)
from sog.tabular.rules import RULES, most_iterations
from sog.tabular.solver import Precision
from tests.tabular.small_games import compiled_game, node_after

BET = 2


def solve_kuhn(
    rule: str = "pcfr+",
    iterations: int = 1000,
    until: float | None = None,
    on_checkpoint: Callable[[Checkpoint], None] | None = None,
) -> Solution:
    return solve(
        compiled_game("kuhn"),
        rule=rule,
        iterations=iterations,
        until=until,
        precision="float64",
        on_checkpoint=on_checkpoint,
    )


def test_a_solve_runs_all_iterations_and_finds_the_equilibrium() -> None:
    solution = solve_kuhn()
    assert solution.last.iteration == 1000
    assert solution.last.exploitability < 1e-4
    assert solution.last.value == pytest.approx(-1 / 18, abs=1e-4)
    assert not solution.interrupted
    assert solution.compile_seconds > 0


def test_checkpoints_ascend_and_end_with_the_last_iteration() -> None:
    told: list[Checkpoint] = []
    solution = solve_kuhn(iterations=300, on_checkpoint=told.append)
    assert tuple(told) == solution.checkpoints
    iterations = [checkpoint.iteration for checkpoint in told]
    assert iterations[:3] == [1, 2, 3]
    assert iterations[-1] == 300
    assert (np.diff(iterations) > 0).all()
    assert len(iterations) < 60  # further and further apart
    seconds = [checkpoint.seconds for checkpoint in told]
    assert seconds[0] > 0
    assert (np.diff(seconds) > 0).all()


def test_a_solve_stops_once_it_is_good_enough() -> None:
    *before, last = solve_kuhn(until=0.01).checkpoints
    assert last.exploitability <= 0.01
    assert last.iteration < 1000
    assert before
    assert all(checkpoint.exploitability > 0.01 for checkpoint in before)


def test_ctrl_c_returns_what_was_reached() -> None:
    def press_ctrl_c(checkpoint: Checkpoint) -> None:
        if checkpoint.iteration >= 10:
            raise KeyboardInterrupt

    solution = solve_kuhn(on_checkpoint=press_ctrl_c)
    assert solution.interrupted
    iterations = [checkpoint.iteration for checkpoint in solution.checkpoints]
    assert iterations == sorted(set(iterations))
    assert 10 <= solution.last.iteration < 20
    found = evaluate_policy(compiled_game("kuhn"), solution.policy)
    assert found.exploitability[0] == pytest.approx(solution.last.exploitability, abs=1e-12)


def test_ctrl_c_between_checkpoints_counts_what_was_run_since(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Solver.run

    def run_until_20(solver: Solver, iterations: int) -> None:
        run(solver, iterations)
        if solver.iteration > 20:
            raise KeyboardInterrupt

    monkeypatch.setattr(Solver, "run", run_until_20)
    *_, before, last = solve_kuhn().checkpoints
    assert before.iteration <= 20 < last.iteration
    assert last.exploitability > 0


def test_ctrl_c_before_the_first_iteration_returns_the_uniform_policy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run = Solver.run

    def compile_only(solver: Solver, iterations: int) -> None:
        if iterations:
            raise KeyboardInterrupt
        run(solver, iterations)

    monkeypatch.setattr(Solver, "run", compile_only)
    solution = solve_kuhn()
    assert solution.interrupted
    assert solution.last.iteration == 0
    np.testing.assert_allclose(solution.policy, uniform_policy(compiled_game("kuhn")))


def test_fewer_than_one_iteration_is_refused() -> None:
    with pytest.raises(ValueError, match=r"iterations must be >= 1, got 0\."):
        solve_kuhn(iterations=0)


def test_sums_of_averages_stay_finite_as_long_as_a_solve_may_last() -> None:
    """Their growth from t to 2t is that of t^6 / 6, also just before the limit of 32 bits."""
    solver = Solver(compiled_game("kuhn"), "pdcfr+")
    most = most_iterations(RULES["pdcfr+"], "float32")
    solver.iteration = most - 10
    solver.state = dataclasses.replace(
        solver.state,
        policy_sum=jax.tree.map(lambda one: one + float(most) ** 6 / 6, solver.state.policy_sum),
    )
    solver.run(10)
    assert np.isfinite(solver.evaluate().exploitability).all()
    message = (
        r"at most 1,1\d\d,\d\d\d in float32 where averages are weighted by t\^5, got 4,000,000"
    )
    with pytest.raises(ValueError, match=message):
        solver.run(4_000_000 - most)
    with pytest.raises(ValueError, match=message):
        solve(compiled_game("kuhn"), rule="pdcfr+", iterations=4_000_000)
    assert most_iterations(RULES["pdcfr+"], "float64") == most_iterations(
        RULES["hs-dcfr"], "float32"
    )


@pytest.mark.parametrize("until", [0.0, -1.0, float("nan")])
def test_an_exploitability_that_cannot_be_reached_is_refused(until: float) -> None:
    message = rf"the exploitability to reach must be > 0, got {until}\."
    with pytest.raises(ValueError, match=message):
        solve_kuhn(until=until)


def test_an_unknown_rule_is_refused_with_the_known_ones() -> None:
    message = r"unknown rule 'cfr\+\+'; known: cfr, cfr\+, sog, linear, dcfr, .*\."
    with pytest.raises(ValueError, match=message):
        solve_kuhn("cfr++")


@pytest.mark.parametrize(
    ("root_reach", "message"),
    [
        (np.ones((2, 3)), r"root reach must have shape \(2, 3, 'batch'\), got \(2, 3\)\."),
        (np.full((2, 3, 1), -0.1), r"root reach must be finite and non-negative\."),
        (np.full((2, 3, 1), np.nan), r"root reach must be finite and non-negative\."),
    ],
    ids=["no batch", "negative", "nan"],
)
def test_a_bad_root_reach_is_refused(root_reach: np.ndarray, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Solver(compiled_game("kuhn"), root_reach=root_reach)


@pytest.mark.parametrize("precision", get_args(Precision))
def test_policies_are_in_64_bits_and_sum_to_one_at_either_precision(precision: Precision) -> None:
    compiled = compiled_game("kuhn")
    solver = Solver(compiled, precision=precision)
    solver.run(50)
    policy, legal = solver.average_policy()[..., 0], compiled.tree.decisions
    assert policy.dtype == np.float64
    assert not policy[~legal].any()
    np.testing.assert_allclose(policy.sum(axis=-1), legal.any(axis=-1), atol=1e-15)
    assert solver.evaluate().value.dtype == np.float64


def test_solving_leaves_the_callers_precision_as_it_was() -> None:
    assert not jax.config.read("jax_enable_x64")
    solve_kuhn(iterations=2)
    assert not jax.config.read("jax_enable_x64")


def test_a_player_who_never_arrives_plays_uniformly_there() -> None:
    # Player 0 holds no jack here, and player 1 nothing else.
    compiled = compiled_game("kuhn")
    root_reach = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 0.0]])[..., None]
    solver = Solver(compiled, "cfr+", root_reach=root_reach, precision="float64")
    solver.run(50)
    policy, bet = solver.average_policy()[..., 0], node_after(compiled.tree, BET)
    np.testing.assert_allclose(policy[0, 0], [0, 0.5, 0.5])
    np.testing.assert_allclose(policy[bet, 1:], [[0.5, 0.5, 0], [0.5, 0.5, 0]])
    assert policy[bet, 0, 0] > 0.9  # the jack folds


def test_a_precision_that_is_not_there_and_negative_iterations_are_refused() -> None:
    compiled = compiled_game("kuhn")
    with pytest.raises(ValueError, match="precision must be float32 or float64, got 'float16'"):
        Solver(compiled, precision="float16")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="iterations must be >= 0, got -3"):
        Solver(compiled).run(-3)
