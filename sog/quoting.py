"""Somebody's text in a message."""

from typing import Final

_MOST: Final = 60  # letters


def quoted(text: str) -> str:
    """A piece of it: one line, and not long."""
    return repr(text if len(text) <= _MOST else f"{text[:_MOST]}...")
