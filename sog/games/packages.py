"""Games of other packages: installed ones by name, and any class as `module:Class`.

A package declares its games by entry points in its pyproject.toml:

    [project.entry-points."sog.games"]
    my_game = "my_package.my_game:MyGame"

Names that the user types are imported; names in files are not, see `sog.games.foreign`.
"""

import dataclasses
import importlib
import importlib.metadata
import os
import re
import sys
from typing import Any, Final

from sog.games.core import Game

GROUP: Final = "sog.games"


@dataclasses.dataclass(frozen=True, kw_only=True)
class InstalledGame:
    """A game that an installed package declares."""

    name: str
    package: str
    """The distribution and its version."""
    path: str
    """module:Class"""

    def load(self) -> type[Game[Any]]:
        """Imports the class; raises ValueError that names the package on failure."""
        return _import_class(self.path, f"game {self.name!r} of {self.package}")


def installed_games() -> dict[str, InstalledGame]:
    """The declared games by name, without importing them."""
    return {
        entry.name: InstalledGame(name=entry.name, package=_package(entry), path=entry.value)
        for entry in importlib.metadata.entry_points(group=GROUP)
    }


def is_class_path(text: str) -> bool:
    """Whether the text has the form `module:Class`."""
    return re.fullmatch(r"[\w.]+:\w+", text) is not None


def import_typed(path: str) -> type[Game[Any]]:
    """Imports a class `module:Class` typed by the user, if need be from the current folder."""
    here = os.getcwd()
    if here not in sys.path:
        sys.path.append(here)  # last, so that it shadows nothing that is installed
    return _import_class(path, f"game {path!r}")


def _import_class(path: str, what: str) -> type[Game[Any]]:
    module, _, attribute = path.partition(":")
    try:
        found: Any = importlib.import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (Exception, SystemExit) as error:  # foreign code may raise anything
        reason = " ".join(str(error).split())
        raise ValueError(
            f"{what} cannot be imported: {type(error).__name__}: {reason or 'no reason given'}."
        ) from None
    if not (
        isinstance(found, type) and issubclass(found, Game) and dataclasses.is_dataclass(found)
    ):
        raise ValueError(f"{what} must be a dataclass that subclasses sog.games.Game.")
    if missing := sorted(getattr(found, "__abstractmethods__", ())):
        raise ValueError(f"{what} lacks {', '.join(missing)}, which the contract asks for.")
    return found


def _package(entry: importlib.metadata.EntryPoint) -> str:
    return "a package" if entry.dist is None else f"{entry.dist.name} {entry.dist.version}"
