"""Help and notices, folded to the width of a terminal."""

import argparse
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Callable

import pytest

from sog.cli.arguments import make_parser
from sog.cli.lines import fold

Run = Callable[..., tuple[int, str, str]]

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
    assert (
        fold("  sog solve leduc --save leduc.npz", 24) == "  sog solve leduc --save\n    leduc.npz"
    )


@pytest.mark.parametrize("command", [None, *COMMANDS.choices])
def test_no_line_of_help_is_longer_than_the_terminal(
    sog: Run, monkeypatch: pytest.MonkeyPatch, command: str | None
) -> None:
    monkeypatch.setenv("COLUMNS", "90")
    code, narrow, _ = sog(*filter(None, (command,)), "--help")
    assert code == 0
    assert [line for line in narrow.splitlines() if len(line) > 90] == []
    monkeypatch.setenv("COLUMNS", "1000")
    _, wide, _ = sog(*filter(None, (command,)), "--help")
    assert set(narrow.split()) == set(wide.split())  # no word is broken


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
