"""Training: when it saves, evaluates, reports and stops; with a schedule that learns nothing."""

import dataclasses
import functools
import re
import shutil
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from gtcfr.evaluator import Evaluator, NetworkEvaluator
from networks.cvpn import NetworkSettings
from selfplay.runs.checkpoint import CheckpointStore
from selfplay.runs.metrics import Metrics, MetricsFile, read_metrics
from selfplay.schedule import PARTS, Schedule
from selfplay.settings import Config, ReplaySettings, RunSettings
from selfplay.training import Evaluate, Training, check_meta, milestones
from selfplay.workers import WorkersLostError
from sog.games import make


class Counting(Schedule):
    """Counts three steps per cycle, and notes when it was told to begin new games."""

    def __init__(self, run: RunSettings) -> None:
        config = Config(
            game="kuhn",
            network=NetworkSettings(width=4, depth=1),
            replay=ReplaySettings(size=8, least=1),
            run=run,
        )
        super().__init__(make("kuhn"), config)
        self.new_games_at: list[int] = []
        self.steps_per_cycle = 3

    def _advance(self, until: int | None) -> dict[str, float]:
        assert until is not None
        step = min(self.learner.step + self.steps_per_cycle, until)
        self.learner.state = dataclasses.replace(self.learner.state, step=jnp.int32(step))
        return {"loss": float(step)}

    def begin_new_games(self) -> None:
        self.new_games_at.append(self.learner.step)


def open_training(folder: Path, run: RunSettings) -> tuple[Training, Counting, CheckpointStore]:
    store = CheckpointStore(
        folder / "checkpoints", keep=run.keep, milestones=milestones(run), check=check_meta
    )
    inner = Counting(run)
    return Training(inner, store, MetricsFile(folder / "metrics.jsonl")), inner, store


def evaluation_at(steps: list[int], inner: Schedule, values: list[float]) -> Evaluate:
    """Notes the steps at which it is called, and answers with the values in turn."""

    def evaluate(evaluator: Evaluator) -> dict[str, float]:
        assert isinstance(evaluator, NetworkEvaluator)
        assert evaluator.params is inner.learner.state.average
        steps.append(inner.learner.step)
        return {"exploitability": values[len(steps) - 1]}

    return evaluate


@pytest.mark.parametrize(
    ("steps", "every", "number", "expected"),
    [
        (1000, 100, 4, {0, 200, 500, 800, 1000}),  # 250 and 750 are no checkpoints; ties to even
        (250, 100, 5, {0, 100, 200, 250}),  # more milestones than checkpoints
        (50, 100, 2, {0, 50}),  # no checkpoint on the way
    ],
)
def test_milestones_are_spread_evenly_over_the_checkpoints(
    steps: int, every: int, number: int, expected: set[int]
) -> None:
    settings = RunSettings(steps=steps, checkpoint_every=every, milestones=number)
    assert milestones(settings) == expected


def test_a_run_saves_its_start_each_multiple_and_its_end_and_then_begins_new_games(
    tmp_path: Path,
) -> None:
    run = RunSettings(steps=23, checkpoint_every=10, keep=9)
    training, inner, store = open_training(tmp_path, run)
    assert training.run()
    assert store.steps() == [0, 10, 20, 23]
    assert inner.learner.step == 23
    assert inner.new_games_at == [10, 20, 23]


