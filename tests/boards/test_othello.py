"""Rules of Othello."""

import itertools
import random
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.othello import Othello, OthelloState
from sog.games import make
from sog.games.core import TERMINAL
from tests.boards.backward_induction import BackwardInduction
from tests.boards.levels import levels


def rows_of(states: OthelloState) -> np.ndarray:
    return np.column_stack([states.disks.reshape(-1, 4), states.mover, states.is_over])


@pytest.mark.parametrize("depth", [6, pytest.param(8, marks=pytest.mark.slow)])
def test_as_many_games_begin_as_others_count(depth: int) -> None:
    # Leaves at depths 0, 1, ...: https://www.aartbik.com/strategy.php (perft for Reversi).
    published = [1, 4, 12, 56, 244, 1396, 8200, 55092, 390216]
    found = itertools.islice(levels(Othello(), rows_of), depth + 1)
    assert [int(counts.sum()) for counts, _ in found] == published[: depth + 1]


@pytest.mark.thorough
def test_on_4_by_4_the_second_player_wins_by_11_to_3() -> None:
    """The score with best play is well known, and the first four moves are alike."""
    game = Othello(size=4, payoff="diff")
    values = BackwardInduction(game).values(game.root())
    assert values[~np.isnan(values)].tolist() == [3 - 11] * 4


@pytest.mark.thorough
def test_a_game_may_end_early_when_one_side_has_no_disk_left() -> None:
    # The shortest game: https://en.wikipedia.org/wiki/Reversi, a wipe-out in nine moves.
    game: Any = make("othello(payoff=diff)")
    state = game.start("e6f4e3f6g5d6e7f5c5")
    assert game.actor(state) == TERMINAL
    assert game.result(state) == 13
    assert game.describe_state(state).endswith("(13-0)")


@pytest.mark.thorough
def test_transcripts_leave_passes_out() -> None:
    game, rng = make("othello(size=4)"), random.Random(1)
    for _ in range(20):
        state, events = game.root(), list[int]()
        while legal := np.flatnonzero(game.legal_outcomes(state)).tolist():
            events.append(rng.choice(legal))
            state = game.apply(state, jnp.int32(events[-1]))
        cells = [event for event in events if event != 16]
        if len(cells) < len(events):
            break
    names = [game.describe_action(state, 0, cell) for cell in cells]
    expected = events if events[-1] != 16 else events[:-1]
    assert game.parse("".join(names)) == game.parse(" ".join(names)) == tuple(expected)
    with pytest.raises(ValueError, match=r"^event 2, 'a2', cannot happen at"):
        game.parse("a2a2")


def test_features_are_seen_from_the_player_to_move() -> None:
    game = make("othello(size=4)")
    planes = np.asarray(game.observe(game.start("a2"))).reshape(5, 4, 4)
    own, other, first, own_moves, other_moves = planes
    assert np.argwhere(own).tolist() == [[2, 2]]
    assert np.argwhere(other).tolist() == [[1, 0], [1, 1], [1, 2], [2, 1]]
    assert not first.any()
    assert np.argwhere(own_moves).tolist() == [[0, 0], [0, 2], [2, 0]]
    assert np.argwhere(other_moves).tolist() == [[2, 3], [3, 2], [3, 3]]


@pytest.mark.parametrize("size", [3, 5, 10])
def test_other_sizes_are_refused(size: int) -> None:
    with pytest.raises(ValueError, match=rf"^othello: size must be .*, got {size}\.$"):
        Othello(size=size)
