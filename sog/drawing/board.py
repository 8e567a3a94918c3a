"""Draws boards with pieces: tic-tac-toe, Connect Four, Hex and others."""

import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.drawing.marks import draw_disk, tooltip_with
from sog.drawing.picture import Look
from sog.drawing.svg import as_text, choice, circle, document, line, rectangle, text
from sog.games.views import BoardView

_CELL, _MARGIN, _NAMES = 62.0, 14.0, 22.0
_BOARD, _HOLE, _RULE = "#2f4b6e", "#e9eff6", "#8aa4c2"
_PIECES: Final = {0: "#f2b632", 1: "#d9534f"}
_EDGE, _WON = "#1d2733", "#2f9e44"


def draw_board(view: BoardView, look: Look) -> str:
    """Returns SVG text."""
    marks = look.marks
    rows, columns = view.rows, view.columns
    slant = _CELL / 2 if view.is_rhombus else 0.0
    width = 2 * _MARGIN + _NAMES + columns * _CELL + (rows - 0.5) * slant
    height = 2 * _MARGIN + _NAMES + rows * _CELL
    svg = document(view.title, width, height, background=None)
    left, top = _MARGIN + _NAMES, _MARGIN
    rectangle(svg, 0, 0, width, height, fill=_BOARD, rx="14")
    _names(svg, view, left, top, slant)
    for cell in range(rows * columns):
        row, column = divmod(cell, columns)
        x, y = left + (column + 0.5) * _CELL + row * slant, top + (row + 0.5) * _CELL
        can = view.choices.get(cell, ())
        mark = marks.get(cell)
        group = choice(svg, can, tooltip_with(view.told[cell], mark))
        if can:  # the whole square can be clicked
            rectangle(group, x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill=_BOARD)
        circle(group, x, y, 0.41 * _CELL, fill=_HOLE)
        if cell in view.pieces:
            _piece(group, x, y, *view.pieces[cell], is_marked=cell in view.won)
        elif cell in view.landing:
            circle(group, x, y, 0.1 * _CELL, fill=_RULE)
        if mark is not None:
            draw_disk(group, x, y, 0.37 * _CELL, mark, marks, size=16)
    if view.is_rhombus:
        _sides(svg, view, left, top, slant)
    return as_text(svg)


def _piece(
    group: ElementTree.Element, x: float, y: float, player: int, mark: str, *, is_marked: bool
) -> None:
    """A disk with a mark on it, so that colors alone do not matter."""
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


def _names(
    svg: ElementTree.Element, view: BoardView, left: float, top: float, slant: float
) -> None:
    """Names of columns and rows, as in actions."""
    below, start = top + view.rows * _CELL + _NAMES - 4, left + (view.rows - 1) * slant
    for column, name in enumerate(view.column_names):
        x = start + (column + 0.5) * _CELL
        text(svg, x, below, name, size=15, color=_HOLE, anchor="middle")
    for row, name in enumerate(view.row_names):
        x, y = left - 14 + (row - 0.25) * slant, top + (row + 0.5) * _CELL + 5
        text(svg, x, y, name, size=15, color=_HOLE, anchor="middle")


def _sides(
    svg: ElementTree.Element, view: BoardView, left: float, top: float, slant: float
) -> None:
    """The sides of a rhombus in the colors of the players that connect them."""
    left, right = left - slant / 2 - 2, left + view.columns * _CELL - slant / 2 + 2
    shift, low = view.rows * slant, top + view.rows * _CELL
    line(svg, (left, top), (left + shift, low), color=_PIECES[1], width=5)
    line(svg, (right, top), (right + shift, low), color=_PIECES[1], width=5)
    line(svg, (left, top), (right, top), color=_PIECES[0], width=5)
    line(svg, (left + shift, low), (right + shift, low), color=_PIECES[0], width=5)
