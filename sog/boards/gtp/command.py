"""`sog gtp PLAYER`: answers a Go board, or whoever else speaks GTP, on stdin and stdout."""

import argparse

from sog.boards.gtp.server import GtpServer
from sog.boards.speaking import answer
from sog.boards.spoken import gtp_game


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    return answer(arguments, gtp_game, GtpServer)
