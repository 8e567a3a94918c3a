"""Search settings in the text of a player: `runs/leduc?search=200,1&c_puct=2`.

They take precedence over the settings of all players, so players of a tournament can differ.
"""

import dataclasses
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sog.games.core import Game
    from sog.players.player import Candidate, Host, Player, SearchChanges

_SEARCH: Final = "search"


def split_overrides(text: str) -> tuple[str, str]:
    """Splits "PLAYER?name=value&name=value" into player and overrides; "" if there are none."""
    match = re.fullmatch(r"([^?]+)\?([^?]*=[^?]*)", text.strip(), re.DOTALL)
    if match is None or Path(text).exists():
        return text, ""
    return match[1].strip(), match[2].strip()


def read_overrides(text: str) -> "SearchChanges":
    """Reads changes of a search from "search=200,1&name=value". Raises ValueError."""
    from selfplay.runs.config import read_changes_of  # heavy, as all below
    from sog.players.searching import read_simulations

    changes: dict[str, Any] = {}
    for part in text.split("&"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise ValueError(f"write settings as name=value, got {part!r}.")
        read = (
            read_simulations(value)
            if name == _SEARCH
            else read_changes_of(_SEARCH, [f"{_SEARCH}.{name}={value}"])
        )
        for twice in changes.keys() & read.keys():
            raise ValueError(f"{twice} is given twice.")
        changes |= read
    return changes


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Overridden:
    """A searching player with its own settings."""

    candidate: "Candidate"
    text: str
    """The overrides, shown in its name."""
    changes: "SearchChanges"

    @property
    def game(self) -> "Game[Any] | None":
        """See `Candidate`."""
        return self.candidate.game

    def player(
        self, name: str, game: "Game[Any]", search: "SearchChanges", host: "Host"
    ) -> "Player":
        """See `Candidate`."""
        name, _ = split_overrides(name)
        made = self.candidate.player(name, game, {**search, **self.changes}, host)
        return dataclasses.replace(made, name=f"{made.name}, {self.text}")
