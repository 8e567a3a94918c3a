"""Trained agents shipped with the package; `sog.players.shipped` loads them.

Imports next to nothing, so that listing them is fast.
"""

import dataclasses
import json
from typing import Any, Final

from sog.files import read_shipped

AGENT_PREFIX: Final = "agent:"
"""Prefix of an agent's name where run folders are accepted, too."""


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

    def read(text: str) -> list[AgentEntry]:
        return [AgentEntry(**values) for values in json.loads(text)]

    return {entry.name: entry for entry in read_shipped("sog.players.agents", "agents.json", read)}
