"""Maps of Scotland Yard: stations, edges, and the table of moves along them.

A map file has the header `station_a,station_b,transport`, then one undirected edge per line;
blank lines and lines that start with `#` are skipped. Stations are positive numbers; the code
counts them from 0 in ascending order. A file `<map>_positions.csv` beside it, with the header
`station,x,y`, says where to draw the stations.
"""

import dataclasses
import importlib.resources
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import numpy as np

from sog.files import read_text

TAXI, BUS, UNDERGROUND, BLACK = range(4)
TICKETS: Final = ("taxi", "bus", "underground", "black")
NUM_TICKETS: Final = len(TICKETS)
NO_TICKET: Final = NUM_TICKETS

SHIPPED_MAPS: Final = ("glasses", "quarter", "london")
_WIDTH_TO_HEIGHT: Final = {"quarter": 4 / 3, "london": 4 / 3}
"""Of boards whose positions are fractions of width and height."""

_MOST_BYTES: Final = 2**15  # five times London
_HEADER: Final = "station_a,station_b,transport"
_EDGE: Final = re.compile(r"([0-9]+),([0-9]+),(taxi|bus|underground|ferry)")
_POSITIONS_HEADER: Final = "station,x,y"
_POSITION: Final = re.compile(r"([0-9]+),(-?[0-9]{1,9}(?:\.[0-9]+)?),(-?[0-9]{1,9}(?:\.[0-9]+)?)")


@dataclasses.dataclass(frozen=True)
class StationMap:
    """Stations and the undirected edges between them."""

    stations: tuple[int, ...]  # ascending numbers; games use indices into this tuple
    edges: tuple[tuple[int, int, str], ...]  # station number, station number, transport

    def index(self, station: int) -> int:
        """The index of a station number on the map."""
        return self.stations.index(station)


@dataclasses.dataclass(frozen=True, eq=False)
class MoveTable:
    """The moves from each station, as arrays [station, column] of M columns.

    A column belongs to a ticket, in the order of TICKETS, so ordinary moves come first. A black
    ticket leads to any neighbor.
    """

    ticket: np.ndarray  # int32[column]
    exists: np.ndarray  # bool[station, column]: False for padding
    destination: np.ndarray  # int32[station, column]
    reverse: np.ndarray  # int32[station, column]: the column of the reverse move

    def columns(self, ticket: int) -> slice:
        """The columns of a ticket; empty if the map has no move for it."""
        first, after = np.searchsorted(self.ticket, [ticket, ticket + 1])
        return slice(int(first), int(after))


def load_map(name: str) -> StationMap:
    """Loads a shipped map by name, or a user's map file by path. Raises ValueError."""
    edges: dict[tuple[int, int, str], None] = {}  # a dict keeps the order
    for where, row in _rows(name, _map_text(name), _HEADER, "map"):
        match = _EDGE.fullmatch(row)
        if match is None:
            kinds = "taxi, bus, underground or ferry"
            raise ValueError(f"map must have rows like '1,8,taxi' ({kinds}), got {row!r} {where}.")
        low, high = sorted((int(match.group(1)), int(match.group(2))))
        edge = (low, high, match.group(3))
        if low == 0 or low == high:
            raise ValueError(
                f"map must join two different stations from 1 up, got {row!r} {where}."
            )
        if edge in edges:
            raise ValueError(f"map must name an edge only once, got {row!r} again {where}.")
        edges[edge] = None
    if all(transport == "ferry" for _, _, transport in edges):
        raise ValueError(f"map must have an edge that is not a ferry, got {len(edges)} in {name}.")
    stations = sorted({end for edge in edges for end in edge[:2]})
    return StationMap(tuple(stations), tuple(edges))


def load_positions(name: str) -> dict[int, tuple[float, float]]:
    """Positions of the stations of a map, x to the right and y down, in the same unit.

    Empty if unknown. Raises ValueError, for example if a station has no position.
    """
    if name in SHIPPED_MAPS:
        file, text = f"{name}_positions.csv", _shipped_text(f"{name}_positions.csv")
    else:
        path = positions_file(name)
        if not path.exists():
            return {}
        file, text = str(path), _read(path, "positions must be a text file")
    positions = {}
    for where, row in _rows(file, text, _POSITIONS_HEADER, "positions"):
        match = _POSITION.fullmatch(row)
        if match is None:
            raise ValueError(f"positions must have rows like '1,0.5,0.25', got {row!r} {where}.")
        x, y = float(match.group(2)), float(match.group(3))
        positions[int(match.group(1))] = (x * _WIDTH_TO_HEIGHT.get(name, 1.0), y)
    wanted = load_map(name).stations
    for station in wanted:
        if station not in positions:
            raise ValueError(
                f"positions must name every station of the map, got none for {station} in {file}."
            )
    return {station: positions[station] for station in wanted}


def positions_file(name: str) -> Path:
    """The file with the positions of a user's map."""
    path = Path(name).expanduser()
    return path.with_name(f"{path.stem}_positions.csv")


def move_table(station_map: StationMap, with_black: bool) -> MoveTable:
    """The moves of a map; ferries need black tickets."""
    ends: list[list[set[int]]] = [[set() for _ in TICKETS] for _ in station_map.stations]
    for first, second, transport in station_map.edges:
        a, b = station_map.index(first), station_map.index(second)
        tickets = {TICKETS.index(transport)} if transport in TICKETS else set()
        for ticket in tickets | ({BLACK} if with_black else set()):
            ends[a][ticket].add(b)
            ends[b][ticket].add(a)
    widths = [max(len(row[ticket]) for row in ends) for ticket in range(NUM_TICKETS)]
    shape = len(ends), sum(widths)
    exists, destination = np.zeros(shape, bool), np.zeros(shape, np.int32)
    reverse = np.zeros(shape, np.int32)
    for start, row in enumerate(ends):
        for ticket, first_column in enumerate(np.cumsum([0, *widths[:-1]])):
            for column, end in enumerate(sorted(row[ticket]), start=first_column):
                exists[start, column], destination[start, column] = True, end
                reverse[start, column] = first_column + sorted(ends[end][ticket]).index(start)
    columns = np.repeat(np.arange(NUM_TICKETS, dtype=np.int32), widths)
    return MoveTable(columns, exists, destination, reverse)


def _map_text(name: str) -> str:
    if name in SHIPPED_MAPS:
        return _shipped_text(f"{name}.csv")
    known = ", ".join(SHIPPED_MAPS)
    if "," in name:
        raise ValueError(f"map must be {known} or a path without commas, got {name!r}.")
    return _read(Path(name), f"map must be {known} or the path of a map file")


def _read(path: Path, rule: str) -> str:
    try:
        return read_text(path.expanduser(), _MOST_BYTES)
    except (OSError, RuntimeError) as error:  # RuntimeError: no user for ~
        reason = getattr(error, "strerror", None) or "there is no such user"
        raise ValueError(f"{rule}, got {str(path)!r}: {reason}.") from error


def _shipped_text(file_name: str) -> str:
    return (importlib.resources.files("sog.scotland_yard") / "maps" / file_name).read_text("utf-8")


def _rows(name: str, text: str, header: str, what: str) -> Iterator[tuple[str, str]]:
    """The non-empty rows below the header, each with its place as text."""
    header_seen = False
    for number, line in enumerate(text.splitlines(), start=1):
        row = re.sub(r"\s", "", line)
        if not row or row.startswith("#"):
            continue
        where = f"in line {number} of {name}"
        if not header_seen and row != header:
            raise ValueError(f"{what} must have the header {header!r}, got {row!r} {where}.")
        if header_seen:
            yield where, row
        header_seen = True
