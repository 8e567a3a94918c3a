"""A Go board as SVG.

Nearly every empty point is legal: on a page the stone to come (`coming`, hidden) appears where one
points, and only empty points that are illegal, by ko or as suicide, are marked by a cross.
"""

import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.boards.views import GoView
from sog.drawing.marks import Mark, Marks, draw_disk, tooltip_with
from sog.drawing.picture import Look
from sog.drawing.svg import as_text, choice, circle, document, line, rectangle, text
from sog.games.core import PLAYER_0
from sog.games.views import PASS

_CELL, _MARGIN, _BELOW = 40.0, 37.0, 40.0
_NARROWEST: Final = 320.0  # leaves room for the text below
_STONE: Final = 0.46 * _CELL
_NAMES_AWAY: Final = 0.72 * _CELL  # from the outermost lines
_BUTTON_WIDTH: Final = 1.8 * _CELL
_BOARD, _LINE, _NAME = "#e3bd78", "#4a3a1e", "#5b4826"
_STONES: Final = ("#1b1d21", "#f7f6f2")
_EDGE: Final = "#16181c"
_BUTTON: Final = "#f4e3bf"
_BARRED: Final = ", where no stone may be put now"


def draw_goban(view: GoView, look: Look) -> str:
    """The text of an SVG file."""
    marks = look.marks
    length = (view.size - 1) * _CELL
    side = 2 * _MARGIN + length + _CELL / 2
    width, height = max(side, _NARROWEST), side + _BELOW
    svg = document(view.title, width, height, background=None)
    rectangle(svg, 0, 0, width, height, fill=_BOARD, rx="8")
    left, top = (width - length) / 2, (side - length) / 2
    _draw_lines(svg, view, left, top, length)
    for point in range(view.size**2):
        row, column = divmod(point, view.size)
        _draw_point(svg, view, point, left + column * _CELL, top + row * _CELL, marks)
    _draw_foot(svg, view, width, side + _BELOW / 2 - 6, marks.get(PASS))
    return as_text(svg)


def _draw_lines(
    svg: ElementTree.Element, view: GoView, left: float, top: float, length: float
) -> None:
    """The grid, its star points, and coordinates on all four sides."""
    for number in range(view.size):
        x, y = left + number * _CELL, top + number * _CELL
        line(svg, (left, y), (left + length, y), color=_LINE, width=1)
        line(svg, (x, top), (x, top + length), color=_LINE, width=1)
        for away in (-_NAMES_AWAY, length + _NAMES_AWAY):
            name = view.column_names[number]
            text(svg, x, top + away + 5, name, size=13, color=_NAME, anchor="middle")
            name = view.row_names[number]
            text(svg, left + away, y + 5, name, size=13, color=_NAME, anchor="middle")
    for star in view.stars:
        row, column = divmod(star, view.size)
        circle(svg, left + column * _CELL, top + row * _CELL, 3.2, fill=_LINE)


def _draw_point(
    svg: ElementTree.Element, view: GoView, point: int, x: float, y: float, marks: Marks
) -> None:
    can, mark, told = view.choices.get(point, ()), marks.get(point), view.told[point]
    is_barred = bool(view.choices or view.passes) and not can and point not in view.stones
    group = choice(svg, can, tooltip_with(told + _BARRED * is_barred, mark))
    if can:  # the whole square can be clicked
        rectangle(group, x - _CELL / 2, y - _CELL / 2, _CELL, _CELL, fill=_BOARD, opacity=0.01)
        coming = ElementTree.SubElement(group, "g", {"class": "coming", "visibility": "hidden"})
        circle(coming, x, y, _STONE, fill=_STONES[view.mover], opacity=0.6)
    if is_barred:
        r = 0.14 * _CELL
        for end in (r, -r):
            line(group, (x - r, y - end), (x + r, y + end), color=_NAME, width=1.6)
    if point in view.stones:
        player = view.stones[point]
        circle(group, x, y, _STONE, fill=_STONES[player], stroke=_EDGE, width=1)
        if point == view.last:
            ring = _STONES[1 - player]
            circle(group, x, y, 0.45 * _STONE, fill="none", stroke=ring, width=2.4)
    elif point in view.owners:
        half = 0.15 * _CELL
        fill = _STONES[view.owners[point]]
        rectangle(group, x - half, y - half, 2 * half, 2 * half, fill=fill, stroke=_EDGE)
    if mark is not None:
        draw_disk(group, x, y, _STONE, mark, marks, size=12)


def _draw_foot(
    svg: ElementTree.Element, view: GoView, width: float, y: float, mark: Mark | None
) -> None:
    """The numbers of captured stones, each after a stone of that color, and a mark for a pass.

    The pass cannot be clicked here: below a large board the box is too small for a finger.
    """
    for player, x in ((PLAYER_0, _MARGIN), (1 - PLAYER_0, _MARGIN + 2.3 * _CELL)):
        name = ("Black", "White")[player]
        group = choice(svg, (), f"{name} has captured {view.captured[player]}")
        circle(group, x, y, 9, fill=_STONES[1 - player], stroke=_EDGE, width=1)
        text(group, x + 15, y + 5, f"{view.captured[player]} taken", size=14, color=_EDGE)
    if mark is not None:
        group, name = choice(svg, (), tooltip_with("pass", mark)), f"pass {mark.text}"
        left = width - _MARGIN - _BUTTON_WIDTH
        rectangle(group, left, y - 14, _BUTTON_WIDTH, 28, fill=_BUTTON, stroke=_LINE, rx="6")
        text(group, left + _BUTTON_WIDTH / 2, y + 5, name, size=14, color=_EDGE, anchor="middle")
