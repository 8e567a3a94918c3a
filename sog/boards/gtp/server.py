"""The Go Text Protocol, version 2: the engine's side.

Commands are read from one stream and answered on another, one at a time; errors are responses. An
analysis continues until the next line arrives.
"""

import argparse
import contextlib
import dataclasses
import math
import re
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from sog import __version__
from sog.boards.clock import OVERHEAD_MS, Clock
from sog.boards.gtp.analysis import analysis_line, read_request
from sog.boards.gtp.session import (
    GtpSession,
    board_text,
    comment,
    read_color,
    read_number,
    score_text,
)
from sog.boards.gtp.setup import BoardSetup, load_file, rules_commands
from sog.boards.protocol_games import gtp_game
from sog.boards.protocol_server import SECONDS_TO_READY, LineInput, comment_draft, run_server
from sog.boards.thinker import Thinker
from sog.games.core import PLAYER_0, Game
from sog.play.match import Resignation

_PATIENCE: Final = 0.05
_CONTROL_CHARACTERS: Final = re.compile(r"[\x00-\x08\x0a-\x1f\x7f]")
_RESIGN: Final = "resign"
_NO_CLOCK: Final = math.inf
_FOR_GOGUI: Final = (
    "string/Final Score/final_score",
    "plist/Stones Alive/final_status_list alive",
    "string/Last Move/last_move",
    "string/Rules/kata-get-rules",
    "string/CPU Time/cputime",
)
"""Kind, label and command, as GoGui's manual describes them."""


