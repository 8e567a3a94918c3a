"""Games of simultaneous moves: rules against OpenSpiel, plain Python, and by hand."""

import itertools
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.games.oshi_zumo import OshiZumo
from sog.games.pursuit_evasion import PursuitEvasion
from sog.games.random_game import RandomGame
from sog.games.simultaneous_moves import MOVED, RoundState, SimultaneousMovesGame
from sog.games.tron import Tron
from sog.tabular import compile_game, enumerate_public_tree
from sog.tabular.lp import solve_lp

UP, RIGHT, DOWN, LEFT = range(4)


def play(game: SimultaneousMovesGame[Any], *rounds: tuple[int, int]) -> RoundState[Any]:
    """The state after some rounds; moves must be legal."""
    state = game.root()
    for first, second in rounds:
        assert game.legal_actions(state)[0, first]
        state = game.apply(state, jnp.int32(MOVED))
        assert game.legal_actions(state)[0, second]
        state = game.apply(state, jnp.int32(first * game.num_actions + second))
    return state


def utility(game: SimultaneousMovesGame[Any], state: RoundState[Any]) -> float:
    assert int(game.actor(state)) == TERMINAL
    return float(game.result(state.position))


@pytest.mark.parametrize(("coins", "size", "least"), [(9, 1, 2), (7, 2, 1)])
def test_oshi_zumo_has_the_rules_of_openspiel(coins: int, size: int, least: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = OshiZumo(coins=coins, size=size, least=least)
    theirs = pyspiel.load_game(
        "oshi_zumo", {"coins": coins, "size": size, "min_bid": least, "alesia": False}
    )
    moves, after = jax.jit(game.moves), jax.jit(game.after)
    ends = set()
    for seed in range(30):
        pick, position, state = random.Random(seed), game.opening(), theirs.new_initial_state()
        for _ in range(game.max_rounds):
            legal = [state.legal_actions(player) for player in (PLAYER_0, PLAYER_1)]
            assert [np.flatnonzero(own).tolist() for own in moves(position)] == legal
            both = [pick.choice(own) for own in legal]
            state.apply_actions(both)
            position = after(position, jnp.array(both, jnp.int32))
            assert bool(game.is_over(position)) == state.is_terminal()
            if state.is_terminal():
                break
        assert state.is_terminal()
        assert float(game.result(position)) == state.returns()[0]
        ends.add(state.returns()[0])
    assert len(ends) == 3


def test_a_random_game_scores_by_the_hash_that_it_is_said_to() -> None:
    def mix(number: int) -> int:  # the finalizer of MurmurHash3, after Austin Appleby
        for shift, factor in ((16, 0x85EBCA6B), (13, 0xC2B2AE35)):
            number = ((number ^ (number >> shift)) * factor) % 2**32
        return number ^ (number >> 16)

    assert mix(1) == 0x514E28B7  # what the reference makes of it
    game = RandomGame(actions=3, rounds=2, seed=5)
    for moves in itertools.product(range(3), repeat=4):
        number, score = mix(5 + 0x9E3779B9), 0
        for first, second in (moves[:2], moves[2:]):
            number = mix((number + 0x9E3779B9 * (3 * first + second + 1)) % 2**32)
            score += (number >> 8) % 3 - 1
        position = game.after(game.opening(), jnp.array(moves[:2], jnp.int32))
        position = game.after(position, jnp.array(moves[2:], jnp.int32))
        assert float(game.result(position)) == score


def test_scores_of_random_games_are_evenly_spread_and_the_sign_can_be_what_counts() -> None:
    def results(game: RandomGame) -> np.ndarray:
        start = game.opening()
        pairs = jnp.stack(jnp.meshgrid(jnp.arange(60), jnp.arange(60)), -1).reshape(-1, 2)
        return np.asarray(
            jax.vmap(lambda moves: game.result(game.after(start, moves.astype(jnp.int32))))(pairs)
        )

    sums = results(RandomGame(actions=60, rounds=1))
    counts = [int((sums == score).sum()) for score in (-1, 0, 1)]
    assert sum(counts) == 3600
    assert all(abs(count - 1200) < 5 * 28.3 for count in counts)  # standard deviation 28.3
    assert np.array_equal(results(RandomGame(actions=60, rounds=1, payoff="sign")), np.sign(sums))
    assert not np.array_equal(results(RandomGame(actions=60, rounds=1, seed=1)), sums)


@pytest.mark.thorough
def test_in_tron_whoever_is_walled_in_loses_and_a_crash_is_a_draw() -> None:
    game = Tron(rows=3, columns=3)
    first = play(game, (RIGHT, UP))
    assert game.describe_state(first) == "#0./..1/..# (b1, c2)"
    second, third = np.asarray(game.moves(first.position))
    assert np.flatnonzero(second).tolist() == [RIGHT, DOWN]
    assert np.flatnonzero(third).tolist() == [UP, LEFT]
    # In the corner c1 there is no way on, while the first still has two.
    assert utility(game, play(game, (RIGHT, UP), (DOWN, UP))) == 1
    assert utility(game, play(game, (RIGHT, UP), (RIGHT, LEFT))) == -1
    assert utility(game, play(game, (RIGHT, UP), (DOWN, LEFT))) == 0  # both on b2
    full = Tron(rows=2, columns=3)
    assert utility(full, play(full, (RIGHT, LEFT), (RIGHT, LEFT))) == 0  # both are stuck


def test_the_evader_is_caught_on_a_cell_and_on_an_edge_and_wins_by_surviving() -> None:
    game = PursuitEvasion(moves_to_survive=2)

    def units(first: int, second: int) -> int:
        return 4 * first + second

    # He starts on b2, they on a1 and c3.
    assert utility(game, play(game, (UP, units(RIGHT, UP)))) == -1  # on b1
    assert utility(game, play(game, (UP, units(DOWN, UP)), (DOWN, units(RIGHT, DOWN)))) == -1
    assert utility(game, play(game, (UP, units(DOWN, UP)), (RIGHT, units(DOWN, LEFT)))) == 1
    # On two rows he starts beside the second unit: they meet on the edge, changing places.
    small = PursuitEvasion(rows=2, moves_to_survive=1)
    assert small.describe_state(small.root()) == "after 0: evader b2, units a1 c2"
    assert utility(small, play(small, (RIGHT, units(DOWN, LEFT)))) == -1
    assert utility(small, play(small, (RIGHT, units(DOWN, UP)))) == 1


@pytest.mark.thorough(but=["game0", "game1", "game2"])
@pytest.mark.parametrize(
    ("game", "value"),
    [
        # Each unit covers two of his four cells, so that he is caught half of the time.
        (PursuitEvasion(moves_to_survive=1), 0.0),
        # They can always cover two of the three cells that are left to him: he survives 1/2 * 1/3.
        (PursuitEvasion(moves_to_survive=2), -2 / 3),
        (Tron(rows=2, columns=2), 0.0),
        # The players are alike.
        (OshiZumo(coins=4), 0.0),
    ],
)
def test_values_that_are_known(game: SimultaneousMovesGame[Any], value: float) -> None:
    assert solve_lp(compile_game(enumerate_public_tree(game))).value == pytest.approx(
        value, abs=1e-9
    )
