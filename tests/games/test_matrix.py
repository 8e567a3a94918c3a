"""Matrix games: rules, equilibria worked out by hand, what a user may pass in."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
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
from sog.games.registry import make

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


@pytest.mark.thorough(but=["rps", "[[1], [2], [0]]"])
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


def utility_of(game: SimultaneousGame, policy_0: list[float], policy_1: list[float]) -> float:
    """Player 0's expected utility: ranges flow down the public tree, utilities at its end."""
    state, reach = game.root(), game.root_reach()
    for mover, policy in enumerate([policy_0, policy_1]):
        probabilities = jnp.pad(jnp.array(policy), (0, game.num_actions - len(policy)))
        action_reach = reach[mover][:, None] * probabilities[None, :]
        reach = game.advance(state, jnp.int32(MOVED), action_reach, reach[1 - mover])
        state = game.apply(state, jnp.int32(MOVED))
    return float((reach[0] * game.utilities(state, reach)[0]).sum())


@pytest.mark.parametrize("bias", [1.0, 2.0, 5.0])
def test_biased_rock_paper_scissors_equilibrium_makes_every_reply_worth_0(bias: float) -> None:
    # Against (r, p, s), rock earns -p + bias s, paper r - s, scissors -bias r + p.
    # All are equal to the value 0 iff s = r and p = bias r, that is (1, bias, 1) / (2 + bias).
    game = BiasedRockPaperScissors(bias=bias)
    equilibrium = [1 / (2 + bias), bias / (2 + bias), 1 / (2 + bias)]
    for reply in np.eye(3).tolist():
        assert utility_of(game, reply, equilibrium) == pytest.approx(0.0, abs=1e-6)
        assert utility_of(game, equilibrium, reply) == pytest.approx(0.0, abs=1e-6)


def test_bias_defaults_to_two_points_for_rock_against_scissors() -> None:
    rock, scissors = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    assert utility_of(BiasedRockPaperScissors(), rock, scissors) == 2.0
    assert utility_of(BiasedRockPaperScissors(), scissors, rock) == -2.0


def test_mixed_moves_earn_the_weighted_payoff() -> None:
    # (1/4, 3/4) against (1/2, 0, 1/2): 1/4 (3 - 1)/2 + 3/4 (-4 + 0.5)/2 = 0.25 - 1.3125.
    assert utility_of(WIDE, [0.25, 0.75], [0.5, 0.0, 0.5]) == pytest.approx(-1.0625)


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
        ((), r"have rows of one length, got lengths \[\]"),
        (((), ()), r"have rows of one length, got lengths \[0, 0\]"),
        (((1.0, float("nan")),), r"be finite, got \(\(1.0, nan\),\)"),
    ],
)
def test_a_bad_matrix_is_refused(payoffs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=f"matrix: payoffs must {message}"):
        MatrixGame(payoffs=payoffs)


def test_named_games_are_made_from_text() -> None:
    assert make("matching_pennies") == MatchingPennies()
    assert make("rps") == RockPaperScissors()
    assert make("biased_rps(bias=3)") == BiasedRockPaperScissors(bias=3.0)


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
        state = game.apply(game.apply(game.root(), jnp.int32(0)), jnp.int32(0))
        for dtype in (jnp.float32, jnp.float64):
            reach = jnp.ones((2, 3), dtype)
            assert game.utilities(state, reach).dtype == dtype
            assert game.compatible_reach(state, reach).dtype == dtype
        assert state.num_moves.dtype == jnp.int32
