"""Files of games as people keep them: PGN of chess, and the Smart Game Format (SGF) of Go.

A file is split into texts of one game each, as `Game.read_position` reads them; what the head of
such a text says of the game and its players is read here, and files are written here.
"""

import dataclasses
import re
from collections.abc import Sequence
from typing import Any, Final

from sog.boards import go_sgf, go_sizes, pgn
from sog.boards.chess import Chess, GardnerChess, LosAlamosChess
from sog.boards.go import Go
from sog.games.core import Game
from sog.parameters import written_call

ENDINGS: Final = (".pgn", ".sgf")
"""Of the names of files."""
_BY_RESIGNATION: Final = {".pgn": ("0-1", "1-0"), ".sgf": ("W+R", "B+R")}
"""The result, by the player who gave up."""
_BY_SCORE: Final = {".pgn": ("0-1", "1-0"), ".sgf": ("W+", "B+")}
"""The result, by the player who lost a game whose score the board does not show."""
_AGREED: Final = {".pgn": "1/2-1/2", ".sgf": "Draw"}
_RESULTS: Final = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
_DRAWN: Final = ("0", "draw", "jigo")
_WON: Final = re.compile(r"([BW])\+\s*(?:([RTF])|[0-9.,]|\Z)", re.IGNORECASE)
"""By resignation, on time or by forfeit, or by a score, which need not follow."""
_VARIANTS: Final = {
    **dict.fromkeys(("", "standard", "normal", "from position"), Chess.name),
    **{one.uci_variant: one.name for one in (Chess, GardnerChess, LosAlamosChess)},
}
"""Games by the tag Variant, which the standard does not know."""
_BOARDS: Final = {
    one.size: one.name for one in (go_sizes.Go5, go_sizes.Go7, go_sizes.Go9, go_sizes.Go19)
}
"""Games by the size of their board."""
_MOST_OF_A_NAME: Final = 40  # letters


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


def is_record(text: str) -> bool:
    """Whether a text is meant as such a file, and not as a position or a list of moves."""
    return go_sgf.is_sgf(text) or pgn.is_pgn(text)


def split_records(text: str) -> list[str]:
    """The texts of the games in a file. Raises ValueError for what is none."""
    return go_sgf.split_games(text) if go_sgf.is_sgf(text) else pgn.split_games(text)


def read_record(text: str) -> GameRecord:
    """What the head of one game says. Raises ValueError."""
    is_scored = False
    if go_sgf.is_sgf(text):
        head = go_sgf.read_head(text)
        names = head.get("PB", ""), head.get("PW", "")
        said = head.get("RE", "").strip()
        match = _WON.match(said)
        result = 0.0 if said.casefold() in _DRAWN else None
        if match is not None:
            result, is_scored = (1.0 if match[1].upper() == "B" else -1.0), match[2] is None
    else:
        head = pgn.read_head(text)
        names = head.get("White", ""), head.get("Black", "")
        result = _RESULTS.get(head["Result"])
    first, second = (" ".join(name.split())[:_MOST_OF_A_NAME] for name in names)
    shown = "" if first == "?" else first, "" if second == "?" else second
    return GameRecord(text=text, names=shown, result=result, is_scored=is_scored)


def game_of(text: str) -> str:
    """The game that the head of one game is of, as `sog.games.make` reads it, in its usual rules.

    Raises ValueError for a game that is not here.
    """
    if not go_sgf.is_sgf(text):
        said = pgn.read_head(text).get("Variant", "")
        if said.casefold() not in _VARIANTS:
            known = ", ".join(sorted(filter(None, _VARIANTS)))
            raise ValueError(f"PGN: the tag Variant must be one of {known}, got {said!r}.")
        return _VARIANTS[said.casefold()]
    rules = go_sgf.read_rules(text)
    values = {name: f"{value:g}" for name, value in rules.items()}
    named = _BOARDS.get(int(rules["size"]))
    if named is not None:
        del values["size"]
    return written_call(named or Go.name, values)


def notice_of(text: str) -> str:
    """What the head of one game says and nobody can use, in one line; empty if all is well."""
    return go_sgf.notice_of(text) if go_sgf.is_sgf(text) else ""


def has_format(game: Game[Any], ending: str) -> bool:
    """Whether games of this one are written in the format of such an ending."""
    return ending in ENDINGS and hasattr(game, ending[1:])


def has_some_format(game: Game[Any]) -> bool:
    """Whether `is_record` means anything for texts of this game."""
    return any(has_format(game, ending) for ending in ENDINGS)


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
    write = getattr(game, ending[1:])
    result = _AGREED[ending] if agreed else ""
    if resigned is not None:
        result = (_BY_SCORE if agreed else _BY_RESIGNATION)[ending][resigned]
    text: str = write(outcomes, names=names, result=result, start=start)
    return text
