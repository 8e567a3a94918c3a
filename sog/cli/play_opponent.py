"""The default opponent, if a game is given instead of an agent."""

import argparse
from pathlib import Path
from typing import Final

from sog.cli import display
from sog.games.registry import is_game
from sog.parameters import split_call
from sog.players.agents import AGENT_PREFIX, read_agents
from sog.players.runs import is_run

_ANYWHERE: Final = "rollout"
"""Plays any game, some of them well, without training."""


def find_opponent(arguments: argparse.Namespace) -> None:
    """Replaces a game in `arguments.agent` by its shipped agent, or, with a note, by one that plays
    any game."""
    text = arguments.agent
    call = split_call(text.strip())
    if call is None or is_run(Path(text)):
        return
    if text in read_agents():
        arguments.agent = f"{AGENT_PREFIX}{text}"
    elif arguments.game is None and is_game(call[0]):
        arguments.agent, arguments.game = _ANYWHERE, text
        display.note(
            f"no agent for {text} is shipped: you play against {_ANYWHERE}, which evaluates by "
            f"random games."
        )
