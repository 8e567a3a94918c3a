"""The options of every command and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Any, Final, NoReturn

from sog import __version__
from sog.cli.errors import CommandError
from sog.cli.numbers import number_from_zero, positive_integer, positive_number, seed

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
  sog search leduc --history "check bet2"       search one public state, show the tree

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
_SEARCH_EXAMPLES: Final = """\
evaluators, which say what a leaf of the tree is worth:
  zero     nothing: search from the rules alone
  uniform  the exact worth of random play; the game must be small enough to enumerate
  exact    the subgame is solved by CFR; the game must be small enough to enumerate
  rollout  the mean of random games; for games of perfect information

The default is uniform where the game can be enumerated, else zero.

examples:
  sog search kuhn
  sog search leduc --history "check bet2" --simulations 200
  sog search leduc --evaluator exact --svg leduc.svg
  sog search "liars_dice(dice=1,faces=3)" --history "1-2 2-1" --depth 3
  sog search tic_tac_toe --history "b2 a3" --evaluator rollout --simulations 400
  sog search kuhn --json

SoG(s, c) is s simulations with c of them per regret update phase: --simulations s --per-update c.
Both players' ranges come from the start of the game, so a search of a later state re-solves the
way there. Events of --history are those that the tree shows; a number is the number of an outcome.

--json prints "game", "unit", "search" ([s, c]), "rule", "seed", "evaluator", "root" (the "node"
that was searched, its "state" and "history"), "is_full", "is_sampled", the seconds, and "nodes",
parents first: "number", "parent", "kind" (interior, leaf, terminal), "outcome" and "event" that led
there, "depth", "actor", "probability" (of getting there from the start of the game by average
play), "value" (to player 0), "visits", and "infostates": "player", "infostate", "name", "range",
"value" and, of the player to act, "policy" and "visits" by action. What is undefined is null.
"""


_EVALUATE_EXAMPLES: Final = """\
A search depends on the searches before it. So the policy of an agent that searches is composed:
with a fixed seed, the mover's search is run at every decision of the game, each conditioned on the
searches of his own chain on the way (continual re-solving with the gadget), and what they play
together is evaluated exactly. Different seeds give different policies.

examples:
  sog evaluate kuhn --evaluator exact --search 100,1
  sog evaluate kuhn --search 10,1 --search 100,1 --search 100,0.1 --seeds 50 --json
  sog evaluate leduc --evaluator uniform --search 100,1 --seeds 5
  sog evaluate leduc --whole-game --search 100,1 --search-everywhere --seeds 1

JSON: {"game", "unit", "results": [{"search": [s, c], "checkpoint": null, "seeds",
"exploitability": {"min", "mean", "max"}}]}, exploitability in the game's own unit.
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

    summary = "search one public state with growing-tree CFR, and show the tree"
    search = commands.add_parser("search", help=summary, **_texts(None, summary, _SEARCH_EXAMPLES))
    search.add_argument("game", metavar="GAME", help=_GAME_HELP)
    _add_search_options(search)
    _add_evaluate(commands)
    return parser


def _add_evaluate(commands: Any) -> None:
    summary = "compute the exploitability of an agent that searches"
    evaluate = commands.add_parser(
        "evaluate", help=summary, **_texts(None, summary, _EVALUATE_EXAMPLES)
    )
    evaluate.add_argument("game", metavar="GAME", help=_GAME_HELP)
    evaluate.add_argument(
        "--search",
        action="append",
        metavar="S,C",
        help="simulations s and simulations per update c of SoG(s, c); may be given several times "
        "(default: 100,1)",
    )
    evaluate.add_argument(
        "--evaluator",
        choices=("zero", "uniform", "exact"),
        default="exact",
        help="what values the leaves: 0, uniform play from there on, or a solve of the rest of "
        "the game (default: exact)",
    )
    evaluate.add_argument(
        "--seeds",
        type=positive_integer,
        default=10,
        metavar="N",
        help="policies to compose (default: 10)",
    )
    evaluate.add_argument(
        "--batch-size",
        type=positive_integer,
        default=64,
        metavar="N",
        help="searches at once (default: 64)",
    )
    evaluate.add_argument(
        "--search-everywhere",
        action="store_true",
        help="a player's chain also searches at the opponent's decisions",
    )
    evaluate.add_argument(
        "--unsafe", action="store_true", help="re-solve without the gadget, for comparison"
    )
    evaluate.add_argument(
        "--whole-game",
        action="store_true",
        help="put the whole rest of the game into every tree, so that no leaf is valued",
    )
    evaluate.add_argument("--json", action="store_true", help="print one JSON object on stdout")


def _add_solve_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--rule", default="cfr+", help="a member of the CFR family, see below")
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


def _add_search_options(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--history",
        default="",
        metavar="EVENTS",
        help="public events that lead to the state to search (default: the start of the game)",
    )
    add(
        "--simulations",
        type=positive_integer,
        default=100,
        metavar="S",
        help="s, the simulations that grow the tree (default: 100)",
    )
    add(
        "--per-update",
        type=positive_number,
        default=1.0,
        metavar="C",
        help="c, simulations per phase of updates; 0.1 is 10 updates per simulation (default: 1)",
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
        help="children that an expansion adds, or all (default: all; 1 with perfect information)",
    )
    add(
        "--c-puct",
        type=number_from_zero,
        default=1.25,
        metavar="X",
        help="how much simulations explore (default: 1.25)",
    )
    add("--rule", default="sog", help="a member of the CFR family, see sog solve --help")
    add(
        "--lookahead",
        type=positive_integer,
        default=1,
        metavar="D",
        help="levels below the state that the tree holds from the start (default: 1)",
    )
    add(
        "--max-outcomes",
        type=positive_integer,
        metavar="N",
        help="keep a sample of N outcomes of chance where there are more (default: all)",
    )
    add("--seed", type=seed, default=0, metavar="N", help="of the simulations (default: 0)")
    add(
        "--depth",
        type=positive_integer,
        metavar="D",
        help="levels of the tree to show (default: 2, and 3 in a picture)",
    )
    add("--svg", type=Path, metavar="FILE.svg", help="draw the tree")
    add(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help="enumerate games of at most N public states for evaluators (default: 1000000)",
    )
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")


def _add_shared_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--max-nodes",
        type=positive_integer,
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


def _children(text: str) -> int | str:
    return text if text == "all" else positive_integer(text)
