"""Exact values of simultaneous moves by three solvers and by CFR+, and the savings of pruning.

Example:
    python scripts/reproduce_backward_induction.py --out docs/results/data/backward_induction.json

Compares BI, BI-alpha-beta and DO-alpha-beta (Bosansky et al. 2016, Algorithms 1 to 4) with 10,000
iterations of CFR+. Random games and pursuits are solved for several seeds and lengths. Seconds are
of one core, with the game in memory; a linear program takes about a millisecond.
"""

import dataclasses
import time
from pathlib import Path
from typing import Any, Final

from shared import game_text, script_parser, write_results

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.simultaneous.backward_induction import ExactSolver
from sog.games import make
from sog.players.player import Host
from sog.tabular import compile_game, enumerate_public_tree, solve

GAMES: Final = (
    "goofspiel(cards=4)",
    "goofspiel(cards=4,payoff=diff)",
    "goofspiel(cards=4,order=random)",
    "goofspiel(cards=4,order=random,payoff=diff)",
    "goofspiel(cards=5)",
    "goofspiel(cards=5,payoff=diff)",
    "oshi_zumo(coins=7,size=1)",
    "oshi_zumo(coins=7,size=2)",
    "oshi_zumo(coins=8,size=1)",
    *(f"random_game(actions=3,rounds=4,seed={seed})" for seed in range(3)),
    *(f"random_game(actions=5,rounds=3,seed={seed})" for seed in range(3)),
    "random_game(actions=3,rounds=4,payoff=sign)",
    "tron(rows=3,columns=4)",
    "tron(rows=4,columns=4)",
    "pursuit_evasion(moves_to_survive=3)",
    "pursuit_evasion(rows=3,columns=4,moves_to_survive=3)",
)
SOLVERS: Final = {
    "BI": "none",
    "BI-alpha-beta": "alpha_beta",
    "DO-alpha-beta": "double_oracle",
}
_ITERATIONS: Final = 10_000  # of CFR+


def measure(text: str) -> dict[str, Any]:
    """Solves one game by all solvers."""
    tree = enumerate_public_tree(make(text))
    histories = lay_out_histories(tree)
    evaluator = RowEvaluator(histories)
    found: dict[str, Any] = {"game": text, "histories": len(histories.histories.facts)}
    for name, pruning in SOLVERS.items():
        began = time.perf_counter()
        solver = ExactSolver(pruning, histories, Host())
        seconds = time.perf_counter() - began
        evaluation = evaluator.evaluate(solver.policy()[None])
        found[name] = {
            "value": solver.value,
            "exploitability": float(evaluation.exploitability[0]),
            "seconds": seconds,
            **dataclasses.asdict(solver.counts),
        }
    solution = solve(compile_game(tree), iterations=_ITERATIONS)
    last = solution.checkpoints[-1]
    found["CFR+"] = {"value": last.value, "exploitability": last.exploitability}
    return found


def main() -> None:
    """Measures all games, and prints a line for each."""
    parser = script_parser(__doc__)
    add = parser.add_argument
    add(
        "games",
        nargs="*",
        type=game_text,
        metavar="GAME",
        help="other games than those of the page",
    )
    add("--out", type=Path, metavar="FILE.json", help="write all figures")
    arguments = parser.parse_args()
    results = []
    for text in arguments.games or GAMES:
        found = measure(text)
        results.append(found)
        names = (*SOLVERS, "CFR+")
        values = ", ".join(f"{name} {found[name]['value']:.6f}" for name in names)
        work = ", ".join(
            f"{name} {found[name]['seconds']:.3f} s ({found[name]['states']} states, "
            f"{found[name]['programs']} programs)"
            for name in SOLVERS
        )
        print(f"{text}: {values}; {work}", flush=True)
        if arguments.out:
            write_results(arguments.out, iterations=_ITERATIONS, results=results)


if __name__ == "__main__":
    main()
