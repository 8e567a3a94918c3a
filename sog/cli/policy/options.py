"""The options of `sog policy` and `sog explain` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.evaluate.options import MOST_NODES_EVALUATED
from sog.cli.history_option import add_history_option
from sog.cli.numbers import positive_integer, seed
from sog.cli.search.options import add_method_options, add_resolving_option

_SOURCES: Final = """\
SOURCE is one of
  FILE.npz     a policy that `sog solve --save` wrote
  RUN          a run folder of `sog train`, or RUN@STEP for one of its checkpoints: the policy that
               its agent plays, composed of a search at every decision (see sog evaluate --help)
  GAME         a game, solved on the spot by CFR over its whole public tree\
"""

POLICY_SUMMARY: Final = "show a strategy: who does what, with which probability, and its worth"
POLICY_EXAMPLES: Final = f"""\
{_SOURCES}

examples:
  sog policy kuhn
  sog policy leduc --walk                         go through the game, event by event
  sog solve leduc --until-mbb 1 --save leduc.npz
  sog policy leduc.npz --history "check bet2"
  sog policy leduc.npz --history "check bet2" --player 1 --csv facing.csv --svg facing.svg
  sog policy runs/leduc_demo --search 100,1 --history "check bet2 call '[Qh]'"

A row is an infostate of the player to act: its range (how likely it is there when both play the
strategy), its value to that player, and for each action the probability and, as `loss`, how much
less the action is worth than the best one when both go on by the strategy. Cards that differ in
their suits only share a row where the strategy treats them alike; CSV and JSON have all of them.
The other player (--player) has a range and values there, and no actions. Events of --history are
written as `sog search` wants them: by their text or their number.

--json prints "game", "source", "unit", "exploitability" (of the whole strategy), "history",
"state", "actor", "player", "probability" (of the public state under the strategy), "value" (to
player 0), "events" ("event", "probability" of each that may follow) and "infostates": "infostate",
"name", "range", "value" and, of the player to act, "actions": "action", "name", "probability",
"value" and "loss". What is undefined, since the strategy never lets it happen, is null. --csv has
a line for each action of each infostate, with the same numbers. All values in the game's own unit.
"""
EXPLAIN_SUMMARY: Final = "say where a strategy loses against the best response"
EXPLAIN_EXAMPLES: Final = f"""\
{_SOURCES}

examples:
  sog explain leduc.npz
  sog explain runs/leduc_demo --search 100,1 --top 20
  sog explain kuhn --iterations 10 --json

The exploitability is what best responses to the strategy win more than the strategy itself, half of
both players' gains. Each gain is made decision by decision: at an infostate the strategy loses what
its own mixture is worth less than the best action, if all later decisions of that player were the
best ones, times how likely the infostate is when both play the strategy. These losses are never
negative, and over all public states they add up to the exploitability exactly; so each public state
has a share of it. A loss of player 1 says that he could do better against this player 0: he errs,
or leaves the other's error unpunished.

--json prints "game", "source", "unit", "exploitability", "gains" (of the best response of each
player) and "states", the largest loss first: "history", "state", "player", "loss", "share" and
"infostates" with a loss: "infostate", "name", "loss", "share", "policy" (by action) and "best" (an
action that is best). All in the game's own unit.
"""


def add_policy_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog policy` can be told."""
    _add_source(parser)
    add = parser.add_argument
    add_history_option(parser, "show this position")
    add("--player", type=_player, metavar="P", help="whose infostates: 0 or 1 (default: who acts)")
    add("--walk", action="store_true", help="go on from there, a public event at a time")
    add("--csv", type=Path, metavar="FILE.csv", help="write the numbers to a table")
    add("--svg", type=Path, metavar="FILE.svg", help="draw the grid")
    _add_how(parser)


def add_explain_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog explain` can be told."""
    _add_source(parser)
    parser.add_argument(
        "--top",
        type=positive_integer,
        default=10,
        metavar="N",
        help="public states to show (default: 10)",
    )
    _add_how(parser)


def _player(text: str) -> int:
    if text not in ("0", "1"):
        raise argparse.ArgumentTypeError(f"must be 0 or 1, got {text!r}")
    return int(text)


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="a policy file, a run folder, or a game")


def _add_how(parser: argparse.ArgumentParser) -> None:
    """Adds how the strategy is made, where it is not read from a file."""
    group = parser.add_argument_group("of a game")
    group.add_argument(
        "--iterations",
        type=positive_integer,
        metavar="N",
        help="of the solver (default: 1000)",
    )
    group = parser.add_argument_group("of a run folder")
    group.add_argument(
        "--search",
        metavar="S,C",
        help="simulations s and simulations per update c of SoG(s, c) (default: what the run was "
        "set to)",
    )
    add_method_options(group)
    add_resolving_option(group)
    group.add_argument("--seed", type=seed, metavar="N", help="of the simulations (default: 0)")
    parser.add_argument(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help="refuse games with more public states than this (default: 2000000, and "
        f"{MOST_NODES_EVALUATED} for a run folder)",
    )
    parser.add_argument(
        "--json", action="store_true", help="print one JSON object on stdout, nothing else"
    )
