"""`sog agents`: the trained agents that come with the package."""

import argparse
import dataclasses

from sog.cli import display
from sog.cli.errors import SUCCESS
from sog.players.agents import AGENT_PREFIX, AgentEntry, read_agents


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    agents = list(read_agents().values())
    if arguments.json:
        display.print_json([dataclasses.asdict(agent) for agent in agents])
        return SUCCESS
    table = display.plain_table("agent", "game", "exploitability")
    for agent in agents:
        table.add_row(f"{AGENT_PREFIX}{agent.name}", agent.game, _exploitability(agent))
    footer = ""
    measured = [agent for agent in agents if agent.exploitability is not None]
    if measured:
        footer = (
            f"Play against one: sog play {agents[0].name}. Exploitability is what an optimal "
            f"opponent wins per game, measured by `{measured[0].measured}` or similar; - where "
            f"the game is too large for that. --json says how each was trained and measured."
        )
    display.print_table(table, footer=footer)
    return SUCCESS


def _exploitability(agent: AgentEntry) -> str:
    if agent.exploitability is None:
        return "-"
    return f"{agent.exploitability:.4g} {agent.unit}"
