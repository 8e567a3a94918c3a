"""Game record files such as PGN and SGF, in the formats that domains provide.

Files are split into texts of one game each, which `Game.read_position` reads; their headers are
read here. Files are written here, too.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from sog.domain import load_part, with_domains
from sog.games.core import Game


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameRecord:
    """One game of a file."""

    text: str
    """The game, as `Game.read_position` reads it."""
    names: tuple[str, str]
    """Names of player 0 and player 1; empty if missing."""
    result: float | None
    """Player 0's result in the file: 1 won, 0 drawn, -1 lost, None if it has none. The board need
    not show it, as after a resignation."""
    is_scored: bool = False
    """Whether the result is a score and not a resignation."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordFormat:
    """A file format. Its readers raise ValueError for invalid texts."""

    mark: bytes
    """Occurs among the first bytes of every file that we write."""
    media_type: str
    recognizes: Callable[[str], bool]
    """Whether a text is in this format, not a position or a list of moves."""
    split: Callable[[str], list[str]]
    """The texts of the games in a file."""
    read: Callable[[str], GameRecord]
    """Reads the header of one game."""
    game_of: Callable[[str], str]
    """The game in a header, as `sog.games.make` reads it, with its usual rules."""
    notice_of: Callable[[str], str] = lambda text: ""
    """What is ignored of one game's header, in one line; empty for nothing."""
    method: str
    """The method of `Game` that writes it, from outcomes, `names`, `result` and `start`."""
    given_up: tuple[str, str]
    """The result by the player who resigned."""
    lost_by_score: tuple[str, str]
    """The result by the player who lost by a score that the board does not show."""
    agreed: str
    """The result of a draw that the board does not show."""


def endings() -> tuple[str, ...]:
    """The known file extensions, such as ".pgn"."""
    return tuple(sorted(with_domains({}, "records")))


def format_at(ending: str) -> RecordFormat | None:
    """The format of a file extension; None if there is none."""
    path = with_domains({}, "records").get(ending)
    found: RecordFormat | None = None if path is None else load_part(path)
    return found


def format_of(text: str) -> RecordFormat | None:
    """The format of a text; None for a position or a list of moves."""
    formats = (format_at(ending) for ending in endings())
    return next((one for one in formats if one is not None and one.recognizes(text)), None)


def has_format(game: Game[Any], ending: str) -> bool:
    """Whether the game can be written in the format of a file extension."""
    known = format_at(ending)
    return known is not None and hasattr(game, known.method)


def endings_of(game: Game[Any]) -> list[str]:
    """The extensions of the formats in which the game can be written."""
    return [ending for ending in endings() if has_format(game, ending)]


def write_record(
    game: Game[Any],
    ending: str,
    outcomes: Sequence[int],
    *,
    names: tuple[str, str],
    resigned: int | None = None,
    agreed: bool = False,
    start: Any = None,
) -> str:
    """The text of one game, with a newline at its end; see `has_format`.

    names: of player 0 and player 1. resigned, agreed: see `PlayedGame`. start: where it began, None
    for the root. Raises ValueError for illegal moves.
    """
    known = format_at(ending)
    assert known is not None
    result = known.agreed if agreed else ""
    if resigned is not None:
        result = (known.lost_by_score if agreed else known.given_up)[resigned]
    text: str = getattr(game, known.method)(outcomes, names=names, result=result, start=start)
    return text
