"""Best responses, values and exploitability: known facts, brute force, and inequalities."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sog.tabular import PublicTree, evaluate_policy, uniform_policy
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.small_games import (
    compiled_game,
    expected_utility,
    random_policy,
)

SMALL_GAMES = ("kuhn", "liars_dice(dice=2,dice1=1,faces=2)", "ii_goofspiel(cards=3,order=random)")
seeds = st.integers(0, 2**32 - 1)
few = settings(max_examples=25)


def kuhn_policy(seed: int) -> kuhn.Policy:
    """A random policy, now and then pure."""
    rng = np.random.default_rng(seed)
    bets = np.clip(rng.uniform(-0.3, 1.3, size=12), 0, 1).tolist()
    return {
        infostate: {"p": 1 - bet, "b": bet}
        for infostate, bet in zip(kuhn.uniform(), bets, strict=True)
    }


@pytest.mark.parametrize("seed", range(5))
def test_a_best_response_in_kuhn_wins_what_the_best_of_all_pure_policies_wins(seed: int) -> None:
    compiled, policy = compiled_game("kuhn"), kuhn_policy(seed)
    found = evaluate_policy(compiled, kuhn.to_tree(compiled.tree, policy))
    assert found.value[0] == pytest.approx(kuhn.value(policy), abs=1e-12)
    for player in (0, 1):
        expected = kuhn.best_response_value(policy, player)
        assert found.best_response_value[player, 0] == pytest.approx(expected, abs=1e-12)


def test_uniform_kuhn_has_nash_conv_11_over_12() -> None:
    compiled = compiled_game("kuhn")
    found = evaluate_policy(compiled, uniform_policy(compiled))
    assert found.nash_conv[0] == pytest.approx(11 / 12, abs=1e-12)
    assert found.exploitability[0] == pytest.approx(11 / 24, abs=1e-12)
    assert found.value[0] == pytest.approx(1 / 8, abs=1e-12)


def test_uniform_leduc_has_exploitability_2_37361() -> None:
    compiled = compiled_game("leduc")
    found = evaluate_policy(compiled, uniform_policy(compiled))
    assert found.exploitability[0] == pytest.approx(2.37361, abs=5e-6)


def kuhn_equilibrium(alpha: float) -> kuhn.Policy:
    """Kuhn's equilibria: player 0 bets jacks with probability alpha <= 1/3, and so on."""
    jack, queen, king = range(3)
    bets = {
        (jack, ""): alpha,
        (queen, ""): 0,
        (king, ""): 3 * alpha,
        (jack, "pb"): 0,
        (queen, "pb"): alpha + 1 / 3,
        (king, "pb"): 1,
        (jack, "p"): 1 / 3,
        (queen, "p"): 0,
        (king, "p"): 1,
        (jack, "b"): 0,
        (queen, "b"): 1 / 3,
        (king, "b"): 1,
    }
    return {infostate: {"p": 1 - bet, "b": bet} for infostate, bet in bets.items()}


@pytest.mark.parametrize("alpha", [0, 1 / 6, 1 / 3])
def test_kuhns_equilibria_cannot_be_exploited(alpha: float) -> None:
    compiled = compiled_game("kuhn")
    found = evaluate_policy(compiled, kuhn.to_tree(compiled.tree, kuhn_equilibrium(alpha)))
    assert found.exploitability[0] == pytest.approx(0, abs=1e-12)
    assert found.value[0] == pytest.approx(-1 / 18, abs=1e-12)


# Hidden moves, private hands, merged infostates.


@pytest.mark.thorough(only=["glasses"])
@pytest.mark.parametrize("game", [*SMALL_GAMES, "goofspiel(cards=4,order=descending)", "glasses"])
def test_the_value_is_what_reach_and_utilities_add_up_to(game: str) -> None:
    compiled = compiled_game(game)
    policy = random_policy(compiled.tree, seed=1)
    expected = expected_utility(compiled.tree, policy)
    assert evaluate_policy(compiled, policy).value[0] == pytest.approx(expected, abs=1e-12)


def test_cfvs_at_the_root_are_what_each_infostate_earns_alone() -> None:
    compiled = compiled_game("liars_dice(dice=2,dice1=1,faces=2)")
    tree, policy = compiled.tree, random_policy(compiled.tree, seed=2)
    cfvs = evaluate_policy(compiled, policy).cfvs[..., 0]
    for player, sign in ((0, 1), (1, -1)):
        for infostate in range(tree.game.num_infostates):
            root_reach = tree.node_mask[0].astype(float)
            only = np.arange(tree.game.num_infostates) == infostate
            root_reach[player] *= only
            expected = sign * expected_utility(tree, policy, root_reach)
            assert cfvs[player, infostate] == pytest.approx(expected, abs=1e-12)


def mixed(tree: PublicTree, policy_0: np.ndarray, policy_1: np.ndarray) -> np.ndarray:
    """Player 0 plays one policy, player 1 the other."""
    return np.asarray(np.where((tree.node_actor == 0)[:, None, None], policy_0, policy_1))


@pytest.mark.parametrize("game", SMALL_GAMES)
@few
@given(seed=seeds, other_seed=seeds)
def test_no_policy_wins_more_than_a_best_response(game: str, seed: int, other_seed: int) -> None:
    compiled = compiled_game(game)
    tree = compiled.tree
    policy, other = random_policy(tree, seed), random_policy(tree, other_seed)
    found = evaluate_policy(compiled, policy)
    by_player_0 = evaluate_policy(compiled, mixed(tree, other, policy)).value[0]
    by_player_1 = -evaluate_policy(compiled, mixed(tree, policy, other)).value[0]
    assert by_player_0 <= found.best_response_value[0, 0] + 1e-12
    assert by_player_1 <= found.best_response_value[1, 0] + 1e-12
    assert (found.cfvs <= found.best_response_cfvs + 1e-12).all()
