"""Elo over training, or against simulations, of several trainings in one picture.

Examples:
    python scripts/elo_curves.py SoG=runs/sog AlphaZero=runs/az --out elo.json --plot elo.png
    python scripts/elo_curves.py SoG=runs/sog AlphaZero=runs/az \\
        --simulations 25 50 100 200 400 --out figure4.json --plot figure4.png
    python scripts/elo_curves.py "one child=rollout" "three=rollout?num_children=3" \\
        --game connect_four --simulations 50 100 200 --out children.json

A line is LABEL=PLAYER. Without --simulations its points are the checkpoints of a run (all, or
--steps of them) with --search simulations, against the hours that the run had worked; with them,
PLAYER with these numbers of simulations. Other search settings follow the player. Every point plays
the next ones of its line (--next) and the nearest of each other line, so that all are connected.
Games begin with random moves, each opening twice with either player first. Ratings are maximum
likelihood (`sog.play.elo`), with mean 0 and 95% intervals. Games are kept beside --out, in a file
ending in .games.jsonl: the same command resumes, and more --games extend it.
"""

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from shared import game_text, picture, prefix, provenance, script_parser

from selfplay.runs.metrics import read_metrics
from selfplay.runs.run_folder import RunFolder
from sog.cli.errors import CommandError
from sog.cli.saved_tournament import SavedTournament
from sog.devices import use_command_buffers
from sog.drawing.figure import Curve, plot_curves
from sog.files import replace_file
from sog.numbers import positive_integer
from sog.play.arena import MatchResult, play_match
from sog.play.game_in_progress import PlayedGame
from sog.play.history import AT_THE_ROOT, Opening
from sog.play.tournament import Pairing, random_openings, rate
from sog.players.runs import is_run
from sog.players.seating import Seating, seat
from sog.players.table import split_overrides
from sog.players.trained import trained_steps

_HOUR: Final = 3600.0
_TRAINING, _SIMULATIONS = "hours of training", "simulations of a move"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Point:
    """A player of a line, and its place on the horizontal axis."""

    label: str
    text: str
    """The player, in the syntax of `sog match`."""
    x: float
    step: int | None = None


def training_points(label: str, text: str, steps: Sequence[int], simulations: int) -> list[Point]:
    """The checkpoints of a run, by its hours of training. Raises ValueError if it is not a run."""
    run, settings = split_overrides(text)
    path = Path(run)
    if not is_run(path):
        raise ValueError(f"{label}: {run} must be a run folder without --simulations.")
    kept = trained_steps(path)
    for step in steps:
        if step not in kept:
            raise ValueError(f"{run} has no checkpoint of step {step}; it has {kept}.")
    lines = read_metrics(RunFolder.read(path).metrics)
    if not lines:
        raise ValueError(f"{run} has no metrics, which have its time of training.")
    at, seconds = zip(*sorted((line["step"], line["seconds"]) for line in lines), strict=True)
    return [
        Point(
            label=label,
            text=with_simulations(f"{run}@{step}", settings, simulations),
            x=float(np.interp(step, at, seconds)) / _HOUR,
            step=step,
        )
        for step in sorted(steps or kept)
    ]


def search_points(label: str, text: str, simulations: Sequence[int]) -> list[Point]:
    """A player with different numbers of simulations."""
    return [
        Point(label=label, text=with_simulations(*split_overrides(text), count), x=float(count))
        for count in sorted(set(simulations))
    ]


def with_simulations(player: str, settings: str, simulations: int) -> str:
    """The text of a player with so many simulations, beside other settings (`split_overrides`)."""
    return f"{player}?{settings}{'&' if settings else ''}num_simulations={simulations}"


def pairings_of(points: Sequence[Point], neighbours: int) -> list[Pairing]:
    """Pairs each point with the next ones of its line, and with the nearest of other lines."""
    lines: dict[str, list[int]] = {}
    for number, point in enumerate(points):
        lines.setdefault(point.label, []).append(number)
    found: set[Pairing] = set()
    for label, line in lines.items():
        others = [other for name, other in lines.items() if name != label]
        for place, number in enumerate(line):
            met = line[place + 1 : place + 1 + neighbours]
            met += [_nearest(points, other, points[number].x) for other in others]
            found |= {(min(number, one), max(number, one)) for one in met}
    return sorted(found)


def _nearest(points: Sequence[Point], line: Sequence[int], x: float) -> int:
    return min(line, key=lambda number: abs(points[number].x - x))


def play(
    seating: Seating, pairings: Sequence[Pairing], saved: SavedTournament, given: Any
) -> dict[Pairing, MatchResult]:
    """Plays the games that are missing."""
    results = {}
    for number, (first, second) in enumerate(pairings, start=1):

        def record(
            pair: int, one: PlayedGame, other: PlayedGame, pairing: Pairing = (first, second)
        ) -> None:
            saved.add(pairing, pair, one, other)

        result = play_match(
            seating.game,
            seating.players[first].make,
            seating.players[second].make,
            given.games,
            given.seed,
            batch_size=seating.batch_size(given.batch),
            openings=saved.openings,
            finished=saved.finished.get((first, second), ()),
            record=record,
        )
        results[first, second] = result
        names = " against ".join(seating.players[one].name for one in (first, second))
        text = f"{number} of {len(pairings)}: {names}: {100 * result.win_rate:.0f}% of"
        print(f"{text} {result.num_games} games, {result.seconds:.0f} s", file=sys.stderr)
        if result.interrupted:
            raise KeyboardInterrupt
    return results


