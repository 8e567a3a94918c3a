"""File formats of games: PGN for chess, and the Smart Game Format (SGF) for Go."""

import re
from typing import Final

from sog.boards import go_sgf, go_sizes, pgn
from sog.boards.chess import Chess, GardnerChess, LosAlamosChess
from sog.boards.go import Go
from sog.parameters import written_call
from sog.play.game_records import GameRecord, RecordFormat

_RESULTS: Final = {"1-0": 1.0, "0-1": -1.0, "1/2-1/2": 0.0}
_DRAWN: Final = ("0", "draw", "jigo")
_WON: Final = re.compile(r"([BW])\+\s*(?:([RTF])|[0-9.,]|\Z)", re.IGNORECASE)
"""A win by resignation, on time, by forfeit, or by an optional score."""
_VARIANTS: Final = {
    **dict.fromkeys(("", "standard", "normal", "from position"), Chess.name),
    **{one.uci_variant: one.name for one in (Chess, GardnerChess, LosAlamosChess)},
}
"""Games by the tag Variant, which is not in the standard."""
_BOARDS: Final = {
    one.size: one.name for one in (go_sizes.Go5, go_sizes.Go7, go_sizes.Go9, go_sizes.Go19)
}
"""Games by board size."""
_MOST_OF_A_NAME: Final = 40  # letters


def _read_pgn(text: str) -> GameRecord:
    head = pgn.read_head(text)
    names = _shown(head.get("White", "")), _shown(head.get("Black", ""))
    return GameRecord(text=text, names=names, result=_RESULTS.get(head["Result"]))


def _read_sgf(text: str) -> GameRecord:
    head = go_sgf.read_head(text)
    said = head.get("RE", "").strip()
    result, is_scored, match = None, False, _WON.match(said)
    if said.casefold() in _DRAWN:
        result = 0.0
    elif match is not None:
        result, is_scored = (1.0 if match[1].upper() == "B" else -1.0), match[2] is None
    names = _shown(head.get("PB", "")), _shown(head.get("PW", ""))
    return GameRecord(text=text, names=names, result=result, is_scored=is_scored)


def _shown(name: str) -> str:
    """A player's name; empty if unknown."""
    short = " ".join(name.split())[:_MOST_OF_A_NAME]
    return "" if short == "?" else short


def _game_of_pgn(text: str) -> str:
    said = pgn.read_head(text).get("Variant", "")
    if said.casefold() not in _VARIANTS:
        known = ", ".join(sorted(filter(None, _VARIANTS)))
        raise ValueError(f"PGN: the tag Variant must be one of {known}, got {said!r}.")
    return _VARIANTS[said.casefold()]


def _game_of_sgf(text: str) -> str:
    rules = go_sgf.read_rules(text)
    values = {name: f"{value:g}" for name, value in rules.items()}
    named = _BOARDS.get(int(rules["size"]))
    if named is not None:
        del values["size"]
    return written_call(named or Go.name, values)


PGN: Final = RecordFormat(
    mark=b"[",
    media_type="application/vnd.chess-pgn",
    recognizes=lambda text: pgn.is_pgn(text) and not go_sgf.is_sgf(text),
    split=pgn.split_games,
    read=_read_pgn,
    game_of=_game_of_pgn,
    method="pgn",
    given_up=("0-1", "1-0"),
    lost_by_score=("0-1", "1-0"),
    agreed="1/2-1/2",
)
SGF: Final = RecordFormat(
    mark=b"(;",
    media_type="application/x-go-sgf",
    recognizes=go_sgf.is_sgf,
    split=go_sgf.split_games,
    read=_read_sgf,
    game_of=_game_of_sgf,
    notice_of=go_sgf.notice_of,
    method="sgf",
    given_up=("W+R", "B+R"),
    lost_by_score=("W+", "B+"),
    agreed="Draw",
)
