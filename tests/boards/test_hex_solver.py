"""The solver of small Hex, against backward induction by the rules of the game."""

import random
from typing import Any

import jax
import numpy as np
import pytest

from sog.boards.hex import Hex
from sog.boards.hex_solver import HexSolver
from sog.play.rules import after, first_state, situation
from tests.boards.backward_induction import BackwardInduction


def values_of(solver: HexSolver, line: list[int]) -> np.ndarray:
    """[cell]: 1 if the player to move wins by a stone there, -1 if it loses, NaN if it is taken."""
    stones = [sum(1 << cell for cell in line[player::2]) for player in (0, 1)]
    mover, found = len(line) % 2, np.full(solver.size**2, np.nan)
    for cell in {*range(solver.size**2)} - {*line}:
        wins = solver.wins(stones[1 - mover], stones[mover] | 1 << cell, 1 - mover)
        found[cell] = -1 if wins else 1
    return found


@pytest.mark.thorough(but=["2-0-1", "3-0-6"])
@pytest.mark.parametrize(
    ("size", "fewest", "most"), [(2, 0, 1), (3, 0, 6), (4, 8, 12), (5, 16, 21)]
)
def test_every_move_is_worth_what_backward_induction_says(
    size: int, fewest: int, most: int
) -> None:
    game, rng = Hex(size=size), random.Random(size)
    lines, states = list[list[int]](), list[Any]()
    while len(lines) < 40:
        state, line = first_state(game), list[int]()
        for _ in range(rng.randint(fewest, most)):
            legal = np.flatnonzero(situation(game, state).legal_outcomes).tolist()
            if legal:
                line.append(rng.choice(legal))
                state = after(game, state, line[-1])
        if situation(game, state).legal_outcomes.any():
            lines.append(line)
            states.append(jax.device_get(state))
    by_rules, solver = BackwardInduction(game), HexSolver(size)
    expected = [by_rules.values(state) for state in states]
    np.testing.assert_array_equal([values_of(solver, line) for line in lines], expected)
    for line, values in zip(lines, expected, strict=True):
        best = HexSolver(size).best_cells(line)
        assert best
        assert set(best) <= set(np.flatnonzero(values == np.nanmax(values)).tolist())
        if np.nanmax(values) < 0:
            assert len(best) == size**2 - len(line)


def test_the_middle_of_5_by_5_wins() -> None:
    # https://www.hexwiki.net/index.php/Small_boards
    assert not HexSolver(5).wins(0, 1 << 12, 1)


@pytest.mark.slow
def test_the_winning_openings_of_4_by_4_and_5_by_5() -> None:
    """As https://www.hexwiki.net/index.php/Small_boards has them, turned by 180 degrees or not."""
    for size, rows in (
        (4, ["...+", "..+.", ".+..", "+..."]),
        (5, ["....+", ".++++", ".+++.", "++++.", "+...."]),
    ):
        expected = [1 if mark == "+" else -1 for mark in "".join(rows)]
        assert values_of(HexSolver(size), []).tolist() == expected
