"""Games of Go in the Smart Game Format, version 4: https://www.red-bean.com/sgf.

Reads the moves of the main line, the setup stones before them, the board size and the komi. sgfmill
parses the text.
"""

import dataclasses
import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Final

from sog.quoting import quoted

with warnings.catch_warnings():  # a docstring there has a backslash that Python 3.12 warns of
    warnings.simplefilter("ignore")
    from sgfmill import sgf_grammar

_GO: Final = "1"  # the game's number in the format
_DEFAULT_SIZE: Final = "19"
_LARGEST_WITH_TT: Final = 19
"""Up to this size "tt" is a pass in files of version 3."""
_SETUP: Final = ("AB", "AW", "AE")
_COLORS: Final = {"B": "Black", "W": "White"}
MOST_KOMI: Final = 361
"""Points, for either side: as many as the largest board has."""
_KOMI: Final = re.compile(r"[+-]?([0-9]+([.,][0-9]*)?|[.,][0-9]+)(?=\s*(points?)?\Z)")
_IN_HUNDREDTHS: Final = "foxwq"
"""The property AP of a server that writes 375 for 3.75 stones under Chinese rules (7.5 points of
area) and 650 for 6.5 points."""
_LEAST_HUNDREDTHS: Final = 25
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_BYTE_ORDER_MARK: Final = "\ufeff"
_MOST_QUOTED: Final = 20  # characters of unquoted text
_MOST_SET_UP: Final = 20_000
"""Points; real setups, removals included, have far fewer."""
_BEGIN: Final = re.compile(rb"\(\s*;")
_BEGIN_AFTER_TEXT: Final = re.compile(r"\(\s*;\s*[A-Za-z]{1,20}\s*\[")


def is_sgf(text: str) -> bool:
    """Whether a text looks like SGF, perhaps with other text before it."""
    plain = text.lstrip().lstrip(_BYTE_ORDER_MARK).lstrip()
    return plain.startswith("(") or (
        not plain.startswith("[") and _BEGIN_AFTER_TEXT.search(plain) is not None
    )


def split_games(text: str) -> list[str]:
    """The texts of the games in a file; the last may be incomplete."""
    content = text.replace(_BYTE_ORDER_MARK, "").encode(errors="replace")
    games, place = list[bytes](), 0
    while match := _BEGIN.search(content, place):
        tokens, place = sgf_grammar.tokenise(content, match.start())
        depth = sum({b"(": 1, b")": -1}.get(token, 0) for kind, token in tokens if kind == "D")
        if depth:
            place = len(content)
        games.append(content[match.start() : place].strip())
    return [game.decode() for game in games] or [text.strip()] * bool(text.strip())


@dataclasses.dataclass(frozen=True, kw_only=True)
class SgfRecord:
    """A game read from SGF."""

    stones: Mapping[int, int] = dataclasses.field(default_factory=dict)
    """Setup stones before the first move: owners by point."""
    first: int = 0
    """The player who moves first."""
    actions: tuple[int, ...]

    def check_begins_as_usual(self) -> None:
        """Raises ValueError unless it begins with an empty board and Black to move."""
        if self.stones or self.first:
            what = "stones are set up" if self.stones else "White moves first"
            raise ValueError(f"SGF: {what}; here a game must begin with an empty board and Black.")


