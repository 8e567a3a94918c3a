"""Saved solves: they are gone on with to the last bit, and what does not fit is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.games.registry import make
from sog.tabular import (
    Rule,
    SolveFileError,
    compile_tree,
    load_solver,
    save_solver,
    solve,
)
from sog.tabular.solve_file import read_solve_notes
from tests.tabular.small_games import compiled_game

KUHN = compiled_game("kuhn")
OWN_RULE = Rule(summary="of a test", alternating=True, averaging_power=3)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("solve") / "kuhn.npz"
    save_solver(path, solve(KUHN, iterations=7).solver)
    return path


@pytest.mark.parametrize(
    ("rule", "precision"),
    [("pcfr+", "float64"), ("dcfr", "float32"), (OWN_RULE, "float32")],
)
def test_a_solve_that_was_gone_on_with_is_one_that_was_never_stopped(
    rule: Any, precision: Any, tmp_path: Path
) -> None:
    path = tmp_path / "kuhn.npz"
    whole = solve(KUHN, rule=rule, precision=precision, iterations=30)
    save_solver(path, solve(KUHN, rule=rule, precision=precision, iterations=11).solver)
    solver = load_solver(path, KUHN, rule if isinstance(rule, Rule) else None)
    assert (solver.iteration, solver.precision) == (11, precision)
    after = solve(KUHN, iterations=30, solver=solver)
    np.testing.assert_array_equal(after.policy, whole.policy)
    assert after.last.exploitability == whole.last.exploitability
    before = [point.iteration for point in whole.checkpoints if point.iteration <= 11]
    both = [*before, *(point.iteration for point in after.checkpoints)]
    assert both == [point.iteration for point in whole.checkpoints]


def test_a_solve_in_32_bits_can_go_on_in_64(tmp_path: Path) -> None:
    path = tmp_path / "kuhn.npz"
    first = solve(KUHN, rule="pcfr+", iterations=200).solver
    save_solver(path, first)
    solver = load_solver(path, KUHN, precision="float64")
    assert solver.evaluate().exploitability == first.evaluate().exploitability
    after = {bits.precision: solve(KUHN, iterations=3000, solver=bits) for bits in (first, solver)}
    assert after["float64"].last.exploitability < 0.1 * after["float32"].last.exploitability
    save_solver(path, solver)
    with pytest.raises(SolveFileError, match=r"is a solve in float64, not in float32\.$"):
        load_solver(path, KUHN, precision="float32")


def test_a_solve_that_was_interrupted_can_be_gone_on_with(tmp_path: Path) -> None:
    def press_ctrl_c(_: Any) -> None:
        raise KeyboardInterrupt

    interrupted = solve(KUHN, iterations=30, on_checkpoint=press_ctrl_c)
    save_solver(tmp_path / "kuhn.npz", interrupted.solver)
    after = solve(KUHN, iterations=30, solver=load_solver(tmp_path / "kuhn.npz", KUHN))
    np.testing.assert_array_equal(after.policy, solve(KUHN, iterations=30).policy)


def test_what_has_been_done_is_not_done_again(saved: Path) -> None:
    with pytest.raises(ValueError, match="iterations must be >= 8, got 7"):
        solve(KUHN, iterations=7, solver=load_solver(saved, KUHN))


def test_a_solver_of_another_game_is_refused(saved: Path) -> None:
    with pytest.raises(ValueError, match="of the same compiled game"):
        solve(compiled_game("leduc"), solver=load_solver(saved, KUHN))


def test_notes_say_what_a_saved_solve_is_of(saved: Path) -> None:
    notes = read_solve_notes(saved, "kuhn(ranks=3)")
    assert {name: notes[name] for name in ("game", "rule", "precision", "iteration")} == {
        "game": "kuhn(ranks=3)",
        "rule": "cfr+",
        "precision": "float32",
        "iteration": 7,
    }


def test_another_game_rule_or_precision_is_refused(saved: Path) -> None:
    with pytest.raises(SolveFileError, match=r"is a solve of kuhn\(ranks=3\), not of leduc\.$"):
        read_solve_notes(saved, "leduc")
    with pytest.raises(SolveFileError, match=r"is a solve by cfr\+, not by dcfr\.$"):
        read_solve_notes(saved, "kuhn(ranks=3)", rule="dcfr")
    with pytest.raises(SolveFileError, match=r"not by Rule\(summary='of a test'"):
        load_solver(saved, KUHN, OWN_RULE)
    with pytest.raises(SolveFileError, match=r"not of kuhn\(ranks=4\)\.$"):
        load_solver(saved, compiled_game("kuhn(ranks=4)"))


def test_another_game_of_the_same_name_is_refused(saved: Path) -> None:
    game = make("kuhn")
    below = compile_tree(game, root=KUHN.tree.state(1))
    with pytest.raises(SolveFileError, match="with other rules or payoffs"):
        load_solver(saved, below)


def test_a_rule_that_has_no_name_must_be_given(tmp_path: Path) -> None:
    save_solver(tmp_path / "own.npz", solve(KUHN, rule=OWN_RULE, iterations=1).solver)
    with pytest.raises(SolveFileError, match="its rule must be given"):
        load_solver(tmp_path / "own.npz", KUHN)


def changed(saved: Path, to: Path, change: Callable[[dict[str, Any], np.ndarray], Any]) -> Path:
    """A file as `save_solver` would write it, were it asked to save something else."""
    with np.load(saved) as file:
        notes, numbers = json.loads(str(file["notes"])), file["numbers"]
    numbers = change(notes, numbers)
    np.savez(to, numbers=numbers, notes=np.array(json.dumps(notes)))
    return to


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda notes, x: notes.update(format="other") or x, "of this version"),
        (lambda notes, x: notes.pop("rule") and x, "is damaged"),
        (lambda notes, x: notes.update(iteration=10**400) or x, "is damaged"),
        (lambda notes, x: notes.update(precision="float16") or x, "is damaged"),
        (lambda notes, x: x[:-1], "is damaged"),
        (lambda notes, x: x.astype(np.float64), "is damaged"),
        (lambda notes, x: np.where(np.arange(len(x)) == 3, np.nan, x), "must be finite"),
        (lambda notes, x: np.where(np.arange(len(x)) == len(x) - 1, -1, x), "sums at least 0"),
        (lambda notes, x: np.where(x == 1, 1.5, x), "must be from 0 to 1"),
    ],
)
def test_what_no_solve_would_have_saved_is_refused_with_the_reason(
    change: Any, reason: str, saved: Path, tmp_path: Path
) -> None:
    path = changed(saved, tmp_path / "changed.npz", change)
    with pytest.raises(SolveFileError, match=reason) as caught:
        load_solver(path, KUHN)
    assert str(caught.value).startswith(f"{path}: ")


def test_what_is_no_saved_solve_is_refused(saved: Path, tmp_path: Path) -> None:
    cut = tmp_path / "cut.npz"
    cut.write_bytes(saved.read_bytes()[:-200])
    for path, reason in (
        (cut, "is damaged"),
        (tmp_path, "Is a directory"),
        (Path("/dev/zero"), "not a regular file"),
        (tmp_path / "missing.npz", "no such file"),
    ):
        with pytest.raises(SolveFileError, match=reason):
            load_solver(path, KUHN)
