"""The Universal Chess Interface: the engine's side.

One thread does everything: between two slices of a search it reads the input, so that stop,
ponderhit and isready are handled within a slice. Other commands wait for the end of the search.
"""

import argparse
import dataclasses
import itertools
import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from typing import Any, Final

import numpy as np

from sog import __version__
from sog.boards.clock import MOST_OVERHEAD_MS, OVERHEAD_MS
from sog.boards.protocol_games import uci_game
from sog.boards.protocol_server import (
    SECONDS_TO_READY,
    LineInput,
    await_compiling,
    begin_compiling,
    comment_draft,
    run_server,
)
from sog.boards.thinker import Thinker
from sog.boards.uci.limits import Limits, read_limits
from sog.games.core import TERMINAL, Game
from sog.play.game_in_progress import Position
from sog.play.principal_variation import Lines
from sog.play.rules import situation

_CHESS: Final = "chess"
_NO_MOVE: Final = "0000"
_SECONDS_BETWEEN_INFO: Final = 0.5
_NO_CLOCK: Final = math.inf
_MOST_LINES: Final = 64
_MOST_CENTIPAWNS: Final = 10_000
_PER_DECADE: Final = 400
"""Centipawns for odds ten times as good: chessprogramming.org, "Pawn Advantage, Win Percentage, and
Elo"."""


@dataclasses.dataclass(kw_only=True)
class _Options:
    """The options of `setoption`, all numbers."""

    multi_pv: int = 1
    overhead_ms: int
    simulations: int | None = None


