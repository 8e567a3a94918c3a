"""Speed of exact solvers on whole games, side by side in one run: CFR+ of every contender.

Examples:
    make bench      everything; writes docs/results/data/bench_tabular.json
    python scripts/bench_tabular.py --games leduc --solvers openspiel --targets-mbb 10

Columns:
    iteration       one CFR+ iteration (both players), averaging included: the median of several
                    runs after warm-up, each run long enough to be timed well.
    x               how many times as fast as the first contender.
    N mbb           iterations until exploitability is at most N thousandths of a game unit (in
                    Leduc one unit is one chip, a big blind), a count without noise, times
                    `iteration`.
    exploit.        the exploitability of the average policy, once: the median of several.
    setup           until the first iteration is done: tree building and compilation.

The row "sog, batch of 64" solves 64 games at once; its iteration is the time divided by 64.
Below each table is the roofline of our solver: the bytes that XLA counts for one iteration, at the
bandwidth of adding 1 to an array of the same size in cache, against the measured time; and the
number of kernels, each of which takes a few tenths of a microsecond to launch.

A contender that is not installed is listed as such. LiteEFG requires an older JAX than this
project: `make bench` installs it separately; by hand, `pip install --no-deps LiteEFG` after
`pip install '.[bench]'`.
"""

import contextlib
import functools
import importlib.metadata
import importlib.util
import io
import json
import math
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, Protocol

from rich.console import Console
from rich.table import Table
from shared import provenance, script_parser

Row = dict[str, Any]

GAMES: Final = {"leduc": "leduc_poker", "liars_dice": "liars_dice"}
"""Our name -> OpenSpiel's, both with default parameters (liar's dice: one die each, six faces)."""
MBB_GAMES: Final = ("leduc",)
BATCH: Final = 64
MIN_RUN_SECONDS: Final = 0.5
CHECK_GROWTH: Final = 1.01  # checks exploitability after each 1% more iterations


class Contender(Protocol):
    """A new solver of one game."""

    def iterate(self, num_iterations: int) -> None:
        """Runs iterations of CFR+ with linear averaging, and waits for them."""

    def prepare(self) -> None:
        """Prepares the average policy for `exploitability`; not timed."""

    def exploitability(self) -> float:
        """Half of NashConv of the average policy, in game units."""


class OpenSpielCfrPlus:
    """OpenSpiel's C++ CFR+."""

    def __init__(self, game: str) -> None:
        """Builds the solver of one of `GAMES`."""
        import pyspiel

        self._exploitability = pyspiel.exploitability
        self._game = pyspiel.load_game(GAMES[game])
        self._solver = pyspiel.CFRPlusSolver(self._game)
        self._policy: Any = None

    def iterate(self, num_iterations: int) -> None:
        for _ in range(num_iterations):
            self._solver.evaluate_and_update_policy()

    def prepare(self) -> None:
        self._policy = self._solver.tabular_average_policy()

    def exploitability(self) -> float:
        return float(self._exploitability(self._game, self._policy))


class LiteEfgCfrPlus:
    """LiteEFG's CFR+ with its default of one thread, on OpenSpiel's game."""

    def __init__(self, game: str) -> None:
        """Builds the solver of one of `GAMES`."""
        import LiteEFG
        import pyspiel
        from LiteEFG.baselines import CFRplus

        with contextlib.redirect_stdout(io.StringIO()):  # it prints a greeting
            self._env = LiteEFG.OpenSpielEnv(pyspiel.load_game(GAMES[game]), "Enumerate")
            self._graph = CFRplus.graph()
        self._env.set_graph(self._graph)

    def iterate(self, num_iterations: int) -> None:
        for _ in range(num_iterations):
            self._graph.update_graph(self._env)
            self._env.update_strategy(self._graph.current_strategy())

    def prepare(self) -> None:
        pass

    def exploitability(self) -> float:
        strategy = self._graph.current_strategy()
        return float(sum(self._env.exploitability(strategy, "linear-avg-iterate"))) / 2


class SogCfrPlus:
    """Our CFR+ in 32-bit numbers, exploitability in 64-bit ones; a batch of equal solves."""

    def __init__(self, game: str, batch: int = 1) -> None:
        """Enumerates, compiles and starts the solver of one of `GAMES`."""
        import numpy as np

        from sog.games import make
        from sog.tabular import Solver, compile_tree

        compiled = compile_tree(make(game))
        root_reach = compiled.tree.node_mask[0].astype(np.float64)
        self._solver = Solver(compiled, "cfr+", root_reach=np.stack([root_reach] * batch, axis=-1))

    def iterate(self, num_iterations: int) -> None:
        self._solver.run(num_iterations)

    def prepare(self) -> None:
        pass

    def exploitability(self) -> float:
        return float(self._solver.evaluate().exploitability[0])


