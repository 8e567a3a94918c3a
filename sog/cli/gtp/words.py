"""Words of GTP: colors and numbers."""

from typing import Any, Final

from sog.games.core import PLAYER_0, PLAYER_1

COLORS: Final = ("black", "white")
"""By player."""
PLAYERS: Final = {"b": PLAYER_0, "black": PLAYER_0, "w": PLAYER_1, "white": PLAYER_1}


def read_color(text: str) -> int:
    """The player of a color; ValueError if it is none."""
    if text.lower() not in PLAYERS:
        raise ValueError(f"syntax error: a color must be black or white, got {text[:20]!r}")
    return PLAYERS[text.lower()]


def read_number(text: str, kind: type) -> Any:
    """A number of a kind, int or float; ValueError if it is none."""
    try:
        return kind(text)
    except ValueError:
        what = "an integer" if kind is int else "a number"
        raise ValueError(f"syntax error: {what} is needed, got {text[:20]!r}") from None
