"""Judges of decisions: those of Hex and of Connect Four agree with backward induction."""

import functools
import random

import pytest

from sog.boards import oracles
from sog.boards.hex import Hex
from sog.games import make
from sog.tabular.perfect_play import perfect_values


def test_the_solver_of_hex_judges_decisions_as_backward_induction_does() -> None:
    rng, decisions = random.Random(0), []
    for _ in range(20):
        cells = rng.sample(range(9), rng.randint(1, 4))  # nobody has won before the fifth stone
        decisions.append((tuple(cells[:-1]), cells[-1]))
    game = Hex(size=3)
    found = oracles.perfect_hex(game, decisions)
    assert found == oracles.exact(game, decisions)
    assert len({*found}) >= 3  # mistakes, good moves, and lost positions are among them


def test_the_last_decisions_are_judged_where_there_is_no_room_for_those_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Six free cells leave less than 500 positions, nine more than 5,000."""
    few = functools.partial(perfect_values, max_positions=500)
    monkeypatch.setattr(oracles, "perfect_values", few)
    cells = (8, 1, 3, 0, 4, 5, 7)
    decisions = [(cells[:ply], cells[ply]) for ply in range(7)]
    judged = oracles.exact(make("tic_tac_toe"), decisions)
    known = [worth is not None for worth in judged]
    assert known == sorted(known)
    assert (known[0], known[3]) == (False, True)


def test_the_first_move_of_connect_four_wins_in_the_centre_only() -> None:
    pytest.importorskip("bitbully")  # AGPL, and large: in the extra `bench`, not in `test`
    found = oracles.bitbully(make("connect_four"), [((), column) for column in range(7)])
    taken = [-1.0, -1.0, 0.0, 1.0, 0.0, -1.0, -1.0]
    assert found == [oracles.Worth(best=1.0, taken=worth, worst=-1.0) for worth in taken]
