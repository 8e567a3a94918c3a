"""Speed and memory of exact solutions of hold'em spots.

Examples:
    python scripts/bench_holdem.py                     everything, in one run
    python scripts/bench_holdem.py --spots river turn  some spots, printed only
    python scripts/bench_holdem.py --precision int16   regrets and sums in 16 bits, printed only

Every spot is solved from scratch until the exploitability of the average policies reaches a target
(percent of the pot), measured about every tenth iteration. Columns:
    iterations     until then.
    ms/iteration   of both players, without evaluations: wall-clock, and CPU time, which other load
                   disturbs less; on two cores wall-clock time can be half of it.
    seconds        wall-clock and CPU time, with evaluations, without compiling.
    compile        wall-clock seconds of tracing and compiling.
    kept           bytes of regrets and policy sums.
    memory         the peak of the process so far (the flop is last).

River: both ranges full, pot 100, 100 behind, bet half of the pot or all, a raise is all-in: 8
decisions. Rivers: 64 of these on random boards as one program, or 1000, for a GPU, which are
measured only on request. Turn: both ranges full, pot 100, 200 behind, bet the pot or
all, a raise is all-in, on both streets: 8 decisions, then 16 on 48 boards. Flop: Qs Jh 2h in a
3-bet pot, pot 10, 95 behind, bet the pot or all, raise half of it or all, with
ranges that public solvers were measured with.
"""

import json
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numpy as np
from shared import script_parser, write_results

from sog.games import make
from sog.holdem.game import Holdem
from sog.holdem.ranges import parse_range
from sog.holdem.spots import SpotSolver, spot_of
from sog.holdem.spots.tables import PRECISIONS, Precision
from sog.memory import bytes_of

_OUT: Final = Path("docs/results/data/bench_holdem.json")
_EVERY: Final = 10
_MOST: Final = 1000
_FIRST: Final = (
    "88+,AK,AQ,AJ,ATs,ATo:0.75,A9s,A8s,A5s-A2s:0.5,KQ,KJs,KJo:0.75,KTs,KTo:0.25,K9s,QJs,QJo:0.5,"
    "QTs,Q9s,JTs,JTo:0.25,J9s,J8s,T9s,T8s,T7s:0.45,98s,97s,96s:0.45,87s,86s:0.75,85s:0.45,76s:0.75,"
    "75s:0.75,74s:0.45,65s:0.75,64s:0.5,63s:0.45,54s:0.75,53s:0.5,52s:0.45,43s:0.5,42s:0.45,"
    "32s:0.45"
)
_SECOND: Final = (
    "AA:0.25,99-22,AQo,AJ,AT,A9,A8,A7s-A2s,KQ,KJ,KT,K9,K8s-K2s,QJ,QT,Q9,Q8s-Q2s,JT,J9,J8s-J6s,T9,"
    "T8s-T6s,98,97s,96s,95s:0.5,87s,86s,85s:0.5,76s,75s,74s:0.5,65s,64s,63s:0.5,54s,53s:0.5,43s"
)
_FOR_A_GPU: Final = "1000 rivers"
_TURN: Final = "bets=1/allin,raises=allin,caps=2"
_RIVER: Final = "pot=100,stack=100,bets=0.5/allin,raises=allin,caps=2"


def _solver(
    precision: Precision, text: str, first: str = "100%", second: str = "100%"
) -> SpotSolver:
    game = make(f"holdem({text})")
    assert isinstance(game, Holdem)
    ranges = np.stack([parse_range(first), parse_range(second)])
    return SpotSolver(spot_of(game), ranges, precision=precision)


def _rivers(precision: Precision, count: int) -> SpotSolver:
    game = make(f"holdem(board=KsTh7s4d2c,{_RIVER})")
    assert isinstance(game, Holdem)
    rng = np.random.default_rng(0)
    boards = [
        tuple(rng.choice(game.deck.num_cards, 5, replace=False).tolist()) for _ in range(count)
    ]
    ranges = np.ones((2, game.num_infostates))
    return SpotSolver(spot_of(game), ranges, boards=boards, precision=precision)


_SPOTS: Final[dict[str, tuple[Callable[[Precision], SpotSolver], float]]] = {
    "river": (lambda kept: _solver(kept, f"board=KsTh7s4d2c,{_RIVER}"), 0.1),
    "64 rivers": (lambda kept: _rivers(kept, 64), 0.1),
    _FOR_A_GPU: (lambda kept: _rivers(kept, 1000), 0.1),
    "turn": (lambda kept: _solver(kept, f"board=KsTh7s4d,pot=100,stack=200,{_TURN}"), 0.1),
    "flop": (
        lambda kept: _solver(
            kept,
            "board=QsJh2h,pot=10,stack=95,bets=1/allin,raises=0.5/allin",
            _FIRST,
            _SECOND,
        ),
        0.3,
    ),
}


def main() -> None:
    """Measures and prints; writes if it measures all spots."""
    parser = script_parser(__doc__)
    usual = [name for name in _SPOTS if name != _FOR_A_GPU]
    parser.add_argument("--spots", nargs="+", choices=list(_SPOTS), default=usual)
    parser.add_argument("--precision", choices=PRECISIONS, default=PRECISIONS[0])
    arguments = parser.parse_args()
    names = arguments.spots
    rows = {}
    for name in names:
        make_solver, percent = _SPOTS[name]
        rows[name] = measure(make_solver, percent, arguments.precision)
        print(name, json.dumps(rows[name]), flush=True)
    if names == usual and arguments.precision == PRECISIONS[0]:
        write_results(_OUT, spots=rows)


def measure(
    make_solver: Callable[[Precision], SpotSolver], percent: float, precision: Precision
) -> dict[str, Any]:
    """Solves a spot; returns the columns."""
    began = time.perf_counter()
    solver = make_solver(precision)
    setup = time.perf_counter() - began
    solver.warm_up()
    solver.exploitability()
    compiled = time.perf_counter() - began - setup
    wall, cpu, began = 0.0, 0.0, time.perf_counter()
    began_cpu = time.process_time()
    path: list[tuple[int, float]] = []
    while solver.iteration < _MOST:
        before, before_cpu = time.perf_counter(), time.process_time()
        solver.run(_EVERY)
        wall += time.perf_counter() - before
        cpu += time.process_time() - before_cpu
        exploited = 100 * float(solver.exploitability().max()) / solver.spot.pot
        path.append((solver.iteration, exploited))
        if exploited <= percent:
            break
    return {
        "rule": solver.rule.summary,
        "decisions": [street.num_decisions for street in solver.layout.streets],
        "boards": [level.size for level in solver.boards],
        "hands": [int(held.sum()) for held in solver.hands.is_held],
        "target_percent": percent,
        "kept_bytes": bytes_of(solver.memory),
        "iterations": solver.iteration,
        "ms_per_iteration": 1000 * wall / solver.iteration,
        "cpu_ms_per_iteration": 1000 * cpu / solver.iteration,
        "seconds": time.perf_counter() - began,
        "cpu_seconds": time.process_time() - began_cpu,
        "setup_seconds": setup,
        "compile_seconds": compiled,
        "peak_bytes": 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        "value": float(solver.values(0)[0]),
        "path": path,
    }


if __name__ == "__main__":
    main()
