"""Files of games that commands write: in the record format of a game (PGN, SGF), or JSON."""

from pathlib import Path
from typing import Any

from sog.cli.errors import CommandError, check_target
from sog.games import Game
from sog.play.game_records import endings, format_at, has_format


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
