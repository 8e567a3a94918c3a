"""What `Offers` gives pages, what they say where that cannot be, and how they read numbers."""

import contextlib
import dataclasses
import logging
import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from selfplay.runs.metrics import Metrics
from sog.games import Game

Submit = Callable[[Callable[[], None]], object]
"""Has a function called by another thread."""
Heed = Callable[[], None]
"""To be called now and then by what takes long: raises Left where nobody waits for it any more."""


class Left(Exception):  # noqa: N818 (no error)
    """The visitor has left, or cancelled what he asked for."""


class Mistake(Exception):  # noqa: N818 (the visitor's, told on a page)
    """What was asked for cannot be; told in a sentence."""


@contextlib.contextmanager
def mistaken(where: str = "") -> Iterator[None]:
    """What the library refuses in its body is told on a page."""
    try:
        yield
    except ValueError as error:
        raise Mistake(f"{where}{error}") from None


def failed(what: str, error: Exception) -> str:
    """What a page says of an error that nobody expected, which the terminal shows whole."""
    logging.getLogger("sog.web").error("%s failed", what, exc_info=error)
    return f"{what} failed: {error}"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SearchOffer:
    """What searches of a game are made with."""

    game: Game[Any]
    """The one to search, perhaps enumerated; `shown` is the game itself."""
    shown: Game[Any]
    evaluator: Evaluator
    name: str
    """Of the evaluator."""
    settings: SearchSettings


@dataclasses.dataclass(frozen=True, kw_only=True)
class RunState:
    """How far a training run is."""

    name: str
    game: Game[Any]
    lines: list[Metrics]
    """Its metrics so far."""


_LARGEST: Final = 10**9
_HIGHEST_WEIGHT: Final = 10**6


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


def weight(text: str) -> float:
    """A weight of a range or a lock; 0 for an empty text. Raises Mistake."""
    is_number = re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]{1,3})?", text or "0")
    value = float(text or 0) if is_number else -1.0
    if not 0 <= value <= _HIGHEST_WEIGHT:
        raise Mistake(f"A weight must be from 0 to {_HIGHEST_WEIGHT:,}, got {text[:20]!r}.")
    return value
