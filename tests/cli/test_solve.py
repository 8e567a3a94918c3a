import errno
import json
import os
from pathlib import Path
from typing import Any

import pytest

from sog.cli.errors import check_target
from sog.games import make
from sog.tabular import RULES, enumerate_public_tree, load_policy
from tests.cli.conftest import Run, RunJson, output, refusal
from tests.openspiel.openspiel_games import OVER_AT_ONCE


def test_kuhn_is_solved_to_its_known_value(sog_json: RunJson) -> None:
    result = sog_json("solve", "kuhn", "--iterations", "2000", "--precision", "float64")
    assert result["game"] == "kuhn(ranks=3)"
    assert result["rule"] == "cfr+"
    assert result["precision"] == "float64"
    assert result["unit"] == "chips"
    assert result["iterations"] == 2000
    assert result["interrupted"] is False
    assert result["num_public_states"] == 9
    assert result["num_infostates"] == [6, 6]
    assert result["value"] == pytest.approx(-1 / 18, abs=1e-4)
    assert 0 < result["exploitability"] < 1e-3
    assert result["nash_conv"] == 2 * result["exploitability"]
    assert min(result["seconds"], result["compile_seconds"], result["enumerate_seconds"]) > 0


def test_the_last_checkpoint_is_the_result(sog_json: RunJson) -> None:
    result = sog_json("solve", "kuhn", "--iterations", "20", "--rule", "sog")
    iterations = [point["iteration"] for point in result["checkpoints"]]
    assert iterations[0] == 1
    assert iterations == sorted(iterations)
    last = result["checkpoints"][-1]
    assert {key: result[key] for key in ("exploitability", "value", "seconds")} == {
        key: last[key] for key in ("exploitability", "value", "seconds")
    }
    assert last["iteration"] == result["iterations"] == 20


def test_the_table_shows_thousandths_of_the_unit(sog: Run) -> None:
    code, out, _ = sog("solve", "kuhn", "--iterations", "100")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[0] == "kuhn by cfr+ in float32"
    (exploitability,) = [line.split() for line in lines if line.startswith("exploitability ")]
    assert exploitability[2] == "mbb"
    assert 0 < float(exploitability[1]) < 10
    assert "public states 9" in lines
    assert "infostates 6 + 6" in lines
    assert "iterations 100" in lines


def test_a_target_stops_the_iterations(sog_json: RunJson) -> None:
    result = sog_json("solve", "kuhn", "--until-mbb", "50")
    assert result["reached"] is True
    assert result["until"] == 0.05
    assert result["exploitability"] <= 0.05 < result["checkpoints"][-2]["exploitability"]


def test_a_target_that_is_not_reached_is_said(sog: Run) -> None:
    code, out, err = sog("solve", "kuhn", "--until-mbb", "0.001", "--iterations", "5", "--json")
    assert code == 0
    assert json.loads(out)["reached"] is False
    assert err.splitlines()[-1] == (
        "sog: 0.001 mbb was not reached in 5 iterations; "
        "try more --iterations, or --precision float64."
    )


def test_a_solve_that_32_bits_no_longer_improve_is_said(sog: Run) -> None:
    def note(*options: str) -> str:
        _, _, err = sog("solve", "kuhn", "--rule", "pcfr+", "--json", *options)
        return err.splitlines()[-1]

    stalled = "sog: float32 seems to have stalled: try --precision float64."
    assert note("--iterations", "20000") == stalled
    assert note("--iterations", "100") != stalled
    assert note("--iterations", "20000", "--precision", "float64") != stalled


def test_a_saved_policy_is_the_one_reported(sog_json: RunJson, tmp_path: Path) -> None:
    file = tmp_path / "kuhn.npz"
    solved = sog_json("solve", "kuhn", "--iterations", "30", "--save", str(file))
    check_target("--save", file, (".npz",))  # it may be replaced
    policy = load_policy(file, enumerate_public_tree(make("kuhn")))
    assert policy.sum() == pytest.approx(12)  # 6 infostates each
    evaluated = sog_json("exploitability", "kuhn", str(file))
    assert evaluated["exploitability"] == pytest.approx(solved["exploitability"], abs=1e-12)
    assert evaluated["value"] == pytest.approx(solved["value"], abs=1e-12)


@pytest.mark.parametrize("suffix", [".svg", ".pdf"])
def test_the_curve_is_drawn_with_its_labels(sog: Run, tmp_path: Path, suffix: str) -> None:
    file = tmp_path / f"kuhn{suffix}"
    output(sog, "solve", "kuhn", "--iterations", "30", "--plot", str(file))
    check_target("--plot", file, (suffix,))  # it may be replaced
    if suffix == ".svg":
        picture = file.read_text()
        for label in ("kuhn, cfr+", "iterations", "exploitability (mbb)"):
            assert f"<!-- {label} -->" in picture


def test_a_game_that_starts_solved_can_be_drawn(sog: Run, tmp_path: Path) -> None:
    file = tmp_path / "pennies.png"
    output(
        sog,
        *("solve", "matching_pennies", "--iterations", "3", "--plot", str(file)),
    )
    assert file.exists()


