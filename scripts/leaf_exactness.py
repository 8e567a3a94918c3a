"""How exact the exact evaluator is while searches use it.

Examples:
    python scripts/leaf_exactness.py leduc --search 100,1
    python scripts/leaf_exactness.py kuhn --search 100,0.1 --solver-iterations 100

The evaluator solves the subgames of all leaves of a search by a few iterations of CFR per update,
which go on from those of the last update (`gtcfr.exact`). Here the policy of an agent that searches
is composed as in `sog evaluate GAME --search S,C --seeds 1`, and every belief state that a leaf
asks about in it is checked: how exploitable is the profile that its values are those of? Half of
what both players gain there by responding best, in the game's unit; 0 is exact.
"""

import dataclasses
import json
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from machine import provenance
from script_arguments import game_text, script_parser

from gtcfr.evaluator import LeafEvaluation, LeafQueries
from gtcfr.exact import ExactEvaluator, exact_evaluator
from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.cli.numbers import positive_integer, share
from sog.cli.search_numbers import read_search
from sog.evaluation import compose
from sog.games import Game, make
from sog.pytree import pytree
from sog.tabular import compile_tree
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState

_BINS: Final = np.logspace(-9, 3, 12 * 50 + 1)
"""Bounds of a histogram; there are too many belief states to keep a number for each."""


class Record:
    """A histogram of exploitabilities, their sum and the largest."""

    def __init__(self) -> None:
        self.counts = np.zeros(len(_BINS) + 1, np.int64)
        self.total = self.largest = 0.0

    def add(self, exploitability: Array, is_valid: Array) -> None:
        """Called from the compiled search, once per update."""
        found = np.asarray(exploitability, np.float64)[np.asarray(is_valid)]
        self.counts += np.bincount(np.searchsorted(_BINS, found), minlength=len(self.counts))
        self.total += float(found.sum())
        self.largest = max(self.largest, float(found.max(initial=0)))

    def quantile(self, part: float) -> float:
        """No more than this is the exploitability of such a part of all belief states."""
        above = np.searchsorted(np.cumsum(self.counts), part * self.counts.sum())
        return min(float(_BINS[min(above, len(_BINS) - 1)]), self.largest)


@pytree
class RecordingEvaluator:
    """The exact evaluator; what it solves is told to `record`."""

    inner: ExactEvaluator
    record: Record = dataclasses.field(metadata={"static": True})

    looks_at_ranges = True

    @property
    def leaves_per_call(self) -> int | None:
        """As the exact evaluator."""
        return self.inner.leaves_per_call

    def encode(self, game: Game[Any], state: EnumeratedState) -> Array:
        """As the exact evaluator."""
        return self.inner.encode(game, state)

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """As the exact evaluator."""
        return self.inner.start(game, batch_size)

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """The exact evaluator's answer."""
        nodes, batch = queries.encoded, len(queries.encoded)
        solution = self.inner.solve(game, memory, queries)
        gains = (solution.best_response_cfvs - solution.cfvs).reshape(
            2, -1, game.num_infostates, batch
        )
        gains = gains.transpose(3, 1, 0, 2)[jnp.arange(batch)[:, None], nodes]
        states = EnumeratedState(node=nodes)
        reach = jax.vmap(jax.vmap(game.compatible_reach))(states, queries.ranges)
        # The share of pairs of hands that can be, of the two ranges: cfvs contain it.
        compatible = (queries.ranges[:, :, 0] * reach[:, :, 0]).sum(axis=-1)
        half = (queries.ranges * gains).sum(axis=(2, 3)) / 2
        is_asked = queries.is_valid & (compatible > 0)
        exploitability = half / jnp.where(is_asked, compatible, 1)
        jax.debug.callback(self.record.add, exploitability, is_asked)
        return self.inner.evaluate(game, memory, queries)


def measure(name: str, search: SearchSettings, iterations: int, fading: float) -> dict[str, Any]:
    """Composes a policy; returns what its leaves were like."""
    compiled = compile_tree(make(name))
    game = EnumeratedGame(tree=compiled.tree)
    record = Record()
    evaluator = RecordingEvaluator(
        inner=exact_evaluator(game, iterations=iterations, fading=fading), record=record
    )
    capacity = compiled.tree.num_nodes + compiled.tree.game.num_outcomes
    began = time.perf_counter()
    settings = dataclasses.replace(search, capacity=capacity)
    composed = compose(compiled, evaluator, settings, seeds=1)
    jax.effects_barrier()
    return {
        "game": str(compiled.tree.game),
        "unit": compiled.tree.game.unit,
        "search": [search.num_simulations, search.simulations_per_update],
        "solver_iterations": iterations,
        "solver_fading": fading,
        "exploitability_of_the_agent": float(composed.exploitability[0]),
        "searches": composed.num_searches,
        "belief_states": int(record.counts.sum()),
        "exploitability_of_leaves": {
            "mean": record.total / record.counts.sum(),
            "median": record.quantile(0.5),
            "95%": record.quantile(0.95),
            "99%": record.quantile(0.99),
            "max": record.largest,
        },
        "seconds": time.perf_counter() - began,
        **provenance(),
    }


def main() -> None:
    """Runs the script."""
    parser = script_parser(__doc__)
    parser.add_argument("game", type=game_text, metavar="GAME", help="as for sog evaluate")
    parser.add_argument("--search", default="100,1", metavar="S,C", help="default: 100,1")
    parser.add_argument("--solver-iterations", type=positive_integer, default=30, metavar="N")
    parser.add_argument("--solver-fading", type=share, default=0.9, metavar="X")
    given = parser.parse_args()
    try:
        search = read_search(given.search)
        found = measure(given.game, search, given.solver_iterations, given.solver_fading)
    except (CommandError, ValueError) as error:
        parser.error(str(error))
    print(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
