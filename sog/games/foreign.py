"""Games that a file names, which may come from somebody else: a policy, a configuration, a run.

No file chooses what is imported, nor which other file is read: a game `module:Class` and the path
of a map count only where `TRUSTED` names them, a path also where it leads into the file's folder.
What is installed, by an entry point or with us, needs nobody's permission.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from sog.games.packages import is_class_path
from sog.games.registry import GAMES, OPENSPIEL_PREFIX, PGX_PREFIX
from sog.parameters import split_call
from sog.scotland_yard.station_map import SHIPPED_MAPS, positions_file

TRUSTED: Final = "SOG_GAMES"
"""Environment variable: `module:Class` of games, and paths of maps, that files may name, with
commas between them."""
_READS_A_FILE: Final = re.compile(r"(?:file(?:name)?|_root)\s*=")
"""Names of OpenSpiel's parameters that are paths."""
_ONE_PARAMETER: Final = re.compile(r"\w+\(\w+=(.*)\)", re.DOTALL)
_UNCLEAR: Final = re.compile(r"[^\w./~ -]")
"""In a path of which it is not sure how it is read: OpenSpiel has its own way with brackets."""


def check_named_by_file(game: str, file: str | os.PathLike[str]) -> None:
    """Raises ValueError if a file names a game that would import or read what nobody has allowed.

    game: as `sog.games.make` takes it; whether there is such a game is not looked at.
    """
    if not game.isprintable():
        raise ValueError(f"{file} is of a game with characters that are not printed: {game!r}.")
    name = game.partition("(")[0].strip()
    is_known = name.startswith((OPENSPIEL_PREFIX, PGX_PREFIX))
    if is_class_path(name) and not is_known and not _is_trusted(name):
        raise ValueError(
            f"{file} is of the game {name}, and no file chooses what is imported: set "
            f"{TRUSTED}={name} if it is yours, or install it with an entry point."
        )
    for path in _paths(game.strip()):
        if not _is_trusted(path) and not _is_inside(path, Path(file).absolute().parent.resolve()):
            raise ValueError(
                f"{file} names the file {path}, which is not in its own folder: set "
                f"{TRUSTED}={path} if it is yours."
            )


def trusted_names() -> list[str]:
    """What `TRUSTED` names, in its order."""
    return [name.strip() for name in os.environ.get(TRUSTED, "").split(",") if name.strip()]


def _is_trusted(name: str) -> bool:
    return name in trusted_names()


def _is_inside(path: str, folder: Path) -> bool:
    if _UNCLEAR.search(path):
        return False
    try:
        files = Path(path).expanduser(), positions_file(path)
        return all(one.resolve().is_relative_to(folder) for one in files)
    except (OSError, RuntimeError, ValueError):  # no such user, no name of a file
        return False


def _paths(game: str) -> Iterator[str]:
    """The paths among the parameters of a game."""
    if game.startswith(OPENSPIEL_PREFIX):
        if _READS_A_FILE.search(game):
            one = _ONE_PARAMETER.fullmatch(game.removeprefix(OPENSPIEL_PREFIX).strip())
            yield one[1] if one else game  # which is unclear
        return
    name, parameters = split_call(game) or ("", "")
    for part in parameters.split(",") if name in GAMES else ():
        key, _, value = (piece.strip() for piece in part.partition("="))
        if key == "map" and value not in SHIPPED_MAPS:
            yield value
