"""Scotland Yard for people: a public state with the map's numbers, and a text map."""

import dataclasses
import math
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from sog.games.views import Choices, Place, View

TEXT_WIDTH: Final = 76
"""Characters per line, so that it can be indented in a terminal of 80."""

_MOST_LIKELY: Final = 8  # stations printed with a probability
_LEAST_SHOWN: Final = 0.005  # less would be printed as 0%
_COLUMNS_APART: Final = 8  # between the nearest stations, if there is room
_ROWS_PER_COLUMN: Final = 0.5  # a character is about twice as high as wide
_MOST_ROWS: Final = 48
_FARTHEST: Final = 6  # columns by which a name may be moved
_SHORT: Final = {"taxi": "taxi", "bus": "bus", "underground": "und."}

Positions = Mapping[int, tuple[float, float]]


@dataclasses.dataclass(frozen=True, kw_only=True)
class DetectiveView:
    """A detective, with the map's station numbers."""

    number: int
    """From 1, in the order of play."""
    station: int | None
    """None before the start card is dealt."""
    tickets: dict[str, int]
    """Remaining tickets that the map uses, by kind."""
    reach: dict[str, tuple[int, ...]]
    """Stations that the detective could move to next, by ticket."""
    is_next: bool


@dataclasses.dataclass(frozen=True, kw_only=True)
class YardView:
    """A public state on the host, with the map's station numbers."""

    now: str
    """Which pawn is to move, or which side has won."""
    is_over: bool
    num_moves: int
    """Moves of Mr X so far."""
    rounds: int
    """Moves of Mr X in the whole game."""
    reveals: tuple[int, ...]
    """Future moves after which Mr X shows himself."""
    log: tuple[tuple[str, int | None], ...]
    """The ticket of each of Mr X's moves, and the station if Mr X was seen after it."""
    detectives: tuple[DetectiveView, ...]
    mr_x_tickets: dict[str, int]
    doubles: int
    possible: tuple[int, ...]
    """Possible stations of Mr X."""
    likelihood: dict[int, float]
    """Their probabilities; empty if unknown."""
    num_stations: int

    @property
    def headline(self) -> str:
        """`now` as a sentence."""
        return f"{self.now[0].upper()}{self.now[1:]}."

    @property
    def progress(self) -> str:
        """Progress of the game, and when Mr X shows himself."""
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
        """Mr X's moves so far, numbered."""
        moves = (f"{number} {_logged(*entry)}" for number, entry in enumerate(self.log, start=1))
        return f"His moves: {', '.join(moves) or 'none yet'}."

    @property
    def where(self) -> str:
        """Mr X's station, or the number of possible ones."""
        if len(self.possible) == 1:
            return f"Mr X is at {self.possible[0]}."
        return f"Mr X may be at {len(self.possible)} of {self.num_stations} stations."

    @property
    def likeliest(self) -> list[tuple[int, float]]:
        """The most likely stations and their probabilities, a few, without those of 0%."""
        pairs = sorted(self.likelihood.items(), key=lambda pair: -pair[1])
        return [pair for pair in pairs[:_MOST_LIKELY] if pair[1] >= _LEAST_SHOWN]


@dataclasses.dataclass(frozen=True, kw_only=True)
class MapView(View):
    """The map with its pawns."""

    drawer = "sog.scotland_yard.drawing:draw_map"
    edges: Sequence[tuple[int, int, str]]
    """As `StationMap.edges`."""
    positions: Positions
    """Positions of all stations, see `load_positions`."""
    yard: YardView
    mr_x: int | None
    """Mr X's station, for viewers who may know it; else None."""
    choices: Choices
    """By destination."""

    def places(self) -> Mapping[Place, Sequence[int]]:
        """By station."""
        return dict(self.choices.items())


def board_text(view: YardView, positions: Positions) -> str:
    """The state as text, in lines of at most TEXT_WIDTH characters.

    positions: see `load_positions`; without them no map is drawn.
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
    """A row for each pawn: station, tickets and destinations."""
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
    joined = "".join(cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return f"{name:14}{at:>4}{joined}  "


def _hanging(row: str, text: str) -> list[str]:
    """A row that ends in a text with a hanging indent."""
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
        likeliest = f"Most likely, according to the search: {shares}"
        lines += textwrap.wrap(likeliest, TEXT_WIDTH, subsequent_indent="  ")
    return lines


# The map.


def _map_lines(view: YardView, positions: Positions) -> list[str]:
    """Every station at its place: the pawn there, else its number, else a dot."""
    cells = _cells(positions)
    names = {station: f"{station}?" for station in view.possible}
    names |= {one.station: f"D{one.number}" for one in view.detectives if one.station is not None}
    height = 1 + max(row for row, _ in cells.values())
    grid = [[" "] * TEXT_WIDTH for _ in range(height)]
    for station, name in sorted(names.items(), key=lambda pair: not pair[1].startswith("D")):
        _write_near(grid, cells[station], name)
    others = [station for station in positions if station not in names]
    dots = {station: _write_near(grid, cells[station], ".") for station in others}
    for station, place in dots.items():  # numbers replace dots if there is room
        if place is not None:
            row, column = place
            grid[row][column] = " "
            _write_near(grid, place, str(station), farthest=1) or _write_near(grid, place, ".")
    return ["".join(row).rstrip() for row in grid]


def _cells(positions: Positions) -> dict[int, tuple[int, int]]:
    """Row and column of each station, for the largest map that fits."""
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
    """Distance of the two nearest stations; 1 if all are at one place."""
    places = list(positions.values())
    pairs = (math.dist(one, other) for i, one in enumerate(places) for other in places[:i])
    return min((distance for distance in pairs if distance > 0), default=1.0)


def _write_near(
    grid: list[list[str]], at: tuple[int, int], name: str, farthest: int = _FARTHEST
) -> tuple[int, int] | None:
    """Writes a name centered near a cell where there is room; returns where, or None."""
    for row, middle in _around(at, farthest):
        first = middle - len(name) // 2
        if not (0 <= row < len(grid) and first >= 0 and first + len(name) <= TEXT_WIDTH):
            continue
        if all(cell == " " for cell in grid[row][max(first - 1, 0) : first + len(name) + 1]):
            grid[row][first : first + len(name)] = name
            return row, middle
    return None


def _around(at: tuple[int, int], farthest: int) -> Iterator[tuple[int, int]]:
    """Cells by distance from one; a row counts as two columns."""
    for distance in range(farthest + 1):
        for down in range(-(distance // 2), distance // 2 + 1):
            right = distance - 2 * abs(down)
            for step in sorted({-right, right}):
                yield at[0] + down, at[1] + step
