"""Running the command as users do: in this process where it will do, else in one of its own."""

import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.cli.main import main
from sog.evaluation import ComposedPolicies
from sog.games import make
from sog.players.trained import Trained

Run = Callable[..., tuple[int, str, str]]
"""Runs a command: its exit code, stdout and stderr."""
RunJson = Callable[..., Any]
"""Runs a command with --json: what it printed."""
Start = Callable[..., "subprocess.Popen[str]"]


@pytest.fixture(autouse=True)
def _never_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    """A command that is slow to answer an interrupt would end this process, and all its tests."""
    monkeypatch.setattr("sog.cli.interrupts._PATIENCE_SECONDS", 600)


@pytest.fixture
def sog(capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs `sog` with some arguments: exit code, stdout, stderr."""

    def run(*arguments: str) -> tuple[int, str, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    return run


@pytest.fixture
def typed(sog: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs `sog` for a person who types some lines, which come first."""

    def run(lines: str, *arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.stdin", io.StringIO(lines))
        return sog(*arguments)

    return run


@pytest.fixture
def run_play(typed: Run) -> Run:
    """Runs `sog play` for a person who types some lines, which come first."""
    return lambda lines, *arguments: typed(lines, "play", *arguments)


@pytest.fixture
def sog_json(sog: Run) -> RunJson:
    """Runs `sog ... --json`, which must succeed: what it printed."""

    def run(*arguments: str) -> Any:
        return json.loads(output(sog, *arguments, "--json"))

    return run


def start_sog(*arguments: str, **options: Any) -> "subprocess.Popen[str]":
    """Starts `sog` in a process of its own."""
    command = [sys.executable, "-m", "sog", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
    return subprocess.Popen(command, text=True, **pipes)


@pytest.fixture
def start() -> Start:
    """See `start_sog`."""
    return start_sog


def composed_of_nothing(*_: Any, **__: Any) -> ComposedPolicies:
    """What `compose` returns, at no cost."""
    return ComposedPolicies(
        policy=np.zeros(0),
        exploitability=np.ones(1),
        value=np.zeros(1),
        num_searches=4,
        num_full=0,
        compile_seconds=1.0,
        seconds=1.0,
    )


TINY = """\
game = "kuhn"
network = { width = 16, depth = 1 }
search = { num_simulations = 4 }
selfplay = { batch_size = 8, td1 = 0.5 }
solver = { batch_size = 8, search = { num_simulations = 4 } }
replay = { least = 8, max_grad_updates = 1.0 }
learner = { batch_size = 8 }

[run]
steps = 16
checkpoint_every = 8
evaluate_every = 8
evaluate_search = { num_simulations = 4 }
value_error_states = 8
"""
"""A configuration of a run of seconds."""


@pytest.fixture(scope="module")
def config(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file of it."""
    file = tmp_path_factory.mktemp("config") / "tiny.toml"
    file.write_text(TINY)
    return str(file)


def output(sog: Run, *arguments: str) -> str:
    """What a command that must succeed prints on stdout."""
    code, out, err = sog(*arguments)
    assert code == 0, err
    return out


def refusal(sog: Run, *arguments: str, notes: bool = False) -> str:
    """The error of a command that must fail, in one line; notes: whether others may precede it."""
    code, out, err = sog(*arguments)
    assert (code, out) == (2, "")
    *before, line = err.splitlines()
    assert notes or not before
    assert line.startswith("sog: error: ")
    return line.removeprefix("sog: error: ")


@pytest.fixture
def untrained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the run folders `kuhn` and `tic_tac_toe`, and an empty one."""

    def load_trained(path: Path, checkpoint: int | None = None) -> Trained:
        if path.name == "empty":
            raise ValueError(f"{path} is not a run folder.")
        zeros: Any = ZeroEvaluator()
        return Trained(
            game=make(path.name),
            evaluator=zeros,
            settings=SearchSettings(num_simulations=2, num_queries=3, rule="cfr+"),
            step=700 if checkpoint is None else checkpoint,
            name=path.name,
            skipped=("step 900 is damaged.",) if checkpoint is None else (),
        )

    monkeypatch.setattr("sog.players.trained.load_trained", load_trained)
    for name in ("kuhn", "tic_tac_toe", "empty"):
        (tmp_path / name).mkdir()
    return tmp_path
