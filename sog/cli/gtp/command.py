"""`sog gtp PLAYER`: answers a Go board, or whoever else speaks GTP, on stdin and stdout."""

import argparse
import contextlib
import functools

from sog.cli.errors import SUCCESS, mistakes
from sog.cli.gtp.server import GtpServer
from sog.cli.line_input import standard_input
from sog.cli.speaking import begin_speaking
from sog.games.spoken import gtp_game


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    game, seat = begin_speaking(arguments, gtp_game)
    with mistakes():
        server = GtpServer(
            game,
            seat,
            heard=standard_input(),
            say=functools.partial(print, flush=True),
            seconds=arguments.seconds,
            overhead_ms=arguments.move_overhead,
        )
    with contextlib.closing(server):
        server.run()
    return SUCCESS
