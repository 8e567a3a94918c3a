"""The script that plays and draws Elo over training, and against simulations."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import elo_curves
import pytest

from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config

pytest.importorskip("matplotlib")

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


def run(folder: Path, *arguments: str) -> Any:
    command = [sys.executable, str(SCRIPTS / "elo_curves.py"), *arguments, "--out", "elo.json"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


def test_points_play_the_next_of_their_line_and_the_nearest_of_others() -> None:
    places = {"a": [1.0, 2.0, 4.0], "b": [1.9, 7.0]}
    points = [
        elo_curves.Point(label=label, text=f"{label}{x}", x=x)
        for label, line in places.items()
        for x in line
    ]
    # a1 - a2 - a4 and b1.9 - b7; a1, a2 and a4 are nearest to b1.9, b1.9 to a2 and b7 to a4.
    wanted = [(0, 1), (0, 3), (1, 2), (1, 3), (2, 3), (2, 4), (3, 4)]
    assert elo_curves.pairings_of(points, 1) == wanted
    assert elo_curves.pairings_of(points, 2) == sorted([*wanted, (0, 2)])


def test_checkpoints_stand_at_the_hours_that_the_run_had_worked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with RunFolder.open(tmp_path / "run", Config(game="kuhn")) as folder:
        pass
    lines = [{"step": 0, "seconds": 0.0}, {"step": 200, "seconds": 3600.0}]
    folder.metrics.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    monkeypatch.setattr(elo_curves, "trained_steps", lambda path: [0, 50, 200])
    points = elo_curves.training_points("SoG", str(folder.path), [], 9)
    assert [(point.step, point.x) for point in points] == [(0, 0.0), (50, 0.25), (200, 1.0)]
    assert points[1].text == f"{folder.path}@50?num_simulations=9"
    told = f"{folder.path}?simulations_per_update=3"
    (only,) = elo_curves.training_points("SoG", told, [50], 9)
    assert only.text == f"{folder.path}@50?simulations_per_update=3&num_simulations=9"
    with pytest.raises(ValueError, match=r"has no checkpoint of step 7; it has \[0, 50, 200\]"):
        elo_curves.training_points("SoG", str(folder.path), [7], 9)


@pytest.mark.slow
def test_a_line_of_searches_is_rated_drawn_and_gone_on_with(tmp_path: Path) -> None:
    given = ["zero=zero?c_puct=2", "--game", "tic_tac_toe", "--simulations", "2", "4"]
    given += ["--plot", "elo.svg", "--openings", "3"]
    first = run(tmp_path, *given, "--games", "2")
    assert first.returncode == 0, first.stderr
    found = json.loads((tmp_path / "elo.json").read_text())
    (line,) = found["lines"]
    assert [point["x"] for point in line["points"]] == [2.0, 4.0]
    assert line["points"][0]["player"] == "zero, c_puct=2&num_simulations=2"
    assert line["points"][0]["elo"] == -line["points"][1]["elo"]
    assert all(point["half_width"] > 0 for point in line["points"])
    (pairing,) = found["pairings"]
    assert pairing["points"] == [0, 1]
    assert pairing["wins"] + pairing["draws"] + pairing["losses"] == 2
    games = (tmp_path / "elo.games.jsonl").read_text()
    picture = (tmp_path / "elo.svg").read_text()
    for label in ("zero", "simulations of a move", "Elo", "tic_tac_toe"):
        assert f"<!-- {label} -->" in picture
    again = run(tmp_path, *given, "--games", "4")
    assert again.returncode == 0, again.stderr
    more = (tmp_path / "elo.games.jsonl").read_text()
    assert more.startswith(games)
    assert len(more.splitlines()) == len(games.splitlines()) + 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["zero"], "lines must be LABEL=PLAYER, got 'zero'."),
        (["a=runs/none"], "a: runs/none must be a run folder without --simulations."),
        (["a=zero", "--simulations", "3"], "points must be two or more different players"),
        (["a=random", "--simulations", "3", "4"], "random has no search settings to change"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["elo_curves.py", *arguments, "--out", "elo.json"])
    assert elo_curves.main() == 2
    told = capsys.readouterr().err
    assert re.match(rf"elo_curves\.py: {re.escape(message)}", told)
    assert told.count("\n") == 1
