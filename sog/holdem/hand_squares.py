"""A player's hands at a decision of a spot as an SVG square, whose cells link to single hands.

Shows the policy as `hand_grid` draws it, or each class's weight, EV or equity as a color and a
number.
"""

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from typing import Final, Literal

import numpy as np

from sog.drawing.svg import INK, SOFT, as_text, document, rectangle, text
from sog.holdem.hand_grid import HandGrid, action_colors, describe_hands, draw_policy

Shown = Literal["policy", "range", "value", "equity"]
SHOWN: Final[tuple[Shown, ...]] = ("policy", "range", "value", "equity")

_CELL: Final = 46.0
_EMPTY: Final = "#e3e7eb"
_GROUND: Final = "#ffffff"
_LIT: Final = "#111111"
_RANGE: Final = (134, 176, 224)
_LOW, _MIDDLE, _HIGH = (214, 96, 77), (247, 238, 203), (77, 158, 96)
_LARGE: Final = 1000
_ALL_OF_IT: Final = 0.995


def draw_hand_squares(
    grid: HandGrid,
    shown: Shown,
    link: Callable[[str], str],
    *,
    scale: float,
    title: str,
    lit: str = "",
) -> str:
    """The text of an SVG file.

    shown: "policy" only for the player to act. link: the target of a class such as "AKs". scale:
    the value with the strongest color. lit: the class to highlight.
    """
    size = len(grid.names)
    side = size * _CELL
    svg = document(title, side, side, background=None)
    rectangle(svg, 0, 0, side, side, fill=_GROUND, rx="4")
    colors = action_colors(grid.actions)
    for row in range(size):
        for column in range(size):
            name = grid.names[row][column]
            cell = ElementTree.SubElement(
                svg, "a", {"class": "hands", "href": link(name), "data-hands": name}
            )
            ElementTree.SubElement(cell, "title").text = describe_hands(grid, row, column)
            at = column * _CELL + 1, row * _CELL + 1
            inner = _CELL - 2
            is_there = bool(grid.share[row, column] > 0)
            rectangle(cell, *at, inner, inner, fill=_EMPTY, rx="2")
            number = ""
            if is_there and shown == "policy":
                draw_policy(cell, grid, colors, row, column, at, inner)
            elif is_there:
                number, color = _number(grid, shown, row, column, scale)
                weight = min(float(grid.weight[row, column]), 1.0)
                tall = inner * weight if shown == "range" else inner
                rectangle(cell, at[0], at[1] + inner - tall, inner, tall, fill=color)
            if name == lit:
                rectangle(cell, *at, inner, inner, fill="none", stroke=_LIT, rx="2")
                rectangle(
                    cell, at[0] + 1.5, at[1] + 1.5, inner - 3, inner - 3, fill="none", stroke=_LIT
                )
            ink = INK if is_there else SOFT
            text(cell, at[0] + 3, at[1] + 16, name, size=15, color=ink, halo=is_there)
            if number:
                middle = at[0] + inner / 2
                text(cell, middle, at[1] + 36, number, size=15, anchor="middle", halo=True)
    return as_text(svg)


def _number(grid: HandGrid, shown: Shown, row: int, column: int, scale: float) -> tuple[str, str]:
    """A cell's text and color."""
    if shown == "equity":
        value = float(grid.equity[row, column])
        return _format(f"{100 * value:.0f}", value), _between(2 * value - 1)
    if shown == "value":
        value = float(grid.value[row, column])
        number = f"{value:+.0f}" if abs(value) >= 10 else f"{round(value, 1) + 0.0:+.1f}"
        if abs(value) >= _LARGE:
            number = f"{value / _LARGE:+.1f}k"
        return _format(number, value), _between(value / scale if scale > 0 else 0.0)
    weight = float(grid.weight[row, column])
    return "" if weight > _ALL_OF_IT else f"{100 * weight:.0f}", _hex(_RANGE)


def _format(number: str, value: float) -> str:
    return "" if math.isnan(value) else number


def _between(part: float) -> str:
    """A color: red at -1, green at 1."""
    if math.isnan(part):
        return _EMPTY
    part = min(max(part, -1.0), 1.0)
    end = _HIGH if part > 0 else _LOW
    mixed = (1 - abs(part)) * np.array(_MIDDLE) + abs(part) * np.array(end)
    return _hex(tuple(mixed.round().astype(int).tolist()))


def _hex(color: tuple[int, ...]) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)
