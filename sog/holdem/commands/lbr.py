"""`sog evaluate RUN --lbr`: what local best response wins against a trained player."""

import argparse
from typing import Any, Final

from sog.cli.errors import reject
from sog.cli.responding import Responder, measure
from sog.games import Game
from sog.holdem.acpc import is_limit
from sog.holdem.game import Holdem

_MEANINGS: Final = {
    "none": "fold and call",
    "pot": "fold, call, and with cards on the table bet the pot or all-in",
    "all": "fold, call, and all bets of the menu",
}


def takes(arguments: argparse.Namespace) -> bool:
    """Whether --lbr is set; CommandError for --cdbr with it."""
    if arguments.lbr:
        reject(arguments, ["cdbr"], "with --lbr")
    return bool(arguments.lbr)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command with --lbr; prints all finished results; returns the exit code."""

    def responders(game: Game[Any]) -> list[Responder]:
        has_sizes = isinstance(game, Holdem) and not is_limit(game)
        return [
            Responder(f"lbr(bets={bets})", {"bets": bets}, _MEANINGS[bets])
            for bets in ("none", "pot" if has_sizes else "all")
        ]

    return measure(arguments, "lbr", "local best response may", responders)
