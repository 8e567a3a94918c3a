"""Draws results of several calls of `sog evaluate --json` in one picture.

Example:
    sog evaluate leduc --search 10,1 --search 100,1 --set resolve_from=deepest --json > deepest.json
    sog evaluate leduc --search 10,1 --search 100,1 --set safe=false --json > unsafe.json
    python scripts/plot_evaluations.py "deepest=deepest.json" "without the gadget=unsafe.json" \\
        --title "Leduc, exact values" --out starts.png

Exploitability against regret updates, on logarithmic axes, or against learner steps if the first
file has several checkpoints: a line through the means and a band from minimum to maximum over
the seeds for each file (and search), and CFR over the whole tree by the rule of the first. All
files must be of the same game.
"""

import sys
from typing import Any, Final

from shared import picture, script_parser

from sog.cli.evaluation_report import Lines, plot_results
from sog.files import parse_json, read_bytes
from sog.games import make
from sog.games.foreign import check_named_by_file

_MOST_BYTES: Final = 2**26


def lines_of(series: dict[str, dict[str, Any]]) -> Lines:
    """The results by output, or by its searches if the first output has several checkpoints."""
    first = next(iter(series.values()))["results"]
    if len({one.get("checkpoint") for one in first}) == 1:
        return {label: output["results"] for label, output in series.items()}
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
        raise ValueError(message) from None
    check_named_by_file(str(output["game"]), name)
    return label, output


def main() -> int:
    """Runs the script; returns its exit code."""
    parser = script_parser(__doc__)
    parser.add_argument("files", nargs="+", metavar="LABEL=FILE", help="outputs, by their label")
    parser.add_argument(
        "--out", type=picture, required=True, metavar="FILE.png", help="the picture"
    )
    parser.add_argument("--title", default="", help="its title (default: the game)")
    arguments = parser.parse_args()
    try:
        series = dict(_read(one) for one in arguments.files)
        games = sorted({output["game"] for output in series.values()})
        if len(games) > 1:
            raise ValueError(f"files must be of one game, got {' and '.join(games)}.")
        title = arguments.title or games[0]
        plot_results(arguments.out, make(games[0]), title, lines_of(series))
    except ValueError as error:
        print(f"plot_evaluations: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
