"""`sog train` from the first step to the last, and what takes its run folder from there."""

import contextlib
import dataclasses
import io
import json
import re
import shutil
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtcfr.settings import SearchSettings
from selfplay.runs.checkpoint import load_checkpoint
from selfplay.runs.config import dump_config, load_config
from selfplay.runs.metrics import read_metrics
from selfplay.runs.run_folder import RunFolder
from sog.cli.main import main
from sog.cli.train import TrainView
from sog.evaluation import ComposedPolicies
from tests.cli.conftest import Run, RunJson, Start, composed_of_nothing, output, refusal
from tests.waiting import PATIENCE, has_computed, wait_until

UNWATCHED = ("--set", "run.evaluate_every=0")  # evaluations change nothing


@pytest.fixture(scope="module")
def trained(config: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """A run folder, stdout and stderr of a whole run. Tests that change the folder copy it."""
    path = tmp_path_factory.mktemp("runs") / "kuhn"
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["train", config, "--run", str(path), "--json"])
    assert code == 0, err.getvalue()
    return path, out.getvalue(), err.getvalue()


@pytest.fixture
def copied(trained: tuple[Path, str, str], tmp_path: Path) -> Path:
    return Path(shutil.copytree(trained[0], tmp_path / "run"))


DISK = r"sog: checkpoints will take some ([\d.]+) MB of disk; .+B are free\."


def steps_in(path: Path) -> list[int]:
    return sorted(int(entry.name) for entry in (path / "checkpoints").iterdir())


def test_a_run_trains_to_its_last_step_and_reports(trained: tuple[Path, str, str]) -> None:
    path, out, err = trained
    result: dict[str, Any] = json.loads(out)
    assert result["game"] == "kuhn(ranks=3)"
    assert (result["run"], result["step"]) == (str(path), 16)
    counts = result["counts"]
    assert counts["searches"] == 8 * counts["cycles"]
    assert counts["solves"] % 8 == 0
    assert counts["games"] > 8
    # An example is used once on average: 16 batches of 8.
    assert 128 <= result["examples"] < 128 + 8 * 20
    about_disk, *doing = err.splitlines()[:4]
    assert re.fullmatch(DISK, about_disk)
    assert doing == [
        "sog: compiling",
        "sog: solving belief states for comparison",
        "sog: compiling self-play and the query solver",
    ]
    assert "sog: training\n" in err
    assert "going on from" not in err


def test_checkpoints_take_no_more_disk_than_was_told(trained: tuple[Path, str, str]) -> None:
    path, _, err = trained
    told = re.fullmatch(DISK, err.splitlines()[0])
    assert told is not None
    found = [load_checkpoint(path / "checkpoints", step).arrays for step in steps_in(path)]
    there = sum(array.nbytes for arrays in found for array in arrays.values())
    assert there < float(told[1]) * 10**6


def test_a_run_keeps_checkpoints_and_metrics(trained: tuple[Path, str, str]) -> None:
    path, out, _ = trained
    assert steps_in(path) == [0, 8, 16]
    lines = read_metrics(path / "metrics.jsonl")
    measured = [line for line in lines if "exploitability" in line]
    assert [line["step"] for line in measured] == [0, 8, 16]
    assert measured[-1]["exploitability"] == json.loads(out)["exploitability"]
    # Kuhn poker's mean payoff is at most 2, and uniform play loses 0.46 against best responses.
    assert all(0 < line["exploitability"] < 0.5 for line in measured)
    assert all(0 < line["value_error_exact"] < 2 for line in measured)
    told = [line for line in lines if "searches_per_second" in line]
    assert [line["step"] for line in told if "loss" in line][-1] == 16
    for line in told:
        shares = [line[f"{part}_share"] for part in ("selfplay", "solver", "learner")]
        assert min(shares) >= 0
        assert sum(shares) <= 1 + 1e-6
    assert [line["seconds"] for line in lines] == sorted(line["seconds"] for line in lines)


def test_a_run_that_was_killed_goes_on_and_gets_the_same_parameters_bit_for_bit(
    sog: Run, config: str, copied: Path
) -> None:
    """As if the machine had died after the checkpoint of step 8; and on, for more steps."""
    wanted = load_checkpoint(copied / "checkpoints", 16)
    before = read_metrics(copied / "metrics.jsonl")
    shutil.rmtree(copied / "checkpoints" / "16")
    with (copied / "metrics.jsonl").open("a") as file:
        file.write('{"step": 16, "sec')
    longer = ("--set", "run.steps=20")
    code, out, err = sog("train", config, "--run", str(copied), *UNWATCHED, *longer)
    assert code == 0, err
    assert f"sog: resuming from the checkpoint of step 8 in {copied}.\n" in err
    assert "trained in" in out
    found = load_checkpoint(copied / "checkpoints", 16)
    assert found.arrays.keys() == wanted.arrays.keys()
    for name, array in wanted.arrays.items():
        np.testing.assert_array_equal(found.arrays[name], array)
    assert found.meta["counts"] == wanted.meta["counts"]
    assert steps_in(copied)[-1] == 20
    lines = read_metrics(copied / "metrics.jsonl")
    kept = [line for line in before if line["step"] <= 8]
    assert lines[: len(kept)] == kept
    assert lines[-1]["step"] == 20
    assert lines[-1]["seconds"] > kept[-1]["seconds"]  # of both sessions
    assert [line["step"] for line in lines if "exploitability" in line] == [0, 8]
    assert RunFolder.read(copied).config.run.steps == 20


