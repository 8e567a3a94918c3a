"""Draws a public state of Scotland Yard: the map, as a self-contained SVG.

Edges have the color of their transport, and the pawns of the detectives a number. Stations where
Mr X may be are shaded by probability; tooltips show numbers and probabilities.
"""

import functools
import textwrap
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

from sog.drawing.marks import COLOR, TAKEN, Marks, opacity_of, tooltip_with
from sog.drawing.picture import Look
from sog.drawing.svg import INK, SOFT, as_text, choice, circle, cut, document, line, rectangle, text
from sog.games.views import Choices
from sog.scotland_yard.view import (
    DetectiveView,
    MapView,
    Positions,
    YardView,
    nearest_distance,
)

_MARGIN, _HEADER, _ROW = 36.0, 104.0, 18.0
_WIDEST, _HIGHEST = 1280.0, 1000.0  # of the map alone
_APART: Final = 100.0  # of the nearest stations, at most
_SMALLEST, _LARGEST = 6.0, 15.0  # radius of a station
_NARROWEST: Final = 880.0  # width of the header
_LETTERS_PER_LINE: Final = 130
_MOST_IN_TITLE: Final = 76  # letters
_MOST_AT_ANY_SIZE: Final = 60
"""Most stations of a map that is legible at half size; pages show larger maps in full."""
_LEAST_TOLD: Final = 0.045  # least probability written at its station

_MR_X: Final = "#5b2a9d"
_REACHED: Final = "#d6336c"  # around stations that can be reached
_PALEST: Final = 0.14  # least opacity of a shaded station
_DETECTIVES: Final = ("#2b6cb0", "#c05621", "#1f8a70", "#b8336a", "#7a6a00", "#3d4a5c")
# Widest first, so that a narrower edge between the same stations lies on top.
_EDGES: Final = {
    "ferry": ("#1d2733", 3.0),
    "underground": ("#e2574c", 7.0),
    "bus": ("#2f9e6e", 4.4),
    "taxi": ("#f2c230", 1.8),
}


def draw_map(view: MapView, look: Look) -> str:
    """Returns SVG text."""
    title, marks = look.title or view.title, look.marks
    yard = view.yard
    places, radius, size = _places(view.positions)
    notes = [wrapped for fact in _facts(yard) for wrapped in textwrap.wrap(fact, _LETTERS_PER_LINE)]
    bottom = _HEADER + size[1] + _MARGIN
    width = max(size[0], _NARROWEST)
    svg = document(title, width, bottom + _ROW * (len(notes) + 1) + _MARGIN)
    text(svg, _MARGIN, 36, cut(title, _MOST_IN_TITLE), size=17, weight="bold")
    text(svg, _MARGIN, 56, f"{yard.headline} {yard.progress}", color=SOFT)
    kinds = {kind for *_, kind in view.edges}
    _legend(svg, [kind for kind in reversed(_EDGES) if kind in kinds], yard)
    is_large = len(places) > _MOST_AT_ANY_SIZE
    board = ElementTree.SubElement(svg, "g", {"class": "map large" if is_large else "map"})
    board.set("transform", f"translate({(width - size[0]) / 2:.1f},0)")
    _draw_edges(board, view.edges, places)
    _draw_stations(board, yard, places, radius, view.choices, marks)
    _draw_pawns(board, yard, places, radius, view.mr_x)
    for number, fact in enumerate(notes):
        text(svg, _MARGIN, bottom + _ROW * (number + 1), fact)
    return as_text(svg)


def _places(positions: Positions) -> tuple[Positions, float, tuple[float, float]]:
    """Positions of stations in the picture, their radius, and the size of the map."""
    xs, ys = zip(*positions.values(), strict=True)
    left, top, nearest = min(xs), min(ys), nearest_distance(positions)
    scale = min(
        _WIDEST / max(max(xs) - left, nearest),
        _HIGHEST / max(max(ys) - top, nearest),
        _APART / nearest,
    )
    radius = min(max(0.4 * nearest * scale, _SMALLEST), _LARGEST)
    away = _MARGIN + radius
    places = {
        station: (away + (x - left) * scale, _HEADER + radius + (y - top) * scale)
        for station, (x, y) in positions.items()
    }
    height = (max(ys) - top) * scale + 2 * radius
    return places, radius, ((max(xs) - left) * scale + 2 * away, height)


def _draw_edges(
    board: ElementTree.Element, edges: Sequence[tuple[int, int, str]], places: Positions
) -> None:
    for kind, (color, width) in _EDGES.items():
        group = ElementTree.SubElement(board, "g", {"class": kind})
        for first, second, transport in edges:
            if transport == kind:
                ends, dashed = (places[first], places[second]), kind == "ferry"
                line(group, *ends, color=color, width=width, dashed=dashed)


