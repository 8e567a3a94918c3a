"""Scotland Yard before one's eyes: a public state in the map's numbers, and as a map of text."""

import dataclasses
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sog.games.views import Choices, Place, View

TEXT_WIDTH: Final = 76
"""Letters in a line, so that it can be indented in a terminal of 80."""

_MOST_LIKELY: Final = 8  # stations whose probability is told
_LEAST_SHOWN: Final = 0.005  # what would be written as 0%
_COLUMNS_APART: Final = 8  # between the nearest stations of a map with room to spare
_ROWS_PER_COLUMN: Final = 0.5  # a letter is about twice as high as wide
_MOST_ROWS: Final = 48
_FARTHEST: Final = 6  # columns that a name may be moved to where there is room
_SHORT: Final = {"taxi": "taxi", "bus": "bus", "underground": "und."}

Positions = Mapping[int, tuple[float, float]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DetectiveView:
    """A detective, with the numbers of stations on the map."""

    number: int
    """From 1, in the order of play."""
    station: int | None
    """None before his start card is dealt."""
    tickets: dict[str, int]
    """What he has left, by ticket; those that the map has no use for are left out."""
    reach: dict[str, tuple[int, ...]]
    """Where he could go if he were next, by ticket."""
    is_next: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardView:
    """A public state on the host, with the numbers of stations on the map."""

    now: str
    """Who is to move, or who has won."""
    is_over: bool
    num_moves: int
    """Moves that Mr X has made."""
    rounds: int
    """Moves that he has to make."""
    reveals: tuple[int, ...]
    """Moves after which he has still to show himself."""
    log: tuple[tuple[str, int | None], ...]
    """The ticket of each of his moves, and where he showed himself after it."""
    detectives: tuple[DetectiveView, ...]
    mr_x_tickets: dict[str, int]
    doubles: int
    possible: tuple[int, ...]
    """Where Mr X may be."""
    likelihood: dict[int, float]
    """How likely he is at each of them; empty where nobody has found that out."""
    num_stations: int

    @property
    def headline(self) -> str:
        """The same as a sentence."""
        return f"{self.now[0].upper()}{self.now[1:]}."

    @property
    def progress(self) -> str:
        """How far the game is, and when Mr X shows himself."""
        made = f"Mr X has made {self.num_moves} of {self.rounds} moves"
        if self.is_over:
            return f"{made}."
        shows = "he stays hidden to the end"
        if self.reveals:
            several = "s" if len(self.reveals) > 1 else ""
            shows = f"he shows himself after move{several} {', '.join(map(str, self.reveals))}"
        return f"{made}; {shows}."

    @property
    def moves(self) -> str:
        """The moves that Mr X has made, numbered."""
        told = (f"{number} {_logged(*entry)}" for number, entry in enumerate(self.log, start=1))
        return f"His moves: {', '.join(told) or 'none yet'}."

    @property
    def where(self) -> str:
        """Where Mr X is, or at how many stations he may be."""
        if len(self.possible) == 1:
            return f"Mr X is at {self.possible[0]}."
        return f"Mr X may be at {len(self.possible)} of {self.num_stations} stations."

    @property
    def likeliest(self) -> list[tuple[int, float]]:
        """The likeliest stations and their probabilities, in this order; not many, none of 0%."""
        pairs = sorted(self.likelihood.items(), key=lambda pair: -pair[1])
        return [pair for pair in pairs[:_MOST_LIKELY] if pair[1] >= _LEAST_SHOWN]


@dataclasses.dataclass(frozen=True, kw_only=True)
class MapView(View):
    """The map with the pawns on it."""

    drawer = "sog.scotland_yard.drawing:draw_map"
    edges: Sequence[tuple[int, int, str]]
    """As `StationMap.edges`."""
    positions: Positions
    """Of all stations, see `load_positions`."""
    yard: YardView
    mr_x: int | None
    """His station, for a picture that only those may see who know it."""
    choices: Choices
    """By the station that they lead to."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By station."""
        return dict(self.choices.items())


def board_text(view: YardView, positions: Positions) -> str:
    """The state in lines of at most TEXT_WIDTH letters.

    positions: where the stations are (see `load_positions`); no map is drawn without them.
    """
    parts = [f"{view.headline} {view.progress}", view.moves]
    lines = [line for part in parts for line in textwrap.wrap(part, TEXT_WIDTH)]
    if positions:
        drawn = _map_lines(view, positions)
        dots = "; a dot: no room for the number" if any("." in line for line in drawn) else ""
        lines += ["", *drawn, "", f"D1: detective 1; 9?: Mr X may be at 9{dots}"]
    return "\n".join([*lines, "", *_pawn_lines(view), "", *_range_lines(view)])


def _logged(ticket: str, seen: int | None) -> str:
    return ticket if seen is None else f"{ticket} to {seen}"


# The pawns.


def _pawn_lines(view: YardView) -> list[str]:
    """A row for each pawn: its station, its tickets, and where it can go."""
    kinds = list(view.detectives[0].tickets)
    head = _row("", "at", [_SHORT[kind] for kind in kinds], kinds)
    lines = [f"{head}can go to"]
    for detective in view.detectives:
        name = f"{'>' if detective.is_next else ' '} detective {detective.number}"
        at = "-" if detective.station is None else str(detective.station)
        row = _row(name, at, [str(detective.tickets[kind]) for kind in kinds], kinds)
        ways = (f"{kind} {_numbers(ends)}" for kind, ends in detective.reach.items() if ends)
        nowhere = "has no station yet" if detective.station is None else "nowhere"
        lines += _hanging(row, "; ".join(ways) or nowhere)
    extra = [f"{view.mr_x_tickets['black']} black"] if "black" in view.mr_x_tickets else []
    if view.doubles:
        extra.append(f"{view.doubles} double move{'s' if view.doubles > 1 else ''}")
    at = str(view.possible[0]) if len(view.possible) == 1 else "?"
    is_next = view.now.startswith("Mr X to")
    tickets = [str(view.mr_x_tickets[kind]) for kind in kinds]
    row = _row(f"{'>' if is_next else ' '} Mr X", at, tickets, kinds)
    has = f"has {' and '.join(extra)} besides" if extra else ""
    return [*lines, f"{row}{has}".rstrip()]


def _row(name: str, at: str, cells: list[str], kinds: list[str]) -> str:
    widths = [max(len(_SHORT[kind]), 2) + 2 for kind in kinds]
    told = "".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return f"{name:14}{at:>4}{told}  "


def _hanging(row: str, text: str) -> list[str]:
    """A row that ends in a text, which goes on below itself."""
    wrapped = textwrap.wrap(text, TEXT_WIDTH - len(row))
    return [f"{row}{wrapped[0]}", *(" " * len(row) + line for line in wrapped[1:])]


def _numbers(stations: tuple[int, ...]) -> str:
    return " ".join(map(str, stations))


# Where Mr X may be.


def _range_lines(view: YardView) -> list[str]:
    if len(view.possible) == 1:
        return [view.where]
    listed = f"{view.where[:-1]}: {_numbers(view.possible)}"
    lines = textwrap.wrap(listed, TEXT_WIDTH, subsequent_indent="  ")
    if view.likeliest:
        shares = ", ".join(f"{station} {share:.0%}" for station, share in view.likeliest)
        told = f"The likeliest, as the search expects: {shares}"
        lines += textwrap.wrap(told, TEXT_WIDTH, subsequent_indent="  ")
    return lines


# The map.


def _map_lines(view: YardView, positions: Positions) -> list[str]:
    """Every station where it is: what stands there, else its number, else a dot."""
    cells = _cells(positions)
    names = {station: f"{station}?" for station in view.possible}
    names |= {one.station: f"D{one.number}" for one in view.detectives if one.station is not None}
    height = 1 + max(row for row, _ in cells.values())
    grid = [[" "] * TEXT_WIDTH for _ in range(height)]
    for station, name in sorted(names.items(), key=lambda pair: not pair[1].startswith("D")):
        _write_near(grid, cells[station], name)
    others = [station for station in positions if station not in names]
    dots = {station: _write_near(grid, cells[station], ".") for station in others}
    for station, place in dots.items():  # a number takes the place of its dot where it has room
        if place is not None:
            row, column = place
            grid[row][column] = " "
            _write_near(grid, place, str(station), farthest=1) or _write_near(grid, place, ".")
    return ["".join(row).rstrip() for row in grid]


def _cells(positions: Positions) -> dict[int, tuple[int, int]]:
    """The row and the column of each station, as large a map as there is room for."""
    xs, ys = zip(*positions.values(), strict=True)
    left, top = min(xs), min(ys)
    nearest = nearest_distance(positions)
    widest = (TEXT_WIDTH - 5) / max(max(xs) - left, nearest)
    highest = _MOST_ROWS / _ROWS_PER_COLUMN / max(max(ys) - top, nearest)
    scale = min(widest, highest, _COLUMNS_APART / nearest)
    return {
        station: (round((y - top) * scale * _ROWS_PER_COLUMN), 2 + round((x - left) * scale))
        for station, (x, y) in positions.items()
    }


def nearest_distance(positions: Positions) -> float:
    """The distance of the two nearest stations; 1 where all are at one place."""
    places = list(positions.values())
    pairs = (math.dist(one, other) for i, one in enumerate(places) for other in places[:i])
    return min((distance for distance in pairs if distance > 0), default=1.0)


def _write_near(
    grid: list[list[str]], at: tuple[int, int], name: str, farthest: int = _FARTHEST
) -> tuple[int, int] | None:
    """Writes a name with its middle as near to a cell as there is room: where, or None."""
    for row, middle in _around(at, farthest):
        first = middle - len(name) // 2
        if not (0 <= row < len(grid) and first >= 0 and first + len(name) <= TEXT_WIDTH):
            continue
        if all(cell == " " for cell in grid[row][max(first - 1, 0) : first + len(name) + 1]):
            grid[row][first : first + len(name)] = name
            return row, middle
    return None


def _around(at: tuple[int, int], farthest: int) -> Iterator[tuple[int, int]]:
    """Cells by their distance from one, a row being as far as two columns."""
    for distance in range(farthest + 1):
        for down in range(-(distance // 2), distance // 2 + 1):
            right = distance - 2 * abs(down)
            for step in sorted({-right, right}):
                yield at[0] + down, at[1] + step