class GtpServer:
    """Plays as an engine for a GTP controller."""

    def __init__(
        self,
        game: Game[Any],
        make_thinker: Callable[[Game[Any]], Thinker],
        *,
        line_input: LineInput,
        say: Callable[[str], None],
        seconds: float | None = None,
        overhead_ms: int = OVERHEAD_MS,
    ) -> None:
        """make_thinker: see `GtpSession`. say: prints a line. seconds: per move without a clock.
        overhead_ms: of each move on a clock.

        Raises ValueError for a game that GTP does not support.
        """
        self._session = GtpSession(game, make_thinker)
        self._line_input, self._say, self._seconds = line_input, say, seconds
        self._clock, self._has_quit = Clock(overhead=overhead_ms / 1000), False
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
            "final_score": lambda words: score_text(self._session.game, self._state),
            "showboard": lambda words: f"\n{board_text(self._session.game, self._state)}",
            "loadsgf": self._load,
            "last_move": lambda words: self._session.last_move,
            "cputime": lambda words: f"{time.process_time():.3f}",
            "gogui-analyze_commands": lambda words: "\n".join(
                line for line in _FOR_GOGUI if line.split("/")[2].split()[0] in self._commands
            ),
            **BoardSetup(self._session, self._stone).commands,
            **rules_commands(self._session),
            **{
                f"{style}-{what}": self._analysis(style, generates=what != "analyze")
                for style in ("lz", "kata")
                for what in ("analyze", "genmove_analyze")
            },
        }

    def run(self) -> None:
        """Answers until `quit` or the end of input."""
        while not self._has_quit and (line := self._line_input.next()) is not None:
            text = _CONTROL_CHARACTERS.sub("", line.partition("#")[0]).replace("\t", " ")
            words = text.split()
            number = words.pop(0) if words and words[0].isdecimal() else ""
            if words:
                self._answer(number, words[0], words[1:])

    def close(self) -> None:
        """Closes the thinker."""
        self._session.thinker.close()

    @property
    def _state(self) -> Any:
        return self._session.position.state

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
        except (ValueError, OverflowError) as error:  # int(inf) overflows
            self._say(f"?{number} {' '.join(str(error).rstrip('.').split())}\n")
        else:
            if answer is not _ALREADY_ANSWERED:
                self._say(f"={number} {answer}".rstrip() + "\n")

    # The board.

    def _quit(self, words: Sequence[str]) -> str:
        self._has_quit = True
        return ""

    def _set_size(self, words: Sequence[str]) -> str:
        size = read_number(words[0], int)
        if size != self._session.gtp_game.size:
            self._change("size", size)
        return self._clear(words)

    def _set_komi(self, words: Sequence[str]) -> str:
        komi = read_number(words[0], float)
        if komi != getattr(self._session.game, "komi", komi):
            self._change("komi", komi)
        return ""

    def _change(self, parameter: str, value: float) -> None:
        try:
            self._session.change(self._session.variant({parameter: value}))
        except ValueError as error:
            raise ValueError(f"unacceptable {parameter}: {error}") from None

    def _clear(self, words: Sequence[str]) -> str:
        self._session.prepare(SECONDS_TO_READY)
        self._session.begin()
        self._clock.left = {}
        return ""

    def _play(self, words: Sequence[str]) -> str:
        player, vertex = read_color(words[0]), words[1]
        try:
            self._session.move(player, self._session.gtp_game.action_of_vertex(vertex))
        except ValueError as error:
            raise ValueError(f"illegal move: {error}") from None
        return ""

    def _undo(self, words: Sequence[str]) -> str:
        self._session.undo()
        return ""

    def _load(self, words: Sequence[str]) -> str:
        try:
            load_file(self._session, words)
        except ValueError as error:
            raise ValueError(f"cannot load file: {error}") from None
        return ""

    # Moves.

    def _set_time(self, words: Sequence[str]) -> str:
        main, byo, stones = (read_number(words[number], float) for number in range(3))
        if min(main, byo, stones) < 0:
            raise ValueError("syntax error: times must be numbers from 0 on")
        self._clock = dataclasses.replace(
            self._clock, main=main, byo=byo, stones=int(stones), left={}
        )
        return ""

    def _set_left(self, words: Sequence[str]) -> str:
        player, left = read_color(words[0]), read_number(words[1], float)
        stones = read_number(words[2], int)
        if self._clock.main is None:
            self._clock.main = left
        self._clock.left[player] = left, stones
        return ""

    def _generate(self, words: Sequence[str]) -> str:
        player = read_color(words[0])
        return self._made(player, self._choose(player, lambda: None))

    def _suggest(self, words: Sequence[str]) -> str:
        action = self._choose(read_color(words[0]), lambda: None)
        return _RESIGN if action is None else self._session.gtp_game.vertex_of_action(action)

    def _stone(self, player: int) -> int:
        action = self._choose(player, lambda: None)
        if action is None:
            raise ValueError("the engine resigns")
        return action

    def _made(self, player: int, action: int | None) -> str:
        if action is None:
            return _RESIGN
        self._session.move(player, action)
        return self._session.gtp_game.vertex_of_action(action)

    def _choose(self, player: int, watch: Callable[[], None]) -> int | None:
        """The move; None if the player, another engine, resigns."""
        began, last_pass = time.monotonic(), self._session.last_pass
        if last_pass is not None:
            return last_pass
        position = self._session.turned_to(player)
        self._session.prepare()
        thinker = self._session.thinker
        comment_draft(thinker, comment)
        seconds = self._clock.seconds(player, self._moves_left())
        if seconds is None:
            seconds = self._seconds
            simulations = None if seconds else thinker.usual_simulations
        else:
            simulations = None

        def next_slice() -> float:
            watch()
            return _NO_CLOCK if seconds is None else began + seconds - time.monotonic()

        try:
            thinker.think(position, simulations, next_slice)
            return thinker.best()
        except Resignation:
            return None
        finally:
            self._clock.took(player, time.monotonic() - began)

    def _moves_left(self) -> int:
        """Moves a player may still make, if a Go game has 3/4 as many moves as points."""
        size, played = self._session.gtp_game.size, len(self._session.position.outcomes)
        return max(size, (size**2 * 3 // 4 - played) // 2)

    # Analysis.

    def _analysis(self, style: str, *, generates: bool) -> Callable[[Sequence[str]], str]:
        def analyze(words: Sequence[str]) -> str:
            order = read_request(words, max(self._session.actor, PLAYER_0))
            position = self._session.turned_to(order.player)
            self._session.prepare()
            last = time.monotonic()
            self._say(f"={self._number}")

            def report() -> None:
                nonlocal last
                if time.monotonic() - last >= order.interval:
                    self._print_lines(style, order.most)
                    last = time.monotonic()

            if generates:
                action = self._choose(order.player, report)
                self._print_lines(style, order.most)
                self._say(f"play {self._made(order.player, action)}\n")
                return _ALREADY_ANSWERED

            def next_slice() -> float:
                report()
                return 0.0 if self._line_input.is_waiting() else _NO_CLOCK

            with contextlib.suppress(Resignation):
                self._session.thinker.think(position, None, next_slice)
            self._print_lines(style, order.most)
            while not self._line_input.is_waiting():  # the tree is full
                time.sleep(_PATIENCE)
                report()
            self._say("")
            return _ALREADY_ANSWERED

        return analyze

    def _print_lines(self, style: str, most: int) -> None:
        lines = self._session.thinker.lines()
        if lines is None:
            return
        line = analysis_line(
            lines,
            self._session.gtp_game.vertex_of_action,
            max_utility=self._session.game.max_utility,
            style=style,
            most=most,
            counts_points=getattr(self._session.game, "payoff", "") == "diff",
        )
        self._say(line)


_ALREADY_ANSWERED: Final = "\x00"
"""Returned by a command that has printed its own response."""


def run(arguments: argparse.Namespace) -> int:
    """Runs `sog gtp PLAYER`; returns its exit code."""
    return run_server(arguments, gtp_game, GtpServer)
