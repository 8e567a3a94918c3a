"""Games of chess as PGN: reads it with comments and variations, and writes it."""

import dataclasses
import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.boards.chess_fen import looks_like_fen
from sog.boards.chess_notation import move_number, read_line, write_san
from sog.boards.chess_rules import CHECKMATE, GOES_ON, ChessState, after
from sog.boards.chess_variant import Variant

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
_OTHER_RESULTS: Final = {"1/2": "1/2-1/2", "0.5-0.5": "1/2-1/2"}
_DASHES: Final = str.maketrans(
    {"\N{VULGAR FRACTION ONE HALF}": "1/2"}
    | dict.fromkeys(":\N{EN DASH}\N{EM DASH}\N{MINUS SIGN}\N{HYPHEN}\N{NON-BREAKING HYPHEN}", "-")
)
ROSTER: Final = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The seven tag roster, in the standard's order."""
_UNKNOWN: Final = {"Date": "????.??.??", "Result": "*"}
_USUAL_VARIANT: Final = "chess"
"""The game without a tag Variant."""
_WIDTH: Final = 80
_TAG: Final = re.compile(r'\[\s*([\w+#=:-]+)\s*(?:"((?:[^\\\n]|\\.)*?)"\s*)?\]')
_NUMBER: Final = re.compile(r"(?<!\d)\d+\.")  # tried only once per run of digits
_REMARK: Final = re.compile(r"(?!--|[*])(?:[^\w*]+|e\.?p\.?|N|D|TN|RR)", re.IGNORECASE)
"""An annotation of the move before it, as ± or N (novelty); -- is a null move."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class PgnRecord:
    """A game read from PGN."""

    tags: Mapping[str, str]
    start: ChessState
    """Where it begins: the root, or the position of the tag FEN."""
    actions: tuple[int, ...]
    result: str
    """One of RESULTS; * if unknown."""


def is_pgn(text: str) -> bool:
    """Whether a text is PGN rather than a list of moves: it has tags or move numbers."""
    is_numbered = _NUMBER.search(text) is not None and not looks_like_fen(text)
    return text.lstrip().startswith("[") or is_numbered


def read_game(game: Any, text: str) -> PgnRecord:
    """The one game of a text; game: `sog.boards.chess.AnyChess`.

    Skips comments, variations and annotations. Raises ValueError, one line, that names the move.
    """
    return _read(game, _one_of(text))


def split_games(text: str) -> list[str]:
    """The texts of the games in a file. Raises ValueError, one line."""
    starts = [one.start for one in _split(text)]
    return [text[start:end].strip() for start, end in itertools.pairwise([*starts, len(text)])]


def read_head(text: str) -> dict[str, str]:
    """The tags of the one game of a text, with its Result, * if unknown; raises ValueError."""
    one = _one_of(text)
    return {**one.tags, "Result": one.result}


def _one_of(text: str) -> "_Unread":
    games = _split(text)
    if len(games) != 1:
        raise ValueError(f"the PGN must have exactly one game, got {len(games)}.")
    return games[0]


def _read(game: Any, one: "_Unread") -> PgnRecord:
    fen, result = one.tags.get("FEN"), one.result
    start, actions = read_line(
        game.variant,
        game.max_moves,
        game.from_fen(fen) if fen else game.root(),
        one.words,
        ends_drawn=result == "1/2-1/2",
    )
    return PgnRecord(tags=one.tags, start=start, actions=actions, result=result)


def write_game(
    game: Any,
    actions: Sequence[int],
    *,
    tags: Mapping[str, str] | None = None,
    start: ChessState | None = None,
) -> str:
    """A game as PGN, which ends with an empty line.

    actions: legal moves from `start`, by default the root. tags: missing ones of ROSTER are "?";
    the result is that of the last position unless a tag gives another, as after a resignation.
    """
    variant: Variant = game.variant
    state = game.root() if start is None else start
    known = {**dict.fromkeys(ROSTER, "?"), **_UNKNOWN}
    if game.uci_variant != _USUAL_VARIANT:
        known["Variant"] = game.uci_variant
    if start is not None and game.fen(start) != game.fen(game.root()):
        known |= {"SetUp": "1", "FEN": game.fen(start)}
    words: list[str] = []
    for action in actions:
        if int(state.num_moves) % 2 == 0 or not words:
            words.append(move_number(state))
        words.append(write_san(variant, game.max_moves, state, action))
        state = after(variant, game.max_moves, state, jnp.int32(action))
    known |= {"Result": _result(game, state), **(tags or {})}
    lines = [f'[{name} "{_quoted(value)}"]' for name, value in known.items()]
    moves = textwrap.wrap(
        " ".join([*words, known["Result"]]), _WIDTH, break_on_hyphens=False, break_long_words=False
    )
    return "\n".join([*lines, "", *moves, "", ""])


def _result(game: Any, state: ChessState) -> str:
    if int(state.ending) == GOES_ON:
        return "*"
    if int(state.ending) != CHECKMATE:
        return "1/2-1/2"
    return "1-0" if np.asarray(game.result(state)) > 0 else "0-1"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Unread:
    """A game whose moves have not been parsed."""

    start: int
    """The offset of its first character."""
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    words: list[str] = dataclasses.field(default_factory=list)
    """Moves."""

    @property
    def result(self) -> str:
        """One of RESULTS; * if unknown."""
        return _as_result(self.tags.get("Result", "")) or "*"


def _as_result(word: str) -> str:
    """One of RESULTS, in any notation; empty for any other word."""
    sides = word.translate(_DASHES)
    result = _OTHER_RESULTS.get(sides, sides)
    return result if result in RESULTS else ""


def _split(text: str) -> list[_Unread]:
    """The games; a tag after a move, or anything after a result, begins the next."""
    games: list[_Unread] = []
    is_new, number_at = True, None
    for kind, value, start in _tokens(text):
        if kind == "number":
            number_at = start if number_at is None else number_at
            continue
        if kind == "word" and _REMARK.fullmatch(value):
            continue
        if is_new or (kind == "tag" and games[-1].words):
            games.append(_Unread(start=start if number_at is None else number_at))
        is_new, number_at = False, None
        if kind == "tag":
            name, content = _TAG.fullmatch(value).groups("")  # type: ignore[union-attr]
            games[-1].tags[name] = re.sub(r"\\(.)", r"\1", content)
        elif result := _as_result(value):
            games[-1].tags["Result"], is_new = result, True
        else:
            games[-1].words.append(value)
    return games


_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<escape>(?<![^\n])%[^\n]*)|(?P<comment>\{[^}]*\}|;[^\n]*)"
    rf"|(?P<tag>{_TAG.pattern})|(?P<stray>(?<![^\n])\[[^\n]*)|(?P<open>\()|(?P<close>\))"
    r"|(?P<mark>\$\d+|[!?]+)|(?P<number>\d+(?:\.+|(?=[\s{(;$]|\Z))|\.+)|(?P<word>[^\s(){}\[\];$!?]+[!?]*)"
)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """("tag", "number" or "word", text, offset) outside comments and variations."""
    at, depth = 0, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            line = text.count("\n", 0, at) + 1
            raise ValueError(f"line {line} has {text[at : at + 20].splitlines()[0]!r}, not PGN.")
        at, kind = found.end(), str(found.lastgroup)
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                raise ValueError(f"line {text.count(chr(10), 0, at) + 1} has an unmatched ')'.")
        elif kind in ("tag", "number", "word") and depth == 0:
            yield kind, found.group(), found.start()
    if depth:
        raise ValueError("a variation is not closed.")
