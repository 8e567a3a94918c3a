"""What `sog gtp` and `sog uci` have in common: a player, who thinks for whatever game is asked."""

import argparse
import contextlib
import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, mistakes
from sog.cli.line_input import standard_input
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


def _begin_speaking(
    arguments: argparse.Namespace, speaks: Callable[[Game[Any]], Any]
) -> tuple[Game[Any], MakeThinker]:
    """The game, and who thinks."""
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


def answer(
    arguments: argparse.Namespace,
    speaks: Callable[[Game[Any]], Any],
    make_server: Callable[..., Any],
) -> int:
    """Runs a server; returns the exit code. speaks: refuses a game that the protocol cannot speak
    of.

    make_server: takes the game, who thinks, and what both servers have in common.
    """
    game, seat = _begin_speaking(arguments, speaks)
    with mistakes():
        server = make_server(
            game,
            seat,
            heard=standard_input(),
            say=functools.partial(print, flush=True),
            seconds=arguments.seconds,
            overhead_ms=arguments.move_overhead,
        )
    with contextlib.closing(server):
        server.run()
    return SUCCESS


def _thinker(player: Player, arguments: argparse.Namespace) -> Thinker:
    usual = 1 if player.search is None else player.search.num_simulations
    most = arguments.room or max(_USUAL_ROOM, _ROOM_PER_SIMULATION * usual)
    return thinker_of(player.game, player.make, most=most, seed=arguments.seed)
