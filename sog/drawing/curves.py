"""Draws curves: metrics of a training run by step, values over a reviewed game."""

import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from typing import Final

from sog.drawing.svg import INK, SOFT, as_text, choice, circle, document, line, rectangle, text
from sog.play.review import Review

_WIDTH, _HEIGHT = 560.0, 300.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 74.0, 18.0, 46.0, 40.0
COLORS: Final = ("#1f5fa8", "#c0392b", "#2e8b57", "#b8860b")
_GRID: Final = "#e3e8ee"
FEW_POINTS: Final = 40  # points, up to which each is marked
_MOST_POINTS: Final = 600  # of a curve that are drawn
_FEW_DECADES: Final = 2

Points = Sequence[tuple[float, float]]


def draw_curves(
    title: str,
    curves: Sequence[tuple[str, Points]],
    *,
    x_label: str,
    may_be_log: bool = True,
) -> str:
    """Named curves as SVG text, on a logarithmic axis if all values are positive.

    may_be_log: False for a linear axis. Points that are not finite are left out.
    """
    kept = [
        (name, _thinned([(x, y) for x, y in points if math.isfinite(y)])) for name, points in curves
    ]
    kept = [(name, points) for name, points in kept if points]
    svg = document(title, _WIDTH, _HEIGHT)
    text(svg, _LEFT, 24, title, size=15, weight="bold")
    if not kept:
        middle = (_WIDTH / 2, _HEIGHT / 2)
        text(svg, *middle, "not measured yet", size=14, color=SOFT, anchor="middle")
        return as_text(svg)
    values = [y for _, points in kept for _, y in points]
    steps = [x for _, points in kept for x, _ in points]
    is_log = may_be_log and min(values) > 0
    low, high = _bounds(min(values), max(values), is_log)
    x_low, x_high = min(steps), max(max(steps), min(steps) + 1)

    def place_x(x: float) -> float:
        return _LEFT + (x - x_low) / (x_high - x_low) * (_WIDTH - _LEFT - _RIGHT)

    def place_y(y: float) -> float:
        part = (y - low) / (high - low)
        if is_log:
            part = math.log(y / low) / math.log(high / low)
        return _HEIGHT - _BOTTOM - part * (_HEIGHT - _TOP - _BOTTOM)

    _draw_axes(svg, _ticks(low, high, is_log), place_y)
    center = (x_low + x_high) // 2  # a whole step or move, as its label says
    for x in sorted({x_low, center, x_high}):
        at, base = place_x(x), _HEIGHT - _BOTTOM + 18
        anchor = "end" if x == x_high else "start" if x == x_low else "middle"
        text(svg, at, base, f"{x:,.0f}", size=12, color=SOFT, anchor=anchor)
    text(svg, _WIDTH / 2, _HEIGHT - 6, x_label, size=12, color=SOFT, anchor="middle")
    for number, (name, points) in enumerate(kept):
        color = COLORS[number % len(COLORS)]
        _draw_curve(svg, [(place_x(x), place_y(y)) for x, y in points], name, color)
        last = f"{name}: {points[-1][1]:.4g}"
        x = _LEFT + number * 190
        rectangle(svg, x, 33, 10, 4, fill=color)
        text(svg, x + 15, 40, last, size=12, color=INK)
    return as_text(svg)


def draw_worth(found: Review, names: tuple[str, str], title: str) -> str:
    """The value of the best action at each choice, and the result, by player, as SVG text."""
    curves: list[tuple[str, Points]] = []
    for player, name in enumerate(names):
        worths = [(choice.number + 1.0, choice.value) for choice in found.of(player)]
        if found.is_whole:
            worths.append((len(found.played.outcomes) + 1.0, found.utility(player)))
        curves.append((name, worths))
    label = f"move (value in {found.game.unit})"
    return draw_curves(title, curves, x_label=label, may_be_log=False)


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Drops points that are too dense to see; keeps the last."""
    every = max(1, -(-len(points) // _MOST_POINTS))
    return [*points[:-1:every], points[-1]] if points else []


def _bounds(low: float, high: float, is_log: bool) -> tuple[float, float]:
    if low == high:
        return (low / 2, high * 2) if is_log else (low - 1, high + 1)
    if is_log:
        return low / 1.1, high * 1.1
    return low - 0.05 * (high - low), high + 0.05 * (high - low)


def _ticks(low: float, high: float, is_log: bool) -> list[float]:
    """Round numbers within the bounds, at least two."""
    ticks = list[float]()
    if is_log:
        decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        firsts = (1, 2, 5) if len(decades) <= _FEW_DECADES + 2 else (1,)
        ticks = [first * 10.0**decade for decade in decades for first in firsts]
        ticks = [tick for tick in ticks if low <= tick <= high]
    if len(ticks) < 2:
        step = 10.0 ** math.floor(math.log10(high - low))
        step = next(s for s in (step / 5, step / 2, step, 2 * step) if (high - low) / s <= 6)
        first = math.ceil(low / step)
        ticks = [step * (first + number) for number in range(8)]
        ticks = [tick for tick in ticks if low <= tick <= high]
    return ticks


def _draw_axes(
    svg: ElementTree.Element, ticks: Sequence[float], place_y: Callable[[float], float]
) -> None:
    for tick in ticks:
        y = place_y(tick)
        line(svg, (_LEFT, y), (_WIDTH - _RIGHT, y), color=_GRID, width=1)
        text(svg, _LEFT - 8, y + 4, f"{tick:,.4g}", size=12, color=SOFT, anchor="end")
    base = _HEIGHT - _BOTTOM
    line(svg, (_LEFT, base), (_WIDTH - _RIGHT, base), color=SOFT, width=1)


def _draw_curve(
    svg: ElementTree.Element, places: Sequence[tuple[float, float]], name: str, color: str
) -> None:
    group = choice(svg, (), name, kind="curve")
    ElementTree.SubElement(
        group,
        "polyline",
        {
            "points": " ".join(f"{x:.1f},{y:.1f}" for x, y in places),
            "fill": "none",
            "stroke": color,
            "stroke-width": "1.8",
            "stroke-linejoin": "round",
        },
    )
    for x, y in places if len(places) < FEW_POINTS else places[-1:]:
        circle(group, x, y, 3, fill=color)
