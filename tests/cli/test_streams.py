"""Results reach stdout, whatever characters it has; and streams may be closed."""

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

HELLO = """\
import sys
from sog.cli.streams import prepare_streams
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
        (">&-", (b"", b"told")),
        ("2>&-", (b"a result", b"")),
        ("<&- >&- 2>&-", (b"", b"")),
    ],
)
def test_streams_may_be_closed(closed: str, expected: tuple[bytes, bytes]) -> None:
    out, err = run(HELLO, "utf-8", closed)
    assert (out[: len("a result")], err[: len("told")]) == expected


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
