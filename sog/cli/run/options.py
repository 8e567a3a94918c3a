"""The options of `sog run` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.numbers import positive_integer, seed
from sog.players.table import METHODS

DEFAULT_SEEDS: Final = 16
LEARNERS: Final = {name: entry for name, entry in METHODS.items() if entry.learns or entry.solves}
_WIDTH: Final = max(len(entry.form) for entry in LEARNERS.values())
_LINES: Final = "\n".join(f"  {e.form:<{_WIDTH}}  {e.summary}" for e in LEARNERS.values())
RUN_SUMMARY: Final = "let a method learn a game by sampling, and see how it converges"
RUN_EXAMPLES: Final = f"""\
methods:
{_LINES}

Parameters stand in brackets: "smooth_uct(c=0.875,d=0.001):1000000". Which there are: sog methods.

examples:
  sog run outcome_sampling kuhn
  sog run external_sampling:20000 leduc --seeds 64 --plot leduc.png
  sog run "outcome_sampling(updates=parallel,epsilon=0.5)" leduc --iterations 1000000
  sog run "smooth_uct(c=0.875,d=0.001)" kuhn --seeds 50 --json
  sog run "backward_induction(pruning=alpha_beta)" "goofspiel(cards=5)"

All seeds run at once, in one compiled program, shared by all cores; with hundreds of them a seed
costs a small part of what it costs alone. Exploitability is half of NashConv, computed exactly from
the average policy of each seed. Ctrl-C stops early and keeps what was reached (exit code 130).
backward_induction solves in one go: its value and what it took are printed.

JSON: {{"game", "method", "unit", "seeds", "seed", "iterations", "interrupted", "seconds",
"compile_seconds", "exploitability" (of every seed at the end), "checkpoints": [{{"iteration",
"episodes" (sampled games; null where a method samples more than single games), "seconds",
"exploitability" (mean over seeds), "standard_error", "min", "max", "value" (to player 0)}}]}}.
Of backward_induction: {{"game", "method", "unit", "value", "exploitability", "counts", "seconds"}}.
"""


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog run` can be told."""
    add = parser.add_argument
    add("method", metavar="METHOD", help="a method that learns by sampling, see below")
    add("game", metavar="GAME", help="a game, as 'leduc' or \"leduc(ranks=4)\"")
    add(
        "--iterations",
        type=positive_integer,
        metavar="N",
        help="stop after N iterations (default: the method's :N, or what sog methods says)",
    )
    add(
        "--seeds",
        type=positive_integer,
        default=DEFAULT_SEEDS,
        metavar="N",
        help=f"independent runs (default: {DEFAULT_SEEDS})",
    )
    add("--seed", type=seed, default=0, metavar="N", help="of the first run (default: 0)")
    add(
        "--precision",
        choices=("float32", "float64"),
        default="float32",
        help="of the tables (default: float32, good for some 10 million iterations)",
    )
    add(
        "--plot",
        type=Path,
        metavar="FILE.png",
        help="draw exploitability against iterations (pip install 'sog[plot]')",
    )
    add(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help="refuse games with more public states than this (default: 1000000)",
    )
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")
