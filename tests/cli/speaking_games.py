"""A search of tic-tac-toe for the servers of both protocols, and what they are sent and say."""

import functools
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.cli.gtp.server import GtpServer
from sog.cli.line_input import LineInput
from sog.games import Game
from sog.play.analyst import Analyst, Follower, NextSlice, Position
from sog.play.simple_agents import RandomAgent
from tests.players.engines.spoken_games import SpokenTicTacToe

GAME = SpokenTicTacToe()


@functools.cache
def analyst() -> Analyst:
    """One whose programs are compiled."""
    settings = SearchSettings(num_simulations=60)
    made = Analyst(GAME, ZeroEvaluator(), settings, most=400)
    made.prepare()
    return made


class Patient(Follower):
    """Thinks for as long as it may, and notes how long that was."""

    def __init__(self) -> None:
        super().__init__(GAME, lambda player, seed: RandomAgent(GAME, player=player, seed=seed))
        self.seconds: list[float] = []

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        began = time.monotonic()
        while (left := next_slice()) > 0:
            time.sleep(min(left, 0.01))
        self.seconds.append(time.monotonic() - began)
        super().think(position, simulations, next_slice)


def heard(lines: Sequence[str | float]) -> LineInput:
    """Lines that come one after the other; a number is a pause, in seconds."""

    def stream() -> Iterator[str]:
        for line in lines:
            if isinstance(line, str):
                yield f"{line}\n"
            else:
                time.sleep(line)

    return LineInput(stream())


def random_player(game: Game[Any]) -> Follower:
    """Players of any game who make random moves."""
    return Follower(game, lambda player, seed: RandomAgent(game, player=player, seed=seed))


def said_of(
    game: Game[Any], *lines: str, check: Callable[[Game[Any]], None] = lambda game: None
) -> list[str]:
    """What is answered where players of any such game make random moves, see `random_player`.

    check: raises ValueError for a game that they refuse.
    """
    said: list[str] = []

    def seat(changed: Game[Any]) -> Follower:
        check(changed)
        return random_player(changed)

    GtpServer(game, seat, heard=heard(lines), say=said.append).run()
    return [one.rstrip("\n") for one in said]
