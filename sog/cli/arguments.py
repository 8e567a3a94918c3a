"""The parser of `sog`: every command, its help, and the options that commands share.

The options of the larger commands are in files of their own, such as `solve_options.py`. Nothing
heavy is imported, so that help is fast.
"""

import argparse
from pathlib import Path
from typing import Any, Final

from sog import __version__
from sog.cli.evaluate.options import (
    EVALUATE_EXAMPLES,
    EVALUATE_SUMMARY,
    MOST_NODES_EVALUATED,
    add_evaluate_options,
)
from sog.cli.lines import Formatter
from sog.cli.match_options import MATCH_EXAMPLES, MATCH_SUMMARY, add_match_options
from sog.cli.numbers import positive_integer
from sog.cli.parser import Parser
from sog.cli.play.options import PLAY_EXAMPLES, PLAY_SUMMARY, add_play_options
from sog.cli.plot_options import PLOT_EXAMPLES, PLOT_SUMMARY, add_plot_options
from sog.cli.policy.options import (
    EXPLAIN_EXAMPLES,
    EXPLAIN_SUMMARY,
    POLICY_EXAMPLES,
    POLICY_SUMMARY,
    add_explain_options,
    add_policy_options,
)
from sog.cli.run.options import RUN_EXAMPLES, RUN_SUMMARY, add_run_options
from sog.cli.search.options import SEARCH_EXAMPLES, SEARCH_SUMMARY, add_search_options
from sog.cli.serve.options import SERVE_EXAMPLES, SERVE_SUMMARY, add_serve_options
from sog.cli.solve.options import SOLVE_EXAMPLES, SOLVE_SUMMARY, add_solve_options
from sog.cli.tournament_options import (
    TOURNAMENT_EXAMPLES,
    TOURNAMENT_SUMMARY,
    add_tournament_options,
)
from sog.cli.train.options import TRAIN_EXAMPLES, TRAIN_SUMMARY, add_train_options

_GAME_HELP: Final = "a game, as 'leduc' or \"leduc(ranks=4)\" (quoted for the shell)"
_GAME_OR_RUN_HELP: Final = f"{_GAME_HELP}; or the run folder of a `sog train`"
_MOST_NODES_SOLVED: Final = 2_000_000

_DESCRIPTION: Final = """\
Student of Games: train an agent for a two-player zero-sum game, with or without hidden information,
play against it, and compute what an optimal opponent wins against it.
"""
_EXAMPLES: Final = """\
examples:
  sog train leduc_demo                          train a network by self-play (sog configs: others)
  sog evaluate runs/leduc_demo                  how exploitable an agent with this network is
  sog play runs/leduc_demo                      play against it
  sog play leduc                                play against one that comes with us: sog agents
  sog games                                     what there is to play, and how large
  sog solve leduc                               solve it, print how good the policy is
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog exploitability leduc leduc.npz            what an optimal opponent wins against it
  sog policy leduc.npz --walk                   see what it does, public state by public state
  sog explain leduc.npz                         where it loses against the best response
  sog search leduc --history "check bet2"       search one public state, show the tree
  sog serve runs/leduc_demo                     all of that in a browser

Each command explains itself: sog solve --help.
Programs, traced and compiled, are kept in ~/.cache/sog for the next run; the environment variable
SOG_CACHE_DIR names another folder, or none if it is empty.
"""
_GAMES_EXAMPLES: Final = """\
examples:
  sog games                                     all games
  sog games leduc                               one game: its parameters and sizes
  sog games leduc --rules                       how it is played
  sog games "leduc(ranks=4)"                    the sizes of a variant
  sog games "openspiel:kuhn_poker"              a game of OpenSpiel (pip install 'sog[openspiel]')
  sog games --json                              for programs

Sizes: a public state is what both players know, an infostate what one player knows where he is
to move; an outcome is a public event. Depth counts public events from the deal to the end.
"""
_AGENTS_SUMMARY: Final = "list the trained agents that come with the package"
_AGENTS_EXAMPLES: Final = """\
examples:
  sog agents                                    all of them, and how good they are
  sog play leduc                                play against one
  sog match agent:leduc tabular                 agent:NAME stands wherever a run folder may
  sog search agent:leduc --history "check bet2"
"""
_METHODS_SUMMARY: Final = "list the methods that can play or learn, with parameters and papers"
_METHODS_EXAMPLES: Final = """\
examples:
  sog methods                                   all of them
  sog methods tabular                           one: its parameters
  sog methods "smooth_uct(c=0.875):1000"         and what is changed of them
  sog methods --json                            for programs

A method is typed NAME(key=value,...):BUDGET, brackets and budget being optional; the budget is its
iterations, or its simulations per move: sog match "tabular(rule=dcfr):500" random --game kuhn.
"""
_CONFIGS_SUMMARY: Final = "list the training configurations, or all values of one"
_CONFIGS_EXAMPLES: Final = """\
examples:
  sog configs                                   all of them
  sog configs leduc                             one, with every value and its default
  sog configs leduc > mine.toml                 a file of your own: sog train mine.toml
"""
_REPLAY_SUMMARY: Final = "tell games that sog play --save wrote, move by move"
_REPLAY_EXAMPLES: Final = """\
examples:
  sog play leduc --games 3 --save mine.json
  sog replay mine.json                          all of them, with what both players knew
  sog replay mine.json --number 2               the second

What the file says of moves and results is compared with the rules, where the game is installed.
"""
_EXPLOITABILITY_EXAMPLES: Final = """\
examples:
  sog solve leduc --save leduc.npz
  sog exploitability leduc leduc.npz
  sog exploitability leduc leduc.npz --json
"""


