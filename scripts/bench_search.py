"""Speed of batched searches, with the time of their own leaf evaluations as the floor.

Examples:
    make bench-search                       all of it; writes docs/results/data/bench_search.json
    python scripts/bench_search.py --games leduc --batches 64 --without-mctx
    python scripts/bench_search.py --games --without-growth --without-london --configured
                                            mctx alone
    python scripts/bench_search.py --games --without-growth --without-london --without-mctx \
        --configured go9_gpu chess_gpu --precision float32
                                            query solvers alone, their layers in 32 bits

The evaluator is a 3 x 128 MLP with random weights. Columns:
    searches/s, nodes/s    whole searches, and public states added to their trees.
    x floor                the time of a search divided by the floor: as many evaluations of the
                           same network and nothing else: one call per update, or calls as small
                           as those of the search; on one device or on all, the faster one.
    leaves                 the share of the time that the floor would take: 1 / (x floor).
    compile                tracing and compiling, without any cache.
    memory                 arguments, results and temporaries of the compiled search, as XLA says.

Searches share all devices: the GPUs, or the cores of a CPU (JAX_NUM_CPU_DEVICES=1 for one device).

More tables: how time grows with s, the simulations of a search (in theory as s squared with hidden
information, since all leaves are valued in every update); a decision in London by SoG(20, 1), of
chance a sample of 26 outcomes; a batch of the query solver of some configurations, with their own
networks, untrained, and their own rules (dcfr queries leaves once per player in an update); and
mctx's `muzero_policy` against our perfect information search, both in a process that has one core
of the CPU (more threads would gain one and hinder the other), with the same 2 x 64 MLP and the same
considered moves. Exponents are slopes of the logarithm of time, by least squares. Times are medians
of several runs after warm-up.
"""

import concurrent.futures
import dataclasses
import functools
import importlib.util
import itertools
import json
import multiprocessing
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from bench_mlp import measure_mctx, median_seconds, mlp, mlp_params
from jax import Array
from jax.sharding import Mesh, NamedSharding, PartitionSpec
from rich.console import Console
from rich.table import Table
from shared import game_text, provenance, script_parser, use_one_core

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.mesh import batch_mesh, leaves_per_call, on_all, split_batch
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from networks.cvpn import PRECISIONS, make_network
from selfplay.recipe import make_evaluator
from selfplay.runs.config import load_config
from sog.accelerators import is_accelerated
from sog.devices import use_all_cores, use_command_buffers
from sog.games import Game, make

Row = dict[str, Any]

CONFIGURED: Final = ("leduc", "liars_dice_1x6f", "glasses", "london_small", "connect_four")
GAMES: Final = ("leduc", "liars_dice", "glasses", "connect_four")
GROWTH: Final = (25, 50, 100, 200, 400)
LONDON_BATCHES: Final = (1, 16)
LONDON_SIMULATIONS: Final = 20
LONDON_OUTCOMES: Final = 26
HIDDEN: Final = (128, 128, 128)
MCTX_GAMES: Final = ("connect_four", "go7", "gardner_chess")
MCTX_SIMULATIONS: Final = (100, 400)
MCTX_HIDDEN: Final = (64, 64)
MCTX_BATCH: Final = 64
MCTX_PER_UPDATE: Final = (1, 10)