def read_record(text: str, size: int) -> SgfRecord:
    """The main line of the first game. Raises ValueError, one line, for an invalid text.

    The first move says who moves first; without a move, PL or a handicap does. Handicap stones may
    be moves of Black, as many as HA says. Does not check that moves are legal.
    """
    nodes, head = _main_line(text)
    if (game := head.get("GM", _GO)) != _GO:
        raise ValueError(f"SGF: GM must be {_GO}, the number of Go, got {quoted(game)}.")
    _check_size(head.get("SZ"), size)
    stones, num_set_up, moves = dict[int, int](), 0, list[tuple[str, Sequence[str]]]()
    for node in nodes:
        for name, values in node.items():
            if name in (*_SETUP, "PL") and moves:
                raise ValueError(f"SGF: {name} sets up a position after move {len(moves)}.")
            if name in _SETUP:
                num_set_up += _set_up(stones, name, values, size, _MOST_SET_UP - num_set_up)
            elif name in _COLORS:
                moves.append((name, values))
    handicap = int(head["HA"]) if re.fullmatch("[0-9]{1,3}", head.get("HA", "")) else 0
    num_placed = next((n for n, (name, _) in enumerate(moves) if name != "B"), len(moves))
    if not 1 < num_placed <= handicap:
        num_placed = 0
    for name, values in moves[:num_placed]:
        _set_up(stones, f"A{name}", values, size, 1)
    first = int((bool(stones) or num_placed) and handicap > 1)
    if "PL" in head:
        first = _read_player(head["PL"])
    if num_placed < len(moves):
        first = "BW".index(moves[num_placed][0])
    actions = [
        _read_move(name, values, size, number, "BW"[(number - num_placed + first) % 2])
        for number, (name, values) in enumerate(moves[num_placed:], start=num_placed)
    ]
    return SgfRecord(stones=stones, first=first, actions=tuple(actions))


def read_rules(text: str) -> dict[str, int | float]:
    """The board size, and the komi if it is valid, as parameters of the game.

    Without SZ the size is the format's default, 19. Raises ValueError, one line, if it is invalid.
    """
    _, head = _main_line(text)
    size = head.get("SZ", _DEFAULT_SIZE)
    match = re.fullmatch(r"([0-9]{1,2})(?::\1)?", size)
    if match is None:
        raise ValueError(
            f"SGF: SZ must be one number, the size of a square board, got {quoted(size)}."
        )
    komi = _read_komi(head)
    return {"size": int(match[1]), **({} if komi is None else {"komi": komi})}


def notice_of(text: str) -> str:
    """One line about a rule of the file that is ignored; empty if there is none."""
    _, head = _main_line(text)
    if not head.get("KM") or _read_komi(head) is not None:
        return ""
    return (
        f"SGF: KM, the komi, is ignored: it must be a number from -{MOST_KOMI} to {MOST_KOMI}, "
        f"got {quoted(head['KM'])}."
    )


def _read_komi(head: Mapping[str, str]) -> float | None:
    """In points; None if it is missing or invalid."""
    match = _KOMI.match(head.get("KM", ""))
    if match is None:
        return None
    komi = float(match[0].replace(",", "."))
    if _IN_HUNDREDTHS in head.get("AP", ""):
        if abs(komi) >= _LEAST_HUNDREDTHS:
            komi /= 100
        if komi % 0.5:  # komi in points is a multiple of 1/2, so these are stones
            komi *= 2
    return komi if abs(komi) <= MOST_KOMI else None


def _read_player(text: str) -> int:
    letter = text.strip()[:1].upper()
    if letter not in _COLORS:
        raise ValueError(f"SGF: PL must be B or W, whose turn it is, got {quoted(text)}.")
    return "BW".index(letter)


def _set_up(stones: dict[int, int], name: str, values: Sequence[str], size: int, most: int) -> int:
    """Adds or removes stones by AB, AW or AE: points, or rectangles as aa:cc. Returns the number of
    points; ValueError for more than `most`."""
    count = 0
    for value in values:
        corners = [
            _read_point(f"SGF: {name}[{value[:_MOST_QUOTED]}]", one, size)
            for one in value.strip().split(":")
        ]
        rows, columns = zip(*(divmod(corner, size) for corner in corners), strict=True)
        count += (max(rows) + 1 - min(rows)) * (max(columns) + 1 - min(columns))
        if count > most:
            raise ValueError(f"SGF: more than {_MOST_SET_UP} points are set up.")
        for row in range(min(rows), max(rows) + 1):
            for column in range(min(columns), max(columns) + 1):
                point = row * size + column
                stones.pop(point, None)
                if name != "AE":
                    stones[point] = "BW".index(name[1])
    return count


