"""Games of hold'em by their texts."""

import functools

from sog.games import make
from sog.holdem.game import Holdem


@functools.cache
def holdem(text: str = "holdem") -> Holdem:
    """Made once: those of large decks have large tables."""
    game = make(text)
    assert isinstance(game, Holdem)
    return game
