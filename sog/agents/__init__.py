"""Trained agents that come with the package; `selfplay.shipped` loads them.

Imports next to nothing, so that they are listed at once.
"""

import dataclasses
import importlib.resources
import json
from typing import Any, Final

AGENT_PREFIX: Final = "agent:"
"""Before the name of an agent, where a run folder may stand too."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class AgentEntry:
    """What is known of an agent."""

    name: str
    game: str
    """As `sog.games.make` takes it."""
    trained: str
    """The command that made it."""
    step: int
    """Learner steps of its network."""
    network: dict[str, Any]
    """`networks.cvpn.NetworkSettings`, defaults left out."""
    search: dict[str, Any]
    """`gtcfr.settings.SearchSettings` by which it plays, defaults left out."""
    measured: str
    """The command that measured it."""
    exploitability: float | None
    """In the game's unit, mean over seeds; None for a game that is too large."""
    unit: str


def read_agents() -> dict[str, AgentEntry]:
    """All agents by name, in the order of their names."""
    text = (importlib.resources.files("sog.agents") / "agents.json").read_text("utf-8")
    entries = [AgentEntry(**values) for values in json.loads(text)]
    return {entry.name: entry for entry in entries}
