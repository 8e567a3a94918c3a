"""Safety checks for games named by files, which may come from somebody else.

A policy, configuration or run cannot choose what is imported, nor which other file is read: a game
`module:Class` and the path of a map are accepted only if `TRUSTED` names them, a path also inside
the file's own folder. Installed games are always accepted.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from sog.games.packages import is_class_path
from sog.games.registry import GAMES, game_class, has_loader
from sog.parameters import split_call

TRUSTED: Final = "SOG_GAMES"
"""Environment variable: a comma-separated list of the `module:Class` of games, and paths of maps,
that files may name."""
_READS_A_FILE: Final = re.compile(r"(?:file(?:name)?|_root)\s*=")
"""Parameters that are paths, in the text for a loader."""
_ONE_PARAMETER: Final = re.compile(r"\w+\(\w+=(.*)\)", re.DOTALL)
_UNCLEAR: Final = re.compile(r"[^\w./~ -]")
"""Characters that a loader might interpret in a path, for instance brackets."""


def check_named_by_file(game: str, file: str | os.PathLike[str]) -> None:
    """Raises ValueError if a file names a game that would import or read anything not allowed.

    game: as for `sog.games.make`; it need not exist.
    """
    if not game.isprintable():
        raise ValueError(f"{file} is of a game with characters that are not printed: {game!r}.")
    name = game.partition("(")[0].strip()
    if is_class_path(name) and not has_loader(name) and not _is_trusted(name):
        raise ValueError(
            f"{file} is of the game {name}, and no file chooses what is imported: set "
            f"{TRUSTED}={name} if it is yours, or install it with an entry point."
        )
    folder = Path(file).absolute().parent.resolve()
    for path, files in _files(game.strip()).items():
        if not _is_trusted(path) and not all(_is_inside(one, folder) for one in files):
            raise ValueError(
                f"{file} names the file {path}, which is not in its own folder: set "
                f"{TRUSTED}={path} if it is yours."
            )


def trusted_names() -> list[str]:
    """The names in `TRUSTED`, in order."""
    return [name.strip() for name in os.environ.get(TRUSTED, "").split(",") if name.strip()]


def _is_trusted(name: str) -> bool:
    return name in trusted_names()


def _is_inside(path: str, folder: Path) -> bool:
    if _UNCLEAR.search(path):
        return False
    try:
        return Path(path).expanduser().resolve().is_relative_to(folder)
    except (OSError, RuntimeError, ValueError):  # no such user, or an invalid file name
        return False


def _files(game: str) -> Mapping[str, tuple[str, ...]]:
    """The files that a game reads, by the parameter that names them."""
    if has_loader(game):
        if not _READS_A_FILE.search(game):
            return {}
        one = _ONE_PARAMETER.fullmatch(game.partition(":")[2].strip())
        path = one[1] if one else game  # it contains unclear characters
        return {path: (path,)}
    name, parameters = split_call(game) or ("", "")
    if name not in GAMES:
        return {}
    parts = (part.partition("=") for part in parameters.split(","))
    return game_class(name).files_read({key.strip(): value.strip() for key, _, value in parts})
