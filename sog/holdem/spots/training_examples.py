"""Training data from random spots of hold'em: solved rivers as first examples, and queries for the
solver; beyond the paper.

CFR solves a river in a tenth of a second, for any ranges. A network that knows the values of rivers
gives the searches above them a start, as DeepStack's networks were trained from the last street up
(Moravcik et al. 2017). Most hands end before the flop or go all-in, so self-play alone makes few
queries of flops and turns with betting.
"""

import time
from collections.abc import Iterator
from typing import Any, Final

import jax
import numpy as np

from gtcfr.packing import BeliefState, pack, packed_width
from selfplay.examples import examples_of_values
from selfplay.sources import ExampleSource
from selfplay.workers import SOLVER, WorkerOutput
from sog.holdem.spots.random_spots import has_spots, random_spots
from sog.holdem.spots.solved_spots import solve_random_spots
from sog.holdem.spots.walk import forget_programs
from sog.precision import in_32_bits

_RIVER: Final = 0  # later streets
_SPOTS_PER_CALL: Final = 16  # of one line of bets
_ITERATIONS: Final = 60  # errors are then far below a network's


def random_queries(
    game: Any, count: int, random: np.random.Generator, rivers: bool = True
) -> BeliefState:
    """Queries at random spots, uniform over all streets except the first; NumPy.

    Half are at the start of a street, half at later decisions. rivers: whether to include rivers if
    there are other streets.
    """
    states = [np.zeros((0, packed_width(game)), np.int32)]
    ranges = [np.zeros((0, 2, game.num_infostates), np.float32)]
    streets = [left for left in range(len(game.betting.menus)) if has_spots(game, left)]
    if not rivers and len(streets) > 1:
        streets.remove(_RIVER)
    draw: Any = in_32_bits(random_spots)
    for _ in range(count):
        left = int(random.choice(streets))
        later = bool(random.random() < 0.5)
        found, _, drawn = draw(game, left, 1, random, random.random(), later)
        states.append(np.asarray(jax.vmap(pack)(found)))
        ranges.append(drawn.astype(np.float32))
    arrays: dict[str, Any] = {"state": np.concatenate(states), "ranges": np.concatenate(ranges)}
    return BeliefState(**arrays)


def solve_spots(game: Any, count: int, random: np.random.Generator) -> Iterator[WorkerOutput]:
    """Yields examples of solved random rivers, in batches, one for each start and one for a later
    decision, see `solve_random_spots`."""
    solve: Any = in_32_bits(solve_random_spots)
    for first in range(0, count, _SPOTS_PER_CALL):
        began = time.perf_counter()
        # Between passive and aggressive lines: small pots, and large ones.
        calls = random.random()
        size = min(_SPOTS_PER_CALL, count - first)
        spots = solve(game, _RIVER, size, random, calls, _ITERATIONS, later=True)
        states, ranges = jax.device_get((jax.vmap(pack)(spots.states), spots.ranges))
        values = np.asarray(spots.values) / np.float32(game.max_utility)
        yield WorkerOutput(
            part=SOLVER,
            examples=examples_of_values(
                game,
                BeliefState(state=states, ranges=ranges),
                values,
                np.asarray(spots.mask),
                np.asarray(spots.policy),
            ),
            queries=BeliefState(state=states[:0], ranges=ranges[:0]),
            counts={"solves": size},
            seconds=time.perf_counter() - began,
        )
    forget_programs()  # each shape of line compiled its own


SOURCE: Final = ExampleSource(
    is_of=lambda game: has_spots(game, _RIVER), solve=solve_spots, queries=random_queries
)