def report(
    points: Sequence[Point], seating: Seating, results: dict[Pairing, MatchResult], axis: str
) -> dict[str, Any]:
    """The results, for JSON."""
    rated, ratings = rate(results)
    lines: dict[str, list[dict[str, Any]]] = {}
    for number, point in enumerate(points):
        place = rated.index(number)
        lines.setdefault(point.label, []).append(
            {
                "player": seating.players[number].name,
                "x": point.x,
                "step": point.step,
                "elo": round(float(ratings.elo[place]), 1),
                "half_width": round(float(ratings.half_width[place]), 1),
            }
        )
    return {
        "game": str(seating.game),
        **provenance(),
        "x": axis,
        "lines": [{"label": label, "points": line} for label, line in lines.items()],
        "added_draws": ratings.added_draws,
        "pairings": [
            {"points": pairing, "wins": one.wins, "draws": one.draws, "losses": one.losses}
            for pairing, one in results.items()
        ],
    }


def draw(path: Path, found: dict[str, Any]) -> None:
    """A line for each player or run, with its intervals."""
    curves = []
    for line in found["lines"]:
        x, elo, width = (
            [point[name] for point in line["points"]] for name in ("x", "elo", "half_width")
        )
        low, high = ([e + sign * w for e, w in zip(elo, width, strict=True)] for sign in (-1, 1))
        curves.append(Curve(label=line["label"], x=x, mean=elo, low=low, high=high))
    plot_curves(
        path,
        curves,
        title=found["game"].partition("(")[0],
        x_label=found["x"],
        y_label="Elo",
        x_is_log=found["x"] == _SIMULATIONS,
        y_is_log=False,
    )


def read_line(text: str, given: argparse.Namespace) -> list[Point]:
    """The points of LABEL=PLAYER."""
    label, _, player = (part.strip() for part in text.partition("="))
    if not (label and player):
        raise ValueError(f"lines must be LABEL=PLAYER, got {text!r}.")
    if given.simulations:
        return search_points(label, player, given.simulations)
    return training_points(label, player, given.steps, given.search)


def main() -> int:
    """Runs the script; returns its exit code."""
    parser = script_parser(__doc__)
    parser.add_argument("lines", nargs="+", metavar="LABEL=PLAYER")
    parser.add_argument("--game", type=game_text, help="for players of any game")
    parser.add_argument("--steps", nargs="+", type=int, default=[], metavar="STEP")
    parser.add_argument("--simulations", nargs="+", type=positive_integer, metavar="S")
    parser.add_argument(
        "--search", type=positive_integer, default=100, metavar="S", help="of a checkpoint's moves"
    )
    parser.add_argument("--games", type=positive_integer, default=40, help="of a pairing")
    parser.add_argument("--openings", type=int, default=2, metavar="PLIES", help="random moves")
    parser.add_argument("--next", type=positive_integer, default=2, help="of its line (default: 2)")
    parser.add_argument("--batch", type=positive_integer, default=16, help="searches at once")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=prefix, required=True, metavar="FILE.json")
    parser.add_argument("--plot", type=picture, metavar="FILE.png")
    given = parser.parse_args()
    if not given.out.endswith(".json"):
        parser.error(f"--out must end in .json, got {given.out}")
    try:
        _measure(given)
    except (CommandError, ValueError) as error:
        print(f"{parser.prog}: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{parser.prog}: interrupted; the same command resumes.", file=sys.stderr)
        return 130
    return 0


def _measure(given: argparse.Namespace) -> None:
    use_command_buffers()
    points = [point for text in given.lines for point in read_line(text, given)]
    texts = [point.text for point in points]
    if len({*texts}) < len(texts) or len(texts) < 2:
        raise ValueError(f"points must be two or more different players, got {texts}.")
    seating = seat(texts, game=given.game)
    setup = {
        "game": str(seating.game),
        "players": texts,
        "names": [player.name for player in seating.players],
        "openings": given.openings,
        "seed": given.seed,
    }
    openings: Sequence[Opening] = (AT_THE_ROOT,)
    if given.openings:
        openings = random_openings(seating.game, given.games // 2, given.openings, seed=given.seed)
    path = Path(given.out).with_suffix(".games.jsonl")
    saved = SavedTournament(path, setup, seating.game, openings)
    results = play(seating, pairings_of(points, given.next), saved, given)
    axis = _SIMULATIONS if given.simulations else _TRAINING
    found = report(points, seating, results, axis)
    replace_file(Path(given.out), json.dumps(found, indent=1) + "\n")
    for line in found["lines"]:
        for point in line["points"]:
            print(f"{point['player']}: {point['elo']:+.0f} ± {point['half_width']:.0f}")
    if given.plot is not None:
        draw(given.plot, found)


if __name__ == "__main__":
    sys.exit(main())
