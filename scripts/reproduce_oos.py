"""Figure 3 of the paper on online outcome sampling (Lisy, Lanctot, Bowling 2015), on smaller games.

Example:
    python scripts/reproduce_oos.py --game kuhn --simulations 100 1000 10000 --matches 60

Exploitability (half of NashConv, in thousandths of the game's unit) of what the searches of some
matches against random play add up to, see `sog.methods.aggregate`: the mean over --seeds and its
standard error. C of UCT is twice the largest utility, as in the paper.
"""

import argparse
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from machine import processor, versions

from sog.games import make
from sog.methods import make_method
from sog.methods.aggregate import aggregate
from sog.methods.layout import lay_out_histories
from sog.methods.learning import RowEvaluator
from sog.methods.online import OnlineMethod
from sog.tabular import enumerate_public_tree


def methods(max_utility: float) -> dict[str, str]:
    """What is compared, without budgets."""
    return {
        "OOS, not directed": "oos(delta=0)",
        "OOS-IST, delta 0.5": "oos(targeting=ist,delta=0.5)",
        "OOS-IST, delta 0.9": "oos(targeting=ist,delta=0.9)",
        "OOS-PST, delta 0.9": "oos(targeting=pst,delta=0.9)",
        "UCT": f"ismcts(selection=uct,c={2 * max_utility:g},final=mixed)",
        "RM": "ismcts(selection=rm,gamma=0.2,final=mixed)",
    }


def main() -> None:
    """Measures, prints a table, and writes it as JSON where asked."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", default="kuhn")
    parser.add_argument("--simulations", type=int, nargs="+", default=[100, 1000, 10_000])
    parser.add_argument("--matches", type=int, default=60, help="per seed (default: 60)")
    parser.add_argument("--seeds", type=int, default=3, help="(default: 3)")
    parser.add_argument("--out", metavar="PREFIX", help="write PREFIX.json")
    arguments = parser.parse_args()
    game = make(arguments.game)
    tree = lay_out_histories(enumerate_public_tree(game))
    evaluator = RowEvaluator(tree)
    results: list[dict[str, Any]] = []
    print(f"| search | {' | '.join(f'{n:,}' for n in arguments.simulations)} |")
    print("|---" * (1 + len(arguments.simulations)) + "|")
    for name, text in methods(game.max_utility).items():
        cells = []
        for simulations in arguments.simulations:
            method = make_method(f"{text}:{simulations}")
            assert isinstance(method, OnlineMethod)
            searcher, began = method.searcher(tree), time.perf_counter()
            policies = [
                aggregate(searcher, arguments.matches, seed=seed) for seed in range(arguments.seeds)
            ]
            found = np.asarray(evaluator.evaluate(np.stack(policies)).exploitability)
            results.append(
                {
                    "search": str(method),
                    "simulations": simulations,
                    "exploitability": found.tolist(),
                    "seconds": time.perf_counter() - began,
                }
            )
            error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else 0
            cells.append(f"{1000 * found.mean():.0f} ± {1000 * error:.0f}")
            print(name, simulations, cells[-1], file=sys.stderr, flush=True)
        print(f"| {name} | {' | '.join(cells)} |", flush=True)
    if arguments.out:
        facts = {
            "command": " ".join(["python", *sys.argv]),
            "processor": processor(),
            "cores": os.cpu_count(),
            "versions": versions(("jax", "jaxlib", "numpy")),
            "game": str(game),
            "matches": arguments.matches,
            "results": results,
        }
        Path(f"{arguments.out}.json").write_text(json.dumps(facts, indent=1) + "\n")


if __name__ == "__main__":
    main()