def test_a_damaged_checkpoint_is_passed_over_and_told(sog: Run, config: str, copied: Path) -> None:
    (copied / "checkpoints" / "16" / "meta.json").write_text("{}")
    last = ("--set", "run.steps=8")
    code, _, err = sog("train", config, "--run", str(copied), *UNWATCHED, *last)
    assert code == 0, err
    assert "sog: checkpoint 16: file meta.json has 2 bytes, not " in err
    assert "resuming from the checkpoint of step 8 in" in err


@pytest.mark.thorough
def test_weights_that_explode_stop_the_run_and_the_batch_is_kept(
    sog: Run, config: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    options = ("--run", str(path), *UNWATCHED, "--set", "learner.learning_rate=1e38")
    last = refusal(sog, "train", config, *options, notes=True)
    kept = sorted(path.glob("not_finite_*.npz"))
    assert len(kept) == 1
    assert "is not finite in learner step " in last
    assert last.endswith(f" Its batch is in {kept[0]}.")
    with np.load(kept[0]) as batch:
        assert batch["values"].shape == (8, 2, 3)
    assert steps_in(path) == [0]


# Taken from there: sog evaluate.


@pytest.mark.slow
def test_all_checkpoints_are_evaluated_as_they_were_while_training(
    sog: Run, trained: tuple[Path, str, str]
) -> None:
    path, _, _ = trained
    out = output(sog, "evaluate", f"{path}@all", "--seeds", "3", "--json")
    results = json.loads(out)["results"]
    assert [result["checkpoint"] for result in results] == [0, 8, 16]
    assert {tuple(result["search"]) for result in results} == {(4, 1)}
    assert {result["evaluator"] for result in results} == {"network"}
    measured = [
        line["exploitability"]
        for line in read_metrics(path / "metrics.jsonl")
        if "exploitability" in line
    ]
    found = [result["exploitability"]["mean"] for result in results]
    assert found == pytest.approx(measured, abs=1e-3)


def test_the_newest_checkpoint_is_evaluated_unless_one_is_named(
    sog: Run, trained: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.cli.evaluate.compose", composed_of_nothing)
    out = output(sog, "evaluate", str(trained[0]), "--seeds", "3", "--json")
    assert [result["checkpoint"] for result in json.loads(out)["results"]] == [16]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ([], SearchSettings(num_simulations=6, rule="dcfr", leaf_averaging=0.25, alpha=1.0)),
        (
            ["--search", "8,2", "--set", "rule=sog", "--set", "leaf_averaging=0"],
            SearchSettings(num_simulations=8, simulations_per_update=2.0, alpha=1.0),
        ),
    ],
)
def test_a_run_is_evaluated_with_the_search_it_was_set_to_unless_told_otherwise(
    sog: Run,
    copied: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    expected: SearchSettings,
) -> None:
    config = load_config(str(copied / "config.toml"))
    search = SearchSettings(num_simulations=6, rule="dcfr", leaf_averaging=0.25, alpha=1.0)
    run = dataclasses.replace(config.run, evaluate_search=search)
    (copied / "config.toml").write_text(dump_config(dataclasses.replace(config, run=run)))
    asked: list[SearchSettings] = []

    def compose(_: Any, __: Any, settings: SearchSettings, **___: Any) -> ComposedPolicies:
        asked.append(settings)
        return composed_of_nothing()

    monkeypatch.setattr("sog.cli.evaluate.compose", compose)
    out = output(sog, "evaluate", str(copied), *options, "--json")
    (result,) = json.loads(out)["results"]
    assert (result["rule"], result["alpha"]) == (expected.rule, 1)
    assert [dataclasses.replace(settings, capacity=None) for settings in asked] == [expected]


@pytest.mark.thorough
def test_one_search_with_the_network_of_a_run_is_shown(
    sog_json: RunJson, trained: tuple[Path, str, str]
) -> None:
    result = sog_json("search", f"{trained[0]}@8", "--history", "check", "--set", "rule=cfr+")
    assert (result["game"], result["evaluator"]) == ("kuhn(ranks=3)", "kuhn at step 8")
    assert (result["search"], result["rule"]) == ([4, 1], "cfr+")  # as the run evaluates
    assert result["root"]["history"] == ["check"]


@pytest.mark.thorough
def test_the_strategy_of_a_run_is_the_one_that_is_evaluated(
    sog_json: RunJson, trained: tuple[Path, str, str]
) -> None:
    seed = ("--search", "2,1", "--seed", "3")
    evaluated = sog_json("evaluate", f"{trained[0]}@8", *seed, "--seeds", "1")["results"]
    expected = evaluated[0]["exploitability"]["mean"]
    shown = sog_json("policy", f"{trained[0]}@8", *seed)
    assert shown["exploitability"] == pytest.approx(expected, abs=1e-9)
    explained = sog_json("explain", f"{trained[0]}@8", *seed)
    losses = sum(state["loss"] for state in explained["states"])
    assert losses == pytest.approx(expected, abs=1e-9)
    other = sog_json("policy", str(trained[0]), *seed)  # the newest checkpoint
    assert other["exploitability"] != shown["exploitability"]


