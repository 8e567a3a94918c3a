"""Games made from OpenSpiel's are worth what they are there, whatever the players do."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.openspiel.game import load_openspiel
from sog.tabular import compile_tree, solve
from tests.openspiel.openspiel_games import (
    HIDDEN_COINS,
    IN_STEP,
    ONE_COIN,
    OVER_AT_ONCE,
    RESTRICTED,
    SECOND_TRY,
    Policy,
    expected_value,
    pyspiel,
    spiel_game,
)


def value_by_histories(state: Any, policy: Policy) -> float:
    if state.is_terminal():
        return float(state.returns()[0])
    odds: dict[int, float]
    if state.is_chance_node():
        odds = dict(state.chance_outcomes())
    else:
        odds = policy(state.information_state_string(), state.legal_actions())
    return sum(p * value_by_histories(state.child(move), policy) for move, p in odds.items())


def random_policy(seed: int) -> Policy:
    rng, chosen = np.random.default_rng(seed), dict[str, dict[int, float]]()

    def policy(infostate: str, legal: list[int]) -> dict[int, float]:
        if infostate not in chosen:
            odds = rng.dirichlet(np.full(len(legal), 0.5))
            chosen[infostate] = dict(zip(legal, odds.tolist(), strict=True))
        return chosen[infostate]

    return policy


def check_values(text: str) -> None:
    game = load_openspiel(text)
    policy = random_policy(seed=7)
    with jax.enable_x64(True):
        value = expected_value(game, policy)
    assert value == pytest.approx(
        value_by_histories(spiel_game(text).new_initial_state(), policy), abs=1e-9
    )


@pytest.mark.thorough(
    but=["oshi", "dark_hex(board_size=2)", "matrix", "dice", "text6", "restricted"]
)
@pytest.mark.parametrize("text", [*IN_STEP, RESTRICTED])
def test_random_policies_are_worth_what_they_are_in_openspiel(text: str) -> None:
    check_values(text)


@pytest.mark.parametrize("tree", [SECOND_TRY, HIDDEN_COINS], ids=["second try", "hidden coins"])
def test_waiting_and_hidden_chance_change_no_value(
    tree: str, written: Callable[[str], str]
) -> None:
    check_values(written(tree))


def test_kuhn_poker_from_a_gambit_file_is_worth_the_same(written: Callable[[str], str]) -> None:
    # What OpenSpiel tells of such a game between a player's moves shows the other's card; he has
    # forgotten it when he moves. His own card he knows: each goes with two cards of the other.
    text = written(pyspiel.get_kuhn_poker_efg_data())
    game = load_openspiel(text)
    assert game.infostate_mask(game.root()).sum(axis=1).tolist() == [3, 3]
    one_card = jnp.array([[0, 0, 0], [1, 0, 0]], jnp.float32)
    pairs = game.compatible_reach(game.root(), one_card)[0]
    np.testing.assert_allclose(np.sort(pairs), [0, 1 / 6, 1 / 6], rtol=1e-6)
    check_values(text)


@pytest.mark.parametrize(
    ("tree", "value"), [(ONE_COIN, 1 / 3), (OVER_AT_ONCE, 2)], ids=["one coin", "over at once"]
)
def test_a_game_without_a_decision_has_its_value_and_nobody_can_exploit_it(
    tree: str, value: float, written: Callable[[str], str]
) -> None:
    """Three points with probability 1/3, else minus one; and two for nothing."""
    last = solve(compile_tree(load_openspiel(written(tree))), iterations=2).last
    assert last.value == pytest.approx(value, abs=1e-12)
    assert last.exploitability == 0
