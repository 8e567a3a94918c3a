"""`--picture FILE.svg` of several commands: cards, dice, a board or a map, as in a browser."""

from pathlib import Path
from typing import Any

import numpy as np

from sog.cli.errors import CommandError, check_target, mistakes, writing
from sog.drawing.picture import Look, draw_picture, has_picture
from sog.files import replace_file
from sog.games import Game


def check_picture_name(picture: Path | None) -> None:
    """Checks the name of the file before the work begins."""
    check_target("--picture", picture, (".svg",))


def check_has_picture(game: Game[Any], picture: Path | None) -> None:
    """Raises CommandError if the game has no picture, or its map is invalid."""
    with mistakes():
        is_there = has_picture(game)  # reads the coordinates of a map, which are printed too
    if is_there or picture is None:
        return
    raise CommandError(f"--picture: {game.no_picture}")


def write_picture(
    path: Path,
    game: Game[Any],
    state: Any,
    *,
    title: str,
    ranges: np.ndarray | None = None,
    infostates: tuple[int | None, int | None] = (None, None),
    what: str = "",
) -> None:
    """Draws a public state into a file.

    title: for a map. what: see `writing`. ranges: as for `Game.draw`. infostates: those that the
    picture may reveal.
    """
    picture = draw_picture(
        game, state, infostates=infostates, ranges=ranges, look=Look(title=title)
    )
    assert picture is not None  # see `check_has_picture`
    with writing(path, what):
        replace_file(path, picture)
