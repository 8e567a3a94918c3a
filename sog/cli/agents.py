"""`sog agents`: the trained agents that come with the package."""

import argparse
import dataclasses

from rich.table import Table

from sog.agents import AGENT_PREFIX, AgentEntry, read_agents
from sog.cli import display
from sog.cli.errors import SUCCESS


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    agents = list(read_agents().values())
    if arguments.json:
        display.print_json([dataclasses.asdict(agent) for agent in agents])
        return SUCCESS
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("agent", "game", "exploitability", "made by"):
        table.add_column(column, no_wrap=column == "agent")
    for agent in agents:
        table.add_row(
            f"{AGENT_PREFIX}{agent.name}", agent.game, _exploitability(agent), agent.trained
        )
    footer = ""
    if agents:
        first = agents[0]
        footer = (
            f"Play against one: sog play {first.name}. Exploitability is what an optimal opponent\n"
            f"wins per game, measured by {first.measured} and the like."
        )
    display.print_table(table, footer=footer)
    return SUCCESS


def _exploitability(agent: AgentEntry) -> str:
    if agent.exploitability is None:
        return "not measured"
    return f"{agent.exploitability:.4g} {agent.unit}"
