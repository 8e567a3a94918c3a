"""`sog agents`: the trained agents that come with the package."""

import argparse
import dataclasses
from typing import Final

from rich.table import Table

from sog.cli import display
from sog.cli.errors import SUCCESS
from sog.players.agents import AGENT_PREFIX, AgentEntry, read_agents

_TRAIN: Final = "sog train"


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    agents = list(read_agents().values())
    if arguments.json:
        display.print_json([dataclasses.asdict(agent) for agent in agents])
        return SUCCESS
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for column in ("agent", "game", "exploitability", _TRAIN):
        table.add_column(column, no_wrap=column == "agent")
    for agent in agents:
        config = agent.trained.removeprefix(f"{_TRAIN} ")
        table.add_row(f"{AGENT_PREFIX}{agent.name}", agent.game, _exploitability(agent), config)
    footer = ""
    measured = [agent for agent in agents if agent.exploitability is not None]
    if measured:
        footer = (
            f"Play against one: sog play {agents[0].name}. Exploitability is what an optimal\n"
            f"opponent wins per game, measured by `{measured[0].measured}`\n"
            f"and the like (--json has each agent's); - where the game is too large for that."
        )
    display.print_table(table, footer=footer)
    return SUCCESS


def _exploitability(agent: AgentEntry) -> str:
    if agent.exploitability is None:
        return "-"
    return f"{agent.exploitability:.4g} {agent.unit}"
