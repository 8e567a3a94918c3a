"""Types and errors that the pages and their `Catalog` share."""

import contextlib
import dataclasses
import logging
from collections.abc import Callable, Iterator
from typing import Any

from gtcfr.evaluator import Evaluator
from gtcfr.settings import SearchSettings
from sog.games import Game

Submit = Callable[[Callable[[], None]], object]
"""Submits a function to a thread pool."""
Poll = Callable[[], None]
"""Called now and then during long work; raises Cancelled once nobody waits for the result."""


class Cancelled(Exception):  # noqa: N818 (not an error)
    """The visitor has left or cancelled the request."""


class RequestError(Exception):
    """An invalid request; the message is a sentence for the page."""


@contextlib.contextmanager
def request_errors(where: str = "") -> Iterator[None]:
    """Turns errors that the library raises for invalid input into RequestError."""
    try:
        yield
    except ValueError as error:
        raise RequestError(f"{where}{error}") from None


def failed(what: str, error: Exception) -> str:
    """The message for an unexpected error, whose traceback goes to the terminal."""
    logging.getLogger("sog.web").error("%s failed", what, exc_info=error)
    return f"{what} failed: {error}"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SearchSetup:
    """What a search needs: game, evaluator and settings."""

    game: Game[Any]
    """The game to search, perhaps enumerated; `shown` is the game itself."""
    shown: Game[Any]
    evaluator: Evaluator
    name: str
    """Name of the evaluator."""
    settings: SearchSettings
