"""Measures the error of a search's values on rivers of hold'em, and its time.

    python scripts/spot_search_error.py agent:holdem
    python scripts/spot_search_error.py runs/holdem_small --leaf-intervals 1 4 --rivers 8

Rivers are random lines of bets, boards and ranges, solved to the end (`solve_random_spots`); a
search with the agent's settings starts from each, with both ranges known. Columns:
    interval  passes over the tree per evaluation of the leaves (`search.leaf_interval`).
    error     mean over hands of the error of values, percent of the pot.
    seconds   wall-clock time of a search, after compiling.
"""

import argparse
import dataclasses
import functools
import time
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from shared import processor, versions

from gtcfr.root import known_root
from gtcfr.search import search
from gtcfr.settings import SearchSettings
from sog.cli.numbers import positive_integer
from sog.cli.numbers import seed as seed_number
from sog.holdem.game import Holdem
from sog.holdem.spots.solved_spots import SolvedSpots, solve_random_spots
from sog.players.runs import load_run

_RIVER: Final = 0  # streets that follow


def main(argv: Sequence[str] | None = None) -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("run", help="a run folder, or agent:holdem")
    parser.add_argument(
        "--leaf-intervals", type=positive_integer, nargs="+", default=[1, 2, 4, 8, 16]
    )
    parser.add_argument(
        "--lines", type=positive_integer, default=4, help="random lines of bets (default: 4)"
    )
    parser.add_argument(
        "--rivers", type=positive_integer, default=4, help="of each line (default: 4)"
    )
    parser.add_argument("--seed", type=seed_number, default=0)
    arguments = parser.parse_args(argv)
    try:
        agent = load_run(arguments.run)
    except ValueError as error:
        parser.error(str(error))
    if not isinstance(agent.game, Holdem):
        parser.error(f"{arguments.run} must play hold'em, got {agent.game}.")
    spots = [
        solve_random_spots(agent.game, _RIVER, arguments.rivers, np.random.default_rng(seed))
        for seed in range(arguments.seed, arguments.seed + arguments.lines)
    ]
    settings = agent.settings
    print(f"{agent.game}, SoG({settings.num_simulations}, {settings.simulations_per_update})")
    print(f"{processor()}; {versions(['jax', 'jaxlib'])}")
    print(f"{'interval':>8}{'error':>8}{'seconds':>9}")
    for interval in arguments.leaf_intervals:
        changed = dataclasses.replace(settings, leaf_interval=interval)
        errors, seconds = _measure(agent.game, agent.evaluator, changed, spots)
        print(f"{interval:8}{100 * np.mean(errors):7.2f}%{np.mean(seconds):9.2f}", flush=True)


def _measure(
    game: Holdem, evaluator: Any, settings: SearchSettings, spots: list[SolvedSpots]
) -> tuple[list[float], list[float]]:
    """By spot: the mean error, as a share of the pot, and seconds."""
    run: Any = jax.jit(functools.partial(search, game, settings=settings))
    errors, seconds = list[float](), list[float]()
    for line in spots:
        for number in range(len(line.ranges)):
            one = jax.tree.map(lambda rows, at=number: rows[at : at + 1], line.states)
            root = known_root(one, line.ranges[number : number + 1])
            if not errors:
                jax.block_until_ready(run(evaluator=evaluator, root=root, key=jax.random.key(0)))
            began = time.perf_counter()
            found = run(evaluator=evaluator, root=root, key=jax.random.key(number))
            values = jax.block_until_ready(found.values)[0]
            seconds.append(time.perf_counter() - began)
            error = jnp.abs(values - line.values[number])[line.mask[number]]
            errors.append(float(error.mean()) / line.pot)
    return errors, seconds


if __name__ == "__main__":
    main()
