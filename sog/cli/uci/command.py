"""`sog uci PLAYER`: answers a chess program, or whoever else speaks UCI, on stdin and stdout."""

import argparse
import contextlib
import functools

from sog.cli.errors import SUCCESS, mistakes
from sog.cli.line_input import standard_input
from sog.cli.speaking import begin_speaking
from sog.cli.uci.server import UciServer
from sog.games.spoken import uci_game


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    game, seat = begin_speaking(arguments, uci_game)
    with mistakes():
        server = UciServer(
            game,
            seat(game),
            name=arguments.agent,
            heard=standard_input(),
            say=functools.partial(print, flush=True),
            seconds=arguments.seconds,
            overhead_ms=arguments.move_overhead,
        )
    with contextlib.closing(server):
        server.run()
    return SUCCESS
