"""Draws exploitability curves; imports matplotlib only when it draws."""

import dataclasses
import io
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sog.files import replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure

    from sog.tabular import Checkpoint

COLORS: Final = ("#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b", "#444444")
_REFERENCE: Final = "0.35"
_MOST_TICKS: Final = 6  # at the values themselves


def plot_exploitability(
    path: Path,
    checkpoints: Sequence["Checkpoint"],
    *,
    title: str,
    milli_unit: str,
    until: float | None = None,
) -> None:
    """Draws exploitability against iterations, both axes logarithmic.

    until: the target exploitability, in game units.
    """
    points = [(point.iteration, 1000 * point.exploitability) for point in checkpoints]
    iteration, milli = points[-1]
    # Zero has no logarithm: such points are left out; if all are 0, the axis is linear.
    x, y = zip(*([point for point in points if point[1] > 0] or points), strict=True)
    label = f"{milli:.4g} {milli_unit} after {iteration:,} iterations"
    plot_curves(
        path,
        [Curve(label=label, x=x, mean=y, low=y, high=y)],
        title=title,
        x_label="iterations",
        y_label=f"exploitability ({milli_unit})",
        wanted=None if until is None else 1000 * until,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Curve:
    """Means with a band from low to high, at points of the horizontal axis."""

    label: str
    x: Sequence[float]
    mean: Sequence[float]
    low: Sequence[float]
    high: Sequence[float]
    level: float | None = None
    """Where a dashed horizontal line of the same color is drawn."""
    is_reference: bool = False
    """Whether the others are compared with it: gray and dashed."""


def plot_curves(
    path: Path,
    curves: Sequence[Curve],
    *,
    title: str,
    x_label: str,
    y_label: str,
    wanted: float | None = None,
    x_is_log: bool = True,
    y_is_log: bool = True,
) -> None:
    """Draws curves with their bands, and a horizontal line at `wanted`.

    y_is_log: is without effect where no value is positive.
    """
    figure = empty_figure(6.4, 4.2)
    axes = figure.add_subplot()
    axes.set_title(title, fontsize=9)
    for color, curve in zip(COLORS * len(curves), curves, strict=False):
        _draw_curve(axes, curve, _REFERENCE if curve.is_reference else color)
    positive = any(value > 0 for curve in curves for value in (*curve.mean, curve.level or 0))
    if wanted is not None and positive:
        axes.axhline(
            wanted, color=COLORS[1], linewidth=1, linestyle="--", label=f"{wanted:g} wanted"
        )
    axes.set_xscale("log" if x_is_log else "linear")
    axes.set_yscale("log" if y_is_log and positive else "linear")
    for axis in (axes.xaxis, axes.yaxis):
        rule_axis(axis)
    values = sorted({value for curve in curves for value in curve.x})
    if x_is_log and len(values) <= _MOST_TICKS:
        axes.set_xticks(values, [f"{value:,g}" for value in values])
        axes.xaxis.minorticks_off()
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.spines[["top", "right"]].set_visible(False)
    axes.set_axisbelow(True)
    axes.margins(x=0.04, y=0.08)
    figure.legend(loc="outside lower center", ncols=2, fontsize=8, frameon=False)
    write_figure(path, figure)


def _draw_curve(axes: "Axes", curve: Curve, color: str) -> None:
    """Draws the means as a line with a band from low to high."""
    axes.plot(
        curve.x,
        curve.mean,
        color=color,
        linewidth=1.2 if curve.is_reference else 1.6,
        linestyle="--" if curve.is_reference else "-",
        marker="s" if curve.is_reference else "o",
        markersize=3,
        label=curve.label,
    )
    if curve.level is not None:
        axes.axhline(curve.level, color=color, linewidth=1, linestyle="--")
    axes.fill_between(curve.x, curve.low, curve.high, color=color, alpha=0.18, linewidth=0)
    if len(curve.x) == 1:  # a band has no width there
        axes.vlines(curve.x, curve.low, curve.high, color=color, linewidth=1)


def empty_figure(width: float, height: float) -> "Figure":
    """An empty picture; the size is in inches.

    MPLBACKEND is unset meanwhile: notebooks export theirs to the commands they run, and importing
    matplotlib fails if that backend is missing.
    """
    backend = os.environ.pop("MPLBACKEND", None)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    finally:
        if backend is not None:
            os.environ["MPLBACKEND"] = backend
    figure = Figure(figsize=(width, height), dpi=150, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def write_figure(path: Path, figure: "Figure") -> None:
    """Writes a picture in the format that its extension names."""
    picture = io.BytesIO()
    figure.savefig(picture, format=path.suffix.lower()[1:])
    replace_file(path, picture.getvalue())


def rule_axis(axis: "Axis") -> None:
    """Sets plain numbers and a light grid."""
    from matplotlib.ticker import FuncFormatter

    def number(value: float, _: int | None = None) -> str:
        return f"{value:,.10g}"

    def number_between(value: float, _: int | None = None) -> str:
        # Powers of ten alone would leave a logarithmic axis of less than two decades nearly bare.
        low, high = axis.get_view_interval()
        return number(value) if high < 100 * low and f"{value:e}"[0] in "25" else ""

    axis.set_major_formatter(FuncFormatter(number))
    axis.set_minor_formatter(FuncFormatter(number_between))
    axis.grid(True, which="major", color="0.85")
    axis.grid(True, which="minor", color="0.94", linewidth=0.5)
