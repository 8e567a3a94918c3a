"""The Go Text Protocol, version 2: the controller's side, `gtp:gnugo --mode gtp --level 5`.

An engine has one board. It gets the moves of the present game that it has not seen, or, where
several games alternate, the whole game again.
"""

import functools
import itertools
import re
from collections.abc import Sequence
from pathlib import PurePath
from typing import Any, Final

from sog.boards.engine_agent import Engine, EnginePlayer
from sog.boards.protocol_games import gtp_game, set_up_game
from sog.games.core import Game
from sog.play.match import Resignation
from sog.play.rules import situation
from sog.players.engines.limits import (
    PATIENCE,
    nothing_left,
    patience_in,
    split_text,
    take_number,
)
from sog.players.engines.process import Deadline, split_command
from sog.players.player import Host

_VERSION: Final = "2"
_NEEDED: Final = ("boardsize", "clear_board", "play", "genmove")
_SECONDS: Final = "seconds"
_MOST_LINES: Final = 10_000  # of an answer
COLORS: Final = ("black", "white")
"""By player."""
_USUAL_ARGUMENTS: Final = {
    # Under area scoring here, dead stones must be captured before both pass.
    "gnugo": ("--mode", "gtp", "--chinese-rules", "--{superko}", "--capture-all-dead"),
}
"""Default arguments of programs that are named without any."""
_SUPERKO: Final = {"positional": "positional-superko", "simple": "simple-ko"}
"""Their options for the ko rule of a game."""


class GtpEngine(Engine):
    """An engine that speaks GTP."""

    def __init__(
        self, command: str, game: Game[Any], *, seconds: float | None, patience: float
    ) -> None:
        """Starts it and sets the board size. Raises EngineError.

        seconds: per move; None for the engine's default. patience: seconds that an answer may take.
        """
        self._game, self._gtp_game, self._seconds = game, gtp_game(game), seconds
        self._patience, self._patience_of_a_move = patience, patience + (seconds or 0)
        self._numbers = itertools.count(1)
        self._game_id: int | None = None
        self._seen: list[str] = []
        """The moves on its board."""
        super().__init__(command, _with_usual_arguments(command, game))

    def text_of(self, state: Any, action: int) -> str:
        """As "black D4"."""
        color = COLORS[situation(self._game, state).actor]
        return f"{color} {self._gtp_game.vertex_of_action(action)}"

    def choose(self, game_id: int, start: Any, moves: Sequence[str], state: Any) -> int:
        """Sets up the engine's board first."""
        self._show(game_id, [*self._set_up_moves(start), *moves])
        color = COLORS[situation(self._game, state).actor]
        answer = self.ask(f"genmove {color}", self._patience_of_a_move).strip()
        if answer.lower() == "resign":
            self._game_id = None
            raise Resignation
        try:
            action = self._gtp_game.action_of_vertex(answer)
        except ValueError:
            at = self._game.describe_state(state)
            raise self.refuse(f"played {answer!r}, which is no move at '{at}'") from None
        self._seen.append(f"{color} {self._gtp_game.vertex_of_action(action)}")
        return action

    def ask(self, command: str, within: float | None = None) -> str:
        """Sends a command; returns the response without its status. Raises EngineError."""
        number, deadline = next(self._numbers), Deadline(within or self._patience)
        failure = f"did not answer {command!r}"
        self._process.send(f"{number} {command}", deadline)
        lines: list[str] = []
        while True:
            line = self._process.read_line(deadline, failure).rstrip()
            if line:
                lines.append(line)
            elif lines:  # an empty line ends a response
                break
            match = re.match(r"([=?])(\d*)(?:\s|$)", lines[0]) if lines else None
            if lines and (match is None or match[2] not in ("", str(number))):
                raise self.refuse(f"answered {command!r} with {lines[0][:80]!r}, which is no GTP")
            if len(lines) > _MOST_LINES:
                raise self.refuse(f"answered {command!r} with more than {_MOST_LINES} lines")
        sign, _, first = lines[0].partition(" ")
        answer = "\n".join([first, *lines[1:]]).strip()
        if sign.startswith("?"):
            raise self.refuse(f"refused {command!r}: {answer}")
        return answer

    def _get_ready(self) -> None:
        version = self.ask("protocol_version")
        if version != _VERSION:
            raise self.refuse(f"speaks version {version!r} of GTP, not {_VERSION}")
        name, number = self.ask("name"), self.ask("version")
        self._commands = set(self.ask("list_commands").split())
        missing = [command for command in _NEEDED if command not in self._commands]
        if missing:
            raise self.refuse(f"does not know the command {missing[0]!r}")
        self.name = f"{name} {number}".strip()
        self.ask(f"boardsize {self._gtp_game.size}")
        if self._seconds is not None:  # byo-yomi: one stone per period
            self.ask(f"time_settings 0 {max(1, round(self._seconds))} 1")
        self._clear()

    def _clear(self) -> None:
        self.ask("clear_board")
        komi = getattr(self._game, "komi", None)
        if komi is not None:
            self.ask(f"komi {komi:g}")
        self._seen = []

    def _set_up_moves(self, start: Any) -> list[str]:
        """The stones of a position as moves; one color may make several in a row."""
        if start is None:
            return []
        board = set_up_game(self._game)
        if board is None:
            raise self.refuse(
                f"cannot set up the position where this {self._game.name} game begins"
            )
        return [
            f"{COLORS[player]} {self._gtp_game.vertex_of_action(point)}"
            for point, player in board.stones_of(start).items()
        ]

    def _show(self, game_id: int, moves: Sequence[str]) -> None:
        """Brings the engine's board to a position."""
        if game_id != self._game_id or list(moves[: len(self._seen)]) != self._seen:
            self._clear()
            self._game_id = game_id
        for move in moves[len(self._seen) :]:
            self.ask(f"play {move}")
            self._seen.append(move)


def _with_usual_arguments(command: str, game: Game[Any]) -> list[str]:
    """The words of a command, with default arguments if only a known program's name is given."""
    words = split_command(command)
    if len(words) > 1:
        return words
    superko = _SUPERKO[getattr(game, "superko", "positional")]
    usual = _USUAL_ARGUMENTS.get(PurePath(words[0]).name, ())
    return [*words, *(word.format(superko=superko) for word in usual)]


def read_gtp(text: str, host: Host) -> EnginePlayer:
    """The player of "gtp:COMMAND?seconds=1&timeout=60"; EngineError if there is no such program."""
    command, values = split_text(text, "gtp")
    where = f"gtp:{command}"
    seconds, patience = take_number(values, _SECONDS, where), patience_in(values, where)
    nothing_left(values, where, f"{_SECONDS}, {PATIENCE}")
    split_command(command)
    start = functools.partial(GtpEngine, command, seconds=seconds, patience=patience)
    return EnginePlayer(start=start)
