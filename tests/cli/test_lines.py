"""Help and notices, folded to the width of a terminal."""

import argparse
import fcntl
import io
import json
import os
import pty
import re
import shlex
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest

from sog.cli.arguments import make_parser
from sog.cli.lines import fold
from tests.cli.conftest import Run, output
from tests.cli.test_replay import SAVED

(COMMANDS,) = (
    action for action in make_parser()._actions if isinstance(action, argparse._SubParsersAction)
)


def test_paragraphs_are_filled_anew_and_words_stay_whole() -> None:
    words = "one two-three /four/five six"
    assert fold(words, 40) == words
    filled = "one two-three\n/four/five six\nseven\n\neight"
    assert fold(f"{words}\nseven\n\neight", 14) == filled
    assert fold("a-very-long-word b", 5) == "a-very-long-word\nb"


def test_a_line_goes_on_where_its_description_begins() -> None:
    text = "  sog games leduc  its parameters, and then its sizes\n  sog games"
    assert fold(text, 53) == text
    folded = text.replace(" sizes", "\n                   sizes")
    assert fold(text, 52) == folded
    # No room for that, or no description: it is seen to go on.
    assert (
        fold(text, 24)
        == "  sog games leduc  its\n    parameters, and then\n    its sizes\n  sog games"
    )


def test_a_command_is_wrapped_so_that_a_shell_takes_it() -> None:
    command = """  sog search leduc --history "check bet2" --lock 'check: bet2=1' --seed 1"""
    assert fold(command, 80) == command
    wrapped = fold(command + " \\", 36).split("\n")
    assert wrapped[1:3] == ['    "check bet2" --lock \\', "    'check: bet2=1' --seed 1 \\"]
    assert all(line.endswith(" \\") for line in wrapped)
    assert shlex.split(" ".join(line[:-1] for line in wrapped)) == shlex.split(command)


MATCH = ("random", "always_call", "--game", "kuhn", "--games", "4")
OUTPUTS = {
    "games": ["games"],
    "game": ["games", "leduc"],
    "rules": ["games", "leduc", "--rules"],
    "agents": ["agents"],
    "configs": ["configs"],
    "methods": ["methods"],
    "method": ["methods", "smooth_uct"],
    "solve": ["solve", "kuhn", "--iterations", "8", "--save", "kuhn.npz"],
    "exploitability": ["exploitability", "kuhn", "kuhn.npz"],
    "policy": ["policy", "kuhn.npz"],
    "explain": ["explain", "kuhn.npz"],
    "search": ["search", "leduc", "--memory"],
    "match": ["match", *MATCH],
    "tournament": ["tournament", *MATCH],
    "replay": ["replay", "saved.json"],
    "review": ["review", "saved.json", "--by", "tabular:8"],
    "play": ["play", "random", "--game", "leduc", "--seed", "1"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where there is a saved game."""
    folder = tmp_path_factory.mktemp("narrow")
    agent = SAVED["agent"] | {"name": "tabular, of whom there is more to say than a line holds"}
    (folder / "saved.json").write_text(json.dumps(SAVED | {"agent": agent}))
    return folder


@pytest.mark.parametrize(
    "command",
    [
        pytest.param([*filter(None, [name]), "--help"], id=f"help of {name or 'sog'}")
        for name in ("", *COMMANDS.choices)
    ]
    + [pytest.param(command, id=name) for name, command in OUTPUTS.items()],
)
def test_lines_fit_the_terminal_and_no_word_is_broken(
    sog: Run, monkeypatch: pytest.MonkeyPatch, folder: Path, command: list[str]
) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    words = {}
    for columns in (60, 80, 400):
        monkeypatch.setenv("COLUMNS", str(columns))
        monkeypatch.setattr("sys.stdin", io.StringIO("?\nq\n"))
        out = output(sog, *command)
        out = re.sub(r"\x1b\[[\d;]*m", "", out)
        long = [line for line in out.splitlines() if len(line) > columns]
        assert [line for line in long if " " in line.strip().removesuffix(" \\")] == []
        out = out.replace(" \\\n", "\n")  # where a command is wrapped
        words[columns] = set(re.sub(r"[\d.,]+(e-\d+)?", "#", out).split())  # times differ
    assert words[60] == words[80] == words[400]


def test_a_notice_is_folded_in_a_terminal_and_one_line_elsewhere() -> None:
    arguments = [sys.executable, "-m", "sog", "solve", "leduk", *("--words-of-an-option",) * 6]
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 90, 0, 0))
    folded = subprocess.run(arguments, stderr=theirs, check=False)
    os.close(theirs)
    shown = os.read(ours, 10_000).decode()
    os.close(ours)
    plain = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert folded.returncode == plain.returncode == 2
    assert plain.stderr.count("\n") == 1
    assert plain.stderr.split() == shown.split()
    assert [len(line) for line in shown.splitlines() if len(line) > 90] == []
    assert len(shown.splitlines()) == 3
