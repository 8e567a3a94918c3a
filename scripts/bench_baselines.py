"""Speed of the sampling methods next to OpenSpiel's C++, side by side in one run, on Leduc hold'em.

Example:
    python scripts/bench_baselines.py --json-out docs/results/data/bench_baselines.json

OpenSpiel runs one thing at a time on one core. Ours run many seeds (or searches) as one compiled
program, on one JAX device and with a device per core: the figure is their total throughput. An
iteration of outcome and external sampling is one game, or traversal, for each player; a simulation
of IS-MCTS is one game from the first decision. Contenders take turns, --repeats times; the figure
is the median, with minimum and maximum.
"""

import importlib.util
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np
from many_searches import ManySearches
from shared import script_parser, write_results

from sog.baselines.histories.arrays import HistoryTree
from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import LearningMethod, LearningRuns
from sog.baselines.online.is_mcts import IsMcts
from sog.devices import num_cores, use_all_cores
from sog.games import make
from sog.players.methods import make_method
from sog.tabular import enumerate_public_tree

GAME: Final = "leduc"
SPIEL_GAME: Final = "leduc_poker"
METHODS: Final = {"outcome_sampling": 512, "external_sampling": 256, "ismcts": 512}
"""Seeds that run at once."""
C: Final = 2.0  # chips
SIMULATIONS: Final = 1000
MIN_SECONDS: Final = 1.0

Contender = Callable[[int], int]
"""Does an amount of work; returns the number of iterations or simulations."""


def of_openspiel(name: str) -> Contender:
    """A method in C++."""
    import pyspiel

    game = pyspiel.load_game(SPIEL_GAME)
    if name == "ismcts":
        state = game.new_initial_state()
        for card in (0, 2):
            state.apply_action(card)
        visits = pyspiel.ISMCTSFinalPolicyType.NORMALIZED_VISIT_COUNT
        rollouts = pyspiel.RandomRolloutEvaluator(1, 1)
        bot = pyspiel.ISMCTSBot(1, rollouts, C, SIMULATIONS, -1, visits, False, False)

        def search(amount: int) -> int:
            for _ in range(amount):
                bot.get_policy(state)
            return amount * SIMULATIONS

        return search
    solvers = {
        "outcome_sampling": pyspiel.OutcomeSamplingMCCFRSolver,
        "external_sampling": pyspiel.ExternalSamplingMCCFRSolver,
    }
    solver = solvers[name](game, seed=1)

    def iterate(amount: int) -> int:
        for _ in range(amount):
            solver.run_iteration()
        return amount

    return iterate


def of_ours(name: str, tree: HistoryTree, runs: int, devices: int) -> Contender:
    """A method of this project."""
    if name == "ismcts":
        method = IsMcts(c=C / tree.histories.max_utility, budget=SIMULATIONS)
        searches = ManySearches(method, tree)
        rows, keys = np.zeros(runs, int), jax.random.split(jax.random.key(0), runs)

        def search(amount: int) -> int:
            for _ in range(amount):
                searches.search(rows, keys, devices)
            return amount * runs * SIMULATIONS

        return search
    learning: Any = make_method(name)
    assert isinstance(learning, LearningMethod)
    learner = LearningRuns(learning, tree, runs=runs, devices=devices)

    def iterate(amount: int) -> int:
        learner.run(amount)
        return amount * runs

    return iterate


def speed(contender: Contender) -> float:
    """Iterations or simulations per second, over at least `MIN_SECONDS`."""
    amount = 1
    while True:
        began = time.perf_counter()
        done = contender(amount)
        seconds = time.perf_counter() - began
        if seconds >= MIN_SECONDS:
            return done / seconds
        amount = max(amount + 1, int(1.2 * amount * MIN_SECONDS / seconds))


def measure(name: str, contenders: dict[str, Contender], repeats: int) -> list[dict[str, Any]]:
    """Measures contenders in turns, so that a busy moment of the machine affects all equally."""
    found: dict[str, list[float]] = {label: [] for label in contenders}
    for contender in contenders.values():
        contender(1)  # compiles
    for _ in range(repeats):
        for label, contender in contenders.items():
            found[label].append(speed(contender))
    theirs = statistics.median(found["OpenSpiel"]) if "OpenSpiel" in found else None
    rows = []
    for label, speeds in found.items():
        median = statistics.median(speeds)
        ratio = None if theirs is None else median / theirs
        rows.append(
            {
                "method": name,
                "contender": label,
                "per_second": median,
                "min": min(speeds),
                "max": max(speeds),
                "ratio": ratio,
            }
        )
        times = "" if ratio is None else f"{ratio:.2f}"
        spread = f"{min(speeds):,.0f} to {max(speeds):,.0f}"
        print(f"| {name} | {label} | {median:,.0f} | {spread} | {times} |", flush=True)
    return rows


def main() -> None:
    """Measures, prints a table, and writes JSON if requested."""
    parser = script_parser(__doc__)
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--repeats", type=int, default=5, help="turns (default: 5)")
    parser.add_argument("--json-out", type=Path, metavar="FILE", help="write the figures here")
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error(f"--repeats must be >= 1, got {arguments.repeats}")
    use_all_cores()
    tree, rows = lay_out_histories(enumerate_public_tree(make(GAME))), []
    cores = num_cores()
    print("| method | contender | per second | least to most | times OpenSpiel |")
    print("|---|---|---|---|---|")
    for name in arguments.methods:
        contenders: dict[str, Contender] = {}
        if importlib.util.find_spec("pyspiel") is not None:
            contenders["OpenSpiel"] = of_openspiel(name)
        runs = METHODS[name]
        for devices in sorted({1, cores}):
            label = f"sog, {runs} seeds, {devices} device{'s' if devices > 1 else ''}"
            contenders[label] = of_ours(name, tree, runs, devices)
        rows += measure(name, contenders, arguments.repeats)
    if arguments.json_out:
        write_results(arguments.json_out, game=GAME, rows=rows)


if __name__ == "__main__":
    main()
