"""The options of `sog match` and their help; imports nothing heavy."""

import argparse
from typing import Final

from sog.cli.history_option import add_history_option
from sog.cli.numbers import positive_integer, seed
from sog.cli.search.options import (
    add_max_outcomes_option,
    add_method_options,
    add_resolving_option,
    add_seconds_option,
)
from sog.players.table import METHODS

DEFAULT_GAMES: Final = 100
DEFAULT_BATCH: Final = 16
_FORMS: Final = (
    ("RUN", "the folder of a training run: search with its last network"),
    ("RUN@STEP", "the same, with the network of a certain step"),
    *((entry.form, entry.summary) for entry in METHODS.values()),
)
_WIDTH: Final = max(len(form) for form, _ in _FORMS)
_LINES: Final = "\n".join(f"  {form:<{_WIDTH}}  {summary}" for form, summary in _FORMS)
PLAYERS: Final = f"""\
players:
{_LINES}

N is a number of iterations or of simulations per move; parameters go between name and number, as in
tabular(rule=dcfr):500. What each method is, its parameters and its paper: sog methods.
Those that search make SoG(s, c): s simulations, c of them per regret update phase. With perfect
information they take their best action, else they draw one from their policy.
"""
MATCH_SUMMARY: Final = "let two agents play each other"
MATCH_EXAMPLES: Final = f"""\
{PLAYERS}
examples:
  sog match zero random --game kuhn --games 1000
  sog match runs/leduc tabular --search 100,1
  sog match runs/leduc@1000 runs/leduc@10000 --games 500
  sog match runs/leduc tabular --rule dcfr --leaf-averaging 0.5
  sog match rollout random --game tic_tac_toe --json
  sog match "rollout(games=100)" zero --game leduc
  sog match rollout random --game london --search 10,1 --max-outcomes 26 --games 10
  sog match runs/connect_four uct:1000
  sog match agent:leduc tabular --games 1000 --aivat exact

Every deal is played twice, the second time with roles swapped; the 95% interval is that of the mean
over these pairs, by the normal approximation. Ctrl-C prints the result of the pairs that are
finished (exit code 130).

--aivat takes luck out of the result: what chance and the players drew is compared with what was to
be expected, by guesses of what the game is worth there. The mean stays right whatever the guesses
are, and the interval shrinks as they get better. Their source:
  exact    the tabular solver's values of the whole game (1,000 iterations of CFR+)
  network  those of the first player who has a network, for games of any size
Of players who cannot tell how they would play with other cards (is_mcts, oos and their like) only
the cards are corrected; one of the two must be able to.

JSON: {{"game", "history" (as given), "unit", "players": [{{"name", "search", "rule",
"leaf_averaging", "resolve_from", "seconds"}}], "games", "interrupted", "mean" (utility
per game of the first player, in the game's own unit), "interval" (of 95%; null after one pair),
"standard_error" (of the mean; null after one pair), "mean_as" (player 0 and player 1), "wins",
"draws", "losses", "aivat" (null without --aivat; else {{"values", "mean", "standard_error",
"interval", "variance_ratio"}}, the last how many times smaller its variance is), "seed",
"seconds"}}.
"""


def add_match_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog match` can be told."""
    add = parser.add_argument
    add("first", metavar="A", help="a player, see below")
    add("second", metavar="B", help="the other player")
    add(
        "--games",
        type=positive_integer,
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"games to play, an even number (default: {DEFAULT_GAMES})",
    )
    add_player_options(parser)
    add_history_option(parser, "begin every game of perfect information at this position")
    add(
        "--aivat",
        choices=("exact", "network"),
        help="reduce the variance (Burch et al. 2018), see below",
    )
    add_batch_option(parser)
    add("--seed", type=seed, default=0, metavar="N", help="of deals and agents (default: 0)")
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")


def add_player_options(parser: argparse.ArgumentParser) -> None:
    """Adds what says how players play, and what."""
    add = parser.add_argument
    add("--game", metavar="GAME", help="the game, where no player is a run folder")
    add(
        "--search",
        metavar="S,C",
        help="simulations s and simulations per update c of SoG(s, c) (default: what the "
        "run was evaluated with while it trained, its run.evaluate_search; else 100,1)",
    )
    add_method_options(parser)
    add_max_outcomes_option(parser)
    add_resolving_option(parser)
    add_seconds_option(parser)
    add(
        "--max-nodes",
        type=positive_integer,
        metavar="N",
        help="enumerate games of at most N public states for tabular, uniform and exact "
        "(default: 1000000)",
    )


def add_batch_option(parser: argparse.ArgumentParser) -> None:
    """Adds how many searches are made at once."""
    parser.add_argument(
        "--batch",
        type=positive_integer,
        default=DEFAULT_BATCH,
        metavar="N",
        help="searches of different games at once, or as many as there is memory for; the result "
        f"does not depend on it, rounding and random playouts apart (default: {DEFAULT_BATCH})",
    )
