"""The options of `sog plot` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

PLOT_SUMMARY: Final = "draw the learning curves of a training run"
PLOT_EXAMPLES: Final = """\
What is drawn: exploitability and the error of values against exact ones (where the run measures
them), the losses, and where the time went.

examples:
  sog plot runs/leduc_demo                      writes runs/leduc_demo/curves.png
  sog plot runs/leduc --out leduc.svg
"""


def add_plot_options(parser: argparse.ArgumentParser) -> None:
    """Adds what `sog plot` can be told."""
    parser.add_argument("run", type=Path, metavar="RUN", help="a run folder of sog train")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE.png",
        help="the picture, PNG, PDF or SVG (default: curves.png in the run folder)",
    )
