"""Tic-tac-toe as UCI and GTP could speak of it, and programs that play it so, in plain Python."""

import dataclasses
import sys
from pathlib import Path
from typing import Any, Final

import jax.numpy as jnp

from sog.boards.line_game import LineState
from sog.boards.stones import EMPTY, MARKS
from sog.boards.tic_tac_toe import TicTacToe

SIZE: Final = 3


@dataclasses.dataclass(frozen=True, kw_only=True)
class SpokenTicTacToe(TicTacToe):
    """A move is a cell, "a1" at the bottom left; a position is rows from the top, "x.o/.../..x"."""

    uci_variant = "tictactoe"
    size = SIZE
    komi = 0.5

    def uci_of_action(self, state: Any, action: int) -> str:
        return self.describe_action(state, 0, action)

    def read_action(self, state: Any, text: str) -> int:
        action = _CELLS.get(text)
        if action is None or not self.legal_outcomes(state)[action]:
            raise ValueError(f"{text!r} is no move here.")
        return action

    def fen(self, state: Any) -> str:
        return self.describe_state(state).split()[0]

    def from_fen(self, text: str) -> Any:
        marks = text.replace("/", "")
        if len(marks) != SIZE * SIZE or not set(marks) <= set(MARKS):
            raise ValueError(f"a position must be rows of {MARKS}, got {text!r}.")
        board = jnp.asarray([MARKS.index(mark) for mark in marks], jnp.int8)
        return LineState(
            board=board,
            num_stones=jnp.sum(board != EMPTY, dtype=jnp.int32),
            has_line=jnp.zeros(2, bool),
        )

    def play_on(self, state: Any) -> Any:
        return state

    def vertex_of_action(self, action: int) -> str:
        return self.describe_action(None, 0, action).upper()  # type: ignore[arg-type]

    def action_of_vertex(self, text: str) -> int:
        if text.lower() not in _CELLS:
            raise ValueError(f"{text!r} is no cell.")
        return _CELLS[text.lower()]


_CELLS: Final = {f"{'abc'[cell % SIZE]}{SIZE - cell // SIZE}": cell for cell in range(SIZE * SIZE)}

_ENGINE: Final = """\
import os, sys, time
CELLS = [column + row for row in "321" for column in "abc"]
def say(*lines):
    for line in lines:
        print(line, flush=True)
def heard(line):
    print(line, file=log, flush=True)
log = open({log!r}, "a")
def free(moves):
    return [cell for cell in CELLS if cell not in moves]
def uci(line, word, words):
    global position
    if word == "uci":
        say("Fakefish, by nobody", "id name Fakefish 1", "id author nobody",
            "option name Skill Level type spin default 20 min -20 max 20",
            "option name Clear Hash type button",
            "option name Ponder type check default false",
            "option name Style type combo default Solid var Solid var Very Risky var Normal",
            "option name SyzygyPath type string default <empty>",
            "option name UCI_Variant type combo default chess var chess var tictactoe",
            "uciok")
    elif word == "isready":
        say("readyok")
    elif word == "position":
        position = line
    elif word == "go":
        begin = position.split()[2] if "fen" in position else "........."
        begin = begin.replace("/", "")
        moves = position.split(" moves ")[1].split() if " moves " in position else []
        taken = moves + [cell for cell, mark in zip(CELLS, begin) if mark != "."]
        say("info depth 1 score cp 3", "bestmove " + free(taken)[0])
def gtp(line, word, words):
    global board
    number = ""
    if word.isdigit():
        number, word, words = word, words[0], words[1:]
    answer = ""
    if word == "protocol_version":
        answer = "2"
    elif word == "name":
        answer = "Fakego"
    elif word == "version":
        answer = "1"
    elif word == "list_commands":
        answer = "\\n".join(["boardsize", "clear_board", "komi", "play", "genmove", "quit"])
    elif word == "clear_board":
        board = []
    elif word == "play":
        board.append(words[1].lower())
    elif word == "genmove":
        board.append(free(board)[0])
        answer = board[-1].upper()
    say("=" + number + " " + answer, "")
board, position = [], ""
while True:
    line = sys.stdin.readline()
    if not line or line.split()[-1:] == ["quit"]:
        break
    line = line.rstrip("\\n")
    heard(line)
    word, *words = line.split() or [""]
    {change}
    {kind}(line, word, words)
"""


def write_engine(folder: Path, kind: str, change: str = "") -> tuple[str, Path]:
    """A program that plays the first free cell; its command, and a file of what it was told.

    kind: "uci" or "gtp". change: statements for each line, before it is answered.
    """
    program, log = folder / f"{kind}_engine.py", folder / f"{kind}.log"
    lines = "\n    ".join(change.splitlines())
    program.write_text(_ENGINE.format(log=str(log), change=lines or "pass", kind=kind))
    return f"'{sys.executable}' -S '{program}'", log
