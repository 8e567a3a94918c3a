"""What `Catalog` gives pages, and what they say where that cannot be."""

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterator
from typing import Any

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from selfplay.runs.metrics import Metrics
from sog.games import Game

Submit = Callable[[Callable[[], None]], object]
"""Has a function called by another thread."""
Poll = Callable[[], None]
"""Called now and then during long work; raises Cancelled once nobody waits for the result."""


class Cancelled(Exception):  # noqa: N818 (no error)
    """The visitor has left, or cancelled what he asked for."""


class RequestError(Exception):
    """What was asked for cannot be; told in a sentence."""


@contextlib.contextmanager
def request_errors(where: str = "") -> Iterator[None]:
    """What the library refuses in its body is told on a page."""
    try:
        yield
    except ValueError as error:
        raise RequestError(f"{where}{error}") from None


def failed(what: str, error: Exception) -> str:
    """What a page says of an error that nobody expected, which the terminal shows whole."""
    logging.getLogger("sog.web").error("%s failed", what, exc_info=error)
    return f"{what} failed: {error}"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SearchSetup:
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
