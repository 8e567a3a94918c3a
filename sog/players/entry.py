"""A kind of player: how it is typed, what help says of it, and who reads its texts."""

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
    """What `read` calls, as module:function."""
    searches: bool = False
    """Whether it is the search of this project, which can be told how to search."""
    learns: bool = False
    """Whether it learns a policy of the whole game by sampling, a `LearningMethod`."""
    solves: bool = False
    """Whether it finds the exact value, in one go."""
    plays_a_table: bool = False
    """Whether it plays a policy of the whole game that was there or found otherwise."""
    has_network: bool = False
    """Whether a network plays, which may also play variants of the game that it was trained on."""
    takes_overrides: bool = True
    """Whether "?name=value" behind it is about the search, and not for its own reader."""

    def read(self, text: str, host: "Host") -> "Candidate":
        """The player that a text of this kind names; ValueError, in one line, if it names none."""
        found: Candidate = load_part(self.reader)(text, host)
        return found

    @property
    def judges(self) -> bool:
        """Whether its agents know what actions are worth: by a search, or of a whole policy."""
        return self.searches or self.learns or self.solves or self.plays_a_table
