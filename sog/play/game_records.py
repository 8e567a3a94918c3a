"""Files of games as people keep them, in the formats that domains offer.

A file is split into texts of one game each, as `Game.read_position` reads them. What its head says
of the game and its players is read here, and files are written here.
"""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

from sog.domain import domains, load_part
from sog.games.core import Game


@dataclasses.dataclass(frozen=True, kw_only=True)
class GameRecord:
    """A game of such a file."""

    text: str
    """It alone, as `Game.read_position` reads it."""
    names: tuple[str, str]
    """Of player 0 and player 1, empty where it does not say them."""
    result: float | None
    """1 where player 0 has won by what the file says, -1 where they have lost and 0 for a draw,
    though the board need not show it, as by resignation; else None."""
    is_scored: bool = False
    """Whether it says that somebody won by a score, and not because the other gave up."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RecordFormat:
    """A format of such files. All that reads raises ValueError for a text that it cannot read."""

    mark: bytes
    """Among the first bytes of every file that we write."""
    media_type: str
    recognizes: Callable[[str], bool]
    """Whether a text is meant as such a file, and not as a position or a list of moves."""
    split: Callable[[str], list[str]]
    """The texts of the games in a file."""
    read: Callable[[str], GameRecord]
    """What the head of one game says."""
    game_of: Callable[[str], str]
    """The game that a head is of, as `sog.games.make` reads it, in its usual rules."""
    notice_of: Callable[[str], str] = lambda text: ""
    """What the head of one game says and we leave out, in one line; empty for nothing."""
    method: str
    """Of a game that is written so: takes its outcomes, `names`, `result` and `start`."""
    given_up: tuple[str, str]
    """The result, by the player who gave up."""
    lost_by_score: tuple[str, str]
    """The result, by the player who lost a game whose score the board does not show."""
    agreed: str
    """The result of a draw that the board does not show."""


def endings() -> tuple[str, ...]:
    """The endings of file names that say a format, as ".pgn"."""
    return tuple(sorted(ending for domain in domains() for ending in domain.records))


def format_at(ending: str) -> RecordFormat | None:
    """The format of files whose names end so; None if there is none."""
    for domain in domains():
        if ending in domain.records:
            found: RecordFormat = load_part(domain.records[ending])
            return found
    return None


def format_of(text: str) -> RecordFormat | None:
    """The format that a text is in; None for a position or a list of moves."""
    formats = (format_at(ending) for ending in endings())
    return next((one for one in formats if one is not None and one.recognizes(text)), None)


def has_format(game: Game[Any], ending: str) -> bool:
    """Whether games of this one are written in the format of such an ending."""
    known = format_at(ending)
    return known is not None and hasattr(game, known.method)


def endings_of(game: Game[Any]) -> list[str]:
    """The endings of the formats in which games of this one are written."""
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
    """One game of a file, which ends with the line; see `has_format`.

    names: of player 0 and player 1. resigned, agreed: as of `PlayedGame`. start: where it began,
    None for the root. Raises ValueError for moves that are not legal.
    """
    known = format_at(ending)
    assert known is not None
    result = known.agreed if agreed else ""
    if resigned is not None:
        result = (known.lost_by_score if agreed else known.given_up)[resigned]
    text: str = getattr(game, known.method)(outcomes, names=names, result=result, start=start)
    return text
