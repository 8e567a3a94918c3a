"""The options of `sog evaluate` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.numbers import number_from_zero, positive_integer, seed, share
from sog.cli.search.options import add_method_options, add_resolving_option

DEFAULT_SEARCH: Final = "100,1"
DEFAULT_SEEDS: Final = 10
MOST_NODES_EVALUATED: Final = 20_000
"""Every decision of the game is searched, so games must be small."""

EVALUATE_SUMMARY: Final = "compute the exploitability of an agent that searches"
EVALUATE_EXAMPLES: Final = """\
A search depends on the searches before it. So the policy of an agent that searches is composed:
with a fixed seed, the mover's search is run at every decision of the game, each conditioned on the
searches of his own chain on the way (continual re-solving with the gadget), and what they play
together is evaluated exactly. Different seeds give different policies.

SoG(s, c) is s simulations with c of them per regret update phase: --search s,c. It makes
T = s / ceil(c) * ceil(1 / c) regret updates. Beside it stands what CFR over the whole tree reaches
by the same rule in T updates.

A run folder of `sog train` stands for its game, with its network at the leaves and the search that
the run evaluates; --checkpoint says which networks. A plot of several shows how exploitability
falls with training.

examples:
  sog evaluate runs/leduc --search 100,1 --search 100,0.1 --seeds 50
  sog evaluate runs/leduc --checkpoint all --search 10,1 --search 100,1 --plot figure3.png
  sog evaluate kuhn --search 100,1 --search 1000,10 --seeds 50
  sog evaluate leduc --no-growth --lookahead 2 --search 30,1 --search 100,1 --search 300,1 \\
      --plot leduc.png                            trees that do not grow: only T counts
  sog evaluate kuhn --no-growth --noise 0.01 --search 100,1 --seeds 20 --json
                                                  with evaluators that err by up to 0.01 chips
  sog evaluate leduc --whole-game --search 100,1 --unsafe
                                                  what re-solving without the gadget costs

Searches share all GPUs, or all cores of a CPU. With JAX_NUM_CPU_DEVICES=1 the CPU is one device.

Seeds: policy number n (counted from --seed) draws its simulations from seed n, and the errors of
--noise from numpy's default_rng(n), once for every infostate of every public state. Without growth
and noise nothing is random: one policy is composed, whatever --seeds says.

JSON: {"game", "unit", "results": [{"search": [s, c], "checkpoint" (its step, or null), "seeds",
"exploitability": {"min", "mean", "max"}, "updates" (T), "tabular" (exploitability of CFR over the
whole tree), "searches" (of all seeds), "seconds" and "compile_seconds", and the options}]},
exploitability in the game's own unit. Ctrl-C prints what is finished (exit code 130).
"""


def add_evaluate_options(parser: argparse.ArgumentParser) -> None:
    """Adds what `sog evaluate` can be told, the shared options apart."""
    _add_searches(parser)
    _add_trees(parser)
    _add_leaves(parser)
    _add_resolving(parser)
    parser.add_argument(
        "--plot",
        type=Path,
        metavar="FILE.png",
        help="draw exploitability against T (pip install 'sog[plot]')",
    )


def _add_searches(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("searches")
    add = group.add_argument
    add(
        "--search",
        action="append",
        metavar="S,C",
        help="simulations s and simulations per update c of SoG(s, c); may be given several times "
        f"(default: {DEFAULT_SEARCH}, or what a run was set to)",
    )
    add(
        "--checkpoint",
        metavar="STEP",
        help="of a run folder: the checkpoint of this learner step, or all (default: the newest)",
    )
    add_method_options(group)
    add(
        "--seeds",
        type=positive_integer,
        metavar="N",
        help=f"policies to compose (default: {DEFAULT_SEEDS})",
    )
    add("--seed", type=seed, default=0, metavar="N", help="the first seed (default: 0)")
    add(
        "--batch-size",
        type=positive_integer,
        default=64,
        metavar="N",
        help="searches at once, for speed only; all GPUs share them, or all cores of a CPU "
        "(default: 64)",
    )


def _add_trees(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("trees").add_argument
    add(
        "--lookahead",
        type=positive_integer,
        metavar="D",
        help="public events below the state searched that a tree holds from the start "
        "(default: 1, or what a run was set to)",
    )
    add(
        "--no-growth",
        action="store_true",
        help="trees stay what --lookahead makes them; simulations only count updates",
    )
    add(
        "--whole-game",
        action="store_true",
        help="put the whole rest of the game into every tree, so that no leaf is valued",
    )


def _add_leaves(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("leaves").add_argument
    add(
        "--evaluator",
        choices=("zero", "uniform", "exact"),
        help="what values the leaves: 0, uniform play from there on, or a solve of the rest of "
        "the game (default: exact)",
    )
    add(
        "--noise",
        type=number_from_zero,
        metavar="EPS",
        help="add an error from -EPS to EPS to every value, in the game's unit",
    )
    add(
        "--solver-iterations",
        type=positive_integer,
        metavar="N",
        help="CFR iterations of the exact evaluator per update (default: 30)",
    )
    add(
        "--solver-fading",
        type=share,
        metavar="X",
        help="share of its regrets that the exact evaluator keeps from update to update "
        "(default: 0.9)",
    )


def _add_resolving(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("re-solving")
    add_resolving_option(group)
    add = group.add_argument
    add(
        "--alpha",
        type=share,
        metavar="X",
        help="share of the gadget in the opponent's range where a search starts, the rest is his "
        "last range (default: 0.5, or what a run was set to)",
    )
    add(
        "--search-everywhere",
        action="store_true",
        help="a player's chain also searches at the opponent's decisions",
    )
    add("--unsafe", action="store_true", help="re-solve without the gadget, for comparison")
