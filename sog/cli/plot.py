"""`sog plot`: the learning curves of a training run as a picture."""

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from selfplay.runs.metrics import Metrics, read_metrics
from selfplay.runs.run_folder import RunFolder
from selfplay.schedule import PARTS
from sog.cli import display
from sog.cli.errors import SUCCESS, CommandError, check_plot, mistakes, writing
from sog.cli.loading import load_game
from sog.drawing.curves import COLORS, FEW_POINTS
from sog.drawing.figure import empty_figure, rule_axis, write_figure
from sog.drawing.learning import Curves, learning_curves
from sog.games import Game
from sog.players.runs import near_run

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    near = None if arguments.run.exists() else near_run(str(arguments.run))
    if near is not None:
        raise CommandError(f"run folder {arguments.run} does not exist: did you mean {near}?")
    with mistakes():
        folder = RunFolder.read(arguments.run)
    target = arguments.out or arguments.run / "curves.png"
    check_plot(target, "--out" if arguments.out else "sog plot")
    lines = read_metrics(folder.metrics, display.note)
    if not lines:
        raise CommandError(f"{folder.metrics} has no metrics yet.")
    game = load_game(folder.config.game)
    with writing(target, "the curves"):
        _draw(target, game, lines)
    return SUCCESS


def _draw(path: Path, game: Game[Any], lines: list[Metrics]) -> None:
    figure = empty_figure(9, 6.4)
    minutes = lines[-1]["seconds"] / 60
    figure.suptitle(
        f"{display.short_name(game)}: {lines[-1]['step']:,} learner steps in {minutes:.3g} min"
    )
    axes = figure.subplots(2, 2)
    for one, curves in zip(axes.flat, learning_curves(game, lines), strict=False):
        _draw_curves(one, lines, curves)
    _time(axes[1, 1], lines)
    for one in axes.flat:
        one.set_xlabel("learner steps", fontsize=8)
        one.tick_params(which="both", labelsize=8)
        one.spines[["top", "right"]].set_visible(False)
    write_figure(path, figure)


def _draw_curves(axes: "Axes", lines: list[Metrics], curves: Curves) -> None:
    """Draws curves against steps, on a logarithmic axis."""
    axes.set_title(curves.title, fontsize=9)
    drawn = False
    for color, (name, label) in zip(COLORS, curves.named, strict=False):
        points = [
            (line["step"], curves.scale * line[name]) for line in lines if line.get(name, 0) > 0
        ]
        if points:
            marker = "o" if len(points) < FEW_POINTS else ""
            axes.plot(
                *zip(*points, strict=True), color=color, linewidth=1.4, marker=marker, label=label
            )
            drawn = True
    if not drawn:
        axes.set_xticks([])
        axes.set_yticks([])
        axes.text(0.5, 0.5, "not measured", transform=axes.transAxes, ha="center", color="0.5")
        return
    axes.set_yscale("log")
    rule_axis(axes.yaxis)
    if len(curves.named) > 1:
        axes.legend(fontsize=8, frameon=False)


def _time(axes: "Axes", lines: list[Metrics]) -> None:
    """Draws the share of each part in the time; the rest is everything else."""
    timed = [line for line in lines if all(f"{part}_share" in line for part in PARTS)]
    axes.set_title("share of time", fontsize=9)
    if not timed:
        return
    steps = [line["step"] for line in timed]
    shares = [[line[f"{part}_share"] for line in timed] for part in PARTS]
    axes.stackplot(steps, *shares, labels=PARTS, colors=COLORS, alpha=0.8)
    axes.set_ylim(0, 1)
    axes.legend(fontsize=8, loc="lower right")
