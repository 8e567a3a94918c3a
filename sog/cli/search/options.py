"""The options of `sog search` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Any, Final

from sog.cli.history_option import add_history_option
from sog.cli.numbers import number_from_zero, positive_integer, positive_number, seed, share

SEARCH_SUMMARY: Final = "search one public state with growing-tree CFR, and show the tree"
SEARCH_EXAMPLES: Final = """\
evaluators, which say what a leaf of the tree is worth:
  zero     nothing: search from the rules alone
  uniform  the exact worth of random play; the game must be small enough to enumerate
  exact    the subgame is solved by CFR; the game must be small enough to enumerate
  rollout  the mean of 16 random games, or of one for each pair of infostates if those are more

The default is uniform where the game can be enumerated, else zero. A run folder (RUN, or RUN@STEP)
stands for its game, with its network at the leaves and the search that the run evaluates.

examples:
  sog search kuhn
  sog search leduc --history "check bet2" --simulations 200
  sog search leduc --evaluator exact --svg leduc.svg
  sog search "liars_dice(dice=1,faces=3)" --history "1-2 2-1" --depth 3
  sog search tic_tac_toe --history "b2 a3" --evaluator rollout --simulations 400
  sog search runs/leduc --history "check bet2"
  sog search glasses --simulations 50 --picture glasses.svg
  sog search leduc --history "check bet2" --compare 10,1 100,1
  sog search kuhn --json

SoG(s, c) is s simulations with c of them per regret update phase: --simulations s --per-update c.
Both players' ranges come from the start of the game, so a search of a later state re-solves the
way there. Events of --history are those that the tree shows; a number is the number of an outcome.

--json prints "game", "unit", "search" ([s, c]), "rule",
"leaf_averaging", "updates" (made), "seed", "evaluator", "root" (the "node"
that was searched, its "state" and "history"), "is_full", "is_sampled", "is_pruned", the seconds,
and "nodes", parents first: "number", "parent", "kind" (interior, leaf, terminal), "outcome" and
"event" that led there, "depth", "actor", "probability" (of getting there from the start of the game
by average play), "value" (to player 0), "visits", and "infostates": "player", "infostate", "name",
"range", "value" and, of the player to act, "policy" and "visits" by action. What is undefined is
null.
With --compare it prints "searches", a list of these, and "differences", how far the policy of each
is from that of the first: the share of it that differs, averaged over the range.
With --memory it prints "game", "bytes" and "parts" (bytes by what takes them).
"""


def add_search_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog search` can be told."""
    add = parser.add_argument
    add_history_option(parser, "search this position")
    add(
        "--simulations",
        type=positive_integer,
        metavar="S",
        help="s, the simulations that grow the tree (default: 100, or what a run was set to)",
    )
    add(
        "--per-update",
        type=positive_number,
        metavar="C",
        help="c, simulations per phase of updates; 0.1 is 10 updates per simulation (default: 1, "
        "or what a run was set to)",
    )
    add(
        "--compare",
        nargs="+",
        metavar="S,C",
        help="show the policies of several searches SoG(s, c) side by side",
    )
    add(
        "--evaluator",
        choices=("zero", "uniform", "exact", "rollout"),
        help="what values the leaves, see below",
    )
    add(
        "--children",
        type=_children,
        metavar="K",
        help="children that an expansion adds, or all (default: all; 1 with perfect information, "
        "but the state searched has all)",
    )
    add(
        "--max-actions",
        type=positive_integer,
        metavar="N",
        help="consider the N best actions of a state by the evaluator's policy; with perfect "
        "information only (default: all, or what a run was set to)",
    )
    add(
        "--c-puct",
        type=number_from_zero,
        metavar="X",
        help="how much simulations explore (default: 1.25, or what a run was set to)",
    )
    add_method_options(parser)
    add(
        "--lookahead",
        type=positive_integer,
        metavar="D",
        help="levels below the state that the tree holds from the start (default: 1, or what a "
        "run was set to)",
    )
    add_max_outcomes_option(parser)
    add(
        "--first-outcomes",
        type=positive_integer,
        metavar="N",
        help="begin a chance node with a sample of N outcomes, to which simulations that come to "
        "it add others (default: none are added later)",
    )
    add_seconds_option(parser)
    add("--seed", type=seed, default=0, metavar="N", help="of the simulations (default: 0)")
    add(
        "--depth",
        type=positive_integer,
        metavar="D",
        help="levels of the tree to show (default: 2, and 3 in a picture)",
    )
    add("--svg", type=Path, metavar="FILE.svg", help="draw the tree")
    add_picture_option(
        parser, "draw the public state: cards, dice, a board, or a map with the range of Mr X"
    )
    add(
        "--memory",
        action="store_true",
        help="say how many bytes the search has room for, and do not search",
    )
    add(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help="enumerate games of at most N public states for evaluators (default: 1000000)",
    )
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")


def add_picture_option(container: Any, help_text: str) -> None:
    """Adds the file for a picture of the game. container: a parser or a group of options."""
    container.add_argument("--picture", type=Path, metavar="FILE.svg", help=help_text)


def add_method_options(container: Any) -> None:
    """Adds what says how searches update, beside their budgets.

    container: a parser or a group of options.
    """
    add = container.add_argument
    add(
        "--rule",
        metavar="NAME",
        help="a member of the CFR family, see sog solve --help; all but sog update the players in "
        "turns, which asks leaves twice as often (default: sog, that of the paper, or what a run "
        "was set to)",
    )
    add(
        "--leaf-averaging",
        type=share,
        metavar="X",
        help="share of the average ranges in those that leaves are asked about, the rest is those "
        "of the update (default: 0 as in the paper, or what a run was set to)",
    )


def add_max_outcomes_option(container: Any) -> None:
    """Adds how many outcomes of chance a search keeps. container: as above."""
    container.add_argument(
        "--max-outcomes",
        type=positive_integer,
        metavar="N",
        help="keep a sample of N outcomes of chance where there are more, at least as many as a "
        "decision of the game can have (default: all, or what a run was set to)",
    )


def add_seconds_option(container: Any) -> None:
    """Adds how long a search may take. container: as above."""
    container.add_argument(
        "--seconds",
        type=positive_number,
        metavar="X",
        help="end each search after X seconds, if it does not end before; compiling, which the "
        "first one waits for, is not counted; what is found then depends on the machine (default: "
        "no clock)",
    )


def add_resolving_option(container: Any) -> None:
    """Adds what says where an agent's next search starts. container: as above."""
    container.add_argument(
        "--resolve-from",
        choices=("deepest", "reply", "first_child"),
        help="where an agent's next search starts: at the deepest state on the way that his last "
        "tree holds (the paper); before the opponent's reply, or after chance if that came later; "
        "right after his own move (default: first_child, or what a run was set to)",
    )


def _children(text: str) -> int | str:
    return text if text == "all" else positive_integer(text)