def _draw_stations(
    board: ElementTree.Element,
    view: YardView,
    places: Positions,
    radius: float,
    choices: Choices,
    marks: Marks,
) -> None:
    most = max(view.likelihood.values(), default=0.0)
    for station, (x, y) in places.items():
        can = choices.get(station, ())
        mark = marks.get(station)
        group = choice(board, can, tooltip_with(_tooltip(view, station), mark), kind="station")
        group.set("id", f"station-{station}")
        if can:
            circle(group, x, y, radius + 4, fill=_REACHED, opacity=0.55)
        if mark is not None:
            shade = TAKEN if mark.is_taken else COLOR
            circle(group, x, y, radius + 7, fill=shade, opacity=opacity_of(mark, marks))
        circle(group, x, y, radius, fill="#ffffff", stroke="#66717e")
        share = view.likelihood.get(station)
        opacity = 0.0
        if station in view.possible:
            opacity = 0.5 if not most else _PALEST + (1 - _PALEST) * (share or 0.0) / most
            circle(group, x, y, radius, fill=_MR_X, opacity=opacity)
        size = min(max(0.95 * radius, 6.5), 12.0)
        color = "#ffffff" if opacity > 0.5 else INK
        text(group, x, y + 0.36 * size, str(station), size=size, color=color, anchor="middle")
        label = functools.partial(text, group, x, weight="bold", anchor="middle", halo=True)
        if mark is not None:
            color = TAKEN if mark.is_taken else COLOR
            label(y - radius - 9, mark.text, size=size + 1, color=color)
        if share is not None and share >= _LEAST_TOLD and len(view.possible) > 1:
            label(y + radius + size, f"{share:.0%}", size=size, color=_MR_X)


def _tooltip(view: YardView, station: int) -> str:
    if station not in view.possible:
        return f"station {station}: Mr X is not here"
    if station not in view.likelihood:
        return f"station {station}: Mr X may be here"
    return f"station {station}: Mr X is here with probability {view.likelihood[station]:.2%}"


def _draw_pawns(
    board: ElementTree.Element,
    view: YardView,
    places: Positions,
    radius: float,
    mr_x: int | None,
) -> None:
    for one in view.detectives:
        if one.station is not None:
            color = _DETECTIVES[(one.number - 1) % len(_DETECTIVES)]
            name = f"detective {one.number}"
            _draw_pawn(board, places[one.station], radius, name, str(one.number), color)
    seen = view.possible[0] if len(view.possible) == 1 else None
    at = seen if mr_x is None else mr_x
    if at is not None:
        _draw_pawn(board, places[at], radius, "Mr X", "X", _MR_X, side=-1)


def _draw_pawn(
    board: ElementTree.Element,
    place: tuple[float, float],
    radius: float,
    name: str,
    mark: str,
    color: str,
    side: int = 1,
) -> None:
    """A ring around a station, with a badge at its upper right, or left with side=-1."""
    x, y = place
    group = ElementTree.SubElement(board, "g", {"class": "pawn"})
    ElementTree.SubElement(group, "title").text = name
    circle(group, x, y, radius + 2, fill="none", stroke=color, width=3.5)
    badge = max(0.75 * radius, 6.5)
    x, y = x + side * 1.05 * radius, y - 1.05 * radius
    circle(group, x, y, badge, fill=color, stroke="#ffffff")
    size = 1.4 * badge if len(mark) == 1 else 1.1 * badge
    color = "#ffffff"
    text(group, x, y + 0.36 * size, mark, size=size, weight="bold", color=color, anchor="middle")


def _legend(svg: ElementTree.Element, kinds: list[str], view: YardView) -> None:
    x, y = _MARGIN, 78.0
    for kind in kinds:
        color, width = _EDGES[kind]
        line(svg, (x, y - 4), (x + 26, y - 4), color=color, width=width, dashed=kind == "ferry")
        name = "ferry (black tickets only)" if kind == "ferry" else kind
        text(svg, x + 32, y, name, color=SOFT)
        x += 56 + 6.6 * len(name)
    circle(svg, x + 7, y - 4, 7, fill=_DETECTIVES[0], stroke="#ffffff")
    text(svg, x + 7, y, "1", size=10, weight="bold", color="#ffffff", anchor="middle")
    text(svg, x + 20, y, "detective 1", color=SOFT)
    x += 110
    if view.likelihood:
        for step in range(5):
            opacity = _PALEST + (1 - _PALEST) * step / 4
            rectangle(svg, x + 14 * step, y - 10, 14, 11, fill=_MR_X, opacity=opacity)
        most = max(view.likelihood.values())
        text(svg, x + 78, y, f"Mr X, from 0% to {most:.0%}", color=SOFT)
    else:
        rectangle(svg, x, y - 10, 18, 11, fill=_MR_X, opacity=0.5)
        text(svg, x + 24, y, "Mr X may be here", color=SOFT)


def _facts(view: YardView) -> list[str]:
    """The text below the map."""
    return [
        view.moves,
        f"{view.where} Tickets: {_tickets(view.mr_x_tickets)}; double moves: {view.doubles}.",
        *(_detective(one) for one in view.detectives),
    ]


def _detective(one: DetectiveView) -> str:
    at = "has no station yet" if one.station is None else f"at {one.station}"
    return f"Detective {one.number} {at}. Tickets: {_tickets(one.tickets)}."


def _tickets(tickets: dict[str, int]) -> str:
    return ", ".join(f"{count} {kind}" for kind, count in tickets.items())