class UciServer:
    """Plays as an engine for a UCI program."""

    def __init__(
        self,
        game: Game[Any],
        thinker: Thinker,
        *,
        name: str,
        line_input: LineInput,
        say: Callable[[str], None],
        seconds: float | None = None,
        overhead_ms: int = OVERHEAD_MS,
    ) -> None:
        """name: of the player. say: prints a line. seconds: for a move without limits. overhead_ms:
        of a move on a clock, until the program sets another.

        Raises ValueError for a game that UCI does not support.
        """
        self._game, self._uci_game, self._thinker = game, uci_game(game), thinker
        self._name, self._line_input, self._say, self._seconds = name, line_input, say, seconds
        self._options = _Options(overhead_ms=overhead_ms)
        self._position: Position | None = Position.of(game)
        self._path = [("startpos", self._position)]
        """The beginning as the program gave it, then the moves and the position after each."""
        self._prepared: Future[None] | None = None
        self._has_quit = False
        self._commands: dict[str, Callable[[Sequence[str]], None]] = {
            "uci": self._introduce,
            "isready": self._get_ready,
            "ucinewgame": lambda words: self._thinker.forget(),
            "setoption": self._set_option,
            "position": self._set_position,
            "go": self._go,
            "quit": self._quit,
        }

    def run(self) -> None:
        """Answers until `quit` or the end of input."""
        while not self._has_quit and (line := self._line_input.next()) is not None:
            words = line.split()
            # Unknown words before a command are skipped, by the protocol.
            while words and words[0] not in self._commands:
                words.pop(0)
            if words:
                try:
                    self._commands[words[0]](words[1:])
                except ValueError as error:
                    self._print_error(str(error))

    def close(self) -> None:
        """Closes the thinker."""
        self._thinker.close()

    def _print_error(self, problem: str) -> None:
        """Prints an error as info, since the protocol has none: programs may show it."""
        self._comment(f"error: {' '.join(problem.split())}")

    def _introduce(self, words: Sequence[str]) -> None:
        self._say(f"id name sog {__version__} {' '.join(self._name.split())}")
        self._say("id author the sog authors")
        for line in self._option_lines():
            self._say(f"option name {line}")
        self._say("uciok")

    def _option_lines(self) -> list[str]:
        lines = [
            f"MultiPV type spin default 1 min 1 max {_MOST_LINES}",
            "Ponder type check default false",
            f"Move Overhead type spin default {self._options.overhead_ms} min 0 "
            f"max {MOST_OVERHEAD_MS}",
        ]
        thinker, variant = self._thinker, self._uci_game.uci_variant
        if thinker.usual_simulations is not None:
            numbers = f"default {thinker.usual_simulations} min 1 max {thinker.most_simulations}"
            lines.append(f"Simulations type spin {numbers}")
        if variant != _CHESS:
            lines.append(f"UCI_Variant type combo default {variant} var {variant}")
        return lines

    def _get_ready(self, words: Sequence[str]) -> None:
        self._prepare(SECONDS_TO_READY)
        self._say("readyok")

    def _prepare(self, most: float = math.inf) -> None:
        self._prepared = self._prepared or begin_compiling(self._compile)
        await_compiling(self._prepared, self._comment, most)

    def _compile(self) -> None:
        begin = Position.of(self._game)  # compiles the rules and notation first
        action = int(np.argmax(situation(self._game, begin.state).legal_outcomes))
        text = self._uci_game.uci_of_action(begin.state, action)
        begin.after(self._game, self._uci_game.read_action(begin.state, text))
        self._thinker.prepare()

    def _comment(self, text: str) -> None:
        self._say(f"info string {text}")

    def _set_option(self, words: Sequence[str]) -> None:
        text = " ".join(words)
        name, _, value = text.removeprefix("name ").partition(" value ")
        known = {"multipv": "multi_pv", "move overhead": "overhead_ms"}
        if self._thinker.usual_simulations is not None:
            known["simulations"] = "simulations"
        if name.lower() in known:
            if not value.strip().isdecimal():
                raise ValueError(f"option {name} must be an integer, got {value[:20]!r}.")
            low, high = 1 if name.lower() != "move overhead" else 0, 10_000
            if name.lower() == "simulations":
                high = self._thinker.most_simulations or 1
            setattr(self._options, known[name.lower()], min(max(int(value), low), high))
        elif name.lower() == "uci_variant" and value != self._uci_game.uci_variant:
            raise ValueError(f"the variant is {self._uci_game.uci_variant}, got {value[:20]!r}.")
        elif name.lower() not in ("ponder", "uci_variant"):
            raise ValueError(f"there is no option {name[:40]!r}.")

    def _set_position(self, words: Sequence[str]) -> None:
        self._position = None  # none if the command is invalid
        at = words.index("moves") if "moves" in words else len(words)
        texts = [" ".join(words[:at]), *words[at + 1 :]]
        # The whole game is sent with every move: keep the positions already known.
        pairs = zip(self._path, texts, strict=False)
        same = itertools.takewhile(lambda pair: pair[0][0] == pair[1], pairs)
        self._path = path = [known for known, _ in same] or [(texts[0], self._start(texts[0]))]
        for number, move in enumerate(texts[len(path) :], start=len(path)):
            before = path[-1][1]
            try:
                reached = before.after(self._game, self._uci_game.read_action(before.state, move))
            except ValueError as error:
                raise ValueError(f"move {number}, {move[:20]!r}: {error}") from None
            further = self._uci_game.play_on(reached.state)
            if further is not reached.state:
                reached = Position.of(self._game, further)
            path.append((move, reached))
        self._position = path[-1][1]

    def _start(self, begin: str) -> Position:
        kind, _, text = begin.partition(" ")
        if begin == "startpos":
            return Position.of(self._game)
        if kind == "fen":
            return Position.of(self._game, self._uci_game.from_fen(text))
        raise ValueError(f"position must be startpos or fen, got {begin[:40]!r}.")

    def _quit(self, words: Sequence[str]) -> None:
        self._has_quit = True

    # Thinking.

    def _go(self, words: Sequence[str]) -> None:
        position = self._position
        if position is None:
            self._print_error("there is no position to think about.")
            self._say(f"bestmove {_NO_MOVE}")
            return
        actor = situation(self._game, position.state).actor
        if actor == TERMINAL:
            self._print_error(f"the game is over at '{self._game.describe_state(position.state)}'.")
            self._say("bestmove (none)")
            return
        self._prepare()
        limits = read_limits(words, actor, self._options.overhead_ms / 1000)
        try:
            allowed = {self._uci_game.read_action(position.state, move) for move in limits.moves}
        except ValueError as error:
            self._print_error(f"searchmoves: {error}")
            allowed = set()
        comment_draft(self._thinker, self._comment)
        search = _Search(self, position, limits, allowed)
        try:
            search.run()
            self._say(f"bestmove {self._chosen(position, allowed)}")
        except ValueError as error:
            self._print_error(str(error))
            self._say(f"bestmove {_NO_MOVE}")

    def _chosen(self, position: Position, allowed: set[int]) -> str:
        """The best move, and the expected reply to ponder on."""
        action, lines = self._thinker.best(), self._thinker.lines()
        follows: list[int] = []
        order = _order(lines, allowed)
        if lines is not None and order:
            action, *follows = lines.line(order[0])
        elif allowed and action not in allowed:
            action = min(allowed)
        text = self._uci_game.uci_of_action(position.state, action)
        if not follows:
            return text
        reply = position.after(self._game, action)
        return f"{text} ponder {self._uci_game.uci_of_action(reply.state, follows[0])}"

    def print_lines(self, position: Position, began: float, allowed: set[int]) -> int:
        """Prints the search's principal variations so far; returns the length of the best.

        allowed: see `_order`.
        """
        lines = self._thinker.lines()
        best = _order(lines, allowed)
        if lines is None or not best:
            return 0
        milliseconds = max(1, round(1000 * (time.monotonic() - began)))
        nodes, made = lines.num_visits, self._thinker.num_simulations
        for number, order in enumerate(best[: self._options.multi_pv]):
            moves, at = [], position
            for event in lines.line(order):
                moves.append(self._uci_game.uci_of_action(at.state, event))
                at = at.after(self._game, event)
            value = float(lines.values[order]) / self._game.max_utility
            self._say(
                f"info depth {len(moves)} multipv {number + 1} score cp {centipawns(value)} "
                f"nodes {nodes} nps {1000 * made // milliseconds} time {milliseconds} "
                f"pv {' '.join(moves)}"
            )
        return len(lines.line(best[0]))


