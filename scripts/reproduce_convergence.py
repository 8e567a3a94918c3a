"""Convergence of methods compared with figures of three papers, over simulated games.

Examples:
    python scripts/reproduce_convergence.py kuhn --runs 50 --episodes 20000000
    python scripts/reproduce_convergence.py leduc --runs 5 --episodes 500000000    # days
    python scripts/reproduce_convergence.py "goofspiel(cards=4,order=random,payoff=wl)" \\
        --runs 100 --episodes 100000
    python scripts/reproduce_convergence.py leduc --sweep q_learning dqn
    python scripts/reproduce_convergence.py leduc --sweep a2c --only actor_rate=0.001 --runs 3

Kuhn poker and Leduc hold'em: figures 1 and 2 of the Smooth UCT paper (Heinrich and Silver 2015),
each method with the best parameters of the paper. Its exploitability is the NashConv of average
policies. (For Kuhn poker it has the squared error to the closest equilibrium instead.)

Small Goofspiel, point cards shuffled: figure 4 of the paper on simultaneous-move MCTS (Lanctot,
Lisy, Winands 2013), what each selection learns from the root. Constants are those tuned for 13
cards (its table 1; `sog.baselines.simultaneous.selection`). OOS is outcome sampling, SM-OOS that of
the journal, both with all states in memory from the start.

With --sweep, figure S4 of Student of Games: DQN, A2C and tabular Q-learning. Sweeps part of Table
S6, as the paper did, and A2C's entropy bonus, which the table lacks. Shows for each method the
setting whose policy was least exploitable in the last third of training, on average over the runs.
Half of NashConv, in mbb; the curves are those of the best settings.

Prints mean, minimum and maximum over the runs; --out writes PREFIX.json and PREFIX.png, again after
each method or setting.
"""

import argparse
import itertools
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from shared import prefix, script_parser, write_results

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
_POINTS: Final = 24
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
SWEEP: Final[dict[str, dict[str, tuple[float, ...]]]] = {
    "q_learning": {"step_size": (0.1, 0.2, 0.5, 0.8, 1.0)},
    "dqn": {"learning_rate": (0.01, 0.001, 0.0001), "epsilon": (1.0, 0.5, 0.1)},
    "a2c": {
        "actor_rate": (0.001, 0.0001, 0.00001),
        "critic_rate": (0.01, 0.001),
        "critic_updates": (4, 16),
        "entropy": (0.001, 0.01, 0.02, 0.04, 0.08),
    },
}
"""Of Table S6; DQN has one layer of 64 units and 10,000 decisions in memory, A2C one of 64."""
PAPER_MBB: Final = {
    "kuhn": {"q_learning": 250, "dqn": 250, "a2c": 52},
    "leduc": {"q_learning": 1300, "dqn": 900, "a2c": 78},
}


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


def write(
    arguments: argparse.Namespace,
    facts: dict[str, Any],
    drawn: dict[str, Any],
    x: str,
    y: str,
    y_label: str,
) -> None:
    """Writes facts as JSON, and draws results by name, from the columns x and y of their points."""
    devices = {"devices": jax.device_count(), "game": arguments.game, "runs": arguments.runs}
    write_results(f"{arguments.out}.json", **devices, **facts)
    curves = []
    for name, result in drawn.items():
        points = [p for p in result["points"] if p[x] >= _FIRST_SHOWN] or result["points"]
        found = [point[y] for point in points]
        curves.append(
            Curve(
                label=name,
                x=[point[x] for point in points],
                mean=[*map(statistics.fmean, found)],
                low=[*map(min, found)],
                high=[*map(max, found)],
            )
        )
    plot_curves(
        Path(f"{arguments.out}.png"),
        curves,
        title=f"{arguments.game}: mean, least and most of {arguments.runs} runs",
        x_label="simulated games",
        y_label=y_label,
    )


