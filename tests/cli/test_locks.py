"""`--lock` of `sog solve` and `sog search`: what it costs, and what is wrong with it."""

from pathlib import Path

import pytest

from sog.tabular import evaluate_policy, solve_lp
from sog.tabular.locks import lock_game, read_locks
from tests.cli.conftest import Run, RunJson, refusal
from tests.tabular.small_games import compiled_game

NEVER_BETS = "check: check=1"


def test_a_solve_tells_what_a_lock_costs(sog_json: RunJson) -> None:
    compiled = compiled_game("kuhn")
    found = sog_json("solve", "kuhn", "--lock", NEVER_BETS)
    locked = lock_game(compiled, read_locks(compiled.tree.game, [NEVER_BETS]))
    cost = solve_lp(locked).value - solve_lp(compiled).value
    assert cost > 0.01
    assert found["cost"] == {"1": pytest.approx(cost, abs=1e-3)}
    assert found["free_value"] == pytest.approx(-1 / 18, abs=1e-3)
    assert found["exploited"]["1"] >= cost - 1e-3
    assert found["locks"] == [{"state": "check (stakes 1-1)", "player": 1, "infostates": [0, 1, 2]}]


def test_who_adapts_nothing_else_loses_what_a_best_response_wins(
    sog_json: RunJson, tmp_path: Path
) -> None:
    saved = tmp_path / "free.npz"
    sog_json("solve", "kuhn", "--save", str(saved))
    found = sog_json("solve", "kuhn", "--lock", "bet1: fold=1")
    compiled = compiled_game("kuhn")
    locked = lock_game(compiled, read_locks(compiled.tree.game, ["bet1: fold=1"]))
    free = solve_lp(compiled)
    stubborn = locked.with_held(free.policy)
    best = evaluate_policy(compiled, stubborn).best_response_value[0, 0]
    # Player 1 has one equilibrium only (Kuhn 1950), so this is what the command has met, too.
    assert found["exploited"]["1"] == pytest.approx(best - free.value, abs=0.01)


def test_the_table_of_a_solve_has_the_price(sog: Run) -> None:
    code, out, _ = sog("solve", "kuhn", "--lock", "bet1: fold=1")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    # 1 + 1/18: from the value of the game (Kuhn 1950) to the ante that he always gives up.
    assert "the lock costs player 1 1,056 mbb" in lines
    assert any(line.startswith("if it adapts nowhere else 1,1") for line in lines), lines


@pytest.mark.thorough
def test_a_search_tells_what_a_lock_costs(sog_json: RunJson) -> None:
    found = sog_json("search", "kuhn", "--lock", "bet1: fold=1", "--search", "100,1")
    assert found["value"] == pytest.approx(1, abs=0.1)
    assert found["cost"]["1"] == pytest.approx(found["value"] - found["free_value"])
    assert found["cost"]["1"] > 0.8


@pytest.mark.thorough
def test_a_lock_that_the_tree_does_not_reach_is_told(sog: Run) -> None:
    code, _, err = sog(
        *("search", "kuhn", "--lock", "check bet1: fold=1", "--search", "1,1", "--depth", "1"),
        *("--evaluator", "zero"),
    )
    assert code == 0
    assert (
        "the tree does not hold 'check bet1 (stakes 1-2)', so the lock there has no effect" in err
    )


@pytest.mark.parametrize("command", ["solve", "search"])
@pytest.mark.parametrize(
    ("lock", "expected"),
    [
        ("check: bet1=0.5", "the probabilities of an infostate must sum to 1, got 0.5 for 'J'."),
        ("check: call=1", "action 'call' is none of those there: 1 check, 2 bet1."),
        ("nonsense", "must look like"),
    ],
)
def test_a_bad_lock_is_refused_in_one_line(
    sog: Run, command: str, lock: str, expected: str
) -> None:
    assert refusal(sog, command, "kuhn", "--lock", lock).startswith(f"--lock: {expected}")


def test_a_lock_above_the_position_that_is_solved_is_refused(sog: Run) -> None:
    assert "is not in the tree." in refusal(
        sog, "solve", "tic_tac_toe", "--history", "XO./.X./..O", "--lock", "b2: a1=1", notes=True
    )


def test_a_spot_has_no_lock(sog: Run) -> None:
    spot = "holdem(board=KsTh7s4d2c,pot=100,stack=200)"
    assert "--lock does not apply to spots; leave it out." in refusal(
        sog, "solve", spot, "--lock", "check: check=1", notes=True
    )
