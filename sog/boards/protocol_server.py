"""What `sog gtp` and `sog uci` have in common: a player, who thinks for whatever game is asked."""

import argparse
import contextlib
import dataclasses
import functools
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from sog.boards.thinker import Thinker, thinker_of
from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.players import check_searches, host_of, seat_players
from sog.cli.search_numbers import read_changes
from sog.games.core import Game
from sog.players.seating import seat

_PIECE: Final = 2**16
_MOST_BYTES: Final = 2**20
"""Of a line: some 200,000 moves of chess."""


class LineInput:
    """Lines from a stream, read by a thread of its own; None is its end."""

    def __init__(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        self._lines: queue.SimpleQueue[str | CommandError | None] = queue.SimpleQueue()
        self._ahead: list[str | None] = []
        self._has_ended = False
        thread = threading.Thread(target=self._read, args=[stream], daemon=True)
        thread.start()

    def next(self) -> str | None:
        """The next line, waited for; None when there will be no more. Raises CommandError for a
        line of more than a megabyte."""
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
        """Whether `next` returns at once: there is a line, or there will be none."""
        return bool(self._ahead) or self._has_ended or not self._lines.empty()

    def put_back(self, line: str | None) -> None:
        """Has `next` return this first."""
        self._ahead.insert(0, line)

    def _read(self, stream: Iterable[str] | Iterable[bytes]) -> None:
        try:
            with contextlib.suppress(OSError, ValueError):  # it was closed
                for line in stream:
                    text = line.decode("utf-8", "replace") if isinstance(line, bytes) else line
                    self._lines.put(text.rstrip("\r\n"))
        except CommandError as error:
            self._lines.put(error)
        self._lines.put(None)


def standard_input() -> LineInput:
    """What comes from whoever has started us; bytes that are no text become question marks."""
    try:
        number = sys.stdin.fileno()
    except (OSError, ValueError):  # no file
        return LineInput(sys.stdin)
    return LineInput(_lines_of(number))


def _lines_of(number: int) -> Iterator[bytes]:
    """Lines of an open file, past Python's buffer: a thread that waits in it when the process ends
    holds its lock, which is fatal."""
    rest = b""
    while piece := os.read(number, _PIECE):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines
        if len(rest) > _MOST_BYTES:
            raise CommandError(f"stdin: a line may have at most {_MOST_BYTES:,} bytes.")
    if rest:
        yield rest


_USUAL_ROOM: Final = 2000
_ROOM_PER_SIMULATION: Final = 4


def answer(
    arguments: argparse.Namespace,
    speaks: Callable[[Game[Any]], Any],
    make_server: Callable[..., Any],
) -> int:
    """Runs a server; returns the exit code.

    speaks: refuses a game that the protocol cannot speak of. make_server: takes the game, who
    thinks about a game (ValueError where the player cannot play it), and what servers have in
    common.
    """
    check_searches([arguments.agent], arguments)
    start_jax(few_searches=True)
    with display.working() as work, mistakes():
        seating = seat_players([arguments.agent], arguments, work)
        speaks(seating.game)
        (player,) = seating.players
        # Whoever changes the board has no command line.
        host = dataclasses.replace(host_of(arguments, work), game_from="the game on the board")
    changes = read_changes(arguments)

    def think_for(game: Game[Any]) -> Thinker:
        known = player
        if str(game) != str(player.game):
            (known,) = seat([arguments.agent], game=game, search=changes, host=host).players
        usual = 1 if known.search is None else known.search.num_simulations
        most = arguments.room or max(_USUAL_ROOM, _ROOM_PER_SIMULATION * usual)
        return thinker_of(known.game, known.make, most=most, seed=arguments.seed)

    with mistakes():
        server = make_server(
            seating.game,
            think_for,
            heard=standard_input(),
            say=functools.partial(print, flush=True),
            seconds=arguments.seconds,
            overhead_ms=arguments.move_overhead,
        )
    with contextlib.closing(server):
        server.run()
    return SUCCESS
