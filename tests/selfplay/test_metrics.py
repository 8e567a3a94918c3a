"""The lines that a run reports, also after it was killed in the middle of one."""

import json
from pathlib import Path

import pytest

from selfplay.metrics import Metrics, MetricsFile, read_metrics

LINES: list[Metrics] = [
    {"step": 0, "seconds": 0.5, "exploitability": 0.25},
    {"step": 10, "seconds": 1.5, "value_loss": 0.1},
    {"step": 20, "seconds": 2.5, "value_loss": 1e-12},
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "metrics.jsonl"


def written(path: Path) -> MetricsFile:
    file = MetricsFile(path)
    for line in LINES:
        file.add(line)
    return file


def test_what_was_added_is_read_and_stays_when_another_session_adds(path: Path) -> None:
    written(path)
    MetricsFile(path).add({"step": 30})
    assert read_metrics(path) == [*LINES, {"step": 30}]
    assert [json.loads(line) for line in path.read_text().splitlines()] == read_metrics(path)


def test_before_anything_was_added_there_is_nothing(path: Path) -> None:
    file = MetricsFile(path)
    assert read_metrics(path) == []
    file.forget_after(5)
    assert not path.exists()


@pytest.mark.parametrize("torn", ['{"step": 30, "sec', "", '{"step', '"step"', "3", "null"])
def test_a_line_that_a_kill_has_torn_is_passed_over(path: Path, torn: str) -> None:
    written(path)
    with path.open("a") as file:
        file.write(torn)
    assert read_metrics(path) == LINES


def test_what_comes_after_a_line_that_says_nothing_is_read(path: Path) -> None:
    path.write_text('{"step": 5, "sec\n{}\n\n')
    written(path)
    assert read_metrics(path) == LINES


def test_after_a_kill_the_file_is_mended_and_goes_on(path: Path) -> None:
    file = written(path)
    with path.open("a") as raw:
        raw.write('{"step": 30, "sec')
    file.forget_after(20)
    file.add({"step": 30, "seconds": 3.5})
    assert read_metrics(path) == [*LINES, {"step": 30, "seconds": 3.5}]


@pytest.mark.parametrize(("step", "kept"), [(20, 3), (19, 2), (10, 2), (0, 1), (99, 3)])
def test_what_came_after_a_checkpoint_is_forgotten(path: Path, step: int, kept: int) -> None:
    written(path).forget_after(step)
    assert read_metrics(path) == LINES[:kept]
    assert [entry.name for entry in path.parent.iterdir()] == ["metrics.jsonl"]


def test_a_value_that_json_does_not_have_is_refused_and_leaves_no_half_line(path: Path) -> None:
    file = written(path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        file.add({"step": 30, "loss": float("nan")})
    assert read_metrics(path) == LINES
    assert path.read_text().endswith("\n")
