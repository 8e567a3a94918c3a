"""Go beside GNU Go; slow."""

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from sog.boards.go import Go
from sog.boards.go_sizes import Go5, Go7, Go9
from sog.games.core import TERMINAL
from tests.boards.plain_go import PlainGo
from tests.boards.test_go import played, point_of

pytestmark = pytest.mark.slow

GNU_GO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


class GnuGo:
    """GNU Go by GTP; it keeps to positional superko and counts by area."""

    def __init__(self, size: int, komi: float) -> None:
        rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide"]
        assert GNU_GO is not None
        self.process = subprocess.Popen(
            [GNU_GO, "--mode", "gtp", *rules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask(f"boardsize {size}")
        self.ask(f"komi {komi}")

    def ask(self, command: str) -> str:
        """The answer; its first letter says whether the command was carried out."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while not lines or lines[-1] != "\n":
            lines.append(self.process.stdout.readline())
        return "".join(lines).strip()


@pytest.fixture
def gnu_go() -> Iterator[Any]:
    opened: list[GnuGo] = []

    def start(size: int, komi: float) -> GnuGo:
        opened.append(GnuGo(size, komi))
        return opened[-1]

    yield start
    for program in opened:
        program.process.kill()
        program.process.communicate()


@pytest.mark.skipif(GNU_GO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("game", [Go5(), Go7(), Go9()], ids=str)
def test_gnu_go_has_the_same_legal_moves_and_captures(game: Go, gnu_go: Any) -> None:
    program, num_games = gnu_go(game.size, game.komi), 6
    found = played(game, num_games, seed=3)
    for number in range(num_games):
        program.ask("clear_board")
        plain = PlainGo(game.size, game.max_depth)  # remembers all positions, as GNU Go
        for move in range(game.max_depth):
            if found.actors[move, number] == TERMINAL:
                break
            color = ("black", "white")[move % 2]
            listed = program.ask(f"all_legal {color}").removeprefix("=").split()
            legal = np.flatnonzero(found.legal[move, number])[:-1].tolist()
            never = {
                point for point in legal if plain.after(divmod(point, game.size)) in plain.earlier
            }
            assert {game.action_of_vertex(vertex) for vertex in listed} == set(legal) - never
            action = int(found.actions[move, number])
            if action in never:
                break
            plain.play(point_of(action, game.size))
            vertex = game.vertex_of_action(action)
            assert program.ask(f"play {color} {vertex}").startswith("=")
            taken = found.states.captured[move + 1, number]
            assert program.ask("captures black") == f"= {taken[0]}"
            assert program.ask("captures white") == f"= {taken[1]}"