def timed(action: Callable[[], object]) -> float:
    """The seconds of a call."""
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def iterations_to_reach(solver: Contender, targets: list[float]) -> dict[float, int | None]:
    """The number of iterations until exploitability is at most each target, to within 1%."""
    reached: dict[float, int | None] = dict.fromkeys(targets)
    done = 0
    while None in reached.values() and done < 100_000:
        more = max(math.ceil(done * CHECK_GROWTH) - done, 1)
        solver.iterate(more)
        solver.prepare()
        done += more
        exploitability = solver.exploitability()
        for target, before in reached.items():
            if before is None and exploitability <= target:
                reached[target] = done
    return reached


def measure(
    name: str,
    make: Callable[[str], Contender],
    game: str,
    repeats: int,
    targets_mbb: list[float],
    batch: int = 1,
) -> Row:
    """The row of one contender on one game; an iteration's time is divided by `batch`."""
    start = time.perf_counter()
    solver = make(game)
    solver.iterate(1)
    setup_seconds = time.perf_counter() - start
    warm_up = timed(lambda: solver.iterate(2)) / 2
    num_iterations = max(math.ceil(MIN_RUN_SECONDS / warm_up), 1)
    runs = [timed(lambda: solver.iterate(num_iterations)) for _ in range(repeats)]
    seconds_per_iteration = statistics.median(runs) / num_iterations / batch
    solver.prepare()
    solver.exploitability()
    evaluations = [timed(solver.exploitability) for _ in range(repeats)]
    targets = [mbb / 1000 for mbb in targets_mbb] if game in MBB_GAMES else []
    reached = iterations_to_reach(make(game), targets) if targets else {}
    to_mbb = dict(zip(targets_mbb, reached.values(), strict=False))
    return {
        "solver": name,
        "game": game,
        "seconds_per_iteration": seconds_per_iteration,
        "setup_seconds": setup_seconds,
        "iterations_to_mbb": {f"{mbb:g}": count for mbb, count in to_mbb.items()},
        "seconds_to_mbb": {
            f"{mbb:g}": None if count is None else count * seconds_per_iteration
            for mbb, count in to_mbb.items()
        },
        "exploitability_seconds": statistics.median(evaluations),
    }


def measure_openspiel(game: str, repeats: int, targets_mbb: list[float]) -> list[Row]:
    """OpenSpiel's rows; empty if it is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return []
    return [measure("OpenSpiel", OpenSpielCfrPlus, game, repeats, targets_mbb)]


def measure_liteefg(game: str, repeats: int, targets_mbb: list[float]) -> list[Row]:
    """LiteEFG's rows; empty if it is not installed."""
    if any(importlib.util.find_spec(name) is None for name in ("LiteEFG", "pandas", "pyspiel")):
        return []
    with scratch_home():
        return [measure("LiteEFG", LiteEfgCfrPlus, game, repeats, targets_mbb)]


