"""Agents that play: a search at every decision, one game after another.

`SearchAgent` is told what happens in public and answers with actions; `play_game` deals a game and
lets two agents play it, `play_match` many games with roles swapped. Whoever keeps the protocol of
`Agent` can sit on the other side. `Aivat` says what a game was worth without the luck in it.
"""

import sog.shadow_check  # noqa: F401 (first of all)
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
