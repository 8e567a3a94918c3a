"""Random rivers of hold'em, solved exactly, as the first examples; beyond the paper.

A river is a game of its own that CFR solves in a tenth of a second, for all hands and for ranges of
all kinds. A network that knows what rivers are worth gives the searches above them something to
begin with, as DeepStack's networks were trained from the last street up (Moravcik et al. 2017).
"""

import time
from collections.abc import Iterator
from typing import Any, Final

import jax
import numpy as np

from gtcfr.packing import BeliefState, pack
from selfplay.examples import examples_of_values
from selfplay.workers import SOLVER, WorkerOutput
from sog.games.cards.holdem import Holdem
from sog.games.core import Game
from sog.precision import in_32_bits
from sog.tabular.spots.random_spots import has_spots, solve_random_spots

_RIVER: Final = 0  # streets that follow
_SPOTS_PER_CALL: Final = 32  # of one line of bets
_ITERATIONS: Final = 60  # to a small part of what networks err by


def check_random_spots(game: Game[Any], count: int) -> None:
    """Raises ValueError for a game without rivers to bet on."""
    if count and not (isinstance(game, Holdem) and has_spots(game, _RIVER)):
        raise ValueError(f"selfplay: random_spots must be 0 in {game.name}, got {count}.")


def solve_spots(game: Game[Any], count: int, random: np.random.Generator) -> Iterator[WorkerOutput]:
    """So many random rivers, some at a time."""
    if not isinstance(game, Holdem):
        return
    solve: Any = in_32_bits(solve_random_spots)
    for first in range(0, count, _SPOTS_PER_CALL):
        began = time.perf_counter()
        # Lines in which everybody checks and lines of bets: small pots, and large ones.
        calls = random.random()
        size = min(_SPOTS_PER_CALL, count - first)
        spots = solve(game, _RIVER, size, random, calls, _ITERATIONS)
        states, ranges = jax.device_get((jax.vmap(pack)(spots.states), spots.ranges))
        values = np.asarray(spots.values) / np.float32(game.max_utility)
        yield WorkerOutput(
            part=SOLVER,
            examples=examples_of_values(
                game, BeliefState(state=states, ranges=ranges), values, np.asarray(spots.mask)
            ),
            queries=BeliefState(state=states[:0], ranges=ranges[:0]),
            counts={"solves": len(states)},
            seconds=time.perf_counter() - began,
        )
