"""`sog uci PLAYER`: answers a chess program, or whoever else speaks UCI, on stdin and stdout."""

import argparse

from sog.boards.speaking import answer
from sog.boards.spoken import uci_game
from sog.boards.uci.server import UciServer


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    return answer(
        arguments,
        uci_game,
        lambda game, seat, **how: UciServer(game, seat(game), name=arguments.agent, **how),
    )
