"""Convergence of methods compared with figures of two papers: NashConv over simulated games.

Examples:
    python scripts/reproduce_convergence.py kuhn --runs 50 --episodes 20000000
    python scripts/reproduce_convergence.py leduc --runs 5 --episodes 500000000    # days
    python scripts/reproduce_convergence.py "goofspiel(cards=4,order=random,payoff=wl)" \\
        --runs 100 --episodes 100000

Kuhn poker and Leduc hold'em: figures 1 and 2 of the Smooth UCT paper (Heinrich and Silver 2015),
each method with the best parameters of the paper. Its exploitability is the NashConv of average
policies. (For Kuhn poker it has the squared error to the closest equilibrium instead.)

Small Goofspiel, point cards shuffled: figure 4 of the paper on simultaneous-move MCTS (Lanctot,
Lisy, Winands 2013), what each selection learns from the root. Constants are those tuned for 13
cards (its table 1; `sog.baselines.simultaneous.selection`). OOS is outcome sampling, SM-OOS that of
the journal, both with all states in memory from the start.

Prints mean, minimum and maximum over the runs; --out writes PREFIX.json and PREFIX.png, again after
each method.
"""

import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from shared import prefix, provenance, script_parser

from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import LearningMethod, LearningRuns, RowEvaluator
from sog.baselines.run.command import checkpoint_iterations
from sog.devices import use_all_cores
from sog.drawing.figure import Curve, plot_curves
from sog.games import make
from sog.players.methods import make_method
from sog.tabular import enumerate_public_tree

_FIRST_SHOWN: Final = 100  # episodes
_LEDUC: Final = {
    "UCT": f"extensive_uct(c={20 / 13})",
    "Smooth UCT": f"smooth_uct(c={18 / 13},gamma=0.1,eta=0.9,d=0.002)",
    "Parallel Outcome Sampling": "outcome_sampling(epsilon=0.5,updates=parallel)",
    "Alternating Outcome Sampling": "outcome_sampling(epsilon=0.5,updates=alternating)",
}
_SELECTIONS: Final = {
    "DUCT(max)": "duct_max",
    "DUCT(mix)": "duct_mix",
    "Exp3": "exp3",
    "RM": "rm",
    "OOS+": "oos_plus",
}
METHODS: Final[dict[str, dict[str, str]]] = {
    "kuhn": {
        "UCT": "extensive_uct(c=1)",
        "Smooth UCT": "smooth_uct(c=0.875,gamma=0.1,eta=0.9,d=0.001)",
    },
    "leduc": _LEDUC,
    "leduc(suit_isomorphism=true)": _LEDUC,
    **{
        f"goofspiel(cards=4,order=random,payoff={payoff})": {
            "SM-OOS": "outcome_sampling(epsilon=0.5,values=state)",
            "OOS": "outcome_sampling(epsilon=0.5)",
            **{
                name: f"sm_mcts(selection={selection},tuned={tuned})"
                for name, selection in _SELECTIONS.items()
            },
        }
        for payoff, tuned in (("wl", "wins"), ("diff", "points"))
    },
}
"""Methods by the names of the papers; c of Smooth UCT is in chips, ours a share of the largest
win, 2 and 13 chips. (The paper does not say whether it distinguishes suits.)"""


def converge(
    method: LearningMethod, tree: HistoryTree, runs: int, episodes: int
) -> list[dict[str, Any]]:
    """NashConv of all runs at points up to a number of games."""
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
    """Draws all curves of a game."""
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


def main() -> None:
    """Runs all methods of a game, and prints the last figure of each."""
    parser = script_parser(__doc__)
    parser.add_argument(
        "game", choices=METHODS, metavar="GAME", help=f"one of {', '.join(METHODS)}"
    )
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
    methods = METHODS[arguments.game]
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


if __name__ == "__main__":
    main()
