"""Errors of a network's values in hold'em, on random rivers and turns, see
`sog.holdem.spots.solved_spots`.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, evaluate_beliefs
from sog.holdem.game import Holdem
from sog.holdem.spots.random_spots import can_be_solved, has_spots
from sog.holdem.spots.solved_spots import SolvedSpots, solve_random_spots
from sog.holdem.spots.walk import forget_programs
from sog.precision import in_32_bits

_RIVERS_PER_TURN: Final = 16
_OF_A_LINE: Final = {0: 8, 1: 1}
"""Rivers and turns per line of bets: a range of pot sizes, with few compiled programs."""


class SpotMeasure:
    """Measures networks of one game on spots that are solved once."""

    @in_32_bits
    def __init__(self, game: Holdem, num_rivers: int, *, seed: int = 0) -> None:
        """Adds a turn for every 16 rivers; uses only streets that the game has."""
        self._game = game
        random = np.random.default_rng(seed)
        self.spots: list[SolvedSpots] = []
        numbers = {0: num_rivers, 1: num_rivers // _RIVERS_PER_TURN}
        for left, size in _OF_A_LINE.items():
            there_are = has_spots(game, left) and can_be_solved(game, left)
            for first in range(0, numbers[left] if there_are else 0, size):
                count = min(size, numbers[left] - first)
                self.spots.append(solve_random_spots(game, left, count, random))
        forget_programs()
        self._program: Any = jax.jit(functools.partial(_errors, game))

    @in_32_bits
    def measure(self, evaluator: Evaluator) -> dict[str, float]:
        """Mean absolute errors of values, over hands and then over spots: `value_error_river` and
        `_turn` in the game's units, with `_of_pot` as shares of the pot."""
        errors: dict[str, list[float]] = {}
        for spots in self.spots:
            parts = (spots.states, spots.ranges, spots.values, spots.mask)
            of_each = np.asarray(self._program(evaluator, *parts), np.float64).tolist()
            errors.setdefault(f"value_error_{spots.name}", []).extend(of_each)
            errors.setdefault(f"value_error_{spots.name}_of_pot", []).extend(
                error / spots.pot for error in of_each
            )
        return {name: float(np.mean(of_all)) for name, of_all in errors.items()}


def _errors(
    game: Holdem, evaluator: Evaluator, states: Any, ranges: Array, values: Array, mask: Array
) -> Array:
    """[spot]: the mean over the hands of both players."""
    error = jnp.abs(evaluate_beliefs(game, evaluator, states, ranges).values - values)
    return jnp.mean(error, axis=(1, 2), where=mask)
