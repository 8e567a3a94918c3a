"""Numbers that a visitor sends: one reading for all of them."""

import re
from typing import Final

_LARGEST: Final = 10**9


def whole_number(text: str, most: int = _LARGEST) -> int | None:
    """The number from 0 to `most` that a text says in ASCII digits; None if it says none.

    `int` would take signs, spaces and the digits of any script and fail at 5000 of them;
    `str.isdigit` says yes to "²", which `int` refuses.
    """
    if not re.fullmatch("[0-9]{1,19}", text):
        return None
    value = int(text)
    return value if value <= most else None
