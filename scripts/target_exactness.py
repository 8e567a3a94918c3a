"""How exact the targets of training are, and how far the network is from them.

Examples:
    python scripts/target_exactness.py runs/leduc
    python scripts/target_exactness.py runs/leduc --search 25,0.1 --rule sog --leaf-averaging 0

The newest queries in the replay of a run's newest checkpoint are solved once more, with the network
of that checkpoint at the leaves and the search of the run's query solver, or another one. Their
values, and those of the network itself, are compared with the exact ones of a long tabular solve.
Means of the absolute error over infostates, in the game's unit. Where the targets are as wrong as
the network, queries should be solved better; where they are far better, it should learn better.
"""

import functools
import json
import time
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from machine import provenance
from script_arguments import script_parser

from gtcfr.evaluator import Evaluator
from gtcfr.exact import exact_evaluator
from gtcfr.packing import BeliefState, pack
from gtcfr.settings import SearchSettings
from selfplay.examples import as_arrays
from selfplay.query_solver import solve_queries
from selfplay.replay import Replay
from selfplay.runs.checkpoint import load_checkpoint
from selfplay.runs.run_folder import RunFolder
from selfplay.schedule import arrays_of
from selfplay.settings import SolverSettings
from sog.cli.commands.command import add_options
from sog.cli.errors import CommandError
from sog.cli.numbers import positive_integer
from sog.cli.search_numbers import read_settings
from sog.evaluation.value_error import ask
from sog.players.trained import load_trained
from sog.tabular import compile_tree
from sog.tabular.enumerated_game import EnumeratedGame

_BATCH: Final = 128
_ITERATIONS: Final = 1000  # of PCFR+, for the exact values


def measure(run: Path, search: SearchSettings, count: int) -> dict[str, Any]:
    """Solves the newest queries of a run with this search and compares."""
    trained = load_trained(run)
    game, unit = trained.game, trained.game.max_utility
    folder = RunFolder.read(run)
    replay = Replay(game, folder.config.replay.size, folder.config.replay.max_grad_updates)
    replay.load(arrays_of(load_checkpoint(folder.checkpoints).arrays, "replay"))
    count = min(count, len(replay)) // _BATCH * _BATCH
    if not count:
        raise ValueError(f"{run}: its replay holds less than {_BATCH} examples.")
    kept = as_arrays(replay.newest(count))

    def solve(evaluator: Evaluator, beliefs: BeliefState, key: Array) -> Array:
        settings = SolverSettings(search=search, recursive_queries=0.0, tremble=0.0)
        version = jnp.int32(0)
        solved = solve_queries(game, settings, evaluator, beliefs, version, key)
        return solved.examples.values

    program: Any = jax.jit(solve)
    solved, seconds = [], []
    for first in range(0, count, _BATCH):
        some = slice(first, first + _BATCH)
        began = time.perf_counter()
        key = jax.random.key(first)
        beliefs = BeliefState(state=kept["state"][some], ranges=kept["ranges"][some])
        answer = program(trained.evaluator, beliefs, key)
        solved.append(np.asarray(answer))
        seconds.append(time.perf_counter() - began)

    tree = compile_tree(game).tree
    numbers = {np.asarray(pack(tree.state(n))).tobytes(): n for n in range(tree.num_nodes)}
    nodes = np.array([numbers[np.ascontiguousarray(row).tobytes()] for row in kept["state"]])
    enumerated = EnumeratedGame(tree=tree)
    judge = exact_evaluator(enumerated, iterations=_ITERATIONS, fading=1.0)
    exact = _values(enumerated, judge, nodes, kept["ranges"]) / unit
    values = {
        "stored_targets": kept["values"],
        "targets_of_this_search": np.concatenate(solved),
        "network": _values(enumerated, trained.evaluator, nodes, kept["ranges"]) / unit,
    }
    mask = kept["value_mask"]
    errors = {name: float(unit * np.abs(v - exact)[mask].mean()) for name, v in values.items()}
    return {
        "run": run.name,
        "step": trained.step,
        "game": str(game),
        "unit": game.unit,
        "queries": count,
        "search": [search.num_simulations, search.simulations_per_update],
        "rule": search.rule,
        "leaf_averaging": search.leaf_averaging,
        "error_against_exact_values": errors,
        "network_against_stored_targets": float(
            unit * np.abs(values["network"] - kept["values"])[mask].mean()
        ),
        # The first call compiles.
        "seconds_per_query": min(seconds) / _BATCH,
        **provenance(),
    }


def _values(
    game: EnumeratedGame, evaluator: Evaluator, nodes: np.ndarray, ranges: np.ndarray
) -> np.ndarray:
    """[query, player, S]: values in the game's unit, a batch at a time."""

    program: Any = jax.jit(functools.partial(ask, game))
    parts = [slice(first, first + _BATCH) for first in range(0, len(nodes), _BATCH)]
    return np.concatenate([program(evaluator, nodes[p], ranges[p])[0] for p in parts])


def main() -> None:
    """Runs the script."""
    parser = script_parser(__doc__)
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder of sog train")
    parser.add_argument("--search", metavar="S,C", help="default: what solved the run's queries")
    add_options(parser, ("--rule", "--leaf-averaging", "--set"))
    parser.add_argument("--count", type=positive_integer, default=512, metavar="N")
    given = parser.parse_args()
    try:
        search = RunFolder.read(given.run).config.solver.search
        search = read_settings(given, search)
        found = measure(given.run, search, given.count)
    except (CommandError, ValueError) as error:
        parser.error(str(error))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
