"""What `sog gtp` and `sog uci` have in common: a player, who thinks for whatever game is asked."""

import argparse
import dataclasses
from collections.abc import Callable
from typing import Any, Final

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import mistakes
from sog.cli.players import check_searches, host_of, seat_players
from sog.cli.search_numbers import read_changes
from sog.games.core import Game
from sog.play.analyst import Thinker, thinker_of
from sog.players.player import Player
from sog.players.seating import seat

_USUAL_ROOM: Final = 2000
_ROOM_PER_SIMULATION: Final = 4

MakeThinker = Callable[[Game[Any]], Thinker]
"""Who thinks about a game; ValueError where the player cannot play it."""


def begin_speaking(
    arguments: argparse.Namespace, speaks: Callable[[Game[Any]], Any]
) -> tuple[Game[Any], MakeThinker]:
    """The game, and who thinks. speaks: refuses a game that the protocol cannot speak of."""
    check_searches([arguments.agent], arguments)
    start_jax(few_searches=True)
    with display.working() as work, mistakes():
        seating = seat_players([arguments.agent], arguments, work)
        speaks(seating.game)
        (player,) = seating.players
        # Whoever changes the board has no command line.
        host = dataclasses.replace(host_of(arguments, work), game_from="the game on the board")
    changes = read_changes(arguments)

    def think_for(game: Game[Any]) -> Thinker:
        known = player
        if str(game) != str(player.game):
            (known,) = seat([arguments.agent], game=game, search=changes, host=host).players
        return _thinker(known, arguments)

    return seating.game, think_for


def _thinker(player: Player, arguments: argparse.Namespace) -> Thinker:
    usual = 1 if player.search is None else player.search.num_simulations
    most = arguments.room or max(_USUAL_ROOM, _ROOM_PER_SIMULATION * usual)
    return thinker_of(player.game, player.make, most=most, seed=arguments.seed)
