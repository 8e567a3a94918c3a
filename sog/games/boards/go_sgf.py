"""Games of Go in the Smart Game Format, version 4: https://www.red-bean.com/sgf.

Of the main line the moves are read, stones that are set up before the first of them, the size of
the board and the komi.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sog.quoting import quoted

_GO: Final = "1"  # the game's number in the format
_DEFAULT_SIZE: Final = 19
_LARGEST_WITH_TT: Final = 19
"""Up to here "tt" is a pass in files of version 3."""
_SETUP: Final = ("AB", "AW", "AE", "PL")
_COLORS: Final = {"B": "Black", "W": "White"}
MOST_KOMI: Final = 361
"""Points, for either side: those of the largest board."""
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz"
_BYTE_ORDER_MARK: Final = "\ufeff"
_MOST_QUOTED: Final = 20  # letters of what is not between quotation marks
_MOST_SET_UP: Final = 20_000
"""Points; a board and what is taken off it again are far fewer."""


def is_sgf(text: str) -> bool:
    """Whether a text is meant as one in the Smart Game Format."""
    return text.lstrip().lstrip(_BYTE_ORDER_MARK).lstrip().startswith("(")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Record:
    """A game that was read."""

    stones: Mapping[int, int]
    """Set up before the first move: by point the player whose it is."""
    first: int
    """The player who moves first."""
    actions: tuple[int, ...]

    @property
    def is_usual(self) -> bool:
        """Whether it begins as games do, with an empty board and Black."""
        return not self.stones and self.first == 0


def read_sgf(text: str, size: int) -> list[int]:
    """The actions of the main line of the first game, which begins with an empty board.

    Raises ValueError as `read_record`, and for another beginning.
    """
    record = read_record(text, size)
    if not record.is_usual:
        what = "stones are" if record.stones else "White's turn is"
        raise ValueError(f"SGF: {what} set up; a game begins with an empty board.")
    return list(record.actions)


def read_record(text: str, size: int) -> Record:
    """The main line of the first game. Raises ValueError, one line, if it has none.

    Who moves first is what PL says; with stones on the board else what the first move or the
    handicap says. Whether moves are legal is not looked at; a komi must be one, but may be another
    than that of the game that is played, see `read_rules`.
    """
    actions: list[int] = []
    stones: dict[int, int] = {}
    found_size: str | None = None
    first: int | None = None
    handicap, num_set_up = "0", 0
    for name, values in _main_line(text):
        if name == "GM" and values[0].strip() != _GO:
            raise ValueError(f"SGF: GM must be {_GO}, the number of Go, got {quoted(values[0])}.")
        if name == "KM":
            _read_komi(values[0])
        if name == "SZ":
            found_size = values[0].strip()
            _check_size(found_size, size)
        if name == "HA":
            handicap = values[0].strip()
        if found_size is None and (name in _SETUP or name in _COLORS):
            _check_size(str(_DEFAULT_SIZE), size, " (there is no SZ before the first move)")
        if name in _SETUP:
            if actions:
                raise ValueError(f"SGF: {name} sets a position up after move {len(actions)}.")
            if name == "PL":
                first = _read_player(values[0])
            else:
                num_set_up += _set_up(stones, name, values, size, _MOST_SET_UP - num_set_up)
        if name in _COLORS:
            if first is None:
                first = "BW".index(name) if stones else 0
            actions.append(_read_move(name, values, size, len(actions), first))
    if found_size is None and not actions and not stones:
        _check_size(str(_DEFAULT_SIZE), size, " (there is no SZ)")
    if first is None:
        first = int(bool(stones) and handicap.isdecimal() and int(handicap) > 1)
    return Record(stones=stones, first=first, actions=tuple(actions))


def read_rules(text: str) -> dict[str, int | float]:
    """The size of the board, and the komi where one is said, as parameters of the game.

    Without SZ the size is that of the format, 19. Raises ValueError, one line, for what is none.
    """
    rules: dict[str, int | float] = {"size": _DEFAULT_SIZE}
    for name, values in _main_line(text):
        if name == "SZ":
            match = re.fullmatch(r"([0-9]{1,2})(?::\1)?", values[0].strip())
            if match is None:
                raise ValueError(
                    f"SGF: SZ must be one number, the size of a square board, "
                    f"got {quoted(values[0])}."
                )
            rules["size"] = int(match[1])
        if name == "KM":
            rules["komi"] = _read_komi(values[0])
    return rules


def _read_komi(text: str) -> float:
    word = text.strip()
    is_number = re.fullmatch(r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)", word)
    if is_number is None or abs(float(word)) > MOST_KOMI:
        raise ValueError(
            f"SGF: KM must be a number from -{MOST_KOMI} to {MOST_KOMI}, the komi, "
            f"got {quoted(text)}."
        )
    return float(word)


def _read_player(text: str) -> int:
    letter = text.strip()[:1].upper()
    if letter not in _COLORS:
        raise ValueError(f"SGF: PL must be B or W, whose turn it is, got {quoted(text)}.")
    return "BW".index(letter)


def _set_up(stones: dict[int, int], name: str, values: Sequence[str], size: int, most: int) -> int:
    """Puts stones on a board, or takes them off: AB, AW or AE, points or rectangles as aa:cc.
    Returns on how many points; ValueError for more than `most`."""
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
    """A game as a file. result: "B+3.5", "W+R" for one that was given up, "0" for a draw.

    names: of Black and of White. stones, first: as of `Record`.
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


