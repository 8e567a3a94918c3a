"""The inline schedule: the same run gives the same numbers, whatever happens to its process."""

import copy
import functools
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.loop import InlineSchedule
from selfplay.runs.checkpoint import CheckpointStore
from selfplay.runs.metrics import MetricsFile
from selfplay.schedule import PASSING
from selfplay.settings import (
    Config,
    LearnerSettings,
    ReplaySettings,
    RunSettings,
    SelfplaySettings,
    SolverSettings,
)
from selfplay.training import Training
from sog.games import make

CONFIG: Final = Config(
    game="kuhn",
    network=NetworkSettings(width=16, depth=1),
    search=SearchSettings(num_simulations=4),
    selfplay=SelfplaySettings(batch_size=8, td1=0.5),
    solver=SolverSettings(batch_size=8, search=SearchSettings(num_simulations=4)),
    replay=ReplaySettings(size=64, least=16, max_grad_updates=4.0),
    learner=LearnerSettings(batch_size=8),
    run=RunSettings(steps=60, checkpoint_every=20, seed=3),
)
"""So little that compiling is most of the work; tests/cli/test_train.py has the same programs."""

RUN: Final = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from test_loop import open_training
training, _ = open_training(Path(sys.argv[2]))

def progress(line):
    if line["step"] > 25:  # beyond the checkpoint of step 20
        print("now", flush=True)
        sys.stdin.read()

training.run(progress=progress)
"""


@functools.cache
def compiled() -> tuple[InlineSchedule, Any]:
    """The one run of this process, since compiling takes long, and what it is at its start."""
    inner = InlineSchedule(make(CONFIG.game), CONFIG)
    return inner, copy.deepcopy(inner.save())


def new_run() -> InlineSchedule:
    inner, start = compiled()
    inner.load(*copy.deepcopy(start))
    return inner


def open_training(folder: Path) -> tuple[Training, CheckpointStore]:
    store = CheckpointStore(folder / "checkpoints", keep=9)
    return Training(new_run(), store, MetricsFile(folder / "metrics.jsonl")), store


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a run that nobody disturbed."""
    folder = tmp_path_factory.mktemp("undisturbed")
    training, _ = open_training(folder)
    assert training.run()
    return folder


def assert_same(found: dict[str, np.ndarray], expected: dict[str, np.ndarray]) -> None:
    assert found.keys() == expected.keys()
    for name, array in expected.items():
        np.testing.assert_array_equal(found[name], array, err_msg=name)


def saved(folder: Path) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
    """The last checkpoint: everything that learning goes on from."""
    found = CheckpointStore(folder / "checkpoints", keep=9).load(CONFIG.run.steps)
    return found.arrays, found.meta["counts"]


def test_learning_changes_the_network_and_counts_what_was_done(finished: Path) -> None:
    store = CheckpointStore(finished / "checkpoints", keep=9)
    first, last = store.load(0).arrays, store.load(60).arrays
    assert any((first[name] != last[name]).any() for name in first if name.startswith("learner/"))
    counts = store.load(60).meta["counts"]
    assert counts["searches"] == 8 * counts["cycles"]  # one in each of the eight games
    assert counts["solves"] % 8 == 0  # batches of eight
    added, drawn = last["replay/counts"]
    assert added >= counts["solves"]  # each gives an example, beside those of outcomes
    assert drawn == 60 * 8 <= 4.0 * added


@pytest.mark.slow
def test_a_run_killed_and_resumed_ends_as_one_that_was_not(finished: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", RUN, str(Path(__file__).parent), str(tmp_path)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "now\n"
        process.send_signal(signal.SIGKILL)
        assert process.wait(timeout=60) == -signal.SIGKILL
    training, store = open_training(tmp_path)
    assert training.resume() == (store.steps()[-1], ())
    assert training.inner.learner.step == 20
    assert training.run()
    arrays, counts = saved(finished)
    assert_same(saved(tmp_path)[0], arrays)
    assert saved(tmp_path)[1] == counts


def test_a_run_goes_on_without_the_examples_that_only_the_newest_checkpoints_have(
    tmp_path: Path,
) -> None:
    def opened() -> tuple[Training, CheckpointStore]:
        store = CheckpointStore(tmp_path / "checkpoints", keep=1, milestones=(20,), passing=PASSING)
        return Training(new_run(), store, MetricsFile(tmp_path / "metrics.jsonl")), store

    training, store = opened()
    training.run()
    assert store.steps() == [20, 60]
    assert any(name.startswith(PASSING) for name in store.load(60).arrays)
    shutil.rmtree(store.load(60).path)
    again, store = opened()
    path = tmp_path / "checkpoints" / "20"
    told = f"{path} is too old to have examples; they are gathered anew."
    assert again.resume() == (20, (told,))
    assert len(again.inner.replay) == 0
    assert again.run()
    assert store.steps() == [20, 60]


def test_a_truncated_newest_checkpoint_is_passed_over_and_told(
    finished: Path, tmp_path: Path
) -> None:
    training, _ = open_training(tmp_path)
    training.run()
    files = (file for file in (tmp_path / "checkpoints" / "60").rglob("*") if file.is_file())
    largest = max(files, key=lambda file: file.stat().st_size)
    os.truncate(largest, largest.stat().st_size // 2)
    again, _ = open_training(tmp_path)
    found = again.resume()
    assert found is not None
    step, skipped = found
    assert step == 40
    assert len(skipped) == 1
    assert skipped[0].startswith("checkpoint 60: ")
    assert again.run()
    assert_same(saved(tmp_path)[0], saved(finished)[0])


def play_on(training: InlineSchedule, cycles: int) -> dict[str, np.ndarray]:
    for _ in range(cycles):
        training.cycle()
    return training.save()[0]


def test_games_in_progress_are_given_up_when_new_ones_begin() -> None:
    # All go on from cycle 1, with the same keys: one with the games of cycle 0, one with new games,
    # and one that never played those of cycle 0.
    goes_on = play_on(new_run(), 4)
    training = new_run()
    training.cycle()
    training.begin_new_games()
    after_one = copy.deepcopy(training.save())
    begins_anew = play_on(training, 3)
    training = new_run()
    training.load(*after_one)
    assert_same(play_on(training, 3), begins_anew)
    assert not np.array_equal(goes_on["replay/entry_value"], begins_anew["replay/entry_value"])


def test_no_step_is_done_before_there_are_enough_examples_nor_beyond_the_limit() -> None:
    training = new_run()
    while len(training.replay) < CONFIG.replay.least:
        assert training.learner.step == 0
        assert training.steps_due(until=3) == 0
        training.cycle(until=3)
    for _ in range(3):
        training.cycle(until=3)
    assert training.learner.step == 3
    assert training.steps_due(until=3) == 0
