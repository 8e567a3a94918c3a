"""Trained agents that come with the package; `sog.players.shipped` loads them.

Imports next to nothing, so that they are listed at once.
"""

import dataclasses
import json
import types
from typing import Any, Final

from sog.files import read_shipped

AGENT_PREFIX: Final = "agent:"
"""Before the name of an agent, where a run folder may stand too."""
_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "step": int,
    "network": dict,
    "search": dict,
    "exploitability": (int, float, types.NoneType),
    "measured": (str, types.NoneType),
    "alphazero": (dict, types.NoneType),
}
"""Of the values of an entry that are no texts."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AgentEntry:
    """What is known of an agent."""

    name: str
    game: str
    """As `sog.games.make` takes it."""
    trained: str
    """The command that made it, and whether it would make another today."""
    step: int
    """Learner steps of its network."""
    network: dict[str, Any]
    """`networks.cvpn.NetworkSettings`, defaults left out."""
    search: dict[str, Any]
    """`gtcfr.settings.SearchSettings` by which it plays, defaults left out."""
    exploitability: float | None
    """In the game's unit, mean over seeds; None for a game that is too large."""
    measured: str | None
    """The command that measured it."""
    unit: str
    alphazero: dict[str, Any] | None = None
    """`selfplay.settings.AlphaZeroSettings` of one that was trained by AlphaZero and searches so,
    defaults left out."""


def read_agents() -> dict[str, AgentEntry]:
    """All agents by name, in the order of their names. OSError if the list is damaged."""
    return {entry.name: entry for entry in read_shipped("sog.players.agents", "agents.json", _read)}


def _read(text: str) -> list[AgentEntry]:
    """The entries of agents.json; ValueError and others if they are none."""
    entries = [AgentEntry(**values) for values in json.loads(text)]
    for entry in entries:
        for name, value in dataclasses.asdict(entry).items():
            if not isinstance(value, _KINDS.get(name, str)):
                raise TypeError(name)
    return entries
