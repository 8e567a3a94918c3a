"""A player who is told in its own text how to search: `runs/leduc?search=200,1&c_puct=2`.

So two players of one tournament may search differently. What the text says goes before what all
players are told.
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
    """The player in "PLAYER?name=value&name=value", and what it is told; "" where it is not."""
    match = re.fullmatch(r"([^?]+)\?([^?]*=[^?]*)", text.strip(), re.DOTALL)
    if match is None or Path(text).exists():
        return text, ""
    return match[1].strip(), match[2].strip()


def read_overrides(text: str) -> "SearchChanges":
    """The changes of a search in "search=200,1&name=value"; ValueError for what cannot be."""
    from selfplay.runs.config import read_changes_of  # heavy, as all below
    from sog.players.searching import read_simulations

    changes: dict[str, Any] = {}
    for part in text.split("&"):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (name and equals and value):
            raise ValueError(f"write settings as name=value, got {part!r}.")
        told = (
            read_simulations(value)
            if name == _SEARCH
            else read_changes_of(_SEARCH, [f"{_SEARCH}.{name}={value}"])
        )
        for twice in changes.keys() & told.keys():
            raise ValueError(f"{twice} is told twice.")
        changes |= told
    return changes


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Overridden:
    """Somebody who searches, and how he is told to."""

    candidate: "Candidate"
    text: str
    """What he is told, for his name."""
    changes: "SearchChanges"

    @property
    def game(self) -> "Game[Any] | None":
        """As of `Candidate`."""
        return self.candidate.game

    def player(
        self, name: str, game: "Game[Any]", search: "SearchChanges", host: "Host"
    ) -> "Player":
        """As of `Candidate`."""
        name, _ = split_overrides(name)
        made = self.candidate.player(name, game, {**search, **self.changes}, host)
        return dataclasses.replace(made, name=f"{made.name}, {self.text}")
