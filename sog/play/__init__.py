"""Agents that play: a search at every decision, one game after another.

`SearchAgent` is told what happens in public and answers with actions; `play_game` deals a game and
lets two agents play it. Anything with the three methods of `Agent` can sit on the other side.
"""

from sog.play.agent import SearchAgent
from sog.play.match import Agent, PlayedGame, play_game

__all__ = ["Agent", "PlayedGame", "SearchAgent", "play_game"]