def make_parser() -> argparse.ArgumentParser:
    """The parser of `sog`; the name of the command ends up in `command`."""
    parser = Parser(**_texts("sog", _DESCRIPTION, _EXAMPLES))
    parser.add_argument("--version", action="version", version=f"sog {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    _add_games(commands)
    solve = _add_command(commands, "solve", SOLVE_SUMMARY, SOLVE_EXAMPLES)
    add_solve_options(solve)
    _add_shared_options(solve, _MOST_NODES_SOLVED)
    _add_exploitability(commands)
    search = _add_command(commands, "search", SEARCH_SUMMARY, SEARCH_EXAMPLES, _GAME_OR_RUN_HELP)
    add_search_options(search)
    evaluate = _add_command(
        commands, "evaluate", EVALUATE_SUMMARY, EVALUATE_EXAMPLES, _GAME_OR_RUN_HELP
    )
    add_evaluate_options(evaluate)
    _add_shared_options(evaluate, MOST_NODES_EVALUATED)
    for name, summary, examples, add_options in (
        ("policy", POLICY_SUMMARY, POLICY_EXAMPLES, add_policy_options),
        ("explain", EXPLAIN_SUMMARY, EXPLAIN_EXAMPLES, add_explain_options),
        ("agents", _AGENTS_SUMMARY, _AGENTS_EXAMPLES, _add_agents_options),
        ("methods", _METHODS_SUMMARY, _METHODS_EXAMPLES, _add_methods_options),
        ("run", RUN_SUMMARY, RUN_EXAMPLES, add_run_options),
        ("configs", _CONFIGS_SUMMARY, _CONFIGS_EXAMPLES, _add_configs_options),
        ("train", TRAIN_SUMMARY, TRAIN_EXAMPLES, add_train_options),
        ("plot", PLOT_SUMMARY, PLOT_EXAMPLES, add_plot_options),
        ("play", PLAY_SUMMARY, PLAY_EXAMPLES, add_play_options),
        ("replay", _REPLAY_SUMMARY, _REPLAY_EXAMPLES, _add_replay_options),
        ("match", MATCH_SUMMARY, MATCH_EXAMPLES, add_match_options),
        ("tournament", TOURNAMENT_SUMMARY, TOURNAMENT_EXAMPLES, add_tournament_options),
        ("serve", SERVE_SUMMARY, SERVE_EXAMPLES, add_serve_options),
    ):
        texts = _texts(None, summary, examples)
        add_options(commands.add_parser(name, help=summary, **texts))
    return parser


def _add_games(commands: Any) -> None:
    summary = "list the games, or a game's parameters and sizes"
    games = commands.add_parser("games", help=summary, **_texts(None, summary, _GAMES_EXAMPLES))
    games.add_argument("game", nargs="?", metavar="GAME", help=_GAME_HELP)
    games.add_argument("--json", action="store_true", help="print JSON on stdout, nothing else")
    games.add_argument("--rules", action="store_true", help="how GAME is played, in a screenful")
    games.add_argument(
        "--sizes", action="store_true", help="count up to 10 million public states, not one million"
    )


def _add_agents_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="print JSON on stdout, nothing else")


def _add_replay_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, metavar="FILE.json", help="of sog play --save")
    parser.add_argument(
        "--number", type=positive_integer, metavar="N", help="this game only (default: all)"
    )


def _add_methods_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("method", nargs="?", metavar="METHOD", help="a method, see below")
    parser.add_argument("--json", action="store_true", help="print JSON on stdout, nothing else")


def _add_configs_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("config", nargs="?", metavar="NAME", help="a configuration's name")
    parser.add_argument("--json", action="store_true", help="print JSON on stdout, nothing else")


def _add_exploitability(commands: Any) -> None:
    summary = "what an optimal opponent wins against a saved policy"
    parser = _add_command(commands, "exploitability", summary, _EXPLOITABILITY_EXAMPLES)
    parser.add_argument(
        "policy", metavar="POLICY.npz", type=Path, help="a file that `sog solve --save` wrote"
    )
    _add_shared_options(parser, _MOST_NODES_SOLVED)


def _add_command(
    commands: Any, name: str, summary: str, examples: str, game_help: str = _GAME_HELP
) -> argparse.ArgumentParser:
    """A command about one game."""
    parser: argparse.ArgumentParser = commands.add_parser(
        name, help=summary, **_texts(None, summary, examples)
    )
    parser.add_argument("game", metavar="GAME", help=game_help)
    return parser


def _add_shared_options(parser: argparse.ArgumentParser, most_nodes: int) -> None:
    parser.add_argument(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help=f"refuse games with more public states than this (default: {most_nodes})",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object on stdout, nothing else"
    )


def _texts(prog: str | None, description: str, epilog: str) -> dict[str, Any]:
    return {
        "prog": prog,
        "description": description,
        "epilog": epilog,
        "formatter_class": Formatter,
        "allow_abbrev": False,
    }