def _check_size(found: str, size: int, why: str = "") -> None:
    if found not in (str(size), f"{size}:{size}"):
        raise ValueError(
            f"SGF: SZ must be {size}, the size of this board, got {quoted(found)}{why}."
        )


def _read_move(name: str, values: Sequence[str], size: int, number: int, first: int) -> int:
    where = f"SGF: move {number + 1}, {name}[{']['.join(values)[:_MOST_QUOTED]}],"
    expected = "BW"[(number + first) % 2]
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
    raise ValueError(f"{where} is no point from aa to {2 * _LETTERS[size - 1]}{also}.")


def _sgf_point(action: int, size: int) -> str:
    if action == size * size:
        return ""
    row, column = divmod(action, size)
    return _LETTERS[column] + _LETTERS[row]


def _escaped(text: str) -> str:
    one_line = " ".join(text.split())
    return one_line.replace("\\", "\\\\").replace("]", "\\]")


_TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<mark>[(;)])                     # a game tree begins, a node begins, a tree ends
    | (?P<name>[A-Za-z]+)\s*(?=\[)        # a property
    | \[(?P<value>(?:[^\\\]]|\\.)*)\]     # one of its values
    )""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE: Final = re.compile(r"\\(?:\r\n|\n\r|[\r\n]|(.))", re.DOTALL)
"""A backslash keeps the letter after it, and joins lines."""


def _main_line(text: str) -> Iterator[tuple[str, list[str]]]:
    """The properties with their values, up to the end of the first variation.

    The first variation of each tree comes first, so the main line ends where any tree ends.
    """
    text = text.replace(_BYTE_ORDER_MARK, "")
    place, name, values = 0, "", list[str]()
    in_node = False
    while True:
        match = _TOKEN.match(text, place)
        if match is None:
            rest = text[place:].strip()
            what = f"got {quoted(rest)}" if rest else "it ends too early"
            raise ValueError(
                f"SGF: at letter {place + 1} there must be (, ;, ) or a property; {what}."
            )
        place = match.end()
        if match["value"] is not None:
            if not name:
                raise ValueError(f"SGF: the value {quoted(match['value'])} belongs to no property.")
            values.append(_ESCAPE.sub(lambda found: found[1] or "", match["value"]))
            continue
        if name:
            yield name, values
        name, values = "", []
        if match["name"] is not None:
            if not in_node:
                raise ValueError(
                    f"SGF: {match['name']} stands before the first node (a semicolon)."
                )
            # Older files write Black and SiZe for B and SZ: small letters do not count.
            name = "".join(letter for letter in match["name"] if letter.isupper())
        elif match["mark"] == ";":
            in_node = True
        elif match["mark"] == ")":
            if not in_node:
                raise ValueError("SGF: the game is empty: it needs a node (a semicolon).")
            return


def read_head(text: str) -> dict[str, str]:
    """By property its first value, of the main line of the first game. Raises ValueError."""
    head: dict[str, str] = {}
    for name, values in _main_line(text):
        head.setdefault(name, values[0].strip())
    return head