def test_what_was_told_before_the_first_step_is_not_told_again_after_a_kill(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cycles that fill the replay buffer report, too, and belong to the checkpoint of step 0."""
    monkeypatch.setattr("selfplay.training._SECONDS_BETWEEN_LINES", -1.0)
    run = RunSettings(steps=9, checkpoint_every=9)

    class KilledError(Exception):
        pass

    def kill(line: Metrics) -> None:
        raise KilledError

    for _ in range(3):
        training, inner, _ = open_training(tmp_path, run)
        inner.steps_per_cycle = 0
        training.resume()
        with pytest.raises(KilledError):
            training.run(progress=kill)
    lines = read_metrics(tmp_path / "metrics.jsonl")
    assert [line["step"] for line in lines] == [0]  # of the last session


def test_evaluations_come_at_the_start_when_due_and_at_the_end(tmp_path: Path) -> None:
    run = RunSettings(steps=50, checkpoint_every=10, evaluate_every=20)
    training, inner, _ = open_training(tmp_path, run)
    called: list[int] = []
    training.run(evaluate=evaluation_at(called, inner, [0.5, 0.4, 0.1, 0.3]))
    assert called == [0, 20, 40, 50]
    lines = [line for line in read_metrics(tmp_path / "metrics.jsonl") if "exploitability" in line]
    assert [(line["step"], line["exploitability"]) for line in lines] == [
        (0, 0.5),
        (20, 0.4),
        (40, 0.1),
        (50, 0.3),
    ]


def test_a_run_that_is_stopped_while_its_start_is_measured_has_a_checkpoint(tmp_path: Path) -> None:
    run = RunSettings(steps=9, checkpoint_every=9, evaluate_every=9)
    training, inner, store = open_training(tmp_path, run)

    def interrupted(evaluator: Evaluator) -> dict[str, float]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        training.run(evaluate=interrupted)
    assert store.steps() == [0]
    training, inner, _ = open_training(tmp_path, run)
    assert training.resume() == (0, ())
    called: list[int] = []
    training.run(evaluate=evaluation_at(called, inner, [0.5, 0.4]))
    assert called == [0, 9]


def test_the_checkpoint_with_the_least_exploitability_stays(tmp_path: Path) -> None:
    run = RunSettings(steps=50, checkpoint_every=10, evaluate_every=20, keep=1)
    training, inner, store = open_training(tmp_path, run)
    training.run(evaluate=evaluation_at([], inner, [0.5, 0.1, 0.4, 0.3]))
    assert store.steps() == [20, 50]
    assert store.load(20).meta["measured"] == {"exploitability": 0.1}


def test_a_stop_saves_a_checkpoint_without_evaluating(tmp_path: Path) -> None:
    run = RunSettings(steps=100, checkpoint_every=50, evaluate_every=50)
    training, inner, store = open_training(tmp_path, run)
    called: list[int] = []
    finished = training.run(
        evaluate=evaluation_at(called, inner, [0.5]), should_stop=lambda: inner.learner.step == 9
    )
    assert not finished
    assert store.steps() == [0, 9]
    assert called == [0]


def test_a_stop_at_a_checkpoint_does_not_save_it_twice(tmp_path: Path) -> None:
    training, inner, store = open_training(tmp_path, RunSettings(steps=100, checkpoint_every=50))
    assert not training.run(should_stop=lambda: True)
    assert store.steps() == [0, 3]
    again, inner, store = open_training(tmp_path, RunSettings(steps=100, checkpoint_every=50))
    assert again.resume() == (3, ())
    inner.steps_per_cycle = 0
    before = (tmp_path / "checkpoints" / "3" / "manifest.json").stat().st_mtime_ns
    assert not again.run(should_stop=lambda: True)
    assert (tmp_path / "checkpoints" / "3" / "manifest.json").stat().st_mtime_ns == before


def test_a_stop_after_a_damaged_checkpoint_saves_what_came_since(tmp_path: Path) -> None:
    run = RunSettings(steps=100, checkpoint_every=10)
    training, first, _ = open_training(tmp_path, run)
    training.run(should_stop=lambda: first.learner.step == 20)
    next((tmp_path / "checkpoints" / "20" / "arrays").rglob("*")).unlink()
    again, inner, store = open_training(tmp_path, run)
    resumed = again.resume()
    assert resumed is not None
    assert resumed[0] == 10
    assert not again.run(should_stop=lambda: inner.learner.step == 16)
    assert store.steps() == [0, 10, 16, 20]  # what is damaged does not count


def test_a_run_whose_checkpoints_are_all_damaged_is_not_begun_anew(tmp_path: Path) -> None:
    run = RunSettings(steps=10, checkpoint_every=10)
    training, _, _ = open_training(tmp_path, run)
    training.run()
    for manifest in tmp_path.rglob("manifest.json"):
        manifest.write_text("{}")
    again, _, _ = open_training(tmp_path, run)
    with pytest.raises(ValueError, match="no checkpoint that can be loaded"):
        again.resume()
    assert read_metrics(tmp_path / "metrics.jsonl")


def test_a_run_whose_checkpoints_are_gone_is_not_begun_anew(tmp_path: Path) -> None:
    run = RunSettings(steps=10, checkpoint_every=10)
    open_training(tmp_path, run)[0].run()
    shutil.rmtree(tmp_path / "checkpoints")
    before = (tmp_path / "metrics.jsonl").read_bytes()
    again, _, _ = open_training(tmp_path, run)
    with pytest.raises(
        ValueError, match=r"metrics\.jsonl is there, but no checkpoint to resume from"
    ):
        again.resume()
    assert (tmp_path / "metrics.jsonl").read_bytes() == before


@pytest.mark.parametrize("killed_at", [0, 10])
def test_a_kill_between_a_checkpoint_and_its_lines_loses_and_repeats_nothing(
    killed_at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = RunSettings(steps=20, checkpoint_every=10, evaluate_every=10)
    training, inner, store = open_training(tmp_path, run)
    save = store.save

    def save_and_die(step: int, *rest: Any, **more: Any) -> Path:
        path = save(step, *rest, **more)
        if step == killed_at:
            raise KeyboardInterrupt  # nothing that follows is done, as after a kill
        return path

    monkeypatch.setattr(store, "save", save_and_die)
    called: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        training.run(evaluate=evaluation_at(called, inner, [0.5, 0.4, 0.3]))
    again, inner, _ = open_training(tmp_path, run)
    again.resume()
    again.run(evaluate=evaluation_at(called, inner, [0.5, 0.4, 0.3]))
    assert called == [0, 10, 20]  # each network measured once
    lines = read_metrics(tmp_path / "metrics.jsonl")
    assert [(line["step"], line.get("exploitability")) for line in lines] == [
        (0, 0.5),
        (10, None),  # what the learner reports
        (10, 0.4),
        (20, None),
        (20, 0.3),
    ]


def test_what_a_checkpoint_lacks_to_go_on_is_named() -> None:
    counts = dict.fromkeys(("cycles", "searches", "solves", "games", "full_trees"), 1)
    good = {
        "counts": counts,
        "seconds": dict.fromkeys(PARTS, 1.0),
        "measured": {},
        "total_seconds": 3.0,
    }
    check_meta(good)
    check_meta({**good, "lines": [{"step": 3, "seconds": 1.0}]})
    for change, says in (
        ({"counts": None}, "counts must be numbers by name."),
        ({"counts": {"cycles": 1}}, "counts.searches is missing."),
        ({"counts": {**counts, "games": "x"}}, "counts must be numbers by name."),
        ({"seconds": {}}, f"seconds.{PARTS[0]} is missing."),
        ({"measured": {"exploitability": []}}, "measured must be numbers by name."),
        ({"total_seconds": None}, "total_seconds must be a number."),
        ({"lines": [{"step": 3}]}, "lines must be metrics."),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(says)}$"):
            check_meta({**good, **change})


def test_what_a_stop_left_unmeasured_is_measured_when_the_run_goes_on(tmp_path: Path) -> None:
    run = RunSettings(steps=20, checkpoint_every=10, evaluate_every=10)
    called: list[int] = []
    for at, finishes in ((10, False), (20, False), (20, True)):
        training, inner, store = open_training(tmp_path, run)
        training.resume()
        evaluate = evaluation_at(called, inner, [0.5, 0.4, 0.3])
        stop = functools.partial(lambda schedule, step: schedule.learner.step == step, inner, at)
        assert training.run(evaluate=evaluate, should_stop=stop) == finishes
    assert called == [0, 10, 20]
    assert store.load(20).meta["measured"] == {"exploitability": 0.3}


def test_a_resumed_run_goes_on_and_forgets_what_came_after_its_checkpoint(tmp_path: Path) -> None:
    run = RunSettings(steps=100, checkpoint_every=10)
    training, first, _ = open_training(tmp_path, run)
    first.counts["cycles"] = 5  # its keys and random numbers follow from this
    training.run(should_stop=lambda: first.learner.step == 20)
    first.counts["searches"] = 7  # of a time after the checkpoint
    metrics = MetricsFile(tmp_path / "metrics.jsonl")
    metrics.add({"step": 26, "seconds": 1.0})
    again, inner, store = open_training(tmp_path, run)
    assert again.resume() == (20, ())
    assert inner.learner.step == 20
    assert (inner.counts["searches"], inner.counts["cycles"]) == (0, 5)
    assert all(line["step"] <= 20 for line in read_metrics(metrics.path))
    assert again.run()
    assert store.steps() == [80, 90, 100]


def test_the_seconds_of_earlier_sessions_count(tmp_path: Path) -> None:
    run = RunSettings(steps=10, checkpoint_every=10)
    training, inner, store = open_training(tmp_path, run)
    arrays, numbers = inner.save()
    store.save(0, arrays, {**numbers, "total_seconds": 1000.0, "measured": {}})
    training.resume()
    assert 1000 <= training.seconds < 1060


def test_progress_is_told_after_every_cycle_with_the_mean_of_the_losses(tmp_path: Path) -> None:
    told: list[Metrics] = []
    training, _, _ = open_training(tmp_path, RunSettings(steps=6, checkpoint_every=6))
    training.run(progress=told.append)
    assert [line["step"] for line in told] == [3, 6]
    assert told[-1]["loss"] == (3 + 6) / 2  # since the last line in the file
    written: list[dict[str, Any]] = read_metrics(tmp_path / "metrics.jsonl")
    assert [line["step"] for line in written] == [6]
    assert written[0]["loss"] == 4.5


def test_a_run_that_loses_its_workers_is_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    training, inner, store = open_training(tmp_path, RunSettings(steps=20, checkpoint_every=10))
    cycle = inner.cycle

    def cycle_or_lose(until: int | None = None) -> dict[str, float]:
        if inner.learner.step >= 13:
            raise WorkersLostError("nobody is left")
        return cycle(until)

    monkeypatch.setattr(inner, "cycle", cycle_or_lose)
    with pytest.raises(ValueError, match=r"^nobody is left$"):
        training.run()
    assert store.steps() == [0, 10, 13]
    with pytest.raises(ValueError, match=r"^nobody is left$"):  # at a step that is saved already
        training.run()
    assert store.steps() == [0, 10, 13]
