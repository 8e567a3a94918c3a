"""Time until exploitability is at most 1e-6 of a game unit, side by side in one run.

Examples:
    make bench      everything; writes docs/results/data/bench_tabular.json
    python scripts/bench_tabular.py --games leduc --solvers sog openspiel --seconds 20

Each contender tries its rules, and the fastest counts: OpenSpiel CFR+, its best in C++; LiteEFG
PCFR+ by its last and by its average policy, CFR+ and DCFR, on OpenSpiel's game with its default of
one thread; sog the rules of `sog solve` but the slowest, in 64-bit numbers, then the fastest in
32-bit ones. No time includes the trial of the other rules. "sog, CFR+" is OpenSpiel's rule for a
second, in 32-bit numbers, for its iteration.

Columns:
    time        of the iterations, without checks of exploitability.
    x           how many times as long as sog.
    iteration   the time of one, both players.
    setup       tree building and compilation, until iterations may begin; without imports.
    total       setup and time.

All times are of the processor, all threads together; of iterations the fastest of several runs
where these are short. Exploitability is checked after each 3% more iterations, less often where
that takes a quarter of the time. If no rule of a contender is there after a quarter of --seconds,
the one that has come nearest is given all of them ("> ": in vain).

A contender that is not installed, or cannot solve a game, is listed as such. LiteEFG requires an
older JAX than this project: `make bench` installs it separately; by hand, `pip install --no-deps
LiteEFG` after `pip install '.[bench]'`.
"""

import contextlib
import functools
import importlib
import importlib.util
import io
import json
import math
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

from rich.console import Console
from rich.table import Table
from shared import provenance, script_parser, write_results

Row = dict[str, Any]

_POKER: Final = (
    "universal_poker(betting=limit,numPlayers=2,numRounds=2,blind=1 1,raiseSize=2 4,maxRaises=2 2,"
    "firstPlayer=1 1,numSuits=2,numRanks=4,numHoleCards=1,numBoardCards=0 1)"
)
GAMES: Final = {
    "kuhn": "kuhn",
    "leduc": "leduc",
    "leduc_4_ranks": f"openspiel:{_POKER}",
    "liars_dice_1x4": "liars_dice(faces=4)",
    "liars_dice_1x5": "liars_dice(faces=5)",
    "liars_dice_1x6": "liars_dice",
    "liars_dice_2x3": "liars_dice(dice=2,faces=3)",
    "goofspiel4": "goofspiel",
    "ii_goofspiel4": "ii_goofspiel",
    "ii_goofspiel5": "ii_goofspiel(cards=5)",
}
TARGET: Final = 1e-6
SLOWEST: Final = ("cfr", "sog", "linear")  # the best rule of no game here
FORGETFUL: Final = ("goofspiel4",)
"""Their strings in OpenSpiel forget a player's bids; LiteEFG needs perfect recall: 0.22 remain."""
CHECK_GROWTH: Final = 1.03
ENOUGH_SECONDS: Final = 3.0  # of repeated runs
REPEATS: Final = 10
FREE_CHECKS: Final = 1.0  # seconds


class Contender(Protocol):
    """A new solver of one game, ready to iterate."""

    def iterate(self, num_iterations: int) -> None:
        """Runs iterations and waits for them."""

    def exploitability(self) -> float:
        """Half of NashConv of the policy it returns, in game units."""


class OpenSpielCfrPlus:
    """OpenSpiel's C++ CFR+."""

    def __init__(self, game: str) -> None:
        """Builds the solver of one of `GAMES`."""
        import pyspiel

        self._exploitability = pyspiel.exploitability
        self._game = spiel_game(game)
        self._solver = pyspiel.CFRPlusSolver(self._game)

    def iterate(self, num_iterations: int) -> None:
        for _ in range(num_iterations):
            self._solver.evaluate_and_update_policy()

    def exploitability(self) -> float:
        return float(self._exploitability(self._game, self._solver.tabular_average_policy()))


class LiteEfg:
    """One of LiteEFG's rules and the policy that it returns."""

    def __init__(self, game: str, rule: str, returned: str) -> None:
        """Builds the solver of one of `GAMES`."""
        import LiteEFG

        with contextlib.redirect_stdout(io.StringIO()), scratch_home():  # it prints a greeting
            self._env = LiteEFG.OpenSpielEnv(spiel_game(game), "Enumerate")
            self._graph = importlib.import_module(f"LiteEFG.baselines.{rule}").graph()
        self._env.set_graph(self._graph)
        self._averages = returned == "linear-avg-iterate"
        own = [returned] if returned == "average-iterate" else []  # DCFR's, from its own sums
        self._policy = self._graph.current_strategy(*own)

    def iterate(self, num_iterations: int) -> None:
        for _ in range(num_iterations):
            self._graph.update_graph(self._env)
            if self._averages:
                self._env.update_strategy(self._policy)

    def exploitability(self) -> float:
        if not self._averages:
            self._env.update_strategy(self._policy)
        kind = "linear-avg-iterate" if self._averages else "last-iterate"
        return float(sum(self._env.exploitability(self._policy, kind))) / 2