def test_a_history_that_cannot_be_is_told_before_a_run_searches(
    sog: Run, trained: tuple[Path, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.cli.strategy.compose", None)
    assert "--history: event 1, 'fold', cannot happen at 'start" in refusal(
        sog, "policy", str(trained[0]), "--history", "fold", notes=True
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["RUN@9"], "RUN has no checkpoint of step 9, only of 0, 8, 16."),
        (["RUN", "--evaluator", "zero"], "--evaluator has no effect on RUN, which has a network."),
    ],
)
def test_what_a_run_folder_cannot_be_evaluated_with_is_told(
    sog: Run, trained: tuple[Path, str, str], options: list[str], message: str
) -> None:
    wanted, *typed = (text.replace("RUN", str(trained[0])) for text in (message, *options))
    assert sog("evaluate", *typed) == (2, "", f"sog: error: {wanted}\n")


def test_folders_without_a_run_or_a_checkpoint_cannot_be_evaluated(
    sog: Run, trained: tuple[Path, str, str], tmp_path: Path
) -> None:
    said = refusal(sog, "evaluate", str(tmp_path))
    assert said == f"{tmp_path} is not a run folder: it has no config.toml."
    shutil.copy(trained[0] / "config.toml", tmp_path)
    assert refusal(sog, "evaluate", str(tmp_path)) == f"{tmp_path} has no checkpoint yet."


# Folders of other runs.


def test_a_run_folder_of_another_game_is_left_alone(sog: Run, config: str, copied: Path) -> None:
    found = refusal(sog, "train", config, "--run", str(copied), "--set", "game=leduc")
    assert found.startswith(
        f"run folder {copied} was started with game = kuhn, not leduc; choose another --run folder "
        f"(only summary, run.steps, "
    )
    assert steps_in(copied) == [0, 8, 16]


def test_a_run_folder_in_use_is_left_alone(sog: Run, config: str, copied: Path) -> None:
    with RunFolder.open(copied, RunFolder.read(copied).config):
        found = refusal(sog, "train", config, "--run", str(copied))
    assert found.startswith(f"run folder {copied} is in use by process ")


# Interrupts.


@pytest.mark.thorough
def test_ctrl_c_ends_after_the_cycle_with_a_checkpoint(
    sog: Run, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, show, pressed = tmp_path / "run", TrainView.show, list[int]()

    def press_ctrl_c(view: TrainView, line: dict[str, Any]) -> None:
        show(view, line)
        if line["step"] >= 3 and not pressed:  # a second time would end this process
            pressed.append(line["step"])
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(TrainView, "show", press_ctrl_c)
    code, out, err = sog("train", config, "--run", str(path), *UNWATCHED, "--json")
    assert code == 130, err
    step = json.loads(out)["step"]
    assert 3 < step < 16
    assert err.endswith(f"sog: stopped at step {step:,}; the same command resumes.\n")
    assert steps_in(path) == [0, step]


@pytest.mark.thorough
def test_ctrl_c_before_anything_was_trained_ends_at_once(
    sog: Run, config: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, cycles = tmp_path / "run", []

    def press_ctrl_c(*_: Any) -> None:
        cycles.append("begun")
        signal.raise_signal(signal.SIGTERM)
        cycles.append("finished")

    monkeypatch.setattr("selfplay.loop.InlineSchedule.cycle", press_ctrl_c)
    code, out, err = sog("train", config, "--run", str(path), *UNWATCHED, "--json")
    assert (code, out, cycles) == (143, "", ["begun"])
    message = (
        "interrupted while playing the first games: nothing is lost; the same command resumes."
    )
    assert err.endswith(f"sog: {message}\n")
    assert steps_in(path) == [0]


@pytest.mark.slow
def test_ctrl_c_is_heard_while_a_cycle_takes_long_and_a_second_ends_at_once(
    start: Start, config: str, tmp_path: Path
) -> None:
    path = tmp_path / "run"
    # A cycle is a decision in every game, then all steps that are due: none in the first ones.
    slow = ["replay.max_grad_updates=1e6", "replay.least=100"]
    slow += ["run.steps=1000000", "run.checkpoint_every=1000000"]
    settings = [word for value in slow for word in ("--set", value)]
    process = start("train", config, "--run", str(path), *UNWATCHED, *settings)
    assert process.stderr is not None
    for line in process.stderr:
        if line.startswith("sog: filling the replay window"):
            break
    wait_until(lambda: has_computed(process.pid, 20))
    process.send_signal(signal.SIGINT)
    assert "sog: stopping after this cycle; Ctrl-C again to stop at once.\n" in process.stderr
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, err) == (130, "sog: stopped at once.\n")
    assert load_checkpoint(path / "checkpoints").step == 0
