"""The options of `sog play` and their help; imports nothing heavy."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli.history_option import add_history_option
from sog.cli.match_options import PLAYERS, add_player_options
from sog.cli.numbers import positive_integer, seed
from sog.cli.search.options import add_picture_option

PLAY_SUMMARY: Final = "play against an agent in the terminal"
PLAY_EXAMPLES: Final = f"""\
{PLAYERS}
examples:
  sog play leduc                                the agent that comes with the package
  sog play runs/leduc
  sog play tabular --game kuhn --hints
  sog play rollout --game connect_four --search 400,1 --as 0
  sog play runs/leduc --rule dcfr --leaf-averaging 0.5
  sog play zero --game glasses --games 3 --save games.json
  sog play zero --game glasses --resume games.json
  sog play zero --game london --search 20,1 --hints --picture london.svg

Type the number of an action or (the beginning of) its text, undo for another try, ? for help, q to
leave. What the agent
thought is shown after each game. Roles alternate from game to game unless --as is given.

Games with a board show it. Scotland Yard shows the map (if positions of its stations are known),
tickets, where each detective can go and where Mr X may be; with --hints and an agent that searches,
also how likely he is there. --picture draws the same, and other games with their cards, dice or
board; have it open in a browser.

--save writes JSON: {{"game", "unit", "agent" ("name", "search", "rule", "leaf_averaging",
"resolve_from", "seconds"), "seed", "games": [{{"human" (the player), "utility" (to player 0),
"moves": [{{"state", "actor", "action", "text" (of the action), "outcome", "event"}}] (action: null
where chance moves), "infostates": [[of player 0, of player 1], ...] (before each move and at the
end), "names" (their texts)}}]}}.
"""


def add_play_options(parser: argparse.ArgumentParser) -> None:
    """Adds all that `sog play` can be told."""
    add = parser.add_argument
    add("agent", metavar="AGENT", help="whom to play against, see below")
    add(
        "--as",
        dest="seat",
        type=int,
        choices=(0, 1),
        help="play as this player in every game (default: alternate, player 0 first)",
    )
    add_player_options(parser)
    add_history_option(parser, "begin every game of perfect information at this position")
    add("--hints", action="store_true", help="show what the agent would do in your place")
    add(
        "--games",
        type=positive_integer,
        metavar="N",
        help="games to play (default: asks after each)",
    )
    add("--seed", type=seed, metavar="N", help="of deals and agents (default: a random one)")
    add_picture_option(
        parser, "draw your cards, dice, the board or the map, anew at each of your turns"
    )
    files = parser.add_mutually_exclusive_group()
    files.add_argument(
        "--save",
        type=Path,
        metavar="FILE.json",
        help="write the games to a new file, for sog replay",
    )
    files.add_argument(
        "--resume", type=Path, metavar="FILE.json", help="go on where the games of --save were left"
    )
