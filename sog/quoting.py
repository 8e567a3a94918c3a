"""Quotes user input in messages."""

from typing import Final

_MOST: Final = 60  # letters


def quoted(text: str) -> str:
    """The text as one line, shortened."""
    return repr(text if len(text) <= _MOST else f"{text[:_MOST]}...")
