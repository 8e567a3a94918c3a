"""A board of squares with pieces that move, as in chess, as SVG.

For pages, each square has its cell (`data-cell`), and one that moves leave has their targets and
actions (`data-moves`, as "12:345 20:346,347") and a hidden sign for targets.
"""

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

from sog.boards.views import SquaresView
from sog.drawing.marks import COLOR, TAKEN, Mark, Marks
from sog.drawing.picture import Look
from sog.drawing.svg import as_text, circle, document, line, rectangle, text

_CELL, _MARGIN, _NAMES = 62.0, 14.0, 22.0
_FRAME, _NAME = "#2f4b6e", "#e9eff6"
_SQUARES: Final = ("#e9edf2", "#9db2ca")
_LAST: Final = ("#f3e3a1", "#d9c266")
_CHECK: Final = "#e58a80"
_PIECES: Final = {0: ("#ffffff", "#1d2733"), 1: ("#1d2733", "#e9eff6")}
"""By player: a piece's fill and outline."""
_MOST_ARROWS: Final = 6
_THINNEST, _WIDEST = 2.0, 15.0  # of an arrow
_TEXT: Final = "\ufe0e"
"""Selects the text glyph, not the emoji."""


def draw_squares(view: SquaresView, look: Look) -> str:
    """The text of an SVG file."""
    marks = look.marks
    rows, columns = view.rows, view.columns
    width, height = 2 * _MARGIN + _NAMES + columns * _CELL, 2 * _MARGIN + _NAMES + rows * _CELL
    svg = document(view.title, width, height, background=None)
    left, top = _MARGIN + _NAMES, _MARGIN
    rectangle(svg, 0, 0, width, height, fill=_FRAME, rx="14")
    for column, name in enumerate(view.column_names):
        x = left + (column + 0.5) * _CELL
        text(svg, x, height - _MARGIN, name, size=15, color=_NAME, anchor="middle")
    for row, name in enumerate(view.row_names):
        y = top + (row + 0.5) * _CELL + 5
        text(svg, left - 14, y, name, size=15, color=_NAME, anchor="middle")
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        _square(svg, view, cell, left + column * _CELL, top + row * _CELL)
    _arrows(svg, view, marks, left, top)
    return as_text(svg)


def _arrows(
    svg: ElementTree.Element, view: SquaresView, marks: Marks, left: float, top: float
) -> None:
    """Arrows for the likeliest moves, as wide as they are likely, and for the move made."""
    moves = [(place, mark) for place, mark in marks.items() if isinstance(place, tuple)]
    moves.sort(key=lambda pair: (pair[1].is_taken, pair[1].share), reverse=True)
    # Clicks go to squares, not to arrows.
    group = ElementTree.SubElement(svg, "g", {"class": "arrows", "pointer-events": "none"})
    for places, mark in moves[:_MOST_ARROWS][::-1]:
        ends = [divmod(cell, view.columns) for cell in places]
        start, end = (
            (left + (column + 0.5) * _CELL, top + (row + 0.5) * _CELL) for row, column in ends
        )
        _arrow(group, start, end, mark)


def _arrow(
    parent: ElementTree.Element, start: tuple[float, float], end: tuple[float, float], mark: Mark
) -> None:
    """An arrow between the centers of two squares, with its probability beside the tip."""
    (x, y), (to_x, to_y) = start, end
    length = math.hypot(to_x - x, to_y - y)
    right, down = (to_x - x) / length, (to_y - y) / length
    width = _THINNEST + (_WIDEST - _THINNEST) * mark.share
    head, half = 10 + 1.2 * width, 5 + 0.8 * width
    neck_x, neck_y = to_x - head * right, to_y - head * down
    color = TAKEN if mark.is_taken else COLOR
    group = ElementTree.SubElement(parent, "g", {"class": "arrow", "opacity": "0.78"})
    ElementTree.SubElement(group, "title").text = mark.tooltip
    line(group, start, (neck_x, neck_y), color=color, width=width)
    corners = [
        end,
        (neck_x - half * down, neck_y + half * right),
        (neck_x + half * down, neck_y - half * right),
    ]
    points = " ".join(f"{a:.1f},{b:.1f}" for a, b in corners)
    ElementTree.SubElement(group, "polygon", {"points": points, "fill": color})
    at = (to_x - 0.3 * _CELL * right, to_y - 0.3 * _CELL * down + 5)
    text(parent, *at, mark.text, size=14, weight="bold", color=color, anchor="middle", halo=True)


def _square(svg: ElementTree.Element, view: SquaresView, cell: int, x: float, y: float) -> None:
    row, column = divmod(cell, view.columns)
    # The bottom right square is light from either side.
    is_dark = (view.rows - 1 - row + view.columns - 1 - column) % 2
    colors = _LAST if cell in view.last else _SQUARES
    group = ElementTree.SubElement(svg, "g", {"class": "square", "data-cell": str(cell)})
    ends = view.moves.get(cell, {})
    if ends:
        group.set("class", "square start")
        group.set("data-moves", " ".join(f"{end}:{_listed(ends[end])}" for end in sorted(ends)))
    ElementTree.SubElement(group, "title").text = view.told[cell]
    fill = _CHECK if cell in view.in_check else colors[is_dark]
    rectangle(group, x, y, _CELL, _CELL, fill=fill)
    middle_x, middle_y = x + _CELL / 2, y + _CELL / 2
    if cell in view.pieces:
        player, sign = view.pieces[cell]
        fill, edge = _PIECES[player]
        piece = ElementTree.SubElement(group, "g", {"class": "piece"})
        shape = {"stroke": edge, "stroke-width": "1.6", "paint-order": "stroke"}
        at = {"x": f"{middle_x:.1f}", "y": f"{middle_y + 17:.1f}", "text-anchor": "middle"}
        look = {"font-size": "50", "fill": fill, **shape}
        ElementTree.SubElement(piece, "text", {**at, **look}).text = sign + _TEXT
    mark = ElementTree.SubElement(group, "g", {"class": "end", "visibility": "hidden"})
    circle(mark, middle_x, middle_y, 0.14 * _CELL, fill="#2f9e44", opacity=0.85)


def _listed(actions: Sequence[int]) -> str:
    return ",".join(map(str, actions))
