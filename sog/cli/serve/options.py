"""The options of `sog serve` and their help; imports nothing heavy."""

import argparse
from typing import Final

from sog.cli.numbers import port_number

DEFAULT_HOST: Final = "127.0.0.1"
DEFAULT_PORT: Final = 8642

SERVE_SUMMARY: Final = "play, look into searches and watch runs in a browser"
SERVE_EXAMPLES: Final = """\
examples:
  sog serve                                     any game, any player, the agents of the package
  sog serve runs/leduc runs/glasses             against these networks too; watch them train
  sog serve --game "leduc(ranks=4)"             a game with other parameters
  sog serve --port 0                            at any free port

Open the address that is printed: it holds a token, without which nothing is answered. Only this
machine can reach the server unless --host says otherwise; whoever can reach it and has the token
may use it, and what is sent is not encrypted. For a server elsewhere, have ssh bring it here:
  ssh -L 8642:127.0.0.1:8642 there sog serve --port 8642

Ctrl-C stops it; games that were not saved (a button does that) are lost. Needs the extra `web`:
pip install 'sog[web]'.
"""


def add_serve_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog serve` can be told."""
    add = parser.add_argument
    add("runs", nargs="*", metavar="RUN", help="run folders, RUN@STEP, or agent:NAME")
    add(
        "--game",
        action="append",
        default=[],
        metavar="GAME",
        help="offer this game too, with these parameters; may be repeated",
    )
    add(
        "--player",
        action="append",
        default=[],
        metavar="PLAYER",
        help="offer this player too, as in `sog match`; may be repeated",
    )
    add(
        "--host",
        default=DEFAULT_HOST,
        metavar="ADDRESS",
        help=f"the address to listen at (default: {DEFAULT_HOST}, for this machine only)",
    )
    add(
        "--port",
        type=port_number,
        default=DEFAULT_PORT,
        metavar="N",
        help=f"the port to listen at, 0 for any free one (default: {DEFAULT_PORT})",
    )
    add("--open", action="store_true", help="open the page in a browser")
