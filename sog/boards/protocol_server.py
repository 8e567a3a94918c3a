"""What `sog gtp` and `sog uci` share: line input, and a thinker for each variant of the game."""

import argparse
import contextlib
import dataclasses
import functools
import math
import os
import queue
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, Final

from sog.boards.thinker import Thinker, thinker_of
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.loading import load_game
from sog.cli.players import check_searches, host_of, read_changes, seat_players
from sog.games.core import Game
from sog.players.seating import seat

_PIECE: Final = 2**16
_MOST_BYTES: Final = 2**20
"""Per line: some 200,000 moves of chess."""


class LineInput:
    """Lines of a stream, read by a thread; None marks the end."""

    def __init__(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        self._lines: queue.SimpleQueue[str | CommandError | None] = queue.SimpleQueue()
        self._ahead: list[str | None] = []
        self._has_ended = False
        thread = threading.Thread(target=self._read, args=[stream], daemon=True)
        thread.start()

    def next(self) -> str | None:
        """Waits for the next line; None at the end. Raises CommandError for a line of more than a
        megabyte."""
        if self._ahead:
            return self._ahead.pop(0)
        if self._has_ended:
            return None
        line = self._lines.get()
        if isinstance(line, CommandError):
            raise line
        self._has_ended = line is None
        return line

    def is_waiting(self) -> bool:
        """Whether `next` returns at once, with a line or at the end."""
        return bool(self._ahead) or self._has_ended or not self._lines.empty()

    def put_back(self, line: str | None) -> None:
        """Makes `next` return this line first."""
        self._ahead.insert(0, line)

    def _read(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # the stream was closed
                for line in stream:
                    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
                    self._lines.put(text.rstrip("\r\n"))
        except CommandError as error:
            self._lines.put(error)
        self._lines.put(None)


def standard_input() -> LineInput:
    """Lines of stdin; invalid UTF-8 becomes replacement characters."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError):  # not a file
        return LineInput(sys.stdin)
    return LineInput(_lines_of(number))


def _lines_of(number: int) -> Iterator[bytes]:
    """Lines of an open file, bypassing Python's buffer: a thread that holds its lock when the
    process ends is a fatal error."""
    rest = b""
    while piece := os.read(number, _PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > _MOST_BYTES:
            raise CommandError(f"stdin: a line may have at most {_MOST_BYTES:,} bytes.")
    if rest:
        yield rest


SECONDS_TO_READY: Final = 8.0
"""Seconds after which an engine says that it is ready, since programs that show a board give up
after 10: the first move then waits for what is left."""
_SECONDS_BETWEEN_COMMENTS: Final = 1.0
_DRAFT: Final = "a faster search is still being compiled: this one starts anew at every move"


def begin_compiling(work: Callable[[], None]) -> "Future[None]":
    """Does `work` in a thread."""
    return ThreadPoolExecutor(1).submit(work)


def await_compiling(
    made: "Future[None]", comment: Callable[[str], None], most: float = math.inf
) -> None:
    """Waits for at most so many seconds, and comments on each."""
    began = time.monotonic()
    while not wait([made], timeout=_SECONDS_BETWEEN_COMMENTS).done:
        seconds = time.monotonic() - began
        if seconds >= most:
            return
        comment(f"compiling, {seconds:.0f} s")
    made.result()


def comment_draft(thinker: Thinker, comment: Callable[[str], None]) -> None:
    """Comments if a thinker is still being compiled."""
    if thinker.is_draft:
        comment(_DRAFT)


_USUAL_ROOM: Final = 2000
_ROOM_PER_SIMULATION: Final = 4


def run_server(
    arguments: argparse.Namespace,
    check_game: Callable[[Game[Any]], Any],
    make_server: Callable[..., Any],
) -> int:
    """Runs a server; returns the exit code.

    check_game: raises for a game that the protocol does not support. make_server: called with the
    game, a function that makes a thinker for a game (ValueError if the player cannot play it), and
    the arguments common to servers.
    """
    check_searches([arguments.agent], arguments)
    start_jax(few_searches=True)
    with display.working() as work, mistakes():
        given = None if arguments.game is None else load_game(arguments.game, work)
        if given is not None:
            check_game(given)
        seating = seat_players([arguments.agent], arguments, work, game=given)
        check_game(seating.game)
        (player,) = seating.players
        # A program that changes the board has no command line.
        host = dataclasses.replace(host_of(arguments, work), game_from="the game on the board")
    changes = read_changes(arguments.search, arguments.set)

    def make_thinker(game: Game[Any]) -> Thinker:
        known = player
        if str(game) != str(player.game):
            (known,) = seat([arguments.agent], game=game, search=changes, host=host).players
        usual = 1 if known.search is None else known.search.num_simulations
        most = arguments.room or max(_USUAL_ROOM, _ROOM_PER_SIMULATION * usual)
        return thinker_of(known.game, known.make, most=most, seed=arguments.seed)

    with mistakes():
        server = make_server(
            seating.game,
            make_thinker,
            line_input=standard_input(),
            say=functools.partial(print, flush=True),
            seconds=arguments.seconds,
            overhead_ms=arguments.move_overhead,
        )
    with contextlib.closing(server):
        server.run()
    return SUCCESS
