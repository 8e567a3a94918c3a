"""Somebody's text in a message."""

from typing import Final

_MOST: Final = 60  # letters


def quoted(text: str, most: int = _MOST) -> str:
    """A piece of it: one line, and not long."""
    return repr(text if len(text) <= most else f"{text[:most]}...")
