"""Draws what several calls of `sog evaluate --json` found in one picture.

Example:
    sog evaluate leduc --search 10,1 --search 100,1 --resolve-from deepest --json > deepest.json
    sog evaluate leduc --search 10,1 --search 100,1 --unsafe --json > unsafe.json
    python scripts/plot_evaluations.py "deepest=deepest.json" "without the gadget=unsafe.json" \\
        --title "Leduc, exact values" --out starts.png

Exploitability against regret updates, on logarithmic axes, or against learner steps if the first
file has several checkpoints: a line through the means and a band from the least to the most of the
seeds for each file (and search), and what CFR over the whole tree reaches by the rule of the first.
All files must be of the same game.
"""

import argparse
import sys
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError
from sog.cli.figure import check_plot, finish_axes, new_figure, write_figure
from sog.files import parse_json, read_bytes
from sog.games import make
from sog.games.foreign import check_named_by_file

_COLORS: Final = ("#1f5fa8", "#c0392b", "#2e8b57", "#8e44ad", "#b8860b", "#444444")
_MILLI: Final = 1000
_MOST_BYTES: Final = 2**26


def draw(path: Path, title: str, series: dict[str, dict[str, Any]]) -> None:
    """Draws the outputs by their labels; of several checkpoints, against learner steps."""
    figure, axes = new_figure(title)
    first = next(iter(series.values()))
    has_steps = len({one.get("checkpoint") for one in first["results"]}) > 1
    lines = _lines(series) if has_steps else {name: one["results"] for name, one in series.items()}
    x_name = "checkpoint" if has_steps else "updates"
    for color, (label, results) in zip(_COLORS * len(lines), lines.items(), strict=False):
        points = sorted(results, key=lambda one: one[x_name])
        x = [one[x_name] for one in points]
        least, mean, most = (
            [_MILLI * one["exploitability"][name] for one in points]
            for name in ("min", "mean", "max")
        )
        axes.plot(x, mean, color=color, linewidth=1.6, marker="o", markersize=4, label=label)
        axes.fill_between(x, least, most, color=color, alpha=0.15, linewidth=0)
        if has_steps:
            axes.axhline(_MILLI * points[0]["tabular"], color=color, linewidth=1, linestyle="--")
    name = f"CFR over the whole tree ({first['results'][0]['rule']})"
    tabular = {one["updates"]: _MILLI * one["tabular"] for one in first["results"]}
    curve = ([], []) if has_steps else tuple(zip(*sorted(tabular.items()), strict=True))
    axes.plot(*curve, color="0.35", linestyle="--", linewidth=1.2, label=name)
    finish_axes(
        axes,
        x_label="learner steps" if has_steps else "regret updates of each search, T",
        y_label=f"exploitability ({make(first['game']).milli_unit})",
        has_logarithms=True,
    )
    if has_steps:
        axes.set_xscale("linear")
    axes.legend(fontsize=8, frameon=False)
    write_figure(path, figure)


def _lines(series: dict[str, dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The results of each search of each output, by a label."""
    lines: dict[str, list[dict[str, Any]]] = {}
    for label, output in series.items():
        for one in output["results"]:
            simulations, per_update = one["search"]
            name = f"{label}, SoG({simulations}, {per_update:g})"
            lines.setdefault(name, []).append(one)
    return lines


def _read(argument: str) -> tuple[str, dict[str, Any]]:
    label, sign, name = argument.partition("=")
    try:
        output = parse_json(read_bytes(name, _MOST_BYTES))
        if not (sign and label and output["results"] and output["game"]):
            raise ValueError
    except (OSError, ValueError, KeyError, TypeError):
        message = f"files must be LABEL=FILE with an output of sog evaluate --json, got {argument}."
        raise CommandError(message) from None
    try:
        check_named_by_file(str(output["game"]), name)
    except ValueError as error:
        raise CommandError(str(error)) from None
    return label, output


def main() -> int:
    """Runs the script; returns its exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="LABEL=FILE", help="outputs, by their label")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.png", help="the picture")
    parser.add_argument("--title", default="", help="its title (default: the game)")
    arguments = parser.parse_args()
    try:
        check_plot(arguments.out, "--out")
        series = dict(_read(one) for one in arguments.files)
        games = sorted({output["game"] for output in series.values()})
        if len(games) > 1:
            raise CommandError(f"files must be of one game, got {' and '.join(games)}.")
        draw(arguments.out, arguments.title or games[0], series)
    except CommandError as error:
        print(f"plot_evaluations: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