@pytest.mark.parametrize("option", ["--save", "--plot"])
def test_a_full_disk_costs_the_file_and_not_the_result(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, option: str
) -> None:
    def no_space(*_: Any, **__: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sog.cli.solve.save_policy", no_space)
    monkeypatch.setattr("sog.cli.solve.plot_exploitability", no_space)
    file = tmp_path / {"--save": "kuhn.npz", "--plot": "kuhn.png"}[option]
    code, out, err = sog("solve", "kuhn", "--iterations", "3", option, str(file), "--json")
    assert code == 2
    assert json.loads(out)["iterations"] == 3
    assert err.splitlines()[-1] == f"sog: error: cannot write {file}: No space left on device."


def test_every_rule_is_explained_in_the_help(sog: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")  # no line is wrapped
    _, out, _ = sog("solve", "--help")
    explained = {
        line.split()[0] for line in out.split("rules:")[1].split("\n\n")[0].splitlines()[1:]
    }
    assert explained == set(RULES)


def test_a_solve_that_is_gone_on_with_ends_as_one_that_was_never_stopped(
    sog: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    state = str(tmp_path / "kuhn.solve")
    begin = ("solve", "kuhn", "--rule", "dcfr", "--iterations")
    sog_json(*begin, "20", "--save-state", state)
    check_target("--save-state", Path(state), (".solve",))  # it may be replaced
    after = sog_json("solve", "kuhn", "--resume", state, "--iterations", "50")
    whole = sog_json(*begin, "50")
    told = ("rule", "precision", "iterations", "exploitability", "value")
    assert [after[name] for name in told] == [whole[name] for name in told]
    assert (after["iterations_before"], whole["iterations_before"]) == (20, 0)
    code, out, _ = sog("solve", "kuhn", "--resume", state, "--iterations", "21")
    assert (code, "21, 20 of them before" in out) == (0, True)
    wider = sog_json("solve", "kuhn", "--resume", state, "--precision", "float64")
    assert (wider["precision"], wider["iterations_before"]) == ("float64", 20)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["leduc"], "is a solve of kuhn(ranks=3), not of leduc(ranks=3,suits=2"),
        (["kuhn", "--rule", "sog"], "is a solve by cfr+, not by sog."),
        (["kuhn", "--iterations", "20"], "must be more than the 20 that"),
        (["kuhn"], "kuhn.npz: is not a saved solve, or is damaged."),
    ],
)
def test_a_solve_that_cannot_be_gone_on_with_is_refused_before_the_work_begins(
    arguments: list[str], reason: str, sog: Run, tmp_path: Path
) -> None:
    state, policy = str(tmp_path / "kuhn.solve"), str(tmp_path / "kuhn.npz")
    sog("solve", "kuhn", "--iterations", "20", "--save-state", state, "--save", policy)
    file = policy if policy.endswith(reason.split(":")[0]) else state
    assert reason in refusal(sog, "solve", *arguments, "--resume", file)


def test_what_lies_below_a_position_is_solved(sog_json: RunJson) -> None:
    """Player 1 has two in a row and is to move, and two are missing to three of player 0's."""
    result = sog_json("solve", "tic_tac_toe", "--history", "X.X/OO./X..", "--iterations", "50")
    assert result["history"] == ["a3", "a2", "c3", "b2", "a1"]
    assert result["num_public_states"] < 100
    assert result["value"] == pytest.approx(-1, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn", "--history", "check"], "only a game of perfect information can begin at a later"),
        (["tic_tac_toe", "--history", "XXX/OO./..."], "the game is over at 'XXX/OO./..."),
        (["tic_tac_toe", "--history", "b2", "--save", "a.npz"], "--save needs the whole game"),
        (
            ["tic_tac_toe", "--history", "b2", "--resume", "a.solve"],
            "--resume needs the whole game",
        ),
    ],
)
def test_a_position_that_cannot_be_solved_is_refused(
    arguments: list[str], message: str, sog: Run
) -> None:
    code, out, err = sog("solve", *arguments)
    assert (code, out, len(err.splitlines())) == (2, "", 1)
    assert message in err


def test_a_state_is_not_written_over_a_policy(sog: Run, tmp_path: Path) -> None:
    path = tmp_path / "kuhn.solve"
    path.write_text("something else")
    code, _, err = sog("solve", "kuhn", "--save-state", str(path))
    assert (code, path.read_text()) == (2, "something else")
    assert "is not replaced" in err


def test_a_game_that_is_over_at_once_is_worth_what_it_pays(
    sog: Run, sog_json: RunJson, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pyspiel")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "over.efg").write_text(OVER_AT_ONCE)
    game = "openspiel:efg_game(filename=over.efg)"
    last = sog_json("solve", game, "--iterations", "2")
    assert (last["value"], last["exploitability"]) == (2, 0)
    code, _, err = sog("search", game, "--evaluator", "zero")
    assert (code, err.splitlines()[-1]) == (2, "sog: error: the game is over at 'start'.")
