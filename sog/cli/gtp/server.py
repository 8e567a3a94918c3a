"""The Go Text Protocol, version 2, as the side that answers.

One command after the other, read from a stream and answered on another; what is wrong with one is
its answer. An analysis goes on until the next line comes, whatever is in it.
"""

import dataclasses
import re
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from sog import __version__
from sog.cli.gtp.analysis import analysis_line
from sog.cli.line_input import LineInput
from sog.files import read_text
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.games.spoken import gtp_game
from sog.play.analyst import Position, Thinker
from sog.play.clock import seconds_for_move
from sog.play.rules import situation

_PLAYERS: Final = {"b": PLAYER_0, "black": PLAYER_0, "w": PLAYER_1, "white": PLAYER_1}
_MOST_BYTES: Final = 2**22  # of an SGF file
_MOST_MOVES: Final = 64  # in a line of analysis
_USUAL_INTERVAL: Final = 1.0  # seconds between lines of analysis
_PATIENCE: Final = 0.05
_UNHEARD: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_SLICE: Final = 1.0  # as long as the thinker likes


@dataclasses.dataclass(kw_only=True)
class _Clock:
    """Time of both players, in seconds; None where no time was set."""

    main: float | None = None
    byo: float = 0.0
    stones: int = 0
    left: dict[int, tuple[float, int]] = dataclasses.field(default_factory=dict)
    """By player: seconds, and the stones to put in them; 0 stones in the main time."""

    def seconds(self, player: int, moves_left: int) -> float | None:
        """For the next move."""
        if self.main is None or (self.byo > 0 and self.stones == 0):  # no limit, by the protocol
            return None
        left, stones = self.left.get(player, (self.main, 0))
        if stones == 0 and left <= 0:
            left, stones = self.byo, self.stones
        return seconds_for_move(left, moves=stones or moves_left)

    def took(self, player: int, seconds: float) -> None:
        """A move took so long; a controller may say later what is left."""
        if self.main is None:
            return
        left, stones = self.left.get(player, (self.main, 0))
        left -= seconds
        if stones > 1 and left > 0:
            self.left[player] = left, stones - 1
        elif (stones or left <= 0) and self.stones:
            self.left[player] = self.byo, self.stones
        else:
            self.left[player] = left, 0


