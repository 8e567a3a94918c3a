"""Counts kernels, loop conditions and memory of a search on a GPU, without a GPU.

Compiles the search SoG(s, 1) from the start of a game, with a 3 x 128 MLP at the leaves (if chance
has more than 64 outcomes, as in London, with a sample as large as decisions), ahead of time for the
GPU that `--target` describes. Counts its instructions outside of fusions, each about one kernel (or
copy) run in sequence; trip counts of loops are measured by running the same search on the CPU, with
a counter in every loop, for a batch of at most `--trips-batch`. Needs JAX's
CUDA plugin (pip install "jax[cuda12]", of the version of jax), but no GPU.

Example:
    python scripts/kernel_count.py --target h200.txtpb --games leduc --batches 64 1024

Columns, per phase, that is an update and a simulation:
    kernels          run in sequence.
    host reads       conditions of loops with unknown trip counts: the host waits for each,
                     unless the loops are in a command buffer.
    memory           arguments, results and temporaries of the whole search, as XLA says.
    searches/s       ESTIMATED: batch / (kernels x --kernel-us + reads x --condition-us); in
                     brackets without reads. A kernel with large results takes the time to read and
                     write as many bytes instead, at the bandwidth of the target.

A target is a text proto of XLA's GpuTargetConfigProto; XLA writes that of a GPU which is there with
XLA_FLAGS=--xla_dump_to=FOLDER (FOLDER/*.gpu_target_config.pbtxt).
"""

import argparse
import functools
import json
import math
import os
import re
import sys
from pathlib import Path
from typing import Any, Final, NoReturn
from unittest import mock

from shared import provenance, script_parser

GAMES: Final = ("leduc", "glasses", "connect_four", "london")
MANY_OUTCOMES: Final = 64
PHASES: Final = "search.py _all_phases"
"""The function of the loop over updates and simulations."""
Row = dict[str, Any]


def search_of(text: str, batch: int, simulations: int) -> tuple[Any, Any]:
    """The search as a function of arrays, and its arguments."""
    import jax
    from bench_mlp import mlp, mlp_params
    from bench_search import HIDDEN

    from gtcfr.evaluator import NetworkEvaluator
    from gtcfr.mesh import leaves_per_call
    from gtcfr.root import SearchRoot, start_of_game
    from gtcfr.search import SearchResult, search
    from gtcfr.settings import SearchSettings
    from sog.games import make

    game = make(text)
    settings = SearchSettings(
        num_simulations=simulations,
        max_outcomes=game.num_decision_outcomes if game.num_outcomes > MANY_OUTCOMES else None,
    )
    params = mlp_params(game, HIDDEN, seed=0)
    evaluator = NetworkEvaluator(
        apply_fn=mlp, params=params, leaves_per_call=leaves_per_call(accelerated=True)
    )

    def run(evaluator: NetworkEvaluator, root: SearchRoot, key: jax.Array) -> SearchResult:
        with mock.patch("gtcfr.shape.is_accelerated", return_value=True):  # as it will be there
            return search(game, evaluator=evaluator, root=root, key=key, settings=settings)

    return run, (evaluator, start_of_game(game, batch_size=batch), jax.random.key(0))


@functools.lru_cache
def trips_of(text: str, batch: int, simulations: int) -> tuple[tuple[float, float], ...]:
    """How often each loop starts and its body runs, measured on the CPU."""
    import jax
    from loop_trips import NumberedLoops

    run, inputs = search_of(text, batch, simulations)
    counts = jax.jit(NumberedLoops(run, *inputs).counted)(*inputs)[1]
    return tuple((float(starts), float(turns)) for starts, turns in counts)


