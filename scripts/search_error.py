"""Measures the errors of values in searches, against exact solutions.

Examples:
    python scripts/search_error.py leaves runs/leduc_demo
    python scripts/search_error.py leaves runs/leduc_demo --search 30,1 --set search.rule=sog
    python scripts/search_error.py rivers agent:holdem
    python scripts/search_error.py rivers runs/holdem_small --leaf-intervals 1 4 --rivers 8

leaves: a network at the leaves of searches. With `leaf_averaging` a search queries leaves near the
average ranges of its updates instead of the current ones (`gtcfr.leaves`). Is a network better
there? Searches from belief states of random play; for some leaves of every tree, compares the
network's values and policies with those of a long tabular solve, at the same leaves with current
ranges, average ranges, and in between. Prints means over infostates, and over those of positive
range only, since exact values of the others depend on the equilibrium that the solve finds; values
are in the game's unit.

rivers: a whole search of hold'em, and its time. Rivers are random lines of bets, boards and ranges,
solved to the end (`solve_random_spots`); a search with the agent's settings starts from each, with
both ranges known. Columns:
    interval  passes over the tree per evaluation of the leaves (`search.leaf_interval`).
    error     mean over hands of the error of values, percent of the pot.
    seconds   wall-clock time of a search, after compiling.
"""

import argparse
import dataclasses
import functools
import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from shared import processor, provenance, script_parser, versions

from gtcfr.evaluator import Evaluator
from gtcfr.flow import normalize
from gtcfr.root import known_root
from gtcfr.search import SearchResult, search
from gtcfr.settings import SearchSettings
from gtcfr.tree import take_reach
from selfplay.runs.config import read_changes_of
from sog.evaluation.value_error import HeldOut, random_belief_states
from sog.holdem.game import Holdem
from sog.holdem.spots.solved_spots import SolvedSpots, solve_random_spots
from sog.numbers import positive_integer
from sog.numbers import seed as seed_number
from sog.players.runs import load_run
from sog.players.searching import changed, read_simulations
from sog.players.trained import Trained, load_trained
from sog.tabular import CompiledGame, compile_tree
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from sog.tabular.public_tree import PublicTree

_RIVER: Final = 0  # streets that follow


def errors_at_leaves(
    trained: Trained, settings: SearchSettings, searches: int, leaves: int
) -> dict[str, Any]:
    """Runs `searches` searches, and compares `leaves` leaves of each tree."""
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
        "run": trained.name,
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


def print_rivers(given: argparse.Namespace) -> None:
    """Prints the table of rivers."""
    agent = load_run(given.run)
    if not isinstance(agent.game, Holdem):
        raise ValueError(f"{given.run} must play hold'em, got {agent.game}.")
    spots = [
        solve_random_spots(agent.game, _RIVER, given.rivers, np.random.default_rng(seed))
        for seed in range(given.seed, given.seed + given.lines)
    ]
    settings = agent.settings
    print(f"{agent.game}, SoG({settings.num_simulations}, {settings.simulations_per_update})")
    print(f"{processor()}; {versions(['jax', 'jaxlib'])}")
    print(f"{'interval':>8}{'error':>8}{'seconds':>9}")
    for interval in given.leaf_intervals:
        changed = dataclasses.replace(settings, leaf_interval=interval)
        errors, seconds = errors_at_rivers(agent.game, agent.evaluator, changed, spots)
        print(f"{interval:8}{100 * np.mean(errors):7.2f}%{np.mean(seconds):9.2f}", flush=True)


def errors_at_rivers(
    game: Holdem, evaluator: Any, settings: SearchSettings, spots: list[SolvedSpots]
) -> tuple[list[float], list[float]]:
    """By spot: the mean error, as a share of the pot, and seconds."""
    program: Any = jax.jit(functools.partial(search, game, settings=settings))
    errors, seconds = list[float](), list[float]()
    for line in spots:
        for number in range(len(line.ranges)):
            one = jax.tree.map(lambda rows, at=number: rows[at : at + 1], line.states)
            root = known_root(one, line.ranges[number : number + 1])
            if not errors:
                jax.block_until_ready(
                    program(evaluator=evaluator, root=root, key=jax.random.key(0))
                )
            began = time.perf_counter()
            found = program(evaluator=evaluator, root=root, key=jax.random.key(number))
            values = jax.block_until_ready(found.values)[0]
            seconds.append(time.perf_counter() - began)
            error = jnp.abs(values - line.values[number])[line.mask[number]]
            errors.append(float(error.mean()) / line.pot)
    return errors, seconds


def main(argv: Sequence[str] | None = None) -> None:
    """Runs the script."""
    parser = script_parser(__doc__)
    kinds = parser.add_subparsers(dest="kind", required=True)
    leaves = kinds.add_parser("leaves")
    leaves.add_argument("run", metavar="RUN", type=Path, help="a run folder of sog train")
    leaves.add_argument("--search", metavar="S,C", help="default: the search the run evaluates")
    leaves.add_argument(
        "--set", action="append", default=[], metavar="search.KEY=VALUE", help="may be repeated"
    )
    leaves.add_argument("--searches", type=positive_integer, default=512, metavar="N")
    leaves.add_argument(
        "--leaves", type=positive_integer, default=4, metavar="N", help="leaves per search"
    )
    rivers = kinds.add_parser("rivers")
    rivers.add_argument("run", metavar="AGENT", help="a run folder, or agent:holdem")
    rivers.add_argument(
        "--leaf-intervals", type=positive_integer, nargs="+", default=[1, 2, 4, 8, 16]
    )
    rivers.add_argument(
        "--lines", type=positive_integer, default=4, help="random lines of bets (default: 4)"
    )
    rivers.add_argument(
        "--rivers", type=positive_integer, default=4, help="of each line (default: 4)"
    )
    rivers.add_argument("--seed", type=seed_number, default=0)
    given = parser.parse_args(argv)
    try:
        if given.kind == "rivers":
            print_rivers(given)
        else:
            trained = load_trained(given.run)
            changes = read_simulations(given.search, "--search") if given.search else {}
            changes |= read_changes_of("search", given.set)
            settings = changed(trained.settings, changes)
            print(json.dumps(errors_at_leaves(trained, settings, given.searches, given.leaves)))
    except ValueError as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
