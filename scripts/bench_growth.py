"""Measures how the time of a search grows with its simulations in perfect information games.

Example:
    python scripts/bench_growth.py go7 gardner_chess
    python scripts/bench_growth.py go7 --updates 100

Searches SoG(s, c) from the start of a game, as a batch on one core, with a 2 x 64 MLP of random
weights. c is --per-update, or s / --updates: a regret update traverses the whole tree, so with a
fixed number of updates time grows linearly in s, and with a number in proportion to s
quadratically. Prints CPU milliseconds per simulation, less disturbed by other load than wall-clock
time; and for each game the exponent: the slope of log time over log s, by least squares. 1 is
linear.
"""

import functools
import statistics
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import jax
import numpy as np
from bench_mlp import mlp, mlp_params
from shared import game_text, script_parser, use_one_core, write_results

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.mesh import leaves_per_call
from gtcfr.root import start_of_game
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from sog.games import make
from sog.numbers import positive_integer

SIMULATIONS: Final = (100, 200, 400, 800, 1600, 3200)
HIDDEN: Final = (64, 64)
_RUNS: Final = 3


def seconds_of_search(
    text: str, simulations: int, per_update: float, batch: int
) -> tuple[float, float]:
    """Medians over some runs: CPU and wall-clock seconds of the whole batch."""
    game = make(text)
    params = mlp_params(game, HIDDEN, seed=0)
    evaluator = NetworkEvaluator(apply_fn=mlp, params=params, leaves_per_call=leaves_per_call())
    settings = SearchSettings(num_simulations=simulations, simulations_per_update=per_update)
    run = jax.jit(functools.partial(search, game, settings=settings))
    root, taken = start_of_game(game, batch_size=batch), list[tuple[float, float]]()
    for seed in range(_RUNS + 1):  # the first compiles
        began, worked = time.perf_counter(), time.process_time()
        found = run(evaluator=evaluator, root=root, key=jax.random.key(seed))
        jax.block_until_ready(found.policy)
        taken.append((time.process_time() - worked, time.perf_counter() - began))
    processor_time, clock = zip(*taken[1:], strict=True)
    return statistics.median(processor_time), statistics.median(clock)


def exponent(simulations: Sequence[int], seconds: Sequence[float]) -> float:
    """The exponent of time in the number of simulations."""
    return float(np.polyfit(np.log(simulations), np.log(seconds), 1)[0])


def main() -> None:
    """Runs the benchmark."""
    parser = script_parser(__doc__)
    parser.add_argument("games", nargs="+", type=game_text, metavar="GAME")
    parser.add_argument(
        "--simulations", nargs="+", type=positive_integer, default=list(SIMULATIONS), metavar="S"
    )
    parser.add_argument("--per-update", type=positive_integer, default=10, metavar="C")
    parser.add_argument("--updates", type=positive_integer, metavar="N")
    parser.add_argument("--batch", type=positive_integer, default=16, metavar="N")
    parser.add_argument("--json-out", type=Path, metavar="FILE")
    given = parser.parse_args()
    if len({*given.simulations}) < 2:
        parser.error(
            f"--simulations must be two or more different numbers, got {given.simulations}"
        )
    if given.updates and any(count % given.updates for count in given.simulations):
        parser.error(f"--simulations must be multiples of --updates, got {given.simulations}")
    use_one_core()
    games = {}
    for text in given.games:
        rows = []
        for simulations in given.simulations:
            c = simulations // given.updates if given.updates else given.per_update
            worked, clock = seconds_of_search(text, simulations, c, given.batch)
            per_simulation = 1000 * worked / (given.batch * simulations)
            print(
                f"{text}, SoG({simulations}, {c}): {per_simulation:.4f} ms per simulation",
                flush=True,
            )
            rows.append(
                {"simulations": simulations, "c": c, "processor_s": worked, "clock_s": clock}
            )
        power = exponent(given.simulations, [row["processor_s"] for row in rows])
        print(f"{text}: time grows with s by the power {power:.2f}", flush=True)
        games[text] = {"rows": rows, "exponent": power}
    if given.json_out is not None:
        write_results(given.json_out, games=games)


if __name__ == "__main__":
    main()