def measure(device: Any, text: str, batch: int, arguments: argparse.Namespace) -> Row:
    """One row."""
    import jax
    from gpu_program import compile_for, cost_of, read_program
    from loop_trips import NumberedLoops

    simulations, trips_batch = arguments.simulations, min(batch, arguments.trips_batch)
    counts = trips_of(text, trips_batch, simulations)
    trips = {number: turns / max(starts, 1) for number, (starts, turns) in enumerate(counts)}
    run, inputs = search_of(text, batch, simulations)
    numbered = NumberedLoops(run, *inputs)  # in the same order: a batch size changes no equation
    compiled = compile_for(device, numbered.named, *jax.eval_shape(lambda *all: all, *inputs))
    least, per_byte = arguments.kernel_us * 1e-6, 2 / arguments.bandwidth
    cost = cost_of(
        read_program(compiled.as_text()), trips, lambda size: max(least, size * per_byte)
    )
    loops = numbered.loops
    phases = next(loop.number for loop in loops if loop.function == PHASES)
    inside = {phases}
    for loop in loops:  # inner loops come later
        if loop.parent in inside:
            inside.add(loop.number)
    per_phase = {
        number: kernels / simulations
        for number, kernels in cost.kernels_of_loop.items()
        if number in inside
    }
    memory = compiled.memory_analysis()
    reading = cost.conditions * arguments.condition_us * 1e-6
    return {
        "game": text,
        "batch": batch,
        "trips_batch": trips_batch,
        "kernels_per_phase": sum(per_phase.values()),
        "kernels_before_and_after": cost.kernels - simulations * sum(per_phase.values()),
        "conditions_per_phase": cost.conditions / simulations,
        "argument_bytes": memory.argument_size_in_bytes,
        "result_bytes": memory.output_size_in_bytes,
        "temporary_bytes": memory.temp_size_in_bytes,
        "estimated_searches_per_second": batch / (cost.seconds + reading),
        "estimated_searches_per_second_without_reads": batch / cost.seconds,
        "loops": [
            {
                "loop": loop.function,
                "number": loop.number,
                "inside": loop.parent,
                "starts": counts[loop.number][0],
                "trips_per_start": trips[loop.number],
                "kernels_per_phase": per_phase.get(loop.number, 0.0),
            }
            for loop in loops
            if loop.number in inside
        ],
    }


def print_rows(rows: list[Row]) -> None:
    """The rows as a table."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title="per update and simulation; searches/s are estimated")
    for name in ("game", "batch", "kernels", "host reads", "memory", "searches/s"):
        table.add_column(name, justify="left" if name == "game" else "right")
    for row in rows:
        memory = row["argument_bytes"] + row["result_bytes"] + row["temporary_bytes"]
        table.add_row(
            row["game"],
            str(row["batch"]),
            f"{row['kernels_per_phase']:,.0f}",
            f"{row['conditions_per_phase']:,.0f}",
            f"{memory / 2**20:,.0f} MiB",
            f"{row['estimated_searches_per_second']:,.0f} "
            f"({row['estimated_searches_per_second_without_reads']:,.0f})",
        )
    Console(width=None if sys.stdout.isatty() else 100).print(table)


def read_arguments() -> argparse.Namespace:
    """Reads the command line."""
    parser = script_parser(__doc__)
    parser.add_argument("--target", type=Path, required=True, metavar="FILE")
    parser.add_argument("--games", nargs="+", default=list(GAMES), metavar="GAME")
    parser.add_argument("--batches", nargs="+", type=int, default=[64, 1024, 4096], metavar="N")
    parser.add_argument("--simulations", type=int, default=100, metavar="S")
    parser.add_argument("--trips-batch", type=int, default=64, metavar="N")
    parser.add_argument("--kernel-us", type=float, default=4.0, metavar="US", help="default 4")
    parser.add_argument("--condition-us", type=float, default=12.0, metavar="US", help="default 12")
    parser.add_argument("--json", action="store_true", help="print JSON, with a list of all loops")
    arguments = parser.parse_args()
    least = {"batches": 1, "simulations": 1, "trips_batch": 1, "kernel_us": 1e-3, "condition_us": 0}
    for name, bound in least.items():
        said = getattr(arguments, name)
        smallest = min(said) if isinstance(said, list) else said
        if not bound <= smallest < math.inf:
            fail(f"--{name.replace('_', '-')} must be finite and >= {bound}, got {smallest}")
    return arguments


def fail(reason: str) -> NoReturn:
    """Exits with an error of one line."""
    sys.stderr.write(f"kernel_count.py: error: {reason}\n")
    sys.exit(2)


def main() -> None:
    """Counts."""
    arguments = read_arguments()
    os.environ["JAX_PLATFORMS"] = "cpu"  # trips are measured there, GPU or not
    os.environ["JAX_ENABLE_COMPILATION_CACHE"] = "false"  # nothing here can load such a program
    from gpu_program import TargetError, device_of

    from sog.games import make

    try:
        description = arguments.target.read_text()
        for text in arguments.games:
            make(text)
        device = device_of(description)
    except (OSError, ValueError, TargetError) as error:
        fail(str(error))
    stated = re.search(r"memory_bandwidth: (\d+)", description)
    if stated is None:
        fail(f"{arguments.target} does not state a memory_bandwidth")
    arguments.bandwidth = float(stated[1])
    rows = []
    for text in arguments.games:
        for batch in arguments.batches:
            sys.stderr.write(f"compiling {text}, batch {batch}\n")
            rows.append(measure(device, text, batch, arguments))
    if not arguments.json:
        print_rows(rows)
        return
    report = {
        **provenance(),
        "target": device.device_kind,
        "simulations": arguments.simulations,
        "kernel_us": arguments.kernel_us,
        "condition_us": arguments.condition_us,
        "rows": rows,
    }
    print(json.dumps(report, indent=2))


if __name__ == "__main__":
    main()
