"""Table S5 of Student of Games: IS-MCTS in Leduc poker, an independent search at every infostate.

Example:
    python scripts/reproduce_is_mcts.py --simulations 1000 --out docs/results/data/is_mcts/table_s5

Prints exploitability in mbb per hand, the mean of --policies constructions with standard error, for
three final policies: normalized visit counts (mvd), most visits (mvis), largest mean value (mval),
with the paper's numbers. All searches of a construction are one compiled program.
"""

import time
from typing import Final

import jax
import numpy as np
from many_searches import ManySearches, final_policy
from shared import game_text, prefix, script_parser, write_results

from sog.baselines.histories.layout import lay_out_histories
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.online.is_mcts import IsMcts
from sog.devices import use_all_cores
from sog.games import make
from sog.tabular import enumerate_public_tree

FINALS: Final = {"mvd": "mixed", "mvis": "visits", "mval": "value"}
PAPER: Final[dict[tuple[int, float], tuple[int, int, int]]] = {
    (10, 1.0): (2168, 2449, 2173),
    (10, 2.0): (2058, 2408, 2341),
    (10, 5.0): (1902, 2615, 2517),
    (10, 10.0): (1738, 2555, 2360),
    (10, 13.0): (1799, 2517, 2598),
    (10, 20.0): (1821, 2830, 2349),
    (10, 26.0): (1888, 2861, 2669),
    (100, 1.0): (1489, 1509, 1333),
    (100, 2.0): (1404, 1587, 1395),
    (100, 5.0): (1239, 1145, 1094),
    (100, 10.0): (1213, 1195, 1245),
    (100, 13.0): (1218, 1292, 1227),
    (100, 20.0): (1350, 1456, 1342),
    (100, 26.0): (1448, 1747, 1568),
    (1000, 1.0): (1323, 1218, 1177),
    (1000, 2.0): (1069, 1212, 864),
    (1000, 5.0): (699, 778, 681),
    (1000, 10.0): (697, 601, 632),
    (1000, 13.0): (741, 759, 744),
    (1000, 20.0): (859, 962, 991),
    (1000, 26.0): (966, 1029, 1057),
    (10000, 1.0): (1348, 948, 1134),
    (10000, 2.0): (911, 877, 763),
    (10000, 5.0): (516, 582, 538),
    (10000, 10.0): (490, 485, 480),
    (10000, 13.0): (511, 465, 470),
    (10000, 20.0): (572, 505, 505),
    (10000, 26.0): (631, 575, 570),
}
"""(simulations, C) -> mbb for mvd, mvis, mval."""


def construct(game: str, simulations: int, c: float, policies: int) -> dict[str, list[float]]:
    """Exploitability, by final policy, of policies composed of independent searches.

    c: in the unit of the game.
    """
    tree = lay_out_histories(enumerate_public_tree(make(game)))
    method = IsMcts(c=c / tree.histories.max_utility, budget=simulations)
    searches, evaluator = ManySearches(method, tree), RowEvaluator(tree)
    rows = np.arange(tree.histories.num_rows)
    parts = []
    for number in range(policies):
        key = jax.random.fold_in(jax.random.key(simulations), number)
        parts.append(searches.search(rows, jax.random.split(key, len(rows))))
    found = jax.tree.map(lambda *leaves: np.concatenate(leaves), *parts)
    exploitability = {}
    for name, final in FINALS.items():
        table = final_policy(final, found).reshape(policies, tree.histories.num_rows, -1)
        table = np.pad(table, ((0, 0), (0, 1), (0, 0)))  # for the line behind the rows
        exploitability[name] = evaluator.evaluate(table).exploitability.tolist()
    return exploitability


def main() -> None:
    """Measures all of the paper's settings at these numbers of simulations."""
    parser = script_parser(__doc__)
    parser.add_argument("--simulations", type=int, nargs="+", default=[10, 100, 1000])
    parser.add_argument("--policies", type=int, default=5, help="constructions (default: 5)")
    parser.add_argument("--game", type=game_text, default="leduc")
    parser.add_argument("--out", type=prefix, metavar="PREFIX", help="write PREFIX.json")
    arguments = parser.parse_args()
    if arguments.policies < 1 or min(arguments.simulations) < 1:
        parser.error("--policies and --simulations must be >= 1")
    use_all_cores()
    results = []
    print("| simulations | C | mvd | paper | mvis | paper | mval | paper | seconds |")
    print("|---|---|---|---|---|---|---|---|---|")
    for (simulations, c), paper in PAPER.items():
        if simulations not in arguments.simulations:
            continue
        began = time.perf_counter()
        found = construct(arguments.game, simulations, c, arguments.policies)
        seconds = time.perf_counter() - began
        cells = []
        for values, quoted in zip(found.values(), paper, strict=True):
            milli = 1000 * np.array(values)
            error = milli.std(ddof=min(1, len(milli) - 1)) / np.sqrt(len(milli))
            cells += [f"{milli.mean():.0f} ± {error:.0f}", str(quoted)]
        print(f"| {simulations} | {c:g} | {' | '.join(cells)} | {seconds:.1f} |", flush=True)
        results.append(
            {
                "simulations": simulations,
                "c": c,
                "exploitability": found,
                "paper_mbb": dict(zip(FINALS, paper, strict=True)),
                "seconds": seconds,
            }
        )
        if arguments.out:
            facts = {"game": arguments.game, "policies": arguments.policies}
            write_results(f"{arguments.out}.json", **facts, results=results)


if __name__ == "__main__":
    main()
