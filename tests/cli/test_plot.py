"""`sog plot`: the learning curves of a run folder."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from selfplay.runs.metrics import MetricsFile
from selfplay.runs.run_folder import RunFolder
from selfplay.settings import Config
from tests.cli.conftest import Run

pytest.importorskip("matplotlib")


EVALUATIONS: list[dict[str, Any]] = [
    {
        "step": step,
        "seconds": 60.0 * step,
        "exploitability": 0.5 / (step + 1),
        "value_error_exact": 0.3,
        "value_error_exact_rms": 0.4,
        "policy_divergence_exact": 0.1,
    }
    for step in (0, 10, 20)
]
REPORTS: list[dict[str, Any]] = [
    {
        "step": step,
        "seconds": 60.0 * step + 1,
        "value_loss": 0.1,
        "policy_loss": 0.2,
        "selfplay_share": 0.5,
        "solver_share": 0.25,
        "learner_share": 0.125,
    }
    for step in (5, 10, 20)
]


def run_folder(path: Path, lines: list[dict[str, Any]], config: Config | None = None) -> Path:
    with RunFolder.open(path, config or Config(game="kuhn")) as folder:
        file = MetricsFile(folder.metrics)
        for line in sorted(lines, key=lambda line: line["seconds"]):
            file.add(line)
    return path


def texts(picture: Path) -> str:
    """An SVG draws letters as paths, and tells each text in a comment."""
    return picture.read_text()


def test_the_curves_go_to_the_run_folder_as_png(sog: Run, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS + REPORTS)
    assert sog("plot", str(path)) == (0, "", f"sog: wrote the curves to {path}/curves.png.\n")
    assert (path / "curves.png").read_bytes().startswith(b"\x89PNG\r\n")


@pytest.mark.thorough(but=["not_a_backend"])
@pytest.mark.parametrize("backend", ["module://matplotlib_inline.backend_inline", "not_a_backend"])
def test_a_picture_needs_no_backend(backend: str, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS + REPORTS)
    done = subprocess.run(
        [sys.executable, "-m", "sog", "plot", str(path)],
        env=os.environ | {"MPLBACKEND": backend},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, f"sog: wrote the curves to {path}/curves.png.\n")
    assert (path / "curves.png").read_bytes().startswith(b"\x89PNG\r\n")


def test_everything_that_was_measured_is_drawn(sog: Run, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS + REPORTS)
    picture = tmp_path / "curves.svg"
    code, _, err = sog("plot", str(path), "--out", str(picture))
    assert (code, err) == (0, f"sog: wrote the curves to {picture}.\n")
    drawn = texts(picture)
    assert "<!-- kuhn: 20 learner steps in 20 min -->" in drawn
    for words in (
        "exploitability (mbb)",
        "error of values against exact ones (chips)",
        "root mean square",
        "losses",
        "values (Huber)",
        "share of time",
        "solver",
    ):
        assert f"<!-- {words} -->" in drawn
    assert "not measured" not in drawn


def test_errors_at_solved_spots_are_drawn_in_percent_of_the_pot(sog: Run, tmp_path: Path) -> None:
    lines = [
        {"step": step, "seconds": 1.0 + step, "value_error_river": 72.0 / (step + 1)}
        | {"value_error_river_of_pot": 0.36 / (step + 1), "value_error_turn_of_pot": 0.4}
        for step in (0, 500)
    ]
    path = run_folder(tmp_path / "run", lines, Config(game="holdem"))
    picture = tmp_path / "curves.svg"
    assert sog("plot", str(path), "--out", str(picture))[0] == 0
    drawn = texts(picture)
    for words in ("error of values at solved spots (% of the pot)", "rivers", "turns"):
        assert f"<!-- {words} -->" in drawn
    assert drawn.count("<!-- not measured -->") == 2  # exploitability, losses


def test_what_was_not_measured_is_said(sog: Run, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", REPORTS)
    picture = tmp_path / "curves.svg"
    assert sog("plot", str(path), "--out", str(picture))[0] == 0
    assert texts(picture).count("<!-- not measured -->") == 2  # exploitability, error of values


def test_a_run_that_has_only_begun_is_drawn(sog: Run, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS[:1])
    with (path / "metrics.jsonl").open("a") as file:
        file.write('{"step": 5, "sec')  # it is being written
    with (path / "metrics.jsonl").open("ab") as damaged:
        damaged.write(b"\xff\x00")
    assert sog("plot", str(path))[0] == 0


def test_a_run_can_be_drawn_while_it_goes_on(sog: Run, tmp_path: Path) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS)
    with RunFolder.open(path, RunFolder.read(path).config):
        assert sog("plot", str(path))[0] == 0


def test_mistakes_are_told_in_one_line(sog: Run, tmp_path: Path) -> None:
    empty = run_folder(tmp_path / "empty", [])
    path = run_folder(tmp_path / "run", EVALUATIONS)
    cases = [
        ([str(tmp_path / "no")], f"run folder {tmp_path}/no does not exist."),
        ([str(tmp_path)], f"{tmp_path} is not a run folder: it has no config.toml."),
        ([str(empty)], f"{empty}/metrics.jsonl has no metrics yet."),
        (
            [str(path), "--out", str(tmp_path / "no" / "curves.png")],
            f"--out: folder {tmp_path}/no does not exist.",
        ),
    ]
    for arguments, message in cases:
        assert sog("plot", *arguments) == (2, "", f"sog: error: {message}\n")
    code, _, err = sog("plot", str(path), "--out", "curves.txt")
    assert code == 2
    assert err.startswith("sog: error: --out: the name must end in one of .")
    assert not (path / "curves.png").exists()


def test_a_bare_installation_speaks_of_what_was_typed(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = run_folder(tmp_path / "run", EVALUATIONS)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    needs = "needs matplotlib: pip install 'sog[plot]'."
    assert sog("plot", str(path)) == (2, "", f"sog: error: sog plot {needs}\n")
    picture = str(tmp_path / "curves.png")
    assert sog("plot", str(path), "--out", picture) == (2, "", f"sog: error: --out {needs}\n")


def test_the_unit_is_that_of_the_game(sog: Run, tmp_path: Path) -> None:
    config = Config(game="liars_dice(dice=1,faces=2)")
    path = run_folder(tmp_path / "run", EVALUATIONS, config)
    picture = tmp_path / "curves.svg"
    assert sog("plot", str(path), "--out", str(picture))[0] == 0
    assert "<!-- exploitability (milli-points) -->" in texts(picture)
