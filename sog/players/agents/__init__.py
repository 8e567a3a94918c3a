"""Trained agents shipped with the package; `sog.players.shipped` loads them.

Imports next to nothing, so that listing them is fast.
"""

import dataclasses
import json
import types
from typing import Any, Final

from sog.files import read_shipped

AGENT_PREFIX: Final = "agent:"
"""Prefix of an agent's name where run folders are accepted, too."""
_KINDS: Final[dict[str, type | tuple[type, ...]]] = {
    "step": int,
    "network": dict,
    "search": dict,
    "exploitability": (int, float, types.NoneType),
    "measured": (str, types.NoneType),
    "alphazero": (dict, types.NoneType),
}
"""Types of the values of an entry that are not texts."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AgentEntry:
    """Metadata of an agent."""

    name: str
    game: str
    """As `sog.games.make` takes it."""
    trained: str
    """The command that trained it, and whether it is reproducible."""
    step: int
    """Learner steps of its network."""
    network: dict[str, Any]
    """`networks.cvpn.NetworkSettings`, without defaults."""
    search: dict[str, Any]
    """`gtcfr.settings.SearchSettings` for play, without defaults."""
    exploitability: float | None
    """In the game's unit, mean over seeds; None for a game that is too large."""
    measured: str | None
    """The command that measured it."""
    unit: str
    alphazero: dict[str, Any] | None = None
    """`selfplay.settings.AlphaZeroSettings` of an AlphaZero agent, without defaults."""


def read_agents() -> dict[str, AgentEntry]:
    """All agents, sorted by name. OSError if the list is damaged."""
    return {entry.name: entry for entry in read_shipped("sog.players.agents", "agents.json", _read)}


def _read(text: str) -> list[AgentEntry]:
    """The entries of agents.json; ValueError and others if invalid."""
    entries = [AgentEntry(**values) for values in json.loads(text)]
    for entry in entries:
        for name, value in dataclasses.asdict(entry).items():
            if not isinstance(value, _KINDS.get(name, str)):
                raise TypeError(name)
    return entries
