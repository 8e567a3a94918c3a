"""Reads numbers that visitors send, and formats utilities."""

import re
from typing import Final

from sog.web.interfaces import RequestError

_LARGEST: Final = 10**9
_HIGHEST_WEIGHT: Final = 10**6


def in_units(value: float, unit: str) -> str:
    """A utility as "+1 chip" or "-0.25 chips"; unit: in the plural."""
    number = f"{value + 0.0:+.4g}"
    return f"{number} {unit.removesuffix('s') if abs(value) == 1 else unit}"


def whole_number(text: str, most: int = _LARGEST) -> int | None:
    """The number from 0 to `most` that a text has in ASCII digits; None if it has none.

    `int` accepts signs, spaces and the digits of any script and fails at 5000 of them;
    `str.isdigit` accepts "²", which `int` does not.
    """
    if not re.fullmatch("[0-9]{1,19}", text):
        return None
    value = int(text)
    return value if value <= most else None


def weight(text: str) -> float:
    """A weight of a range or a lock; 0 for an empty text. Raises RequestError."""
    is_number = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]{1,3})?", text or "0")
    value = float(text or 0) if is_number else -1.0
    if not 0 <= value <= _HIGHEST_WEIGHT:
        raise RequestError(f"A weight must be from 0 to {_HIGHEST_WEIGHT:,}, got {text[:20]!r}.")
    return value