class Sog:
    """One of our rules; exploitability in 64-bit numbers."""

    def __init__(self, game: str, rule: str, precision: Any) -> None:
        """Enumerates and compiles one of `GAMES`."""
        from sog.cli.loading import load_game
        from sog.tabular import Solver, compile_tree

        self._solver = Solver(compile_tree(load_game(GAMES[game])), rule, precision=precision)
        self._solver.run(0)

    def iterate(self, num_iterations: int) -> None:
        self._solver.run(num_iterations)

    def exploitability(self) -> float:
        return float(self._solver.evaluate().exploitability[0])


Trial = tuple[str, Callable[[], Contender]]
"""A rule, as text, and what makes a solver by it."""


def spiel_game(game: str) -> Any:
    """OpenSpiel's version of one of `GAMES`."""
    from sog.games import make
    from sog.openspiel.loading import load_spiel
    from sog.openspiel.twins import twin_of

    loader, _, text = GAMES[game].rpartition(":")
    return load_spiel(text if loader else twin_of(make(text)).spiel)


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


def timed(action: Callable[[], object]) -> float:
    """The processor seconds of a call."""
    start = time.process_time()
    action()
    return time.process_time() - start


def reach(trial: Trial, cap: float) -> Row:
    """Runs a new solver until it reaches the target, or for `cap` seconds."""
    start = time.process_time()
    solver = trial[1]()
    setup = time.process_time() - start
    spent, checks, done, found = 0.0, 0.0, 0, math.inf
    while found > TARGET and spent < cap:
        more = max(math.ceil(done * CHECK_GROWTH) - done, 1)
        start = time.process_time()
        solver.iterate(more)
        spent, done = spent + time.process_time() - start, done + more
        if checks < max(FREE_CHECKS, spent / 4) or spent >= cap:
            start = time.process_time()
            found = solver.exploitability()
            checks += time.process_time() - start
    return {
        "rule": trial[0],
        "reached": found <= TARGET,
        "iterations": done,
        "seconds": spent,
        "exploitability": found,
        "setup_seconds": setup,
    }


def fastest(trials: Sequence[Trial], cap: float) -> tuple[Trial, Row]:
    """The rule that reaches the target first, with its fastest run.

    If none does in a quarter of the time, the one that has come nearest gets all of it.
    """
    short = cap / 4
    tried: list[tuple[float, float, int, Row]] = []
    for trial in trials if len(trials) > 1 else []:
        row = reach(trial, short)
        tried.append((max(row["exploitability"], TARGET), row["seconds"], len(tried), row))
        if row["reached"]:
            short = min(short, 1.5 * row["seconds"])
    nothing: Row = {"reached": False}
    _, _, number, row = min(tried, default=(TARGET, 0.0, 0, nothing))
    if not row["reached"]:
        row = reach(trials[number], cap)
    again = min(int(ENOUGH_SECONDS / row["seconds"]), REPEATS) if row["reached"] else 0
    for solver in [trials[number][1]() for _ in range(again)]:  # made first: the caches stay warm
        seconds = timed(functools.partial(solver.iterate, row["iterations"]))
        row["seconds"] = min(row["seconds"], seconds)
    return trials[number], row


def measure_openspiel(game: str, cap: float) -> list[Row]:
    """OpenSpiel's row; empty if it is not installed."""
    if importlib.util.find_spec("pyspiel") is None:
        return []
    importlib.import_module("pyspiel")  # not timed
    _, row = fastest([("CFR+", functools.partial(OpenSpielCfrPlus, game))], cap)
    return [{"solver": "OpenSpiel", **row}]


def measure_liteefg(game: str, cap: float) -> list[Row]:
    """LiteEFG's row; empty if it is not installed or cannot solve the game."""
    needs = ("LiteEFG", "pandas", "pyspiel")
    if any(importlib.util.find_spec(name) is None for name in needs) or game in FORGETFUL:
        return []
    importlib.import_module("LiteEFG")
    trials = {
        "PCFR+, last policy": ("PCFR", "last-iterate"),
        "PCFR+": ("PCFR", "linear-avg-iterate"),
        "CFR+": ("CFRplus", "linear-avg-iterate"),
        "DCFR": ("DCFR", "average-iterate"),
    }
    made = [(name, functools.partial(LiteEfg, game, *rule)) for name, rule in trials.items()]
    return [{"solver": "LiteEFG", **fastest(made, cap)[1]}]


