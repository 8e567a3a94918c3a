"""Figure 3 of the paper on online outcome sampling (Lisy, Lanctot, Bowling 2015).

Example:
    python scripts/reproduce_oos.py liars_dice --simulations 100 1000 10000 --matches 60 \\
        --root-simulations 1000 10000 100000

Exploitability (half of NashConv, in thousandths of the game's unit) of one search of the whole
game, and of the sum of searches in matches against random play, see
`aggregate_method.py`. Mean over --seeds, with standard error. C of UCT is twice the
largest utility, as in the paper. --out writes PREFIX.json, again after each figure.
"""

import sys
import time
from collections.abc import Callable
from typing import Any, Final

import numpy as np
from aggregate_method import aggregate, at_the_root
from shared import game_text, prefix, script_parser, write_results

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.online.method import OnlineMethod, TreeSearch
from sog.games import make
from sog.players.methods import make_method
from sog.tabular import enumerate_public_tree

_ROOT_METHODS: Final = ("OOS", "UCT", "RM")


METHODS: Final = {
    "OOS": "oos(delta=0,epsilon=0.6)",
    "OOS-IST, delta 0.5": "oos(targeting=ist,delta=0.5)",
    "OOS-IST, delta 0.9": "oos(targeting=ist,delta=0.9)",
    "OOS-PST, delta 0.5": "oos(targeting=pst,delta=0.5)",
    "OOS-PST, delta 0.9": "oos(targeting=pst,delta=0.9)",
    "UCT": "ismcts(selection=uct,c=2,final=mixed)",
    "RM": "ismcts(selection=rm,gamma=0.2)",
}
"""Methods without budgets. Searches at the root are untargeted."""


def main() -> None:
    """Measures, prints tables, and writes JSON if requested."""
    parser = script_parser(__doc__)
    add = parser.add_argument
    add("game", type=game_text, metavar="GAME")
    add("--root-simulations", type=int, nargs="*", default=[], metavar="N", help="at the root")
    add("--simulations", type=int, nargs="*", default=[], metavar="N", help="per move of matches")
    add("--matches", type=int, default=60, metavar="N", help="per seed (default: 60)")
    add("--seeds", type=int, default=3, metavar="N", help="(default: 3)")
    add("--without", nargs="*", default=[], metavar="NAME", help="methods to leave out")
    add("--out", type=prefix, metavar="PREFIX", help="write PREFIX.json")
    arguments = parser.parse_args()
    if arguments.matches < 2:
        parser.error(
            f"--matches must be >= 2, so that both seats are played, got {arguments.matches}"
        )
    least = min([arguments.seeds, *arguments.root_simulations, *arguments.simulations])
    if least < 1:
        parser.error(f"--seeds and simulations must be >= 1, got {least}")
    game = make(arguments.game)
    tree = lay_out_histories(enumerate_public_tree(game))
    evaluator, histories = RowEvaluator(tree), HistoryGame(tree)
    if unknown := set(arguments.without) - set(METHODS):
        parser.error(f"--without must name some of {', '.join(METHODS)}, got {min(unknown)}")
    facts: dict[str, Any] = {"game": str(game), "matches": arguments.matches}

    def measure(part: str, text: str, run: Callable[[TreeSearch[Any], int], np.ndarray]) -> str:
        """One figure of a method with its budget."""
        method = make_method(text)
        assert isinstance(method, OnlineMethod)
        search, began = method.search(histories), time.perf_counter()
        policies = np.stack([run(search, seed) for seed in range(arguments.seeds)])
        found = np.asarray(evaluator.evaluate(policies).exploitability)
        line = {"search": str(method), "exploitability": found.tolist()}
        facts.setdefault(part, []).append({**line, "seconds": time.perf_counter() - began})
        if arguments.out:
            write_results(f"{arguments.out}.json", **facts)
        error = found.std(ddof=1) / np.sqrt(len(found)) if len(found) > 1 else 0
        print(f"{part}: {method} {1000 * found.mean():.0f}", file=sys.stderr, flush=True)
        return f"{1000 * found.mean():.0f} ± {1000 * error:.0f}"

    for part, budgets, run in (
        ("root", arguments.root_simulations, lambda s, seed: at_the_root(s, seed=seed)),
        (
            "aggregated",
            arguments.simulations,
            lambda s, seed: aggregate(s, arguments.matches, seed=seed),
        ),
    ):
        if not budgets:
            continue
        print(f"| {part} | {' | '.join(f'{n:,}' for n in budgets)} |")
        print("|---" * (1 + len(budgets)) + "|")
        for name, text in METHODS.items():
            if name in arguments.without or (part == "root" and name not in _ROOT_METHODS):
                continue
            cells = [measure(part, f"{text}:{budget}", run) for budget in budgets]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