def sweep(
    arguments: argparse.Namespace, settings: list[tuple[str, str]], tree: HistoryTree
) -> None:
    """Learns by each setting, a name and a method, and prints the best of each name."""
    evaluator, results = RowEvaluator(tree), list[Any]()
    best: dict[str, Any] = {}
    for name, text in settings:
        method = make_method(text)
        assert isinstance(method, LearningMethod)
        learner, points = LearningRuns(method, tree, runs=arguments.runs), []
        per_iteration = method.episodes_per_iteration or 1
        began = time.perf_counter()
        for number in range(1, _POINTS + 1):
            goal = arguments.episodes * number // (_POINTS * per_iteration)
            learner.run(goal - learner.iteration)
            found = 1000 * np.asarray(evaluator.evaluate(learner.policies()).exploitability)
            points.append({"games": goal * per_iteration, "mbb": found.tolist()})
        late = np.mean([point["mbb"] for point in points[-_POINTS // 3 :]], axis=0)
        result = {
            "name": name,
            "method": text,
            "late_mbb": late.tolist(),
            "seconds": time.perf_counter() - began,
            "points": points,
        }
        results.append(result)
        best[name] = min(best.get(name, result), result, key=lambda r: np.mean(r["late_mbb"]))
        print(f"{text}: {late.mean():.0f} mbb", file=sys.stderr, flush=True)
        if arguments.out:
            facts = {
                "paper_mbb": PAPER_MBB[arguments.game],
                "best": {name: result["method"] for name, result in best.items()},
                "results": results,
            }
            write(arguments, facts, best, "games", "mbb", "exploitability (mbb per hand)")
    for name, result in best.items():
        late, paper = np.array(result["late_mbb"]), PAPER_MBB[arguments.game][name]
        error = late.std(ddof=min(1, len(late) - 1)) / len(late) ** 0.5
        print(
            f"{result['method']}: {late.mean():.0f} +- {error:.0f} mbb, paper about {paper}, "
            f"ratio {late.mean() / paper:.2f}"
        )


def _settings(methods: list[str], only: dict[str, str]) -> list[tuple[str, str]]:
    """Each method with each combination of values, as (name, its text)."""
    found = []
    for name in methods:
        for values in itertools.product(*SWEEP[name].values()):
            pairs = {k: str(v) for k, v in zip(SWEEP[name], values, strict=True)}
            if all(pairs.get(k, v) == v for k, v in only.items()):
                found.append((name, f"{name}({','.join(f'{k}={v}' for k, v in pairs.items())})"))
    return found


def main() -> None:
    """Runs all methods of a game, and prints the last figure of each."""
    parser = script_parser(__doc__)
    parser.add_argument(
        "game", choices=METHODS, metavar="GAME", help=f"one of {', '.join(METHODS)}"
    )
    parser.add_argument("--runs", type=int, default=8, help="independent runs (default: 8)")
    parser.add_argument("--episodes", type=int, help="games (default: 1000000, of a sweep 400000)")
    parser.add_argument(
        "--methods", nargs="+", metavar="NAME", help="of the paper, or as typed for sog run"
    )
    parser.add_argument(
        "--out", type=prefix, metavar="PREFIX", help="write PREFIX.json and PREFIX.png"
    )
    parser.add_argument("--sweep", nargs="+", choices=SWEEP, default=[], help="figure S4")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME=VALUE", help="leave out other values of it"
    )
    arguments = parser.parse_args()
    if arguments.episodes is None:
        arguments.episodes = 400_000 if arguments.sweep else 1_000_000
    least = _POINTS * 16 if arguments.sweep else 1
    if arguments.runs < 1 or arguments.episodes < least:
        parser.error(f"--runs must be >= 1 and --episodes >= {least}")
    if arguments.sweep:
        settings = _settings(arguments.sweep, dict(pair.split("=") for pair in arguments.only))
        if arguments.game not in PAPER_MBB or not settings:
            known = ", ".join(PAPER_MBB)
            parser.error(f"--sweep needs {known}, and --only values of SWEEP in this file")
        use_all_cores()
        sweep(arguments, settings, lay_out_histories(enumerate_public_tree(make(arguments.game))))
        return
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
            label = f"NashConv ({make(arguments.game).unit})"
            write(arguments, {"results": results}, results, "episodes", "nash_conv", label)
    for name, result in results.items():
        last = result["points"][-1]
        found = np.array(last["nash_conv"])
        deviation = found.std(ddof=min(1, len(found) - 1)) / np.sqrt(len(found))
        print(
            f"{name}: NashConv {found.mean():.5f} +- {deviation:.5f} at {last['episodes']:,} games"
        )


if __name__ == "__main__":
    main()