def _order(lines: Lines | None, allowed: set[int]) -> list[int]:
    """Numbers of the lines that begin with an allowed move, the best first; of all if `allowed` is
    empty."""
    actions = [] if lines is None else lines.actions.tolist()
    return [number for number, one in enumerate(actions) if one in allowed or not allowed]


class _Search:
    """One `go`: what ends it, and commands during it."""

    def __init__(
        self, server: UciServer, position: Position, limits: Limits, allowed: set[int]
    ) -> None:
        self._server, self._position, self._limits = server, position, limits
        self._allowed = allowed
        self._began = self._last_told = time.monotonic()
        self._waits, self._is_stopped, self._has_ended = limits.waits, False, False
        self._seconds = limits.seconds
        if not limits.is_limited and not limits.waits:
            self._seconds = server._seconds
        self._later: list[str | None] = []

    def run(self) -> None:
        """Thinks until the search ends, and handles commands meanwhile."""
        server, limits = self._server, self._limits
        nodes = limits.nodes
        if not limits.is_limited and not limits.waits and self._seconds is None:
            nodes = server._options.simulations or server._thinker.usual_simulations
        server._thinker.think(self._position, nodes, self._next_slice)
        while self._waits and not self._is_stopped:  # the move waits for stop or ponderhit
            self._hear(server._line_input.next())
        server.print_lines(self._position, self._began, self._allowed)
        for line in reversed(self._later):
            server._line_input.put_back(line)

    def _next_slice(self) -> float:
        line_input = self._server._line_input
        while line_input.is_waiting() and not (self._is_stopped or self._has_ended):
            self._hear(line_input.next())
        now = time.monotonic()
        if now - self._last_told > _SECONDS_BETWEEN_INFO or self._limits.depth is not None:
            self._last_told = now
            reached = self._server.print_lines(self._position, self._began, self._allowed)
            if self._limits.depth is not None:
                self._is_stopped |= reached >= self._limits.depth and not self._waits
        if self._is_stopped:
            return 0.0
        if self._seconds is None or (self._limits.ponders and self._waits):
            return _NO_CLOCK
        return self._began + self._seconds - now

    def _hear(self, line: str | None) -> None:
        word = "" if line is None else (line.split() or [""])[0]
        if line is None:  # end of input: nothing else could stop it
            self._has_ended, self._is_stopped = True, self._waits
            self._later.append(line)
        elif word == "quit":
            self._is_stopped = True
            self._later.append(line)
        elif word == "stop":
            self._is_stopped = True
        elif word == "ponderhit":
            if self._limits.ponders and self._waits:
                self._waits, self._began = False, time.monotonic()
        elif word == "isready":
            self._server._say("readyok")
        elif word:
            self._later.append(line)


def centipawns(value: float) -> int:
    """The advantage with the win rate of a value from -1 to 1, a draw being half a win."""
    if abs(value) >= 1:
        return _MOST_CENTIPAWNS if value > 0 else -_MOST_CENTIPAWNS
    return round(_PER_DECADE * math.log10((1 + value) / (1 - value)))


def run(arguments: argparse.Namespace) -> int:
    """Runs `sog uci PLAYER`; returns its exit code."""
    return run_server(
        arguments,
        uci_game,
        lambda game, make_thinker, **how: UciServer(
            game, make_thinker(game), name=arguments.agent, **how
        ),
    )
