"""The lines that a run reports, also after it was killed in the middle of one."""

import contextlib
import json
from pathlib import Path

import pytest

from selfplay.runs.metrics import Metrics, MetricsFile, read_metrics

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
    MetricsFile(path).add({"step": 30, "seconds": 3.5})
    assert read_metrics(path) == [*LINES, {"step": 30, "seconds": 3.5}]
    assert [json.loads(line) for line in path.read_text().splitlines()] == read_metrics(path)


def test_before_anything_was_added_there_is_nothing(path: Path) -> None:
    file = MetricsFile(path)
    assert read_metrics(path) == []
    assert file.resume_from(5, 9.0) == ()
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
    assert file.resume_from(20, 9.0) == ()  # what a kill has torn is not worth telling
    file.add({"step": 30, "seconds": 3.5})
    assert read_metrics(path) == [*LINES, {"step": 30, "seconds": 3.5}]


@pytest.mark.parametrize(("step", "kept"), [(19, 2), (0, 1), (99, 3)])
def test_what_came_after_a_checkpoint_is_forgotten(path: Path, step: int, kept: int) -> None:
    assert written(path).resume_from(step, 9.0) == ()
    assert read_metrics(path) == LINES[:kept]
    assert [entry.name for entry in path.parent.iterdir()] == ["metrics.jsonl"]


def test_what_was_told_of_the_same_step_after_its_checkpoint_is_forgotten(path: Path) -> None:
    file = written(path)
    file.add({"step": 20, "seconds": 3.5, "games": 7})
    file.resume_from(20, 2.5)
    assert read_metrics(path) == LINES


def test_a_value_that_json_does_not_have_is_refused_and_leaves_no_half_line(path: Path) -> None:
    file = written(path)
    with pytest.raises(ValueError, match="not JSON compliant"):
        file.add({"step": 30, "loss": float("nan")})
    assert read_metrics(path) == LINES
    assert path.read_text().endswith("\n")


BAD = {
    "no UTF-8": b'{"step": 1, "seconds": 1, "\xff": 1}',
    "a step that is null": b'{"step": null, "seconds": 1}',
    "a number of 6000 digits": b'{"step": 1, "seconds": ' + b"9" * 6000 + b"}",
    "a list in it": b'{"step": 1, "seconds": 1, "exploitability": [1]}',
    "nested": b"[" * 100_000 + b"]" * 100_000,
}


@pytest.mark.parametrize("bad", BAD)
def test_a_line_that_is_no_metrics_is_set_aside_and_named(path: Path, bad: str) -> None:
    file = written(path)
    lines = path.read_bytes().splitlines()
    path.write_bytes(b"\n".join([lines[0], BAD[bad], *lines[1:], b""]))
    told: list[str] = []
    assert read_metrics(path, told.append) == LINES
    assert told == [f"{path}: line 2 is invalid, and is skipped."]
    says = "metrics.jsonl: line 2 is invalid; it is in metrics.jsonl.damaged."
    assert file.resume_from(20, 9.0) == (says,)
    assert path.with_name("metrics.jsonl.damaged").read_bytes() == BAD[bad] + b"\n"
    assert path.read_bytes().splitlines() == lines
    assert file.resume_from(20, 9.0) == ()


def test_lines_that_a_kill_kept_from_being_written_come_from_the_checkpoint(path: Path) -> None:
    file = written(path)
    more: Metrics = {"step": 20, "seconds": 2.75, "exploitability": 0.125}
    file.resume_from(20, 9.0, [LINES[2], more])
    assert read_metrics(path) == [*LINES, more]
    file.resume_from(20, 9.0, [LINES[2], more])
    assert read_metrics(path) == [*LINES, more]


@pytest.mark.parametrize("name", ["metrics.jsonl", "metrics.jsonl.new", "metrics.jsonl.damaged"])
def test_nothing_is_written_through_a_link(path: Path, name: str) -> None:
    outside = path.parent / "outside"
    outside.mkdir()
    (outside / "file").write_text("mine")
    file = MetricsFile(path)
    (path.parent / name).symlink_to(outside / "file")
    if name != path.name:
        path.write_bytes(b"null\n")  # to be set aside
    for write in (lambda: file.add(LINES[0]), lambda: file.resume_from(20, 9.0)):
        with contextlib.suppress(OSError):
            write()
    assert (outside / "file").read_text() == "mine"
    assert [entry.name for entry in outside.iterdir()] == ["file"]
