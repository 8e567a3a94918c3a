"""Notation of Go moves: points as D4, the pass, or action numbers."""

import re
from collections.abc import Sequence
from typing import Final

from sog.quoting import quoted

COLUMNS: Final = "ABCDEFGHJKLMNOPQRST"
"""The letters of columns; I is left out, by convention."""
PASS: Final = "pass"
_MOST_DIGITS: Final = 3  # of an action


def vertex(action: int, size: int) -> str:
    """A point as "D4", or "pass"."""
    if action == size * size:
        return PASS
    row, column = divmod(action, size)
    return f"{COLUMNS[column]}{size - row}"


def read_vertex(text: str, size: int) -> int:
    """The action of a vertex in either case. Raises ValueError for any other text."""
    word = text.strip()
    if word.casefold() == PASS:
        return size * size
    match = re.fullmatch(r"([A-Za-z])([0-9]{1,2})", word)
    last = COLUMNS[size - 1]
    if match is None:
        raise ValueError(f"a point must look like {last}{size}, or be 'pass', got {quoted(text)}.")
    column, row = COLUMNS[:size].find(match[1].upper()), int(match[2])
    if column < 0 or not 1 <= row <= size:
        without = " without I" if size > COLUMNS.index("J") else ""
        raise ValueError(
            f"points of a board of {size} x {size} go from A1 to {last}{size}{without}, "
            f"got {quoted(text)}."
        )
    return (size - row) * size + column


def read_actions(words: Sequence[str], size: int) -> list[int] | None:
    """The actions of "D4 pass C3", or of numbers; None for words of another kind.

    Raises ValueError for a point off the board or an invalid number.
    """
    if not all(re.fullmatch(r"[A-Za-z]?[0-9]+|pass", word, re.IGNORECASE) for word in words):
        return None
    return [
        _read_number(word, size) if word.isdecimal() else read_vertex(word, size) for word in words
    ]


def _read_number(word: str, size: int) -> int:
    if len(word) > _MOST_DIGITS or int(word) > size * size:
        raise ValueError(
            f"actions of a board of {size} x {size} go from 0 to {size * size}, got {quoted(word)}."
        )
    return int(word)
