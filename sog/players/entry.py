"""A kind of player: its syntax, its line of help and its reader."""

import dataclasses
from typing import TYPE_CHECKING

from sog.domain import load_part

if TYPE_CHECKING:
    from sog.players.player import Candidate, Host


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """A kind of player."""

    form: str
    """How a user types it."""
    summary: str
    """One line of help."""
    method: str = ""
    """Of a method (`sog.players.method.Method`): its class, as module:Class."""
    reader: str = "sog.players.methods:read_method"
    """The function that `read` calls, as module:function."""
    searches: bool = False
    """Whether it is the search of this project, whose settings can be changed."""
    learns: bool = False
    """Whether it learns a policy of the whole game by sampling, a `LearningMethod`."""
    solves: bool = False
    """Whether it solves the game exactly."""
    plays_a_table: bool = False
    """Whether it plays a given policy of the whole game."""
    has_network: bool = False
    """Whether it is a network, which may also play variants of the game it was trained on."""
    takes_overrides: bool = True
    """Whether "?name=value" after it overrides the search, and is not for its own reader."""

    def read(self, text: str, host: "Host") -> "Candidate":
        """Reads a text of this kind. Raises ValueError, in one line."""
        found: Candidate = load_part(self.reader)(text, host)
        return found

    @property
    def judges(self) -> bool:
        """Whether its agents have action values, from a search or from a whole policy."""
        return self.searches or self.learns or self.solves or self.plays_a_table
