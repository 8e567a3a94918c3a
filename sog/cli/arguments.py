"""The options of every command and their help; imports nothing heavy."""

import argparse
import math
from pathlib import Path
from typing import Any, Final, NoReturn

from sog import __version__
from sog.cli.errors import CommandError

_MOST: Final = 2_000_000_000  # iterations are counted in 32 bits
_GAME_HELP: Final = "a game, as 'leduc' or \"leduc(ranks=4)\" (quoted for the shell)"

_DESCRIPTION: Final = """\
Exact tools for two-player zero-sum games: how large a game is, how to play it,
and what an optimal opponent wins against a policy.
"""
_EXAMPLES: Final = """\
examples:
  sog games                                     what there is to play, and how large
  sog games leduc                               a game's parameters
  sog solve leduc                               solve it, print how good the policy is
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog exploitability leduc leduc.npz            what an optimal opponent wins against it

Each command explains itself: sog solve --help.
Compiled programs are kept in ~/.cache/sog for the next run; the environment variable
SOG_CACHE_DIR names another folder, or none if it is empty.
"""
_GAMES_EXAMPLES: Final = """\
examples:
  sog games                                     all games
  sog games leduc                               one game: its parameters and sizes
  sog games "leduc(ranks=4)"                    the sizes of a variant
  sog games "openspiel:kuhn_poker"              a game of OpenSpiel (pip install 'sog[openspiel]')
  sog games --json                              for programs

Sizes: a public state is what both players know, an infostate what one player knows where he is
to move; an outcome is a public event. Depth counts public events from the deal to the end.
"""
_SOLVE_EXAMPLES: Final = """\
rules:
  cfr      CFR (Zinkevich et al. 2007), alternating
  cfr+     CFR+ (Tammelin 2014), alternating, linear averaging; the default
  sog      Student of Games: regret matching+, simultaneous, linear averaging
  linear   Linear CFR (Brown and Sandholm 2019)
  dcfr     Discounted CFR (Brown and Sandholm 2019)
  pcfr+    Predictive CFR+ (Farina et al. 2021)

examples:
  sog solve leduc
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog solve "liars_dice(dice=1,faces=6)" --rule dcfr --iterations 500
  sog solve kuhn --until-mbb 1e-6 --precision float64 --json

Exploitability is half of NashConv: what a player loses on average against an optimal opponent,
both seats counted. It is printed in thousandths of the game's unit; in poker that is mbb, a chip
being a big blind. Ctrl-C stops early and keeps what was reached (exit code 130).
"""
_EXPLOITABILITY_EXAMPLES: Final = """\
examples:
  sog solve leduc --save leduc.npz
  sog exploitability leduc leduc.npz
  sog exploitability leduc leduc.npz --json
"""


class _Parser(argparse.ArgumentParser):
    """Tells a mistake in one line, without the usage in front of it."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message} (see {self.prog} --help)")


def make_parser() -> argparse.ArgumentParser:
    """The parser of `sog`; the name of the command ends up in `command`."""
    parser = _Parser(**_texts("sog", _DESCRIPTION, _EXAMPLES))
    parser.add_argument("--version", action="version", version=f"sog {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)

    summary = "list the games, or a game's parameters and sizes"
    games = commands.add_parser("games", help=summary, **_texts(None, summary, _GAMES_EXAMPLES))
    games.add_argument("game", nargs="?", metavar="GAME", help=_GAME_HELP)
    games.add_argument("--json", action="store_true", help="print JSON on stdout, nothing else")
    games.add_argument(
        "--sizes", action="store_true", help="count up to 10 million public states, not one million"
    )

    summary = "compute an equilibrium with CFR over the whole public tree"
    solve = commands.add_parser("solve", help=summary, **_texts(None, summary, _SOLVE_EXAMPLES))
    solve.add_argument("game", metavar="GAME", help=_GAME_HELP)
    _add_solve_options(solve)

    summary = "what an optimal opponent wins against a saved policy"
    exploitability = commands.add_parser(
        "exploitability", help=summary, **_texts(None, summary, _EXPLOITABILITY_EXAMPLES)
    )
    exploitability.add_argument("game", metavar="GAME", help=_GAME_HELP)
    exploitability.add_argument(
        "policy", metavar="POLICY.npz", type=Path, help="a file that `sog solve --save` wrote"
    )
    _add_shared_options(exploitability)
    return parser


def _add_solve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", default="cfr+", help="a member of the CFR family, see below")
    parser.add_argument(
        "--iterations",
        type=_positive_integer,
        metavar="N",
        help="stop after N iterations (default: 1000; with --until-mbb 1000000)",
    )
    parser.add_argument(
        "--until-mbb",
        type=_positive_number,
        metavar="X",
        help="stop as soon as the exploitability is at most X thousandths of the game's unit",
    )
    parser.add_argument(
        "--precision",
        choices=("float32", "float64"),
        default="float32",
        help="of the iterations (default: float32); exploitability is always computed in float64",
    )
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE.png",
        help="draw exploitability against iterations (pip install 'sog[plot]')",
    )
    parser.add_argument(
        "--save", type=Path, metavar="FILE.npz", help="write the average policy to a file"
    )
    _add_shared_options(parser)


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-nodes",
        type=_positive_integer,
        metavar="N",
        help="refuse games with more public states than this (default: 2000000)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object on stdout, nothing else"
    )


def _texts(prog: str | None, description: str, epilog: str) -> dict[str, Any]:
    return {
        "prog": prog,
        "description": description,
        "epilog": epilog,
        "formatter_class": argparse.RawDescriptionHelpFormatter,
        "allow_abbrev": False,
    }


def _positive_integer(text: str) -> int:
    try:
        value = int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be an integer, got {text!r}") from None
    if not 1 <= value <= _MOST:
        raise argparse.ArgumentTypeError(f"must be from 1 to {_MOST}, got {text}")
    return value


def _positive_number(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be a number, got {text!r}") from None
    if not (value > 0 and math.isfinite(value)):
        raise argparse.ArgumentTypeError(f"must be a finite number > 0, got {text}")
    return value
