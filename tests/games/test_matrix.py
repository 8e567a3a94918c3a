"""Matrix games: rules, equilibria worked out by hand, what a user may pass in."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import pytest

from sog.games.core import TERMINAL
from sog.games.matrix import (
    MOVED,
    BiasedRockPaperScissors,
    MatchingPennies,
    MatrixGame,
    RockPaperScissors,
    SimultaneousGame,
)
from tests.games.random_plays import state_after

History = tuple[int, ...]
WIDE = MatrixGame(payoffs=((3.0, 0.0, -1.0), (-4.0, 2.0, 0.5)))


class MatrixRules:
    """A history is the moves made."""

    def __init__(self, payoffs: list[list[float]]) -> None:
        self.payoffs = payoffs

    def deals(self) -> list[tuple[float, History]]:
        return [(1.0, ())]

    def actor(self, history: History) -> int:
        return len(history) if len(history) < 2 else TERMINAL

    def moves(self, history: History) -> list[tuple[int, float, int, History]]:
        if len(history) == 2:
            return []
        num_moves = len(self.payoffs[0]) if history else len(self.payoffs)
        return [(move, 1.0, MOVED, (*history, move)) for move in range(num_moves)]

    def infostates(self, history: History) -> tuple[int, int]:
        padded = (*history, 0, 0)
        return padded[0], padded[1]

    def utility(self, history: History) -> float:
        return self.payoffs[history[0]][history[1]]


@pytest.mark.thorough(but=["rps", "[[3, 0, -1]"])
@pytest.mark.parametrize(
    ("game", "payoffs"),
    [
        (MatchingPennies(), [[1, -1], [-1, 1]]),
        (RockPaperScissors(), [[0, -1, 1], [1, 0, -1], [-1, 1, 0]]),
        (BiasedRockPaperScissors(bias=3), [[0, -1, 3], [1, 0, -1], [-3, 1, 0]]),
        (WIDE, [[3, 0, -1], [-4, 2, 0.5]]),
        (MatrixGame(payoffs=((1.0,), (2.0,), (0.0,))), [[1], [2], [0]]),
    ],
    ids=str,
)
def test_all_worlds_agree_with_the_rules(
    check_rules: Callable[..., None], game: SimultaneousGame, payoffs: list[list[float]]
) -> None:
    check_rules(game, MatrixRules(payoffs))


def test_a_matrix_game_is_hashable_and_equal_by_its_payoffs() -> None:
    assert hash(WIDE) == hash(MatrixGame(payoffs=WIDE.payoffs))
    assert MatrixGame(payoffs=((1.0, 0.0),)) != WIDE


def test_the_widest_player_sets_the_sizes() -> None:
    assert (WIDE.num_infostates, WIDE.num_actions, WIDE.num_outcomes) == (3, 3, 1)
    assert WIDE.max_utility == 4.0


def test_a_matrix_of_zeros_still_has_a_utility_range() -> None:
    assert MatrixGame(payoffs=((0.0, 0.0),)).max_utility == 1.0


@pytest.mark.parametrize(
    ("payoffs", "message"),
    [
        (((1.0, 2.0), (3.0,)), r"have rows of one length, got lengths \[2, 1\]"),
        (((), ()), r"have rows of one length, got lengths \[0, 0\]"),
        (((1.0, float("nan")),), r"be finite, got \(\(1.0, nan\),\)"),
    ],
)
def test_a_bad_matrix_is_refused(payoffs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"matrix: payoffs must {message}"):
        MatrixGame(payoffs=payoffs)


def test_moves_are_told_by_name() -> None:
    game = RockPaperScissors()
    start = game.root()
    middle = game.apply(start, jnp.int32(MOVED))
    assert game.describe_action(start, 0, 1) == "paper"
    assert game.describe_infostate(start, 0, 0) == "yet to move"
    assert game.describe_infostate(middle, 0, 2) == "scissors"
    assert game.describe_infostate(middle, 1, 0) == "yet to move"
    assert [game.describe_state(start), game.describe_state(middle)] == [
        "start",
        "player 0 has moved",
    ]
    assert game.describe_outcome(middle, MOVED) == "player 1 moves"
    assert WIDE.describe_action(start, 0, 1) == "move 1"


def test_reach_keeps_its_type_in_64_bits() -> None:
    with jax.enable_x64(True):
        game = RockPaperScissors()
        state = state_after(game, 0, 0)
        for dtype in (jnp.float32, jnp.float64):
            reach = jnp.ones((2, 3), dtype)
            assert game.utilities(state, reach).dtype == dtype
            assert game.compatible_reach(state, reach).dtype == dtype
        assert state.num_moves.dtype == jnp.int32
