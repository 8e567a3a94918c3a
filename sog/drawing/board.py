"""A board with pieces as a picture: tic-tac-toe, Connect Four, and others."""

import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.drawing.svg import as_text, choice, circle, document, line, rectangle, text
from sog.games.views import BoardView

_CELL, _MARGIN, _NAMES = 62.0, 14.0, 22.0
_BOARD, _HOLE, _RULE = "#2f4b6e", "#e9eff6", "#8aa4c2"
_PIECES: Final = {0: "#f2b632", 1: "#d9534f"}
_EDGE, _WON = "#1d2733", "#2f9e44"


def draw_board(view: BoardView) -> str:
    """The text of an SVG file."""
    rows, columns = view.rows, view.columns
    width, height = 2 * _MARGIN + _NAMES + columns * _CELL, 2 * _MARGIN + _NAMES + rows * _CELL
    svg = document(view.title, width, height, background=None)
    left, top = _MARGIN + _NAMES, _MARGIN
    rectangle(svg, 0, 0, width, height, fill=_BOARD, rx="14")
    _names(svg, view, left, top)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        x, y = left + (column + 0.5) * _CELL, top + (row + 0.5) * _CELL
        can = view.choices.get(cell, ())
        group = choice(svg, can, view.told[cell])
        if can:  # the whole square can be clicked
            rectangle(group, x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill=_BOARD)
        circle(group, x, y, 0.41 * _CELL, fill=_HOLE)
        if cell in view.pieces:
            _piece(group, x, y, *view.pieces[cell], is_marked=cell in view.won)
        elif cell in view.landing:
            circle(group, x, y, 0.1 * _CELL, fill=_RULE)
    return as_text(svg)


def _piece(
    group: ElementTree.Element, x: float, y: float, player: int, mark: str, *, is_marked: bool
) -> None:
    """A disk with a mark on it, so that nobody needs to tell colors apart."""
    stroke, width = (_WON, 6.0) if is_marked else (_EDGE, 1.2)
    circle(group, x, y, 0.37 * _CELL, fill=_PIECES[player], stroke=stroke, width=width)
    r = 0.15 * _CELL
    if mark == "X":
        line(group, (x - r, y - r), (x + r, y + r), color=_EDGE, width=4)
        line(group, (x - r, y + r), (x + r, y - r), color=_EDGE, width=4)
    elif mark == "O":
        circle(group, x, y, r, fill="none", stroke=_EDGE, width=4)
    else:
        text(group, x, y + 8, mark, size=24, weight="bold", color=_EDGE, anchor="middle")


def _names(svg: ElementTree.Element, view: BoardView, left: float, top: float) -> None:
    """Of columns and rows, as the actions are called."""
    below = top + view.rows * _CELL + _NAMES - 4
    for column, name in enumerate(view.column_names):
        text(svg, left + (column + 0.5) * _CELL, below, name, size=15, color=_HOLE, anchor="middle")
    for row, name in enumerate(view.row_names):
        y = top + (row + 0.5) * _CELL + 5
        text(svg, left - 14, y, name, size=15, color=_HOLE, anchor="middle")