def floor_seconds(
    game: Game[Any],
    evaluator: NetworkEvaluator,
    num_updates: int,
    queries_per_update: int,
    queries_per_call: int,
    batch: int,
    mesh: Mesh,
) -> float:
    """The same evaluations alone: those of an update wait for the ones before, as in a search.

    Values are computed for all leaves of an update, a policy for one leaf per search of the batch.
    queries_per_call: of all devices; rounded up to whole calls.
    """
    per_call = -(-min(queries_per_call, queries_per_update) // mesh.size)
    num_calls = -(-queries_per_update // (per_call * mesh.size))
    num_policies = min(-(-batch // mesh.size), per_call)
    (num_features,) = jax.eval_shape(lambda: evaluator.encode(game, game.root())).shape
    shape = num_calls, mesh.size * per_call
    features = jax.random.normal(jax.random.key(0), (*shape, num_features))
    ranges = jnp.full((*shape, 2, game.num_infostates), 1 / game.num_infostates)

    def run(evaluator: NetworkEvaluator, features: Array, ranges: Array) -> Array:
        def values(queries: tuple[Array, Array]) -> Array:
            found: Array = evaluator.apply_fn(evaluator.params, *queries)[0]
            return found

        def update(_: Array, ranges: Array) -> Array:
            next_ranges = ranges + 1e-9 * jax.lax.map(values, (features, ranges))
            new = features[0, :num_policies], next_ranges[0, :num_policies]
            logits = evaluator.apply_fn(evaluator.params, *new)[1]
            changed: Array = next_ranges + 1e-9 * jnp.mean(logits)
            return changed

        result: Array = jax.lax.fori_loop(0, num_updates, update, ranges)
        return result

    split = PartitionSpec(None, *split_batch(mesh).spec)
    specs = (on_all(mesh).spec, split, split)
    spread = jax.jit(
        jax.shard_map(run, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)
    )
    evaluator = jax.device_put(evaluator, on_all(mesh))
    features, ranges = jax.device_put((features, ranges), NamedSharding(mesh, split))
    return median_seconds(lambda _: spread(evaluator, features, ranges))


def measure(
    text: str,
    batch: int,
    simulations: int,
    hidden: Sequence[int] = HIDDEN,
    mesh: Mesh | None = None,
    max_outcomes: int | None = None,
    per_update: float = 1.0,
) -> Row:
    """One row: SoG(simulations, per_update) from the start of a game. mesh: by default all
    devices."""
    game = make(text)
    params = mlp_params(game, hidden, seed=0)
    evaluator = NetworkEvaluator(apply_fn=mlp, params=params, leaves_per_call=leaves_per_call())
    settings = SearchSettings(
        num_simulations=simulations,
        simulations_per_update=per_update,
        max_outcomes=max_outcomes,
    )
    mesh = batch_mesh(batch) if mesh is None else mesh
    return {"game": text, **measure_search(game, evaluator, settings, batch, mesh)}


def measure_configured(name: str, precision: str | None = None) -> Row:
    """One row: a batch of the query solver of a configuration, with its network, untrained."""
    config = load_config(name)
    game, batch = make(config.game), config.solver.batch_size
    network = config.network
    if precision is not None:
        network = dataclasses.replace(network, precision=precision)
    evaluator = make_evaluator(*make_network(game, network))
    settings = config.solver.search
    return {"game": name, **measure_search(game, evaluator, settings, batch, batch_mesh(batch))}


def measure_search(
    game: Game[Any],
    evaluator: NetworkEvaluator,
    settings: SearchSettings,
    batch: int,
    mesh: Mesh,
) -> Row:
    """A batch of searches from the start of a game, and its floor."""
    of_all = jax.device_put(evaluator, on_all(mesh))
    root = jax.device_put(start_of_game(game, batch_size=batch), split_batch(mesh))
    began = time.perf_counter()
    compiled = (
        jax.jit(functools.partial(search, game, settings=settings, mesh=mesh))
        .lower(evaluator=of_all, root=root, key=jax.device_put(jax.random.key(0), on_all(mesh)))
        .compile()
    )
    compile_seconds = time.perf_counter() - began
    memory: Any = compiled.memory_analysis()  # None if a backend does not report it

    def run(seed: int) -> SearchResult:
        key = jax.device_put(jax.random.key(seed), on_all(mesh))
        result: SearchResult = compiled(evaluator=of_all, root=root, key=key)
        return result

    result = run(1)
    seconds = median_seconds(lambda seed: run(seed).policy)
    num_queries = float(np.mean(np.asarray(result.queries.num_seen)))
    # An alternating rule queries all leaves once for each player.
    num_updates = settings.num_updates * (2 if settings.cfr_rule.alternating else 1)
    per_update = max(1, round(num_queries * batch / num_updates))
    as_in_search = batch * (evaluator.leaves_per_call or per_update)
    floor = min(
        floor_seconds(game, evaluator, num_updates, per_update, per_call, batch, floor_mesh)
        for floor_mesh in {batch_mesh(1), mesh}
        for per_call in {per_update, as_in_search}
    )
    return {
        "batch": batch,
        "simulations": settings.num_simulations,
        "rule": settings.rule,
        "devices": mesh.size,
        "seconds": seconds,
        "searches_per_second": batch / seconds,
        "nodes_per_second": float(np.sum(np.asarray(result.tree.num_nodes))) / seconds,
        "queries_per_search": num_queries,
        "floor_seconds": floor,
        "times_floor": seconds / floor,
        "leaf_share": floor / seconds,
        "compile_seconds": compile_seconds,
        "memory_bytes": memory
        and mesh.size  # XLA reports one device
        * (memory.argument_size_in_bytes + memory.output_size_in_bytes + memory.temp_size_in_bytes),
    }


def exponent(rows: list[Row], name: str) -> float:
    """The exponent of time in a column."""
    sizes, seconds = zip(*((row[name], row["seconds"]) for row in rows), strict=True)
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def print_rows(console: Console, title: str, rows: list[Row]) -> None:
    """The rows as a table."""
    table = Table(title=title)
    for name in ("game", "s", "batch", "searches/s", "nodes/s", "x floor", "leaves", "compile"):
        table.add_column(name, justify="left" if name == "game" else "right")
    table.add_column("memory", justify="right")
    for row in rows:
        table.add_row(
            row["game"],
            str(row["simulations"]),
            str(row["batch"]),
            f"{row['searches_per_second']:,.0f}",
            f"{row['nodes_per_second']:,.0f}",
            f"{row['times_floor']:.2f}",
            f"{row['leaf_share']:.0%}",
            f"{row['compile_seconds']:.1f} s",
            f"{row['memory_bytes'] / 2**20:,.0f} MiB" if row["memory_bytes"] else "-",
        )
    console.print(table)


def main() -> None:
    """Runs the benchmark."""
    use_command_buffers()
    use_all_cores()
    parser = script_parser(__doc__)
    parser.add_argument("--games", nargs="*", type=game_text, default=list(GAMES), metavar="GAME")
    default_batches = [1, 64]
    if is_accelerated():
        default_batches += [1024, 4096]
    parser.add_argument("--batches", nargs="+", type=int, default=default_batches, metavar="N")
    parser.add_argument("--simulations", type=int, default=100, metavar="S")
    parser.add_argument("--without-growth", action="store_true", help="skip the table over s")
    parser.add_argument("--without-london", action="store_true", help="skip London")
    parser.add_argument(
        "--configured",
        nargs="*",
        default=list(CONFIGURED),
        metavar="CONFIG",
        help="query solvers of these configurations",
    )
    parser.add_argument(
        "--precision", choices=PRECISIONS, help="of their networks (default: as configured)"
    )
    parser.add_argument("--without-mctx", action="store_true", help="skip the comparison with mctx")
    parser.add_argument(
        "--cached",
        action="store_true",
        help="use the cache of JAX_COMPILATION_CACHE_DIR; then compile times are meaningless",
    )
    parser.add_argument("--json-out", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    # Compiling is measured.
    jax.config.update("jax_enable_compilation_cache", arguments.cached)
    for name, values in (("batches", arguments.batches), ("simulations", [arguments.simulations])):
        if min(values) < 1:
            parser.error(f"--{name} must be >= 1, got {min(values)}")
    console = Console(width=None if sys.stdout.isatty() else 110)
    device = jax.devices()[0]
    report: Row = {**provenance(), "device": f"{device.platform}: {device.device_kind}"}
    console.print(", ".join(str(value) for value in list(report.values())[1:]))
    report |= {"rows": [], "batch_exponents": {}, "growth": [], "london": [], "configured": []}
    report["mctx"] = []
    with console.status("") as status:
        for text in arguments.games:
            for batch in arguments.batches:
                status.update(f"{text}, batch {batch}")
                report["rows"].append(measure(text, batch, arguments.simulations))
                console.print(f"measured {text}, batch {batch}")
        if report["rows"]:
            print_rows(console, f"SoG({arguments.simulations}, 1), MLP 3 x 128", report["rows"])
        if arguments.games and len(arguments.batches) > 1:
            for text in arguments.games:
                rows = [row for row in report["rows"] if row["game"] == text]
                report["batch_exponents"][text] = exponent(rows, "batch")
            console.print(f"time grows with the batch by the power {report['batch_exponents']}")
        if not arguments.without_growth:
            for simulations in GROWTH:
                status.update(f"leduc, s = {simulations}")
                report["growth"].append(measure("leduc", 64, simulations))
            print_rows(console, "growth with s", report["growth"])
            report["growth_exponent"] = exponent(report["growth"], "simulations")
            console.print(f"time grows with s by the power {report['growth_exponent']:.2f}")
        if not arguments.without_london:
            for batch in LONDON_BATCHES:
                status.update(f"london, batch {batch}")
                report["london"].append(
                    measure("london", batch, LONDON_SIMULATIONS, max_outcomes=LONDON_OUTCOMES)
                )
            print_rows(console, "a decision in London", report["london"])
        for name in arguments.configured:
            status.update(f"the query solver of {name}")
            report["configured"].append(measure_configured(name, arguments.precision))
            console.print(f"measured {name}")
        if report["configured"]:
            print_rows(console, "query solvers as configured", report["configured"])
        if not arguments.without_mctx:
            status.update("mctx")
            report["mctx"] = compare_with_mctx(console)
    if arguments.json_out:
        arguments.json_out.parent.mkdir(parents=True, exist_ok=True)
        arguments.json_out.write_text(json.dumps(report, indent=2) + "\n")
        console.print(f"written to {arguments.json_out}")


def compare_with_mctx(console: Console) -> list[Row]:
    """Compares with mctx in games of perfect information; empty if mctx is not installed."""
    if importlib.util.find_spec("mctx") is None:
        console.print("mctx is not installed: pip install mctx")
        return []
    rows = []
    spawn = multiprocessing.get_context("spawn")
    for text, simulations in itertools.product(MCTX_GAMES, MCTX_SIMULATIONS):
        with concurrent.futures.ProcessPoolExecutor(1, spawn, use_one_core) as alone:
            found = alone.submit(measure_beside_mctx, text, simulations).result()
        for row in found:
            console.print(
                f"{text}, batch {MCTX_BATCH}, SoG({simulations}, {row['c']}), MLP 2 x 64: mctx "
                f"{row['mctx']['searches_per_second']:,.0f} searches/s, ours "
                f"{row['searches_per_second']:,.0f} searches/s: {row['times_mctx']:.2f}x its time"
            )
        rows += found
    return rows


def measure_beside_mctx(text: str, simulations: int) -> list[Row]:
    """Searches with some c, beside one by mctx, in this process."""
    theirs = measure_mctx(text, simulations, MCTX_BATCH, MCTX_HIDDEN)
    rows, mesh = [], batch_mesh(1)
    for per_update in MCTX_PER_UPDATE:
        ours = measure(text, MCTX_BATCH, simulations, MCTX_HIDDEN, mesh, per_update=per_update)
        ratio = ours["seconds"] / theirs["seconds"]
        rows.append(ours | {"c": per_update, "times_mctx": ratio, "mctx": theirs})
    return rows


if __name__ == "__main__":
    main()
