"""Agents that play: a search at every decision, one game after another.

`SearchAgent` observes public events and chooses actions. `play_game` deals one game and plays it
between two agents, `play_match` plays many with roles swapped; any `Agent` can take either side.
`Aivat` estimates what a game was worth without the luck in it.
"""

import sog.shadow_check  # noqa: F401 (must come first)
from sog.play.agent import SearchAgent
from sog.play.aivat import Aivat
from sog.play.arena import MatchResult, play_match
from sog.play.game_in_progress import PlayedGame
from sog.play.match import Agent, play_game
from sog.play.simple_agents import RandomAgent, TabularAgent

__all__ = [
    "Agent",
    "Aivat",
    "MatchResult",
    "PlayedGame",
    "RandomAgent",
    "SearchAgent",
    "TabularAgent",
    "play_game",
    "play_match",
]
