"""What commands print: results in any characters, nothing where streams are closed, estimates."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from rich.table import Table
from rich.tree import Tree

from sog.cli import display
from sog.cli.play_screen import worth_of
from sog.cli.train import TrainView
from sog.drawing.outline import signed
from sog.games.registry import make

HELLO = """\
import sys
from sog.cli.main import prepare_streams
prepare_streams()
print(sys.stdin.read(), end="")
print("a result \\u00b1 1\\u2026 \\u265e")
print("told \\u2500", file=sys.stderr)
"""


def run(code: str, encoding: str, redirect: str = "") -> tuple[bytes, bytes]:
    """What a program in Python writes to stdout and stderr."""
    done = subprocess.run(
        ["sh", "-c", f'exec "{sys.executable}" -c "$1" {redirect}', "sh", code],
        env={**os.environ, "PYTHONIOENCODING": encoding},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        check=True,
    )
    return done.stdout, done.stderr


def test_characters_that_stdout_does_not_have_are_replaced() -> None:
    out, err = run(HELLO, "ascii")
    assert (out, err) == (b"a result +/- 1... \\u265e\n", b"told \\u2500\n")
    out, _ = run(HELLO, "cp1252")
    assert out.decode("cp1252") == "a result ± 1… \\u265e\n"


@pytest.mark.parametrize(
    ("closed", "expected"),
    [
        ("<&-", (b"a result", b"told")),
        ("2>&-", (b"a result", b"")),
        ("<&- 2>&-", (b"a result", b"")),
    ],
)
def test_streams_may_be_closed(closed: str, expected: tuple[bytes, bytes]) -> None:
    out, err = run(HELLO, "utf-8", closed)
    assert (out[: len("a result")], err[: len("told")]) == expected


@pytest.mark.parametrize("stdout", [">&-", ">/dev/full"])
def test_a_command_fails_whose_results_cannot_be_written(stdout: str) -> None:
    command = f'"{sys.executable}" -m sog configs --json {stdout}'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith(b"sog: error: the output cannot be written: ")
    assert done.stderr.count(b"\n") == 1


def test_what_is_told_is_never_among_results_nor_in_files(tmp_path: Path) -> None:
    """A file that is opened gets the lowest number that is free, such as that of stderr."""
    file = tmp_path / "file"
    code = HELLO + f"import os\nwith open({str(file)!r}, 'w'): os.write(2, b'by a library')"
    out, _ = run(code, "utf-8", "2>&-")
    assert out.decode() == "a result ± 1… ♞\n"
    assert file.read_bytes() == b""


def test_every_command_prepares_its_streams() -> None:
    command = f'"{sys.executable}" -m sog configs --json 2>&- <&-'
    done = subprocess.run(["sh", "-c", command], capture_output=True, timeout=60, check=True)
    assert json.loads(done.stdout)


@pytest.mark.parametrize(("encoding", "branch"), [("ascii", "`-- leaf"), ("utf-8", "└── leaf")])
def test_lines_are_drawn_with_what_stdout_has(
    monkeypatch: pytest.MonkeyPatch, encoding: str, branch: str
) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", stdout)
    table, tree = Table.grid(), Tree("root")
    tree.add("leaf")
    table.add_row(tree)
    display.print_table(table)
    stdout.seek(0)
    assert stdout.read() == f"root\n{branch}\n"


def test_a_number_that_may_be_rounding_is_printed_as_0() -> None:
    game = make("kuhn")
    assert display.in_milli_units(game, 4e-17) == "0 mbb"
    assert display.in_milli_units(game, -4e-17) == "0 mbb"
    assert display.in_milli_units(game, 1e-9) == "1e-06 mbb"
    assert display.in_units(game, -1e-9) == "0.000000 chips"
    assert signed(-4e-4) == "+0.000"
    assert [worth_of(game, one) for one in (-4e-3, -0.056)] == [
        "worth +0.00 chips",
        "worth -0.06 chips",
    ]


def test_the_time_left_counts_from_the_first_part_that_was_finished(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The first 2 of 10 parts took 600 seconds, for they were compiled; the next 4 take 40."""
    now = 0.0
    monkeypatch.setattr("sog.cli.display.time.monotonic", lambda: now)
    with display.working() as work:
        work.begin("playing", total=10)
        now = 600.0
        assert work.time_left(2, 10) == ""
        now = 640.0
        assert work.time_left(6, 10) == ", about 40 s left"
        assert work.time_left(10, 10) == ""
        work.begin("searching", total=10)
        assert work.time_left(0, 10) == ""
        now = 660.0
        assert work.time_left(1, 10) == ", about 3 min left"


def test_a_training_says_nothing_of_steps_while_workers_compile(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sog.cli.display._SECONDS_BETWEEN_LINES", -1.0)
    with display.working() as work:
        view = TrainView(work, 60)
        view.set_activity("compiling in every worker, and playing the first games")
        for _ in range(20):
            view.show({"step": 0, "examples": 0})
        view.show({"step": 0, "examples": 9})
        view.show({"step": 1, "examples": 9, "loss": 0.5, "value_loss": 0.25})
        view.set_activity("evaluating")
    assert capsys.readouterr().err.splitlines() == [
        "sog: compiling in every worker, and playing the first games",
        "sog: filling the replay window",
        "sog: filling the replay window: step 0 of 60, 9 examples",
        "sog: training",
        "sog: training: step 1 of 60, value loss 0.25",
        "sog: training: evaluating",
    ]


@pytest.mark.parametrize("columns", [60, 100])
def test_no_number_is_cut_where_the_terminal_is_narrow(
    columns: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    table = Table(box=None, padding=(0, 3, 0, 0), pad_edge=False)
    for name in ("player", "mean (mbb)", "95%", "as player 0", "as player 1", "won", "lost"):
        table.add_column(name, no_wrap=True)
    cells = ["equity(runouts=16)", "+7,250.5", "± 3,215.5", "+9,500.0", "+5,000.0", "12", "34"]
    table.add_row(*cells)
    display.print_table(table)
    out = capsys.readouterr().out
    assert all(cell in out for cell in cells)
    assert "player       equity(runouts=16)" in out or columns == 100
