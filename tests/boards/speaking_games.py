"""A search of tic-tac-toe for the servers of both protocols, and what they are sent and say."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.boards.gtp.server import GtpServer
from sog.boards.protocol_server import LineInput
from sog.boards.thinker import AgentThinker, Thinker
from sog.games import Game
from sog.play.analyst import Analyst, NextSlice
from sog.play.game_in_progress import Position
from sog.play.simple_agents import RandomAgent
from tests.boards.spoken_games import SpokenTicTacToe

GAME = SpokenTicTacToe()


class Clock:
    """Stands for the module `time` of the servers; whoever looks at it moves it on."""

    now = 0.0

    def monotonic(self) -> float:
        self.sleep(0.001)
        return self.now

    def sleep(self, seconds: float) -> None:
        self.now += seconds


CLOCK = Clock()
LOOK = 0.01
"""Seconds of it that a look for lines takes, or a thought of `Patient`."""


@functools.cache
def analyst() -> Analyst:
    """One whose programs are compiled."""
    settings = SearchSettings(num_simulations=60)
    made = Analyst(GAME, ZeroEvaluator(), settings, most=400)
    made.prepare()
    return made


class Patient(AgentThinker):
    """Thinks for as long as it may, and notes how long that was."""

    def __init__(self) -> None:
        super().__init__(GAME, lambda player, seed: RandomAgent(GAME, player=player, seed=seed))
        self.seconds: list[float] = []

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        began = CLOCK.now
        while (left := next_slice()) > 0:
            CLOCK.sleep(min(left, LOOK))
        self.seconds.append(CLOCK.now - began)
        super().think(position, simulations, next_slice)


class _Script(LineInput):
    """Lines that come one after the other; a number is a pause, in seconds by `CLOCK`."""

    def __init__(self, lines: Sequence[str | float]) -> None:
        self._left: list[Any] = [*lines]
        self._since: float | None = None  # the pause that goes on

    def next(self) -> str | None:
        while not self.is_waiting():
            pass
        line: str | None = self._left.pop(0) if self._left else None
        return line

    def is_waiting(self) -> bool:
        line = self._left[0] if self._left else None
        if not isinstance(line, (int, float)):
            return True
        self._since = CLOCK.now if self._since is None else self._since
        CLOCK.sleep(LOOK)
        if CLOCK.now - self._since >= line:
            self._since = None
            self._left.pop(0)
        return False

    def put_back(self, line: str | None) -> None:
        self._left.insert(0, line)


script: Callable[[Sequence[str | float]], LineInput] = _Script


def random_player(game: Game[Any]) -> AgentThinker:
    """Players of any game who make random moves."""
    return AgentThinker(game, lambda player, seed: RandomAgent(game, player=player, seed=seed))


def said_of(
    game: Game[Any],
    *lines: str | float,
    make_thinker: Callable[[Game[Any]], Thinker] = random_player,
    seconds: float | None = None,
) -> list[str]:
    """What is said by GTP; make_thinker, seconds: see `GtpServer`."""
    said: list[str] = []
    server = GtpServer(
        game, make_thinker, line_input=script(lines), say=said.append, seconds=seconds
    )
    server.run()
    return [one.rstrip("\n") for one in said]
