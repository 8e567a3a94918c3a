"""Files of games that commands write: records where a game has such a format, else JSON."""

from pathlib import Path
from typing import Any

from sog.cli.errors import CommandError, check_target
from sog.games import Game
from sog.play.game_records import endings, format_at, has_format


def check_record_name(option: str, path: Path | None) -> None:
    """Finds mistakes in the name of the file before the work begins. Raises CommandError."""
    if path is not None:
        known = format_at(path.suffix.lower())
        mark = None if known is None else known.mark
        check_target(option, path, (".json", *endings()), mark=mark)


def is_record_name(path: Path) -> bool:
    """Whether it is one of a file of records, as PGN or SGF."""
    return path.suffix.lower() in endings()


def check_has_format(option: str, game: Game[Any], path: Path | None) -> None:
    """Raises CommandError if there is no such format of this game."""
    if path is not None and is_record_name(path) and not has_format(game, path.suffix.lower()):
        raise CommandError(
            f"{option}: games of {game.name} are not written in {path.suffix[1:].upper()}; .json "
            f"has those of all."
        )
