"""The options of `sog solve` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.history_option import add_history_option
from sog.cli.numbers import positive_integer, positive_number

SOLVE_SUMMARY: Final = "compute an equilibrium with CFR over the whole public tree"
SOLVE_EXAMPLES: Final = """\
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
  sog solve tic_tac_toe --history XO./.X./..O
  sog solve leduc --save-state leduc.solve
  sog solve leduc --resume leduc.solve --iterations 5000

Exploitability is half of NashConv: what a player loses on average against an optimal opponent,
both seats counted. It is printed in thousandths of the game's unit; in poker that is mbb, a chip
being a big blind. Ctrl-C stops early and keeps what was reached (exit code 130).
"""


def add_solve_options(parser: argparse.ArgumentParser) -> None:
    """Adds what `sog solve` can be told, the shared options apart."""
    add_history_option(parser, "solve what lies below a position of a game without hidden cards")
    parser.add_argument("--rule", help="a member of the CFR family, see below (default: cfr+)")
    parser.add_argument(
        "--iterations",
        type=positive_integer,
        metavar="N",
        help="stop after N iterations (default: 1000; with --until-mbb 1000000)",
    )
    parser.add_argument(
        "--until-mbb",
        type=positive_number,
        metavar="X",
        help="stop as soon as the exploitability is at most X thousandths of the game's unit",
    )
    parser.add_argument(
        "--precision",
        choices=("float32", "float64"),
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
    parser.add_argument(
        "--save-state",
        type=Path,
        metavar="FILE.solve",
        help="write to a file what it takes to go on: regrets and sums",
    )
    parser.add_argument(
        "--resume",
        type=Path,
        metavar="FILE.solve",
        help="go on from such a file, by its rule and in its precision; --iterations counts those "
        "that it has made",
    )
