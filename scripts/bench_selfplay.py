"""Speed of training: its parts, and the query solver compared with ReBeL's.

Examples:
    make bench-selfplay                 writes docs/results/data/bench_selfplay.json
    python scripts/bench_selfplay.py --config kuhn --seconds 20

First two tables: training by each schedule (inline, processes), after its programs are compiled and
its replay window has examples, for some seconds: games, searches, solved queries and learner steps
per second, and the seconds of work of each part per wall-clock second, its share of the time if
parts take turns.

Third table: subgames solved per second and processor core with the setting that ReBeL's authors
give for 1 die, 4 faces: 1024 half-iterations (each updates one player; 512 updates of ours, which
update both), a look-ahead of 2 public events below the root that does not grow, a 2 x 256 MLP at
the leaves. They report 6.5 per second and core of a server processor with a C++ program and their
own network; our figure is for this machine.
"""

import functools
import json
import statistics
import sys
import time
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
from rich.console import Console
from rich.table import Table
from shared import provenance, script_parser

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.mesh import batch_mesh, leaves_per_call, on_all, split_batch
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, make_network
from selfplay.loop import InlineSchedule
from selfplay.processes import process_schedule
from selfplay.runs.config import load_config
from selfplay.schedule import PARTS, Schedule
from sog.devices import num_cores, use_all_cores, use_command_buffers
from sog.games import make

Row = dict[str, Any]

REBEL_GAME: Final = "liars_dice(dice=1,faces=4)"
REBEL_HALF_ITERATIONS: Final = 1024
REBEL_SUBGAMES_PER_CORE_SECOND: Final = 6.5
REBEL_NETWORK: Final = NetworkSettings(torso="mlp", width=256, depth=2)
CAPACITY: Final = 64  # the root of that game has 8 children, and these have 28
BATCH: Final = 64
WARM_UP_STEPS: Final = 200  # until every worker has compiled its programs
MIN_RUNS: Final = 5


def measure_training(name: str, seconds: float) -> list[Row]:
    """Rates and shares of a training run, by each schedule; one worker per core."""
    config = load_config(name)
    game = make(config.game)
    rows = [measure_schedule("inline", InlineSchedule(game, config), seconds)]
    workers = num_cores()
    with process_schedule(game, config, None, workers) as training:
        measured = measure_schedule("processes", training, seconds)
        rows.append(measured | {"workers": workers})
    return [{"config": name} | row for row in rows]


def measure_schedule(name: str, training: Schedule, seconds: float) -> Row:
    """Rates and shares of a new training run."""
    while training.learner.step < WARM_UP_STEPS:
        training.cycle()
    before = counts_of(training)
    began = time.perf_counter()
    while time.perf_counter() - began < seconds:
        training.cycle(until=training.learner.step + training.config.run.steps)
    passed = time.perf_counter() - began
    new = {key: value - before[key] for key, value in counts_of(training).items()}
    row: Row = {"schedule": name, "seconds": passed}
    row |= {
        f"{key}_per_second": new[key] / passed for key in ("games", "searches", "solves", "steps")
    }
    return row | {f"{part}_share": new[part] / passed for part in PARTS}


def counts_of(training: Schedule) -> dict[str, float]:
    """Counts so far, and the seconds of each part."""
    return {**training.counts, **training.seconds, "steps": training.learner.step}


def measure_rebel() -> Row:
    """Subgames per second of the query solver with ReBeL's setting, from the root."""
    game = make(REBEL_GAME)
    apply_fn, params = make_network(game, REBEL_NETWORK)
    evaluator = NetworkEvaluator(
        apply_fn=apply_fn, params=params, leaves_per_call=leaves_per_call()
    )
    settings = SearchSettings(
        num_simulations=REBEL_HALF_ITERATIONS // 2, lookahead=2, grow=False, capacity=CAPACITY
    )
    mesh = batch_mesh(BATCH)
    run: Any = jax.jit(functools.partial(search, game, settings=settings, mesh=mesh))
    evaluator = jax.device_put(evaluator, on_all(mesh))
    root = jax.device_put(start_of_game(game, batch_size=BATCH), split_batch(mesh))
    times = []
    for seed in range(MIN_RUNS + 1):  # the first one compiles
        began = time.perf_counter()
        result: SearchResult = run(evaluator=evaluator, root=root, key=jax.random.key(seed))
        jax.block_until_ready(result.policy)
        times.append(time.perf_counter() - began)
    if bool(jnp.any(result.is_full)):
        raise SystemExit("the look-ahead does not fit: CAPACITY is too small.")
    cores = num_cores()
    per_second = BATCH / statistics.median(times[1:])
    return {
        "game": REBEL_GAME,
        "updates": settings.num_updates,
        "batch": BATCH,
        "cores": cores,
        "subgames_per_second": per_second,
        "subgames_per_core_second": per_second / cores,
        "rebel_subgames_per_core_second": REBEL_SUBGAMES_PER_CORE_SECOND,
        "ratio": per_second / cores / REBEL_SUBGAMES_PER_CORE_SECOND,
    }


def print_row(console: Console, title: str, row: Row) -> None:
    """One row as a table of names and values."""
    table = Table(
        box=None, show_header=False, padding=(0, 2, 0, 0), title=title, title_justify="left"
    )
    for name, value in row.items():
        table.add_row(name, f"{value:.3g}" if isinstance(value, float) else str(value))
    console.print(table)


def main() -> None:
    """Reads the options, measures, prints."""
    parser = script_parser(__doc__)
    parser.add_argument("--config", default="leduc", help="a configuration (default: leduc)")
    parser.add_argument("--seconds", type=float, default=60.0, help="of training (default: 60)")
    parser.add_argument("--json-out", type=Path, metavar="FILE", help="write the figures there")
    arguments = parser.parse_args()
    use_command_buffers()
    use_all_cores()
    console = Console(file=sys.stderr if arguments.json_out is None else sys.stdout)
    try:
        training = measure_training(arguments.config, arguments.seconds)
    except ValueError as error:
        parser.error(str(error))
    for row in training:
        print_row(console, f"training {arguments.config}, {row['schedule']}", row)
    rebel = measure_rebel()
    print_row(console, "query solver, ReBeL's setting", rebel)
    found = {
        "machine": provenance(),
        "training": training,
        "solver": rebel,
    }
    if arguments.json_out is None:
        print(json.dumps(found))
    else:
        arguments.json_out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
