"""Files from somebody else: no reader imports, waits, fills the memory, or goes elsewhere for one.

One table of what is read and by which command, and a few of what may lie there instead.
"""

import json
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from sog.cli.main import main

_PATIENCE: Final = 120  # seconds: whoever is not done then waits for ever
_CONFIG: Final = 'game = "kuhn"\nsummary = "s"\n[network]\nwidth = 8\n[run]\nsteps = 1\n'

READERS: Final = {
    "sog policy": ("policy.npz", "policy policy.npz"),
    "sog explain": ("policy.npz", "explain policy.npz"),
    "sog exploitability": ("policy.npz", "exploitability kuhn policy.npz"),
    "sog configs": ("mine.toml", "configs mine.toml"),
    "sog train, its configuration": ("mine.toml", "train mine.toml --run other"),
    "sog replay": ("saved.json", "replay saved.json"),
    "sog play --resume": ("saved.json", "play random --game kuhn --resume saved.json"),
    "a map": ("town.csv", "games scotland_yard(map=town.csv)"),
    "sog plot, the configuration": ("run/config.toml", "plot run"),
    "sog plot, the metrics": ("run/metrics.jsonl", "plot run"),
    "sog evaluate, the configuration": ("run/config.toml", "evaluate run"),
    "sog evaluate, a manifest": ("run/checkpoints/0/manifest.json", "evaluate run"),
    "sog evaluate, the meta data": ("run/checkpoints/0/meta.json", "evaluate run"),
    "sog evaluate, the checkpoints": ("run/checkpoints", "evaluate run"),
    "sog train, the configuration of the run": ("run/config.toml", "train mine.toml --run run"),
    "sog train, the metrics": ("run/metrics.jsonl", "train mine.toml --run run"),
    "sog train, the lock": ("run/lock", "train mine.toml --run run"),
    "sog train, a manifest": ("run/checkpoints/0/manifest.json", "train mine.toml --run run"),
    "sog train, the checkpoints": ("run/checkpoints", "train mine.toml --run run"),
}
"""What is read, in the current folder, and the command that reads it."""


def _giant(path: Path) -> None:
    """A terabyte that takes no room on disk."""
    with path.open("wb") as file:
        file.truncate(2**40)


def _socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as one:
        here = Path.cwd()
        os.chdir(path.parent)  # the path of a socket must be short
        one.bind(path.name)
        os.chdir(here)


THINGS: Final[dict[str, Callable[[Path], None]]] = {
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a pipe": os.mkfifo,
    "a socket": _socket,
    "a folder": Path.mkdir,
    "a terabyte": _giant,
}


@pytest.fixture(autouse=True)
def _in_time() -> Iterator[None]:
    """Ends a test that waits for ever."""

    def stop(number: int, frame: Any) -> None:
        raise TimeoutError("it waits, or reads, for ever")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(_PATIENCE)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a file of each kind, all as they should be."""
    from selfplay.checkpoint import CheckpointStore
    from selfplay.config import load_config
    from selfplay.metrics import MetricsFile
    from selfplay.run_folder import RunFolder

    folder = tmp_path_factory.mktemp("original")
    (folder / "mine.toml").write_text(_CONFIG)
    with RunFolder.open(folder / "run", load_config(str(folder / "mine.toml"))) as run:
        CheckpointStore(run.checkpoints, keep=1).save(0, {"learner": np.zeros(2)}, {})
        MetricsFile(run.metrics).add({"step": 0, "seconds": 1.0})
    write_policy(folder / "policy.npz")
    (folder / "saved.json").write_text(json.dumps(SAVED))
    (folder / "town.csv").write_text("station_a,station_b,transport\n3,5,taxi\n5,8,taxi\n")
    return folder


@pytest.fixture
def folder(original: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder that is a copy of it."""
    shutil.copytree(original, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


SAVED: Final[dict[str, Any]] = {
    "game": "kuhn(ranks=3)",
    "unit": "chips",
    "agent": {"name": "random"},
    "games": [
        {
            "human": 1,
            "utility": -1.0,
            "moves": [{"state": "start", "actor": 0, "action": 2, "text": None, "event": "x"}],
            "names": [["K", "J"]] * 2,
        }
    ],
}


def write_policy(path: Path, game: str = "kuhn(ranks=3)", **arrays: Any) -> None:
    notes = {"format": "sog-policy-1", "game": game}
    content: dict[str, Any] = {
        "probabilities": np.full(24, 0.5),
        "metadata": np.array(json.dumps(notes)),
    }
    np.savez_compressed(path, **(content | arrays))


def refusal(capsys: pytest.CaptureFixture[str], command: str) -> str:
    """Why a command refuses, in one line that does nothing to a terminal."""
    code = main(command.split())
    out, err = capsys.readouterr()
    assert code == 2, out + err
    assert "Traceback" not in err
    errors = [line for line in err.splitlines() if line.startswith("sog: error: ")]
    assert len(errors) == 1, err
    assert is_plain(out + err)
    return errors[0].removeprefix("sog: error: ")


def is_plain(text: str) -> bool:
    return all(one.isprintable() or one in "\n\t" for one in text)


@pytest.mark.parametrize("thing", THINGS)
@pytest.mark.parametrize("reader", READERS)
def test_what_is_no_file_of_the_kind_is_refused_at_once(
    folder: Path, reader: str, thing: str, capsys: pytest.CaptureFixture[str]
) -> None:
    name, command = READERS[reader]
    (folder / name).rename(folder / "as it was")
    THINGS[thing](folder / name)
    refusal(capsys, command)