def measure_sog(game: str, cap: float) -> list[Row]:
    """Our rows: the fastest rule, and CFR+."""
    import jax

    from sog.tabular import RULES

    def trial(rule: str, precision: str) -> Trial:
        return f"{rule}, {precision}", functools.partial(Sog, game, rule, precision)

    # The newest rules first: the sooner one is fast, the sooner the others are given up.
    rules = [rule for rule in reversed(RULES) if rule not in SLOWEST]
    best, row = fastest([trial(rule, "float64") for rule in rules], cap)
    if row["reached"]:
        rule = best[0].split(",")[0]
        shorter, found = fastest([trial(rule, "float32")], 1.5 * max(row["seconds"], 1))
        if found["reached"] and found["seconds"] < row["seconds"]:
            best, row = shorter, found
    jax.clear_caches()
    row["setup_seconds"] = timed(best[1])
    plus = reach(trial("cfr+", "float32"), min(cap, 1))
    return [{"solver": "sog", **row}, {"solver": "sog, CFR+", **plus}]


SOLVERS: Final = {
    "sog": measure_sog,
    "openspiel": measure_openspiel,
    "liteefg": measure_liteefg,
}


def seconds_text(seconds: float) -> str:
    """Seconds as text, with three digits."""
    units = ((1, "s"), (1e3, "ms"), (1e6, "us"), (1e9, "ns"))
    scale, unit = next((s, u) for s, u in units if seconds * s >= 1)
    return f"{seconds * scale:.3g} {unit}"


def table(game: str, rows: list[Row]) -> Table:
    """One game's rows, each with its time relative to the first."""
    made = Table(
        *("solver", "rule", "time", "x", "iterations", "iteration", "setup", "total"),
        title=f"{game}, to {TARGET:g}",
    )
    for row in rows:
        more = "" if row["reached"] else "> "
        made.add_row(
            row["solver"],
            row["rule"],
            more + seconds_text(row["seconds"]),
            f"{more}{row['seconds'] / rows[0]['seconds']:.3g}",
            f"{row['iterations']:,}",
            seconds_text(row["seconds"] / row["iterations"]),
            seconds_text(row["setup_seconds"]),
            more + seconds_text(row["setup_seconds"] + row["seconds"]),
        )
    return made


def write(file: Path, rows: list[Row]) -> None:
    """Writes rows, beside those of other games and solvers that the file has."""
    before = json.loads(file.read_text())["rows"] if file.exists() else []
    new = {(row["game"], row["solver"]) for row in rows}
    kept = [row for row in before if (row["game"], row["solver"]) not in new]
    every = sorted(kept + rows, key=lambda row: list(GAMES).index(row["game"]))
    file.parent.mkdir(parents=True, exist_ok=True)
    write_results(file, target=TARGET, rows=every)


def main() -> None:
    """Measures, prints a table per game, and writes JSON if requested."""
    parser = script_parser(__doc__)
    parser.add_argument("--games", nargs="+", choices=GAMES, default=list(GAMES), metavar="GAME")
    parser.add_argument("--solvers", nargs="+", choices=SOLVERS, default=list(SOLVERS))
    parser.add_argument("--seconds", type=float, default=120, help="for each rule (default: 120)")
    parser.add_argument(
        "--json-out",
        type=Path,
        metavar="FILE",
        help="write the figures here; those of other games or solvers in it stay",
    )
    arguments = parser.parse_args()
    if not arguments.seconds > 0:
        parser.error(f"--seconds must be > 0, got {arguments.seconds:g}")
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(", ".join(str(value) for value in provenance().values()))
    rows: list[Row] = []
    for game in arguments.games:
        of_game: list[Row] = []
        for solver in arguments.solvers:
            console.print(f"measuring {solver} on {game} ...")
            measured = SOLVERS[solver](game, arguments.seconds)
            of_game += measured
            if not measured:
                console.print(f"{solver}: not installed, or unfit for this game")
        if of_game:
            console.print(table(game, of_game))
        rows += [{"game": game, **row} for row in of_game]
        if arguments.json_out:
            write(arguments.json_out, rows)
            console.print(f"wrote {arguments.json_out}")


if __name__ == "__main__":
    main()
