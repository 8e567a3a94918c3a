"""The picture of `sog evaluate`: exploitability against regret updates, on logarithmic axes."""

import textwrap
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sog.cli import display
from sog.cli.evaluate.plan import Plan
from sog.cli.evaluate.report import Finished
from sog.cli.figure import COLORS, finish_axes, new_figure, write_figure
from sog.cli.search_numbers import name_of
from sog.games import Game

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_REFERENCE: Final = "0.35"
_IS_MCTS: Final = "#b5651d"
_IS_MCTS_LABEL: Final = "IS-MCTS (Student of Games paper, Table S5)"
_IS_MCTS_ON_LEDUC: Final = ((100, 1094), (1000, 601), (10_000, 465))
"""Simulations, and mbb per hand."""
_LEDUC: Final = ("leduc", "leduc(suit_isomorphism=true)")
_LETTERS_PER_LINE: Final = 90
_POINTS_FROM_AXES: Final = 4
_SMALL: Final = 8


def plot_evaluation(path: Path, game: Game[Any], plan: Plan, finished: list[Finished]) -> None:
    """Draws the mean and the range over seeds of every series, and what they compare with."""
    figure, axes = new_figure(_title(game, plan))
    axes.title.set_fontsize(9)
    draw = _draw_training if len(plan.checkpoints) > 1 else _draw_updates
    draw(axes, game, plan, finished)
    figure.legend(loc="outside lower center", ncols=2, fontsize=_SMALL, frameon=False)
    write_figure(path, figure)


def _draw_updates(axes: "Axes", game: Game[Any], plan: Plan, finished: list[Finished]) -> None:
    """Exploitability against regret updates, a line for every c."""
    series = _series(plan, finished)
    for color, (label, points) in zip(COLORS * len(series), series.items(), strict=False):
        _draw_series(axes, label, points, color)
    reference = sorted({one.settings.num_updates: 1000 * one.tabular for one in finished}.items())
    axes.plot(
        *zip(*reference, strict=True),
        color=_REFERENCE,
        linewidth=1.2,
        linestyle="--",
        marker="s",
        markersize=3,
        label=f"CFR over the whole tree (rule {plan.rule})",
    )
    if display.short_name(game) in _LEDUC:
        _mark_is_mcts(axes)
    positive = any(one.spread["mean"] > 0 or one.tabular > 0 for one in finished)
    finish_axes(
        axes,
        x_label="regret updates of each search, T",
        y_label=f"exploitability ({game.milli_unit})",
        has_logarithms=positive,
    )


def _title(game: Game[Any], plan: Plan) -> str:
    words = textwrap.fill(", ".join(plan.words()), _LETTERS_PER_LINE)
    return f"{display.short_name(game)}: exploitability of an agent that searches\n{words}"


def _draw_training(axes: "Axes", game: Game[Any], plan: Plan, finished: list[Finished]) -> None:
    """Exploitability against learner steps, a line for every search (the paper's Figure 3)."""
    searches = list(dict.fromkeys(one.settings for one in finished))
    for color, settings in zip(COLORS * len(searches), searches, strict=False):
        points = [one for one in finished if one.settings == settings]
        x = [one.checkpoint or 0 for one in points]
        least, mean, most = (
            [1000 * one.spread[name] for one in points] for name in ("min", "mean", "max")
        )
        label = f"{name_of(settings)}: mean, min to max of {plan.num_seeds} seeds"
        axes.plot(x, mean, color=color, linewidth=1.6, marker="o", markersize=4, label=label)
        axes.fill_between(x, least, most, color=color, alpha=0.18, linewidth=0)
        axes.axhline(1000 * points[0].tabular, color=color, linewidth=1, linestyle="--")
    axes.plot(
        [], [], color=_REFERENCE, linestyle="--", label="CFR over the whole tree, same updates"
    )
    if display.short_name(game) in _LEDUC:
        _mark_is_mcts(axes)
    finish_axes(
        axes,
        x_label="learner steps",
        y_label=f"exploitability ({game.milli_unit})",
        has_logarithms=True,
    )
    axes.set_xscale("linear")


def _series(plan: Plan, finished: list[Finished]) -> dict[str, list[Finished]]:
    """Searches that differ in s alone, by their label, in the order of T."""
    series: dict[str, list[Finished]] = {}
    for one in sorted(finished, key=lambda one: one.settings.num_updates):
        name = f"SoG(s, {one.settings.simulations_per_update:g})" if plan.grows else "search"
        series.setdefault(name, []).append(one)
    if plan.num_seeds == 1:
        return series
    return {f"{name}: mean, min to max of {plan.num_seeds} seeds": v for name, v in series.items()}


def _draw_series(axes: "Axes", label: str, points: list[Finished], color: str) -> None:
    x = [one.settings.num_updates for one in points]
    least, mean, most = (
        [1000 * one.spread[name] for one in points] for name in ("min", "mean", "max")
    )
    axes.plot(x, mean, color=color, linewidth=1.6, marker="o", markersize=4, label=label)
    axes.fill_between(x, least, most, color=color, alpha=0.18, linewidth=0)
    axes.vlines(x, least, most, color=color, linewidth=1)  # the band of a single point


def _mark_is_mcts(axes: "Axes") -> None:
    """Lines across: its simulations are no regret updates, so they have no place on the axis.

    Their names stand beside the axes, where no curve can come near.
    """
    for number, (simulations, milli) in enumerate(_IS_MCTS_ON_LEDUC):
        label = _IS_MCTS_LABEL if number == 0 else None
        axes.axhline(milli, color=_IS_MCTS, linewidth=1, linestyle=":", label=label)
        axes.annotate(
            f"{simulations:,} simulations: {milli:,}",
            (1, milli),
            xycoords=axes.get_yaxis_transform(),
            xytext=(_POINTS_FROM_AXES, 0),
            textcoords="offset points",
            verticalalignment="center",
            fontsize=_SMALL,
            color=_IS_MCTS,
        )
