"""Draws the grid of a strategy: a self-contained SVG, a row of cells per infostate.

Darker cells are more likely actions; below the probability is the loss against the best action. The
bar beside a name is the infostate's range.
"""

import math
import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.drawing.grid import Cell, Grid, Row, describe_events, merge_alike
from sog.drawing.outline import percent, signed
from sog.drawing.svg import INK, SOFT, as_text, choice, cut, document, rectangle, text, tint
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1

_MARGIN, _HEADER, _ROW, _GAP = 24.0, 104.0, 34.0, 3.0
_BAR, _VALUE, _CELL, _NAMED_CELL = 92.0, 72.0, 96.0, 176.0  # widths
_LETTER: Final = 7.5  # width of a letter of 12 pixels
_MOST_LETTERS: Final = 28  # of an infostate
_MOST_IN_CELL: Final = 12
_MOST_IN_NAMED_CELL: Final = 16
_MOST_ROWS: Final = 220
_COLORS: Final = {PLAYER_0: "#2b6cb0", PLAYER_1: "#c05621"}
_LOST: Final = "#c92a2a"
_UNSEEN: Final = 5e-4


def draw_grid(grid: Grid, *, title: str, unit: str) -> str:
    """Returns SVG text; similar infostates share a row."""
    rows = merge_alike(grid.rows)
    shown = rows[:_MOST_ROWS]
    columns = _columns(grid, shown)
    cell_width = _NAMED_CELL if grid.actions is None else _CELL
    label = 14 + _LETTER * min(max([8, *(len(row.name) for row in shown)]), _MOST_LETTERS)
    width = 2 * _MARGIN + label + _BAR + _VALUE + len(columns) * cell_width
    lines = _header_lines(grid, title, unit)
    width = max(width, 2 * _MARGIN + 6.6 * max(map(len, lines[1:])), 9.6 * len(lines[0]) + 48)
    height = 2 * _MARGIN + _HEADER + _ROW * (len(shown) + (len(shown) < len(rows)))
    svg = document(f"{title}: {grid.description}", width, height)
    text(svg, _MARGIN, _MARGIN + 12, lines[0], size=16, weight="bold")
    for number, line in enumerate(lines[1:]):
        text(svg, _MARGIN, _MARGIN + 31 + 16 * number, line, color=SOFT)
    top, left = _MARGIN + _HEADER, _MARGIN + label
    _head(svg, grid, columns, left, top - 8)
    for number, row in enumerate(shown):
        _draw_row(svg, grid, row, columns, left, top + _ROW * number)
    if len(shown) < len(rows):
        more = f"... and {len(rows) - len(shown)} more"
        text(svg, _MARGIN, top + _ROW * len(shown) + 20, more, color=SOFT)
    return as_text(svg)


def _columns(grid: Grid, shown: tuple[Row, ...]) -> list[int]:
    """The actions; if names differ between rows, positions within a row."""
    if grid.actions is None:
        return list(range(max(len(row.cells) for row in shown)))
    return sorted({action for row in shown for action in row.cells})


def _header_lines(grid: Grid, title: str, unit: str) -> list[str]:
    acts = f"player {grid.actor} to act" if grid.actor < CHANCE else "nobody to act"
    reached = "never reached"
    if grid.probability > 0:
        reached = f"reached in {percent(grid.probability)} of games"
        reached += f", worth {signed(grid.value)} {unit} to player 0"
    facts = f"{acts}; {reached}"
    if grid.events:
        facts += f"; then {describe_events(grid.events)}"
    if grid.actor != grid.player:
        return [grid.description, title, facts]
    cells = "a cell: the probability, below it the loss against the best action"
    return [grid.description, title, facts, f"value in {unit} to player {grid.player}; {cells}"]


def _head(svg: ElementTree.Element, grid: Grid, columns: list[int], left: float, y: float) -> None:
    color = _COLORS[grid.player]
    text(svg, _MARGIN, y, f"player {grid.player}", size=12, weight="bold", color=color)
    text(svg, left, y, "range", size=12, color=SOFT)
    text(svg, left + _BAR + _VALUE - 14, y, "value", size=12, color=SOFT, anchor="end")
    names = grid.actions or {}
    for place, action in enumerate(columns):
        x = left + _BAR + _VALUE + (place + 0.5) * _CELL
        name = cut(names.get(action, ""), _MOST_IN_CELL)
        text(svg, x, y, name, size=12, weight="bold", anchor="middle")


def _draw_row(
    svg: ElementTree.Element, grid: Grid, row: Row, columns: list[int], left: float, y: float
) -> None:
    group = choice(svg, (), _tooltip(row), kind="infostate")
    base = y + _ROW / 2 + 4
    text(group, _MARGIN, base, cut(row.name, _MOST_LETTERS), size=12)
    range_ = 0.0 if math.isnan(row.range_) else row.range_
    rectangle(group, left, y + 10, _BAR - 44, _ROW - 20, fill="#eef1f4")
    color = _COLORS[grid.player]
    rectangle(group, left, y + 10, (_BAR - 44) * range_, _ROW - 20, fill=color)
    text(group, left + _BAR - 38, base, percent(row.range_), color=SOFT)
    text(group, left + _BAR + _VALUE - 14, base, signed(row.value), size=12, anchor="end")
    named = grid.actions is None
    cells = dict(enumerate(row.cells.values())) if named else row.cells
    for place, column in enumerate(columns):
        if column in cells:
            x = left + _BAR + _VALUE + place * (_NAMED_CELL if named else _CELL)
            _draw_cell(group, cells[column], x, y, color, named=named)


def _draw_cell(
    group: ElementTree.Element, cell: Cell, x: float, y: float, color: str, *, named: bool
) -> None:
    box = ElementTree.SubElement(group, "g", {"class": "action"})
    width, height = (_NAMED_CELL if named else _CELL) - _GAP, _ROW - _GAP
    fill = tint(color, cell.probability)
    rectangle(box, x, y, width, height, fill=fill, stroke="#d5dbe1", rx="3")
    ink = "#ffffff" if cell.probability > 0.6 else INK
    number = f"{cell.probability:.3f}"
    if named:
        number = f"{cut(cell.name, _MOST_IN_NAMED_CELL)} {number}"
    loses = cell.loss >= _UNSEEN  # False if undefined
    up = 14.0 if loses else 20.0
    text(box, x + width / 2, y + up, number, size=12, color=ink, anchor="middle")
    if loses:
        color = ink if cell.probability > 0.25 else _LOST
        text(box, x + width / 2, y + 27, f"-{cell.loss:.3f}", size=10, color=color, anchor="middle")


def _tooltip(row: Row) -> str:
    lines = [row.name, f"range {percent(row.range_)}, value {signed(row.value)}"]
    for cell in row.cells.values():
        worth = f"worth {signed(cell.value)}"
        lines.append(f"{cell.name}: {cell.probability:.4f}, {worth}")
    return "\n".join(lines)
