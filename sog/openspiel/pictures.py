"""What OpenSpiel draws of its own states, and who may see it."""

from collections.abc import Iterable
from typing import Any, Final

from sog.openspiel.loading import is_public

MOST_COMPARED: Final = 1000
"""Histories of an infostate that are looked at; of more, nothing is drawn."""


def public_picture(state: Any) -> str:
    """OpenSpiel's picture of a state where nothing is hidden; empty for other games."""
    return _tidy(str(state)) if is_public(state.get_game()) else ""


def private_picture(states: Iterable[Any], player: int) -> str:
    """OpenSpiel's picture of what a player observes, where it is more than a line; else empty.

    states: one of each history of an infostate. What differs between them is not drawn, so that
    nothing hidden is seen.
    """
    seen = set()
    for state in states:
        game = state.get_game()
        if is_public(game) or not game.get_type().provides_observation_string:
            return ""
        seen.add(_tidy(state.observation_string(player)))
    return seen.pop() if len(seen) == 1 and "\n" in next(iter(seen)) else ""


def _tidy(text: str) -> str:
    """Without empty lines around it, and spaces at the ends of lines."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).rstrip("\n")
