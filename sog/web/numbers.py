"""Numbers that a visitor sends, one reading for all of them, and numbers that he sees."""

import re
from typing import Final

_LARGEST: Final = 10**9


def in_units(value: float, unit: str) -> str:
    """A utility as "+1 chip" or "-0.25 chips"; unit: in the plural."""
    told = f"{value + 0.0:+.4g}"
    return f"{told} {unit.removesuffix('s') if abs(value) == 1 else unit}"


def whole_number(text: str, most: int = _LARGEST) -> int | None:
    """The number from 0 to `most` that a text says in ASCII digits; None if it says none.

    `int` would take signs, spaces and the digits of any script and fail at 5000 of them;
    `str.isdigit` says yes to "²", which `int` refuses.
    """
    if not re.fullmatch("[0-9]{1,19}", text):
        return None
    value = int(text)
    return value if value <= most else None
