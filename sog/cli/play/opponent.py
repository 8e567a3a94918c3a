"""Whom a person plays who names a game instead of an agent."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli import display
from sog.games.registry import is_game
from sog.parameters import split_call
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.runs import is_run

_ANYWHERE: Final = "rollout"
"""Who plays any game, and some of it well without having learned."""


def find_opponent(arguments: argparse.Namespace) -> None:
    """The agent that comes with a game where that is what `arguments.agent` names; or else one that
    plays any game, which is told."""
    text = arguments.agent
    call = split_call(text.strip())
    if call is None or is_run(Path(text)):
        return
    if text in read_agents():
        arguments.agent = f"{AGENT_PREFIX}{text}"
    elif arguments.game is None and is_game(call[0]):
        arguments.agent, arguments.game = _ANYWHERE, text
        display.note(
            f"no agent for {text} comes with the package: you play {_ANYWHERE}, which plays games "
            f"to their end at random."
        )
