"""`sog games`: lists the games and their sizes.

Imports JAX only to count: the list, with the sizes in the catalog, appears at once.
"""

import argparse
import importlib.metadata
from collections.abc import Sequence
from typing import Any, Final

from sog.catalog import read_catalog, size_texts
from sog.cli import display
from sog.cli.errors import SUCCESS, CommandError

_FOOTER: Final = """\
Also openspiel:NAME(...), any two-player zero-sum game of OpenSpiel with at most 1,000,000 histories
(the environment variable SOG_MAX_HISTORIES changes that); pgx:NAME, a board game of pgx; and
module:Class(...), a game of your own.
Parameters of one game: sog games NAME. To count games with more states than shown: --sizes."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if arguments.game is not None:
        from sog.cli.game_facts import show_game, show_rules

        if arguments.rules:
            show_rules(arguments.game, as_json=arguments.json)
        else:
            show_game(arguments.game, sizes=arguments.sizes, as_json=arguments.json)
        return SUCCESS
    if arguments.rules:
        raise CommandError("--rules needs a game: sog games NAME --rules.")
    games = read_catalog()
    if arguments.sizes:
        from sog.cli.game_facts import WITH_SIZES, list_games

        games = list_games(WITH_SIZES)
    if importlib.metadata.entry_points(group="sog.games"):  # of other packages, in no catalog
        from sog.cli.game_facts import list_installed

        games += list_installed()
    if arguments.json:
        display.print_json(games)
    else:
        _print_list(games)
    return SUCCESS


def _print_list(games: Sequence[dict[str, Any]]) -> None:
    table = display.plain_table("game", "what it is", right=("public states", "infostates"))
    for game in games:
        if "error" in game:
            table.add_row(game["name"], game["error"])
            continue
        package = f" (from {game['package']})" if "package" in game else ""
        table.add_row(game["name"], f"{game['summary']}{package}", *size_texts(game))
    display.print_table(table, footer=_FOOTER)
