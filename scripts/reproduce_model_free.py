"""Figure S4 of Student of Games: DQN, A2C and tabular Q-learning on Kuhn poker and Leduc hold'em.

Examples:
    python scripts/reproduce_model_free.py kuhn --out docs/results/data/model_free/kuhn
    python scripts/reproduce_model_free.py leduc --methods q_learning dqn
    python scripts/reproduce_model_free.py leduc --methods a2c --only actor_rate=0.001 --runs 3

Sweeps part of Table S6, as the paper did, and A2C's entropy bonus, which the table lacks. Shows for
each method the setting whose policy was least exploitable in the last third of training, on average
over the runs. Half of NashConv, in mbb. With --out, PREFIX.json has all settings and PREFIX.png the
curves of the best ones, written again after each setting.
"""

import argparse
import itertools
import json
import sys
import time
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from shared import provenance, script_parser

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import LearningMethod, LearningRuns, RowEvaluator
from sog.devices import use_all_cores
from sog.drawing.figure import Curve, plot_curves
from sog.games import make
from sog.players.methods import make_method
from sog.tabular import enumerate_public_tree

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
_POINTS: Final = 24


def main() -> None:
    """Runs all settings and prints the best ones."""
    parser = script_parser(__doc__)
    parser.add_argument("game", choices=PAPER_MBB)
    parser.add_argument("--methods", nargs="+", choices=SWEEP, default=list(SWEEP))
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="NAME=VALUE", help="leave out all other values"
    )
    parser.add_argument("--runs", type=int, default=8, help="runs per setting (default: 8)")
    parser.add_argument(
        "--games", type=int, default=400_000, help="games to learn from (default: 400000)"
    )
    parser.add_argument("--out", metavar="PREFIX", help="write PREFIX.json and PREFIX.png")
    arguments = parser.parse_args()
    if arguments.runs < 1 or arguments.games < _POINTS * 16:
        parser.error(f"--runs must be >= 1 and --games >= {_POINTS * 16}")
    settings = _settings(arguments.methods, dict(pair.split("=") for pair in arguments.only))
    if not settings:
        parser.error("--only leaves no setting; values are those of SWEEP in this file")
    use_all_cores()
    tree = lay_out_histories(enumerate_public_tree(make(arguments.game)))
    evaluator, results = RowEvaluator(tree), []
    best: dict[str, Any] = {}
    for name, text in settings:
        method = make_method(text)
        assert isinstance(method, LearningMethod)
        learner, points = LearningRuns(method, tree, runs=arguments.runs), []
        per_iteration = method.episodes_per_iteration or 1
        began = time.perf_counter()
        for number in range(1, _POINTS + 1):
            goal = arguments.games * number // (_POINTS * per_iteration)
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
            _write(arguments, results, best)
    for name, result in best.items():
        late, paper = np.array(result["late_mbb"]), PAPER_MBB[arguments.game][name]
        error = late.std() / len(late) ** 0.5
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


def _write(arguments: argparse.Namespace, results: list[Any], best: dict[str, Any]) -> None:
    facts = {
        **provenance(),
        "devices": jax.device_count(),
        "game": arguments.game,
        "paper_mbb": PAPER_MBB[arguments.game],
        "best": {name: result["method"] for name, result in best.items()},
        "results": results,
    }
    Path(f"{arguments.out}.json").write_text(json.dumps(facts) + "\n")
    curves = [
        Curve.of_samples(
            name, *([point[key] for point in result["points"]] for key in ("games", "mbb"))
        )
        for name, result in best.items()
    ]
    plot_curves(
        Path(f"{arguments.out}.png"),
        curves,
        title=f"{arguments.game}: mean, least and most of {arguments.runs} runs",
        x_label="games",
        y_label="exploitability (mbb per hand)",
    )


if __name__ == "__main__":
    main()
