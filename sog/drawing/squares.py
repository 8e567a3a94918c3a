"""A board of squares with pieces that are moved, as in chess.

For pages, a square says where it is (`data-cell`), and one where moves begin to which cells they
lead by which actions (`data-moves`, as "12:345 20:346,347"); a sign for those is there, unseen.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

from sog.drawing.svg import as_text, circle, document, rectangle, text
from sog.games.views import SquaresView

_CELL, _MARGIN, _NAMES = 62.0, 14.0, 22.0
_FRAME, _NAME = "#2f4b6e", "#e9eff6"
_SQUARES: Final = ("#e9edf2", "#9db2ca")
_LAST: Final = ("#f3e3a1", "#d9c266")
_CHECK: Final = "#e58a80"
_PIECES: Final = {0: ("#ffffff", "#1d2733"), 1: ("#1d2733", "#e9eff6")}
"""By player: what fills a piece, and the line around it."""
_TEXT: Final = "\ufe0e"
"""Asks for a letter, and not for a small picture of it."""


def draw_squares(view: SquaresView) -> str:
    """The text of an SVG file."""
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
    return as_text(svg)


def _square(svg: ElementTree.Element, view: SquaresView, cell: int, x: float, y: float) -> None:
    row, column = divmod(cell, view.columns)
    # The square at the right of the lowest row is a light one, whoever sits below.
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
