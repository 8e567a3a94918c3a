"""The options of `sog tournament` and their help; imports nothing heavy."""

import argparse
from typing import Final

from sog.cli.match_options import (
    DEFAULT_GAMES,
    PLAYERS,
    add_batch_option,
    add_player_options,
)
from sog.cli.numbers import positive_integer, seed

TOURNAMENT_SUMMARY: Final = "let several agents play each other, each against each"
TOURNAMENT_EXAMPLES: Final = f"""\
{PLAYERS}
examples:
  sog tournament tabular outcome_sampling:10000 q_learning random --game kuhn --games 1000
  sog tournament agent:glasses pimbot:1000 pimbot:100 random --show wins
  sog tournament sm_mcts backward_induction random --game "goofspiel(cards=4)" --json

Every pairing is a match as of sog match: every deal is played twice, with roles swapped. The table
has what the player of the row gets from that of the column, with the 95% interval, and last the
average over all opponents, in whose order players come: the mean utility per game, or with --show
wins the share of games won, in percent, a draw counting half. Ctrl-C prints what was played (exit
code 130).

JSON: {{"game", "unit", "players": [as of sog match], "games" (of a pairing), "interrupted",
"pairings": [{{"first", "second" (numbers of players), "games", "win_rate", "win_interval", "mean"
(utility per game of the first), "interval", "wins", "draws", "losses", "seconds"}}],
"ranking": [{{"player" (its number), "win_rate", "mean"}}], "seed", "seconds"}}.
"""


def add_tournament_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog tournament` can be told."""
    add = parser.add_argument
    add("players", metavar="PLAYER", nargs="+", help="two or more players, see below")
    add(
        "--games",
        type=positive_integer,
        default=DEFAULT_GAMES,
        metavar="N",
        help=f"games of each pairing, an even number (default: {DEFAULT_GAMES})",
    )
    add(
        "--show",
        choices=("mean", "wins"),
        default="mean",
        help="what the table has and players are ordered by (default: mean utility)",
    )
    add_player_options(parser)
    add_batch_option(parser)
    add("--seed", type=seed, default=0, metavar="N", help="of deals and agents (default: 0)")
    add("--json", action="store_true", help="print one JSON object on stdout, nothing else")