class GtpServer:
    """A game between a program that shows it and a player of ours."""

    def __init__(
        self,
        game: Game[Any],
        seat: Callable[[Game[Any]], Thinker],
        *,
        heard: LineInput,
        say: Callable[[str], None],
        seconds: float | None = None,
    ) -> None:
        """seat: who thinks, for a game of another size or komi, too; ValueError if he cannot.

        say: prints a line. seconds: for a move, where no clock says otherwise. Raises ValueError
        for a game that GTP cannot speak of.
        """
        self._game, self._spoken = game, gtp_game(game)
        self._seat, self._heard, self._say, self._seconds = seat, heard, say, seconds
        self._thinker = seat(game)
        self._clock = _Clock()
        self._path = [Position.of(game)]
        self._has_quit = self._is_prepared = False
        self._commands: dict[str, Callable[[Sequence[str]], str]] = {
            "protocol_version": lambda words: "2",
            "name": lambda words: "sog",
            "version": lambda words: __version__,
            "known_command": lambda words: str(words[0] in self._commands).lower(),
            "list_commands": lambda words: "\n".join(self._commands),
            "quit": self._quit,
            "boardsize": self._set_size,
            "clear_board": self._clear,
            "komi": self._set_komi,
            "play": self._play,
            "genmove": self._generate,
            "reg_genmove": self._suggest,
            "undo": self._undo,
            "time_settings": self._set_time,
            "time_left": self._set_left,
            "final_score": self._score,
            "showboard": lambda words: f"\n{game_drawn(self._game, self._position)}",
            "loadsgf": self._load,
            **{
                f"{style}-{what}": self._analysis(style, generates=what != "analyze")
                for style in ("lz", "kata")
                for what in ("analyze", "genmove_analyze")
            },
        }

    def run(self) -> None:
        """Answers until it is told to quit, or nothing more comes."""
        while not self._has_quit and (line := self._heard.next()) is not None:
            text = _UNHEARD.sub("", line.partition("#")[0]).replace("\t", " ")
            words = text.split()
            number = words.pop(0) if words and words[0].isdecimal() else ""
            if words:
                self._answer(number, words[0], words[1:])

    def close(self) -> None:
        """Whoever thinks is not asked any more."""
        self._thinker.close()

    @property
    def _position(self) -> Position:
        return self._path[-1]

    def _answer(self, number: str, command: str, words: Sequence[str]) -> None:
        self._number = number
        try:
            if command not in self._commands:
                raise ValueError("unknown command")
            answer = self._commands[command](words)
        except IndexError:
            self._say(f"?{number} syntax error: {command} needs more arguments\n")
        except OSError as error:
            self._say(f"?{number} cannot load file: {error.strerror}\n")
        except ValueError as error:
            self._say(f"?{number} {' '.join(str(error).rstrip('.').split())}\n")
        else:
            if answer is not _SAID:
                self._say(f"={number} {answer}".rstrip() + "\n")

    # The board.

    def _quit(self, words: Sequence[str]) -> str:
        self._has_quit = True
        return ""

    def _set_size(self, words: Sequence[str]) -> str:
        size = _number(words[0], int)
        if size != self._spoken.size:
            self._change("size", size, "unacceptable size")
        return self._clear(words)

    def _set_komi(self, words: Sequence[str]) -> str:
        komi = _number(words[0], float)
        if komi != getattr(self._game, "komi", komi):
            self._change("komi", komi, "unacceptable komi")
        return ""

    def _change(self, parameter: str, value: float, refusal: str) -> None:
        """Another game, perhaps for another thinker; what was played stays if it can."""
        try:
            changed: Game[Any] = dataclasses.replace(self._game, **{parameter: value})
            thinker = self._seat(changed)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{refusal}: {error}") from None
        self._thinker.close()
        self._game, self._spoken, self._thinker = changed, gtp_game(changed), thinker
        self._is_prepared = False
        if parameter == "komi":
            self._replay(self._position.outcomes)

    def _prepare(self) -> None:
        """Compiles before a clock runs, as far as we know."""
        if not self._is_prepared:
            self._is_prepared = True
            self._thinker.prepare()
            begin = Position.of(self._game)  # the rules, too
            begin.after(
                self._game, int(np.argmax(situation(self._game, begin.state).legal_outcomes))
            )

    def _clear(self, words: Sequence[str]) -> str:
        self._prepare()
        self._thinker.forget()
        self._path, self._clock.left = [Position.of(self._game)], {}
        return ""

    def _replay(self, outcomes: Sequence[int]) -> None:
        path = [Position.of(self._game)]
        for outcome in outcomes:
            path.append(path[-1].after(self._game, outcome))
        self._path = path

    def _play(self, words: Sequence[str]) -> str:
        player, vertex = _player(words[0]), words[1]
        self._check_turn(player, "illegal move: ")
        try:
            action = self._spoken.action_of_vertex(vertex)
            self._path.append(self._position.after(self._game, action))
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from None
        return ""

    def _undo(self, words: Sequence[str]) -> str:
        if len(self._path) == 1:
            raise ValueError("cannot undo")
        self._path.pop()
        return ""

    def _load(self, words: Sequence[str]) -> str:
        text = read_text(Path(words[0]).expanduser(), _MOST_BYTES)
        try:
            outcomes = self._game.parse(text)
            if len(words) > 1:  # before this move
                outcomes = outcomes[: max(0, _number(words[1], int) - 1)]
            self._thinker.forget()
            self._replay(outcomes)
        except ValueError as error:
            raise ValueError(f"cannot load file: {error}") from None
        return ""

    def _score(self, words: Sequence[str]) -> str:
        score = getattr(self._game, "score", None)
        if score is None:
            raise ValueError(f"cannot score: {self._game.name} has no points")
        lead = float(score(self._position.state))
        return f"{'B' if lead > 0 else 'W'}+{abs(lead):g}" if lead else "0"

    # Moves.

    def _set_time(self, words: Sequence[str]) -> str:
        main, byo, stones = (_number(words[number], float) for number in range(3))
        if min(main, byo, stones) < 0:
            raise ValueError("syntax error: times must be numbers from 0 on")
        self._clock = _Clock(main=main, byo=byo, stones=int(stones))
        return ""

    def _set_left(self, words: Sequence[str]) -> str:
        player, left, stones = _player(words[0]), _number(words[1], float), _number(words[2], int)
        if self._clock.main is None:
            self._clock = _Clock(main=left)
        self._clock.left[player] = left, stones
        return ""

    def _generate(self, words: Sequence[str]) -> str:
        action = self._choose(_player(words[0]), lambda: None)
        self._path.append(self._position.after(self._game, action))
        return self._spoken.vertex_of_action(action)

    def _suggest(self, words: Sequence[str]) -> str:
        return self._spoken.vertex_of_action(self._choose(_player(words[0]), lambda: None))

    def _choose(self, player: int, watch: Callable[[], None]) -> int:
        self._check_turn(player)
        self._prepare()
        began = time.monotonic()
        seconds = self._clock.seconds(player, self._moves_left())
        if seconds is None:
            seconds = self._seconds
            simulations = None if seconds else self._thinker.usual_simulations
        else:
            simulations = None

        def next_slice() -> float:
            watch()
            return _SLICE if seconds is None else began + seconds - time.monotonic()

        self._thinker.think(self._position, simulations, next_slice)
        self._clock.took(player, time.monotonic() - began)
        return self._thinker.best()

    def _moves_left(self) -> int:
        """Moves of one player that may still come, about: a Go board is half full in the end."""
        played = len(self._position.outcomes)
        return max(self._spoken.size, (self._spoken.size**2 * 3 // 4 - played) // 2)

    def _check_turn(self, player: int, refusal: str = "") -> None:
        actor = situation(self._game, self._position.state).actor
        if actor == TERMINAL:
            raise ValueError(f"{refusal}the game is over")
        if actor != player:
            raise ValueError(f"{refusal}it is {('black', 'white')[actor]}'s turn")

    # Analysis.

    def _analysis(self, style: str, *, generates: bool) -> Callable[[Sequence[str]], str]:
        def analyze(words: Sequence[str]) -> str:
            player, interval, most = self._wanted(words)
            self._check_turn(player)
            self._prepare()
            last = time.monotonic()
            self._say(f"={self._number}")

            def tell() -> None:
                nonlocal last
                if time.monotonic() - last >= interval:
                    self._tell_lines(style, most)
                    last = time.monotonic()

            if generates:
                action = self._choose(player, tell)
                self._tell_lines(style, most)
                self._path.append(self._position.after(self._game, action))
                self._say(f"play {self._spoken.vertex_of_action(action)}\n")
                return _SAID

            def next_slice() -> float:
                tell()
                return 0.0 if self._heard.is_waiting() else _SLICE

            self._thinker.think(self._position, None, next_slice)
            self._tell_lines(style, most)
            while not self._heard.is_waiting():  # there is no room for more
                time.sleep(_PATIENCE)
                tell()
            self._say("")
            return _SAID

        return analyze

    def _wanted(self, words: Sequence[str]) -> tuple[int, float, int]:
        """Player, seconds between lines and the most moves in "[color] [centiseconds] [name value]
        ..."; names of which we know nothing are passed over, as the extension wants."""
        left = list(words)
        player = situation(self._game, self._position.state).actor
        if left and left[0].lower() in _PLAYERS:
            player = _player(left.pop(0))
        interval, most = _USUAL_INTERVAL, _MOST_MOVES
        if left and left[0].isdecimal():
            interval = int(left.pop(0)) / 100
        for name, value in zip(left[::2], left[1::2], strict=False):
            if name == "interval":
                interval = _number(value, float) / 100
            elif name == "maxmoves":
                most = max(1, _number(value, int))
        return player, interval, most

    def _tell_lines(self, style: str, most: int) -> None:
        lines = self._thinker.lines()
        if lines is None:
            return
        vertex, max_utility = self._spoken.vertex_of_action, self._game.max_utility
        self._say(analysis_line(lines, vertex, max_utility=max_utility, style=style, most=most))


_SAID: Final = "\x00"
"""Of a command that has said its answer itself."""


def game_drawn(game: Game[Any], position: Position) -> str:
    """A board, without the empty lines that would end an answer."""
    return "\n".join(line for line in game.draw(position.state).split("\n") if line.strip())


def _player(text: str) -> int:
    if text.lower() not in _PLAYERS:
        raise ValueError(f"syntax error: a color must be black or white, got {text[:20]!r}")
    return _PLAYERS[text.lower()]


def _number(text: str, kind: type) -> Any:
    try:
        return kind(text)
    except ValueError:
        what = "an integer" if kind is int else "a number"
        raise ValueError(f"syntax error: {what} is needed, got {text[:20]!r}") from None
