"""Draws results of `limit_holdem.py`: winnings against the number of games learned from.

Example:
    python scripts/plot_limit_holdem.py docs/results/data/limit_holdem/two_*.json --out two.png

A line for each pairing, through the means of the trainings, and a band from minimum to maximum. The
axis of winnings is linear from -100 to 100 and logarithmic beyond. All files must have the same
rules, and the same matches after the same numbers of games.
"""

import sys
from pathlib import Path
from typing import Any, Final

from shared import script_parser

from sog.cli.errors import CommandError, check_plot
from sog.drawing.figure import COLORS, Curve, draw_curve, finish_axes, new_figure, write_figure
from sog.files import parse_json, read_bytes

_MOST_BYTES: Final = 2**20
_LINEAR: Final = 100


def draw(path: Path, found: list[dict[str, Any]]) -> None:
    """Draws trainings of one game."""
    players = found[0]["rules"]["players"]
    figure, axes = new_figure(f"limit hold'em, {players} players, {len(found)} trainings")
    games = [point["episodes"] / 1e6 for point in found[0]["points"]]
    won: dict[tuple[str, ...], list[tuple[float, float]]] = {}
    for training in found:
        for point in training["points"]:
            for match in point["matches"]:
                who = match["player"], *match["others"]
                won.setdefault(who, []).append((point["episodes"] / 1e6, match["mb"]))
    learned = "those who learn"
    colors = {learned: COLORS[0]}
    for (player, *others), pairs in won.items():
        kind = learned if "UCT" in others[0] else others[0]
        color = colors.setdefault(kind, COLORS[len(colors) % len(COLORS)])
        by_games = [[mb for at, mb in pairs if at == point] for point in games]
        label = f"{player} against {'two ' * (len(others) == 2)}{others[0]}"
        style = "--" if player.startswith("Smooth") else "-"
        draw_curve(axes, Curve.of_samples(label, games, by_games), color, style)
    finish_axes(axes, x_label="millions of games", y_label="mb a hand", has_logarithms=False)
    axes.set_yscale("symlog", linthresh=_LINEAR)
    axes.axhline(0, color="0.35", linewidth=0.8)
    axes.legend(fontsize=7, frameon=False, handlelength=4)
    write_figure(path, figure)


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = parse_json(read_bytes(path, _MOST_BYTES))
        int(found["rules"]["players"])
        pairings = _pairings(found)
        won = [float(match["mb"]) for point in found["points"] for match in point["matches"]]
        if not won or not all(matches for _, matches in pairings):
            raise ValueError("it has no matches")
    except (OSError, ValueError, LookupError, TypeError) as error:
        raise CommandError(f"{path} is not an output of limit_holdem.py: {error}.") from None
    return found


def _pairings(found: dict[str, Any]) -> list[tuple[float, list[tuple[str, ...]]]]:
    """The numbers of games with their pairings."""
    return [
        (
            float(point["episodes"]),
            [(str(match["player"]), *map(str, match["others"])) for match in point["matches"]],
        )
        for point in found["points"]
    ]


def main() -> int:
    """Runs the script; returns its exit code."""
    parser = script_parser(__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="one per seed")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE.png", help="the picture")
    given = parser.parse_args()
    try:
        check_plot(given.out, "--out")
        found = [_read(path) for path in given.files]
        of_all = [(one["rules"], _pairings(one)) for one in found]
        if any(one != of_all[0] for one in of_all):
            raise CommandError(
                "files must be of the same rules and the same matches after as many games."
            )
        draw(given.out, found)
    except CommandError as error:
        print(f"plot_limit_holdem: {error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
