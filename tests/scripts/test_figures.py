"""The README's table, made again: what is trained, what is counted, and when a figure has moved."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import figures
import pytest

from sog.cli.arguments import make_parser

CHECKOUT = Path(__file__).resolve().parents[2]


class Commands:
    """Stands in for the commands: counts them, and measures the figures that it is given."""

    def __init__(self, found: list[float]) -> None:
        self.found, self.words = iter(found), list[list[str]]()

    def __call__(self, *words: Any, capture: bool = False) -> str:
        self.words.append([str(word) for word in words])
        if not capture:
            return ""
        return json.dumps({"results": [{"exploitability": {"mean": next(self.found)}}]})


def test_a_row_is_the_mean_over_trainings_of_different_seeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands = Commands([0.04, 0.05, 0.03])
    monkeypatch.setattr(figures, "_python", commands)
    row = figures.make_row("leduc_demo", 3, tmp_path)
    assert row["mean"] == pytest.approx(40)  # a thousand mbb are a chip
    assert (row["least"], row["most"]) == (pytest.approx(30), pytest.approx(50))
    trained = [words for words in commands.words if "train" in words]
    assert [words[-1] for words in trained] == ["run.seed=0", "run.seed=1", "run.seed=2"]
    assert len({words[words.index("--run") + 1] for words in trained}) == 3


def test_what_is_finished_is_not_done_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(figures, "_python", Commands([0.04, 0.05]))
    first = figures.make_row("leduc_demo", 2, tmp_path)
    again = Commands([0.03])
    monkeypatch.setattr(figures, "_python", again)
    more = figures.make_row("leduc_demo", 3, tmp_path)
    assert more["trainings"][:2] == first["trainings"]
    assert len(again.words) == 2  # the third training and its evaluation


def test_a_command_that_fails_ends_the_script_with_its_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(*arguments: Any, **options: Any) -> Any:
        return subprocess.CompletedProcess(arguments, 130, None)

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(SystemExit, match=r"^130$"):
        figures.make_row("leduc_demo", 1, tmp_path)
    assert not list(tmp_path.glob("*.json"))


def test_a_figure_has_moved_if_no_training_of_today_is_as_it_was() -> None:
    today = {"mean": 45.0, "least": 40.0, "most": 50.0, "trainings": [40.0, 45.0, 50.0]}
    assert not figures.has_moved(today, {"mean": 40.5})
    assert figures.has_moved(today, {"mean": 34.9})
    assert not figures.has_moved(today, None)


def test_every_configuration_that_is_trained_is_one_that_is_installed() -> None:
    for row in figures.ROWS.values():
        assert (CHECKOUT / "configs" / f"{row.config}.toml").is_file()


def test_the_readme_or_a_page_has_the_figures_that_were_found() -> None:
    kept = json.loads(figures.KEPT.read_text())
    pages = ("boards", "training", "leduc", "scotland_yard")
    files = ("README.md", *(f"docs/results/{page}.md" for page in pages))
    shown = "\n".join((CHECKOUT / name).read_text() for name in files)
    for name, row in kept.items():
        mean, least, most = (_as_printed(row[key]) for key in ("mean", "least", "most"))
        figure = rf"\b{mean}(\*\*)?( \w+)? \({least} to {most}\)"
        assert re.search(figure, shown), (name, figure)


def _as_printed(figure: float) -> str:
    """A pattern: two or three digits, a zero at the end or not."""
    digits = {f"{figure:#.3g}".rstrip("."), f"{figure:.3g}", f"{figure:.2g}"}
    return f"(?:{'|'.join(map(re.escape, sorted(digits)))})"


def test_an_unknown_row_is_a_mistake_in_one_line() -> None:
    command = [sys.executable, str(CHECKOUT / "scripts" / "figures.py"), "leduk"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "ROW must be one of leduc_demo" in done.stderr.splitlines()[-1]


@pytest.mark.parametrize("name", figures.ROWS)
def test_the_commands_of_each_row_are_ones_that_sog_knows(name: str) -> None:
    row = figures.ROWS[name]
    make_parser().parse_args([str(word).replace("RUN", "runs/x") for word in row.measure])