def roofline(game: str) -> Row:
    """The bytes of one of our iterations, and this machine's bandwidth."""
    import jax
    import jax.numpy as jnp
    import numpy as np

    from sog.games import make
    from sog.tabular import RULES, compile_tree
    from sog.tabular.cfr import initial_state, iterate
    from sog.tabular.rules import step_of

    compiled = compile_tree(make(game))
    form = jax.tree.map(
        lambda leaf: jnp.asarray(leaf, np.float32 if leaf.dtype == np.float64 else leaf.dtype),
        compiled.form,
    )
    root_reach = jnp.asarray(compiled.tree.node_mask[0][:, :, None], np.float32)
    rule = RULES["cfr+"]
    state = jax.jit(initial_state)(form, root_reach)
    step = jax.jit(iterate, static_argnums=2)
    program = step.lower(
        form, root_reach, rule, state, step_of(jnp.int32(1), jnp.int32(0), root_reach)
    ).compile()
    cost: Any = program.cost_analysis()
    footprint = sum(leaf.nbytes for leaf in jax.tree.leaves((form, state)))

    def add_one(_: int, array: jax.Array) -> jax.Array:
        return array + 1

    passes = jax.jit(lambda array, count: jax.lax.fori_loop(0, count, add_one, array))
    array, count = jnp.zeros(footprint // 8, np.float32), 2000  # read and written: half each
    jax.block_until_ready(passes(array, count))
    seconds = min(timed(lambda: jax.block_until_ready(passes(array, count))) for _ in range(5))
    bandwidth = 2 * array.nbytes * count / seconds
    return {
        "game": game,
        "flops": cost["flops"],
        "bytes": cost["bytes accessed"],
        "footprint_bytes": footprint,
        "bandwidth_bytes_per_second": bandwidth,
        "floor_seconds": cost["bytes accessed"] / bandwidth,
        "kernels": str(program.as_text()).partition("ENTRY ")[2].count(" fusion("),
    }


def measure_sog(game: str, repeats: int, targets_mbb: list[float]) -> list[Row]:
    """Our own rows: one solve, and a batch of them."""
    batched = functools.partial(SogCfrPlus, batch=BATCH)
    return [
        measure("sog", SogCfrPlus, game, repeats, targets_mbb),
        measure(f"sog, batch of {BATCH}", batched, game, repeats, [], BATCH),
    ]


@contextlib.contextmanager
def scratch_home() -> Iterator[None]:
    """A temporary home folder: LiteEFG writes games into it."""
    before = os.environ.get("HOME")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["HOME"] = folder
        try:
            yield
        finally:
            if before is None:
                del os.environ["HOME"]
            else:
                os.environ["HOME"] = before


SOLVERS: Final = {
    "openspiel": measure_openspiel,
    "liteefg": measure_liteefg,
    "sog": measure_sog,
}


def seconds_text(seconds: float | None) -> str:
    """Seconds as text, with three digits."""
    if seconds is None:
        return "-"
    scale, unit = next((s, u) for s, u in ((1, "s"), (1e3, "ms"), (1e6, "us")) if seconds * s >= 1)
    return f"{seconds * scale:.3g} {unit}"


def table(game: str, rows: list[Row], targets_mbb: list[float]) -> Table:
    """One game's rows, each with its speed relative to the first."""
    shown = [f"{mbb:g}" for mbb in targets_mbb] if game in MBB_GAMES else []
    heads = ["iteration", "x", *(f"{mbb} mbb" for mbb in shown), "exploit.", "setup"]
    made = Table("solver", *heads, title=f"CFR+ on {game}")
    for row in rows:
        ratio = rows[0]["seconds_per_iteration"] / row["seconds_per_iteration"]
        made.add_row(
            row["solver"],
            seconds_text(row["seconds_per_iteration"]),
            f"{ratio:.3g}",
            *(seconds_text(row["seconds_to_mbb"].get(mbb)) for mbb in shown),
            seconds_text(row["exploitability_seconds"]),
            seconds_text(row["setup_seconds"]),
        )
    return made


def roofline_text(line: Row) -> str:
    """The roofline in one sentence."""
    return (
        f"sog, one iteration: {line['flops'] / 1e6:.3g} Mflop and {line['bytes'] / 1e6:.3g} MB in "
        f"{line['kernels']} kernels, on {line['footprint_bytes'] / 1e6:.3g} MB of data; at "
        f"{line['bandwidth_bytes_per_second'] / 1e9:.3g} GB/s the bytes alone take "
        f"{seconds_text(line['floor_seconds'])}."
    )


def main() -> None:
    """Measures, prints a table per game, and writes JSON if requested."""
    parser = script_parser(__doc__)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    parser.add_argument("--repeats", type=int, default=5, help="runs per figure (default: 5)")
    parser.add_argument(
        "--targets-mbb", nargs="*", type=float, default=[10, 1, 0.1], help="(default: 10 1 0.1)"
    )
    parser.add_argument("--json-out", type=Path, metavar="FILE", help="write the figures here")
    arguments = parser.parse_args()
    if arguments.repeats < 1:
        parser.error(f"--repeats must be >= 1, got {arguments.repeats}")
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(", ".join(str(value) for value in provenance().values()))
    rows: list[Row] = []
    rooflines: list[Row] = []
    for game in arguments.games:
        of_game: list[Row] = []
        for solver in arguments.solvers:
            console.print(f"measuring {solver} on {game} ...")
            measured = SOLVERS[solver](game, arguments.repeats, arguments.targets_mbb)
            of_game += measured
            if not measured:
                console.print(f"{solver}: not installed")
        if of_game:
            console.print(table(game, of_game, arguments.targets_mbb))
        rows += of_game
        if "sog" in arguments.solvers:
            rooflines.append(roofline(game))
            console.print(roofline_text(rooflines[-1]))
    if arguments.json_out:
        result = {
            **provenance(),
            "repeats": arguments.repeats,
            "rows": rows,
            "rooflines": rooflines,
        }
        arguments.json_out.parent.mkdir(parents=True, exist_ok=True)
        arguments.json_out.write_text(json.dumps(result, indent=2) + "\n")
        console.print(f"wrote {arguments.json_out}")


if __name__ == "__main__":
    main()
