"""Convergence of several methods on one game, for the scripts beside this file."""

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from machine import provenance
from script_arguments import prefix, script_parser

from sog.cli.devices import use_all_cores
from sog.cli.figure import Curve, plot_curves
from sog.cli.run.command import checkpoint_iterations
from sog.games import make
from sog.methods.histories.arrays import HistoryTree
from sog.methods.histories.layout import lay_out_histories
from sog.methods.learners.learning import LearningMethod, LearningRuns, RowEvaluator
from sog.players.methods import make_method
from sog.tabular import enumerate_public_tree

_FIRST_SHOWN: Final = 100  # episodes


def converge(
    method: LearningMethod, tree: HistoryTree, runs: int, episodes: int
) -> list[dict[str, Any]]:
    """NashConv of all runs on the way to so many games."""
    per_iteration = method.episodes_per_iteration
    assert per_iteration is not None
    # Sums over tens of millions of games need 64-bit numbers.
    learner = LearningRuns(method, tree, runs=runs, precision="float64")
    evaluator, points, began = RowEvaluator(tree), [], time.perf_counter()
    for iteration in checkpoint_iterations(max(1, episodes // per_iteration)):
        learner.run(iteration - learner.iteration)
        found = evaluator.evaluate(learner.policies()).nash_conv
        points.append(
            {
                "episodes": iteration * per_iteration,
                "seconds": time.perf_counter() - began,
                "nash_conv": np.asarray(found).tolist(),
            }
        )
        last = f"{iteration * per_iteration:,} games, NashConv {np.mean(found):.5f}"
        print(f"{method.name}: {last}, {points[-1]['seconds']:.0f} s", file=sys.stderr, flush=True)
    return points


def draw(path: Path, game: str, runs: int, results: dict[str, Any]) -> None:
    """All curves of a game."""
    curves = []
    for name, result in results.items():
        points = [p for p in result["points"] if p["episodes"] >= _FIRST_SHOWN]
        points = points or result["points"]
        x, found = ([p[key] for p in points] for key in ("episodes", "nash_conv"))
        curves.append(Curve.of_samples(name, x, found))
    plot_curves(
        path,
        curves,
        title=f"{game}: mean, least and most of {runs} runs",
        x_label="simulated episodes",
        y_label=f"NashConv ({make(game).unit})",
    )


def reproduce(description: str | None, games: dict[str, dict[str, str]]) -> None:
    """Runs all methods of a game, and prints the last figure of each.

    games: for each, the methods by the names that the paper gives them.
    """
    parser = script_parser(description)
    parser.add_argument("game", choices=games, metavar="GAME", help=f"one of {', '.join(games)}")
    parser.add_argument("--runs", type=int, default=8, help="independent runs (default: 8)")
    parser.add_argument("--episodes", type=int, default=1_000_000, help="games (default: 1000000)")
    parser.add_argument(
        "--methods", nargs="+", metavar="NAME", help="of the paper, or as typed for sog run"
    )
    parser.add_argument(
        "--out", type=prefix, metavar="PREFIX", help="write PREFIX.json and PREFIX.png"
    )
    arguments = parser.parse_args()
    if arguments.runs < 1 or arguments.episodes < 1:
        parser.error("--runs and --episodes must be >= 1")
    methods = games[arguments.game]
    names = arguments.methods or list(methods)
    try:
        made = {name: make_method(methods.get(name, name)) for name in names}
    except ValueError as mistake:
        parser.error(f"{mistake} Methods of the paper here: {', '.join(methods)}.")
    use_all_cores()
    tree = lay_out_histories(enumerate_public_tree(make(arguments.game)))
    results: dict[str, Any] = {}
    for name, method in made.items():
        assert isinstance(method, LearningMethod)
        points = converge(method, tree, arguments.runs, arguments.episodes)
        results[name] = {"method": str(method), "points": points}
        if arguments.out:
            facts = {
                **provenance(),
                "devices": jax.device_count(),
                "game": arguments.game,
                "runs": arguments.runs,
                "results": results,
            }
            Path(f"{arguments.out}.json").write_text(json.dumps(facts) + "\n")
            draw(Path(f"{arguments.out}.png"), arguments.game, arguments.runs, results)
    for name, result in results.items():
        last = result["points"][-1]
        found = np.array(last["nash_conv"])
        deviation = found.std() / np.sqrt(len(found))
        print(
            f"{name}: NashConv {found.mean():.5f} +- {deviation:.5f} at {last['episodes']:,} games"
        )
