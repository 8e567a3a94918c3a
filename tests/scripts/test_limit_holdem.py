"""The picture of several trainings at limit hold'em."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("matplotlib")

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "limit_holdem.py"


def write(path: Path, mb: float, *, players: int = 3) -> None:
    others = [["UCT"], ["always call"]]
    points = [
        {
            "episodes": episodes,
            "matches": [
                {"player": "Smooth UCT", "others": one * (players - 1), "mb": mb} for one in others
            ],
        }
        for episodes in (4096, 8192)
    ]
    path.write_text(json.dumps({"rules": {"players": players}, "points": points}))


def run(folder: Path, *files: str) -> Any:
    command = [sys.executable, str(SCRIPT), "--draw", *files, "--out", "won.svg"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_a_line_per_pairing_of_all_trainings(tmp_path: Path) -> None:
    for seed, mb in enumerate((-40, 120)):
        write(tmp_path / f"{seed}.json", mb)
    done = run(tmp_path, "0.json", "1.json")
    assert (done.returncode, done.stderr) == (0, "")
    picture = (tmp_path / "won.svg").read_text()
    for label in (
        "limit hold'em, 3 players, 2 trainings",
        "Smooth UCT against two UCT",
        "Smooth UCT against two always call",
        "millions of games",
    ):
        assert f"<!-- {label} -->" in picture


def test_what_cannot_be_drawn_is_told_in_a_line(tmp_path: Path) -> None:
    write(tmp_path / "three.json", 1)
    write(tmp_path / "two.json", 1, players=2)
    (tmp_path / "other.json").write_text('{"points": []}')
    half = {"rules": {"players": 2}, "points": [{"matches": [{"others": ["UCT"]}]}]}
    (tmp_path / "half.json").write_text(json.dumps(half))
    for files, told in (
        (["three.json", "two.json"], "files must be of the same rules and the same matches"),
        (["other.json"], "other.json is not an output of limit_holdem.py: "),
        (["half.json"], "half.json is not an output of limit_holdem.py: "),
        (["none.json"], "none.json is not an output of limit_holdem.py: "),
    ):
        done = run(tmp_path, *files)
        line = done.stderr.splitlines()[-1]
        assert (done.returncode, line.startswith(f"limit_holdem.py: error: {told}")) == (2, True)
