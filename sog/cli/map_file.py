"""`--map FILE.svg` of several commands: the map of a game that is played on one, as a picture."""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from sog.cli.errors import CommandError, check_target, reason
from sog.drawing.scotland_yard import draw_map
from sog.games import Game
from sog.games.scotland_yard.game import ScotlandYard
from sog.games.scotland_yard.station_map import load_map, positions_file


def check_map_name(arguments: argparse.Namespace) -> None:
    """Finds mistakes in the name of the file, before the work begins."""
    if arguments.map is not None:
        check_target("--map", arguments.map, (".svg",))


def check_has_map(game: Game[Any], arguments: argparse.Namespace) -> None:
    """Raises CommandError where there is no map of a game to draw, or a wrong one."""
    if not isinstance(game, ScotlandYard):
        if arguments.map is not None:
            raise CommandError(f"--map: {game.name} is not played on a map; Scotland Yard is.")
        return
    try:
        has_positions = bool(game.positions)
    except ValueError as error:
        raise CommandError(str(error)) from None
    if arguments.map is not None and not has_positions:
        raise CommandError(
            f"--map: where to draw the stations of {game.map} must be told in "
            f"{positions_file(game.map)}, rows of station,x,y below that header."
        )


def write_map(
    path: Path,
    game: Game[Any],
    state: Any,
    *,
    title: str,
    ranges: np.ndarray | None = None,
    mr_x: int | None = None,
) -> None:
    """Draws a public state into a file.

    ranges: as for `Game.draw`. mr_x: his infostate, where the picture may show it.
    """
    assert isinstance(game, ScotlandYard)  # see `check_has_map`
    station_map = load_map(game.map)
    picture = draw_map(
        station_map,
        game.positions,
        game.view(state, ranges),
        title=title,
        mr_x=None if mr_x is None else station_map.stations[mr_x],
    )
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise CommandError(f"cannot write {path}: {reason(error)}.") from None
