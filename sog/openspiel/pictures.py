"""OpenSpiel's drawings of its states, without hidden information."""

from collections.abc import Iterable
from typing import Any, Final

from sog.openspiel.loading import is_public

MOST_COMPARED: Final = 1000
"""Histories of an infostate to compare; with more, nothing is drawn."""


def public_picture(state: Any) -> str:
    """OpenSpiel's drawing of a state of perfect information; empty for other games."""
    return _tidy(str(state)) if is_public(state.get_game()) else ""


def private_picture(states: Iterable[Any], player: int) -> str:
    """OpenSpiel's drawing of a player's observation, if it has several lines; else empty.

    states: one for each history of an infostate. Differences between them are not drawn, so that
    nothing hidden is shown.
    """
    seen = set()
    for state in states:
        game = state.get_game()
        if is_public(game) or not game.get_type().provides_observation_string:
            return ""
        seen.add(_tidy(state.observation_string(player)))
    return seen.pop() if len(seen) == 1 and "\n" in next(iter(seen)) else ""


def _tidy(text: str) -> str:
    """Strips empty lines around the text and trailing spaces."""
    return "\n".join(line.rstrip() for line in text.strip("\n").splitlines()).rstrip("\n")
