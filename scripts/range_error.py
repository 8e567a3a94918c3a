"""Measures the error of a network at current ranges, at average ranges, and in between.

Examples:
    python scripts/range_error.py runs/leduc_demo
    python scripts/range_error.py runs/leduc_demo --search 30,1 --rule sog --leaf-averaging 0

With `leaf_averaging` a search queries leaves near the average ranges of its updates instead of the
current ones (`gtcfr.leaves`). Is a network better there? The script searches from belief states of
random play; for some leaves of every tree, it compares the network's values and policies with those
of a long tabular solve, at the same leaves with each kind of ranges. Prints means over infostates,
and over those of positive range only, since exact values of the others depend on the equilibrium
that the solve finds; values are in the game's unit.
"""

import json
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from shared import provenance, script_parser

from gtcfr.evaluator import Evaluator
from gtcfr.flow import normalize
from gtcfr.root import known_root
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from gtcfr.tree import take_reach
from sog.cli.commands.command import add_options
from sog.cli.errors import CommandError
from sog.cli.numbers import positive_integer
from sog.cli.search_options import read_settings
from sog.evaluation.value_error import HeldOut, random_belief_states
from sog.players.trained import load_trained
from sog.tabular import CompiledGame, compile_tree
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from sog.tabular.public_tree import PublicTree


def measure(run: Path, settings: SearchSettings, searches: int, leaves: int) -> dict[str, Any]:
    """Runs `searches` searches, and compares `leaves` leaves of each tree."""
    trained = load_trained(run)
    compiled = compile_tree(trained.game)
    nodes, kinds = leaf_ranges(compiled.tree, trained.evaluator, settings, searches, leaves)
    rows = {}
    for kind, ranges in kinds.items():
        found = HeldOut(compiled, nodes, ranges).errors(trained.evaluator)
        rows[kind] = {
            "mean_absolute": float(found.mean_absolute),
            "mean_absolute_in_range": float(found.mean_absolute_in_range),
            "policy_divergence": float(found.policy_divergence),
            "infostates_without_range": _share_without(compiled, nodes, ranges),
        }
    return {
        "run": run.name,
        "step": trained.step,
        "game": str(trained.game),
        "unit": trained.game.unit,
        "search": [settings.num_simulations, settings.simulations_per_update],
        "rule": settings.rule,
        "leaf_averaging": settings.leaf_averaging,
        "searches": searches,
        "leaves": len(nodes),
        "errors": rows,
        **provenance(),
    }


def leaf_ranges(
    tree: PublicTree,
    evaluator: Evaluator,
    settings: SearchSettings,
    searches: int,
    leaves: int,
) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """Some leaves, as nodes of the public tree, and their ranges [leaf, player, S] of each kind."""
    game = EnumeratedGame(tree=tree)
    nodes, ranges = random_belief_states(tree, searches, seed=0)
    root = known_root(EnumeratedState(node=jnp.asarray(nodes)), jnp.asarray(ranges))

    def run(evaluator: Evaluator) -> Any:
        key = jax.random.key(0)
        result = search(game, evaluator=evaluator, root=root, key=key, settings=settings)
        return jax.vmap(_ranges_of_leaves)(result)

    program: Any = jax.jit(run)
    found_nodes, kinds, is_known = jax.tree.map(np.asarray, program(evaluator))
    random = np.random.default_rng(0)
    chosen: list[tuple[int, int]] = []
    for number, known in enumerate(is_known):
        slots = random.permutation(np.flatnonzero(known))[:leaves]
        chosen += [(number, slot) for slot in slots.tolist()]
    at = tuple(np.array(chosen).T)
    return found_nodes[at], {kind: values[at] for kind, values in kinds.items()}


def _ranges_of_leaves(result: SearchResult) -> tuple[Any, dict[str, Any], Any]:
    """For one tree, a row per slot: nodes, ranges, and whether both players' updates reach it."""
    tree, leaf = result.tree, result.tree.leaf
    reach = take_reach(tree.reach_rows, leaf.source, leaf.mask)
    present = normalize(reach, leaf.mask)
    average = normalize(tree.leaf_statistics.reach_sum, leaf.mask)
    sums = (reach.sum(axis=-1) > 0) & (tree.leaf_statistics.reach_sum.sum(axis=-1) > 0)
    is_known = sums.all(axis=-1) & (leaf.edge >= 0)
    kinds = {"present": present, "half each": (present + average) / 2, "average": average}
    return leaf.state[:, 0], kinds, is_known


def _share_without(compiled: CompiledGame, nodes: np.ndarray, ranges: np.ndarray) -> float:
    mask = np.asarray(compiled.tree.node_mask)[nodes]
    return float((ranges[mask] == 0).mean())


def main() -> None:
    """Runs the script."""
    parser = script_parser(__doc__)
    parser.add_argument("run", metavar="RUN", type=Path, help="a run folder of sog train")
    parser.add_argument("--search", metavar="S,C", help="default: the search the run evaluates")
    add_options(parser, ("--rule", "--leaf-averaging", "--set"))
    parser.add_argument("--searches", type=positive_integer, default=512, metavar="N")
    parser.add_argument(
        "--leaves", type=positive_integer, default=4, metavar="N", help="leaves per search"
    )
    given = parser.parse_args()
    try:
        settings = read_settings(given, load_trained(given.run).settings)
        found = measure(given.run, settings, given.searches, given.leaves)
    except (CommandError, ValueError) as error:
        parser.error(str(error))
    print(json.dumps(found))


if __name__ == "__main__":
    main()