def write_sgf(
    actions: Sequence[int],
    *,
    size: int,
    komi: float,
    result: str = "?",
    names: tuple[str, str] = ("", ""),
    stones: Mapping[int, int] | None = None,
    first: int = 0,
) -> str:
    """A game as SGF. result: "B+3.5", "W+R" for a resignation, "0" for a draw.

    names: of Black and of White. stones, first: see `SgfRecord`.
    """
    head = f"(;GM[1]FF[4]CA[UTF-8]SZ[{size}]KM[{komi:g}]"
    for name, text in zip(("PB", "PW", "RE"), (*names, result), strict=True):
        if text:
            head += f"{name}[{_escaped(text)}]"
    for player, color in enumerate("BW"):
        points = [point for point, owner in sorted((stones or {}).items()) if owner == player]
        if points:
            head += f"A{color}{''.join(f'[{_sgf_point(point, size)}]' for point in points)}"
    if stones or first:
        head += f"PL[{'BW'[first]}]"
    moves = [
        f";{'BW'[(number + first) % 2]}[{_sgf_point(action, size)}]"
        for number, action in enumerate(actions)
    ]
    lines = ["".join(moves[start : start + 10]) for start in range(0, len(moves), 10)]
    return "\n".join([head, *lines]) + ")\n"


def _check_size(found: str | None, size: int) -> None:
    said = _DEFAULT_SIZE if found is None else found
    if said not in (str(size), f"{size}:{size}"):
        why = " (there is no SZ)" if found is None else ""
        raise ValueError(
            f"SGF: SZ must be {size}, the size of this board, got {quoted(said)}{why}."
        )


def _read_move(name: str, values: Sequence[str], size: int, number: int, expected: str) -> int:
    where = f"SGF: move {number + 1}, {name}[{']['.join(values)[:_MOST_QUOTED]}],"
    if name != expected:
        raise ValueError(f"{where} is {_COLORS[name]}'s, but it is {_COLORS[expected]}'s turn.")
    if len(values) > 1:
        raise ValueError(f"{where} has more than one point.")
    point = values[0].strip()
    if not point or (point == "tt" and size <= _LARGEST_WITH_TT):
        return size * size
    return _read_point(where, point, size, ", nor empty (a pass)")


def _read_point(where: str, point: str, size: int, also: str = "") -> int:
    if len(point) == 2 and all(letter in _LETTERS[:size] for letter in point):
        column, row = (_LETTERS.index(letter) for letter in point)
        return row * size + column
    raise ValueError(f"{where} is not a point from aa to {2 * _LETTERS[size - 1]}{also}.")


def _sgf_point(action: int, size: int) -> str:
    if action == size * size:
        return ""
    row, column = divmod(action, size)
    return _LETTERS[column] + _LETTERS[row]


def _escaped(text: str) -> str:
    one_line = " ".join(text.split()).encode(errors="replace")
    return str(sgf_grammar.escape_text(one_line), "utf-8")


Node = Mapping[str, Sequence[str]]
"""Values by property."""


def _main_line(text: str) -> tuple[list[Node], dict[str, str]]:
    """The nodes of the first game's main line, and the first value of each property in it.

    Older files write Black and SiZe for B and SZ: lowercase letters are ignored. Raises ValueError.
    """
    content = text.replace(_BYTE_ORDER_MARK, "").encode(errors="replace")
    try:
        tree = sgf_grammar.parse_sgf_game(content)
    except ValueError as error:
        raise ValueError(f"SGF: cannot be parsed: {error}.") from None
    nodes: list[Node] = [
        {name: [_plain(value) for value in values] for name, values in node.items()}
        for node in sgf_grammar.main_sequence_iter(tree)
    ]
    head = dict[str, str]()
    for node in nodes:
        for name, values in node.items():
            head.setdefault(name, " ".join(values) if name == "AP" else values[0])
    return nodes, head


def _plain(value: bytes) -> str:
    return str(sgf_grammar.simpletext_value(value), "utf-8").strip()


def read_head(text: str) -> dict[str, str]:
    """The first value of each property in the first game's main line. Raises ValueError."""
    return _main_line(text)[1]
