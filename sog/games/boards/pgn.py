"""Games of chess as PGN: read with what other programs put between the moves, and written."""

import dataclasses
import itertools
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.games.boards.chess_notation import read_move, write_san
from sog.games.boards.chess_rules import CHECKMATE, GOES_ON, ChessState, after
from sog.games.boards.chess_variant import Variant

RESULTS: Final = ("1-0", "0-1", "1/2-1/2", "*")
ROSTER: Final = ("Event", "Site", "Date", "Round", "White", "Black", "Result")
"""The tags that every game has, in the order of the standard."""
_UNKNOWN: Final = {"Date": "????.??.??", "Result": "*"}
_USUAL_VARIANT: Final = "chess"
"""Others are named by the tag Variant, as by engines."""
_WIDTH: Final = 80
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"((?:[^"\\]|\\.)*)"\s*\]')
_NUMBER: Final = re.compile(r"(?<!\d)\d+\.")  # looked for once in a row of digits


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Record:
    """A game that was read."""

    tags: Mapping[str, str]
    start: ChessState
    """Where it begins: the root, or what its tag FEN says."""
    actions: tuple[int, ...]
    result: str
    """One of RESULTS, * if it says none."""


def is_pgn(text: str) -> bool:
    """Whether a text is a game rather than a list of moves: it has tags, or numbers of moves."""
    return text.lstrip().startswith("[") or _NUMBER.search(text) is not None


def read_games(game: Any, text: str) -> list[Record]:
    """The games of a file; game: `sog.games.boards.chess.AnyChess`.

    Comments, variations and marks are skipped. Raises ValueError, one line, that names the game and
    the move.
    """
    records = []
    for number, one in enumerate(_split(text), start=1):
        try:
            records.append(_read(game, one.tags, one.words))
        except ValueError as error:
            raise ValueError(f"game {number}: {error}") from None
    return records


def read_game(game: Any, text: str) -> Record:
    """The one game of a text; raises ValueError, one line."""
    one = _one_of(text)
    return _read(game, one.tags, one.words)


def split_games(text: str) -> list[str]:
    """The texts of the games in a file, which are not read yet. Raises ValueError, one line."""
    starts = [one.start for one in _split(text)]
    return [text[start:end].strip() for start, end in itertools.pairwise([*starts, len(text)])]


def read_head(text: str) -> dict[str, str]:
    """The tags of the one game of a text, and its Result, * if it says none; raises ValueError."""
    one = _one_of(text)
    said = [one.tags.get("Result", "*"), *(word for word in one.words if word in RESULTS)]
    return {**one.tags, "Result": said[-1]}


def _one_of(text: str) -> "_Unread":
    games = _split(text)
    if len(games) != 1:
        raise ValueError(f"a PGN of one game is needed here, got {len(games)} games.")
    return games[0]


def _read(game: Any, tags: Mapping[str, str], words: Sequence[str]) -> Record:
    state = start = game.from_fen(tags["FEN"]) if "FEN" in tags else game.root()
    actions: list[int] = []
    result = tags.get("Result", "*")
    for word in words:
        if word in RESULTS:
            result = word
            continue
        try:
            action = read_move(game.variant, state, word)
        except ValueError as error:
            raise ValueError(f"move {_number(int(state.num_moves))} {error}") from None
        actions.append(action)
        state = game.apply(state, jnp.int32(action))
    if result not in RESULTS:
        raise ValueError(f"the result must be one of {', '.join(RESULTS)}, got {result!r}.")
    return Record(tags=tags, start=start, actions=tuple(actions), result=result)


def write_game(
    game: Any,
    actions: Sequence[int],
    *,
    tags: Mapping[str, str] | None = None,
    start: ChessState | None = None,
) -> str:
    """A game as PGN, which ends in an empty line.

    actions: legal moves from `start`, by default the root. tags: those of ROSTER that are not given
    are unknown; the result is that of the last position, unless the tags say another one, as for a
    game that was given up.
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
        number = int(state.num_moves)
        if number % 2 == 0 or not words:
            words.append(_number(number))
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


def _number(num_moves: int) -> str:
    """As in front of a move: 1. of White, 1... of Black."""
    return f"{num_moves // 2 + 1}{'...' if num_moves % 2 else '.'}"


def _quoted(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Unread:
    """A game of a text, whose moves are words still."""

    start: int
    """The place of its first letter."""
    tags: dict[str, str] = dataclasses.field(default_factory=dict)
    words: list[str] = dataclasses.field(default_factory=list)


def _split(text: str) -> list[_Unread]:
    """The games; a tag after a move, and what follows a result, is the next."""
    games: list[_Unread] = []
    is_new = True
    for kind, value, start in _tokens(text):
        if is_new or (kind == "tag" and games[-1].words):
            games.append(_Unread(start=start))
        is_new = False
        if kind == "tag":
            name, content = _TAG.fullmatch(value).groups()  # type: ignore[union-attr]
            games[-1].tags[name] = re.sub(r"\\(.)", r"\1", content)
        else:
            games[-1].words.append(value)
            is_new = value in RESULTS
    return games


_TOKEN: Final = re.compile(
    r"(?P<space>\s+)|(?P<escape>(?<![^\n])%[^\n]*)|(?P<comment>\{[^}]*\}|;[^\n]*)"
    r'|(?P<tag>\[\s*\w+\s+"(?:[^"\\]|\\.)*"\s*\])|(?P<open>\()|(?P<close>\))|(?P<mark>\$\d+|[!?]+)'
    r"|(?P<number>\d+\.+)|(?P<word>[^\s(){}\[\];$!?]+[!?]*)"
)


def _tokens(text: str) -> Iterator[tuple[str, str, int]]:
    """("tag" or "word", text, its place) outside of comments and variations."""
    at, depth = 0, 0
    while at < len(text):
        found = _TOKEN.match(text, at)
        if found is None:
            line = text.count("\n", 0, at) + 1
            raise ValueError(f"line {line} has {text[at : at + 20].splitlines()[0]!r}, no PGN.")
        at, kind = found.end(), str(found.lastgroup)
        if kind == "open":
            depth += 1
        elif kind == "close":
            depth -= 1
            if depth < 0:
                raise ValueError(f"line {text.count(chr(10), 0, at) + 1} closes no variation.")
        elif kind in ("tag", "word") and depth == 0:
            yield kind, found.group(), found.start()
    if depth:
        raise ValueError("a variation is not closed.")
