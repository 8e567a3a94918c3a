"""The picture of several outputs of `sog evaluate --json`."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "plot_evaluations.py"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, game in (("one", "kuhn"), ("other", "kuhn"), ("leduc", "leduc")):
        spread = {"min": 0.01, "mean": 0.02, "max": 0.03}
        rows = [
            {"updates": updates, "exploitability": spread, "tabular": 0.1 / updates, "rule": "sog"}
            for updates in (100, 10)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps({"game": game, "results": rows}))
    over_training = [
        {**rows[0], "checkpoint": step, "search": [simulations, 1.0]}
        for step in (0, 1000)
        for simulations in (10, 100)
    ]
    trained = json.dumps({"game": "kuhn", "results": over_training})
    (tmp_path / "trained.json").write_text(trained)
    (tmp_path / "list.json").write_text("[]")
    return tmp_path


def run(folder: Path, *arguments: str) -> Any:
    command = [sys.executable, str(SCRIPT), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_line_per_file_with_its_label(folder: Path) -> None:
    done = run(folder, "deepest=one.json", "reply=other.json", "--out", "both.svg")
    assert (done.returncode, done.stderr) == (0, "")
    picture = (folder / "both.svg").read_text()
    for label in ("deepest", "reply", "CFR over the whole tree (rule sog)", "exploitability (mbb)"):
        assert f"<!-- {label} -->" in picture


def test_checkpoints_are_drawn_against_learner_steps_a_line_for_each_search(folder: Path) -> None:
    done = run(folder, "paper=trained.json", "--out", "trained.svg")
    assert (done.returncode, done.stderr) == (0, "")
    picture = (folder / "trained.svg").read_text()
    for label in ("paper, SoG(10, 1)", "paper, SoG(100, 1)", "learner steps"):
        assert f"<!-- {label} -->" in picture


@pytest.mark.thorough(but=["files0", "files3"])
@pytest.mark.parametrize(
    ("files", "message"),
    [
        (["one.json"], "files must be LABEL=FILE with an output of sog evaluate --json"),
        (["a=absent.json"], "got a=absent.json"),
        (["a=list.json"], "got a=list.json"),
        (["a=one.json", "b=leduc.json"], "files must be of one game, got kuhn and leduc"),
    ],
)
def test_what_cannot_be_drawn_is_told_in_a_line(
    folder: Path, files: list[str], message: str
) -> None:
    done = run(folder, *files, "--out", "x.png")
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (folder / "x.png").exists()
