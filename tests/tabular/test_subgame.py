"""Solving below a public state with given ranges: the oracle for search and for value networks."""

import dataclasses
import functools

import numpy as np
import pytest

from sog.games.matrix import MatrixGame
from sog.tabular import (
    CompiledGame,
    compile_game,
    compile_tree,
    evaluate_policy,
    solve_lp,
    solve_subgame,
)
from tests.tabular.small_games import (
    compiled_game,
    is_below,
    node_after,
    push_reach,
    random_ranges,
    terminal_cfvs,
)

FOLD, CALL, CHECK, BET = 0, 1, 1, 2
LEDUC = "leduc(suit_isomorphism=true)"
KING = 2
THE_CARD = (BET, CALL)
# Public states of Leduc: a decision, and a chance node.
TOPS = {"the king after two checks": (CHECK, CHECK, KING), "the card to come": THE_CARD}


@functools.cache
def below(game: str, *outcomes: int) -> CompiledGame:
    """The subgame after these public events."""
    tree = compiled_game(game).tree
    return compile_tree(tree.game, root=tree.state(node_after(tree, *outcomes)))


def with_ranges(subgame: CompiledGame, ranges: np.ndarray) -> CompiledGame:
    """The game in which chance deals by the ranges too, in poker, where hands never change."""
    payoffs = subgame.tree.payoffs
    first, second = payoffs.infostates.T
    dealt = payoffs.amount * ranges[0, first] * ranges[1, second]
    payoffs = dataclasses.replace(payoffs, amount=dealt)
    return compile_game(dataclasses.replace(subgame.tree, payoffs=payoffs))


@functools.cache
def equilibrium() -> tuple[np.ndarray, np.ndarray]:
    """[node, 2, S] twice: reach and terminal cfvs of an exact equilibrium of Leduc."""
    compiled = compiled_game(LEDUC)
    reach = push_reach(compiled.tree, solve_lp(compiled).policy)
    return reach, terminal_cfvs(compiled.tree, reach)


@pytest.mark.parametrize("outcomes", TOPS.values(), ids=TOPS)
def test_with_the_ranges_of_an_equilibrium_a_subgame_is_worth_what_it_is_there(
    outcomes: tuple[int, ...],
) -> None:
    tree, (reach, cfvs) = compiled_game(LEDUC).tree, equilibrium()
    top = node_after(tree, *outcomes)
    expected = (reach[:, 0] * cfvs[:, 0])[is_below(tree, top)].sum()
    found = solve_subgame(
        below(LEDUC, *outcomes), reach[top, :, :, None], precision="float64", iterations=500
    )
    assert found.exploitability[0] < 1e-3
    value = (reach[top, 0] * found.cfvs[0, :, 0]).sum()
    assert value == pytest.approx(expected, abs=2 * found.exploitability[0])


@pytest.mark.parametrize("iterations", [1, 500])
@pytest.mark.parametrize("outcomes", TOPS.values(), ids=TOPS)
def test_a_subgame_has_the_value_of_its_own_linear_program(
    outcomes: tuple[int, ...], iterations: int
) -> None:
    subgame = below(LEDUC, *outcomes)
    ranges = random_ranges(subgame, seed=1)
    expected = solve_lp(with_ranges(subgame, ranges[..., 0])).value
    found = solve_subgame(subgame, ranges, precision="float64", iterations=iterations)
    value = (ranges[0] * found.cfvs[0]).sum()
    assert value == pytest.approx(expected, abs=2 * found.exploitability[0])
    if iterations == 500:
        assert found.exploitability[0] < 1e-3


def test_values_in_kuhn_after_a_bet_are_those_worked_out_by_hand() -> None:
    # All cards are equally likely. Player 1's jack folds, his king calls, his queen may do either
    # against the jack or the king, for -1 and (2 - 2) / 2: it calls.
    # Player 0's jack meets two calls, his queen a fold and a call, his king a fold and a call.
    subgame = below("kuhn", BET)
    ranges = np.ones((2, 3, 1))
    found = solve_subgame(subgame, ranges, precision="float64", iterations=2000)
    np.testing.assert_allclose(found.values[1, :, 0], [-1, 0, 2], atol=1e-3)
    np.testing.assert_allclose(found.values[0, :, 0], [-2, (1 - 2) / 2, (1 + 2) / 2], atol=1e-3)
    # Two of the six deals go with each card.
    np.testing.assert_allclose(found.cfvs, found.values * 2 / 6, atol=1e-12)
    np.testing.assert_allclose(found.policy[0, :, FOLD, 0], [1, 0, 0], atol=1e-3)


def test_values_do_not_depend_on_the_scale_of_the_ranges() -> None:
    subgame = below(LEDUC, *THE_CARD)
    ranges = random_ranges(subgame, seed=3)
    scale = np.array([10.0, 0.1])[:, None, None]
    once = solve_subgame(subgame, ranges, precision="float64", iterations=20)
    scaled = solve_subgame(subgame, ranges * scale, precision="float64", iterations=20)
    np.testing.assert_allclose(scaled.values, once.values, atol=1e-9)
    # A cfv is weighted by the opponent's reach.
    np.testing.assert_allclose(scaled.cfvs, once.cfvs * scale[::-1], atol=1e-9)


def test_values_stay_inside_the_utility_range_and_are_0_where_undefined() -> None:
    subgame = below("kuhn", BET)
    ranges = random_ranges(subgame, seed=4, batch=3)
    ranges[1] = np.eye(3)  # in each solve of the batch player 1 has one card only
    found = solve_subgame(subgame, ranges, precision="float64", iterations=20)
    assert np.isfinite(found.values).all()
    assert np.abs(found.values).max() <= 2
    # The card is in player 1's hand, so player 0 with it meets nobody.
    np.testing.assert_array_equal(found.values[0] == 0, np.eye(3, dtype=bool))


def test_twice_the_exploitability_bounds_the_error_and_no_less_does() -> None:
    # Player 0 has no choice, player 1 should take the 0 but starts uniformly.
    subgame = compile_tree(MatrixGame(payoffs=((0.0, 1.0),)))
    ranges = subgame.tree.node_mask[0][:, :, None].astype(float)
    found = solve_subgame(subgame, ranges, iterations=1)
    error = (ranges[0] * found.cfvs[0]).sum() - 0
    assert error == pytest.approx(0.5)
    assert error == pytest.approx(2 * found.exploitability[0])


def test_the_error_of_a_subgames_value_is_in_the_unit_of_the_game() -> None:
    """However improbable its ranges: the whole of Kuhn from uniform ranges is the game itself, and
    its six pairs of cards have weight 1 / 6 times 1 / 9 each."""
    compiled = compiled_game("kuhn")
    found = solve_subgame(compiled, np.full((2, 3, 1), 1 / 3), precision="float64", iterations=20)
    nash_conv = evaluate_policy(compiled, found.policy[..., 0]).nash_conv
    np.testing.assert_allclose(found.error, nash_conv)
    np.testing.assert_allclose(found.exploitability * 2 * 9, nash_conv)
