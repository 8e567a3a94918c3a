"""What commands write of games: records (PGN, SGF or JSON), and `--picture` of a public state."""

from pathlib import Path
from typing import Any

import numpy as np

from sog.cli.errors import CommandError, check_target, mistakes, write_file
from sog.drawing.picture import Look, draw_picture, has_picture
from sog.games import Game
from sog.play.game_records import endings, format_at, has_format


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

    title: for a map. what: see `write_file`. ranges: as for `Game.draw`. infostates: those that the
    picture may reveal.
    """
    picture = draw_picture(
        game, state, infostates=infostates, ranges=ranges, look=Look(title=title)
    )
    assert picture is not None  # see `check_has_picture`
    write_file(path, picture, what)


def check_record_name(option: str, path: Path | None) -> None:
    """Raises CommandError unless the file can be written, before the work begins."""
    known = None if path is None else format_at(path.suffix.lower())
    mark = None if known is None else known.mark
    check_target(option, path, (".json", *endings()), mark=mark)


def is_record_name(path: Path) -> bool:
    """Whether the name is that of a record file, as PGN or SGF."""
    return path.suffix.lower() in endings()


def check_has_format(option: str, game: Game[Any], path: Path | None) -> None:
    """Raises CommandError if this game has no such format."""
    if path is not None and is_record_name(path) and not has_format(game, path.suffix.lower()):
        raise CommandError(
            f"{option}: games of {game.name} have no {path.suffix[1:].upper()} format; .json "
            f"takes any game."
        )
