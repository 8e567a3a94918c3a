"""`sog evaluate RUN --cdbr`: what continual depth-limited best response wins against a player."""

import argparse

from sog.cli.errors import reject
from sog.cli.responding import Responder, measure
from sog.players.cdbr import DepthLimitedResponse


def takes(arguments: argparse.Namespace) -> bool:
    """Whether --cdbr is set; CommandError for --depth without it."""
    if not arguments.cdbr:
        reject(arguments, ["depth"], "without --cdbr")
    return bool(arguments.cdbr)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command with --cdbr; returns the exit code."""
    depth = arguments.depth or DepthLimitedResponse.depth
    tried = Responder(f"cdbr(depth={depth})", {"depth": depth}, f"{depth} events")
    return measure(arguments, "cdbr", "best response looks ahead", lambda game: [tried])
