"""The numbers of an examination: Kuhn's equilibria, a plain-Python oracle, conservation laws."""

import numpy as np
import pytest

from sog.tabular import evaluate_policy
from sog.tabular.profile_analysis import analyze_profile
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.small_games import compiled_game, node_after, random_policy
from tests.tabular.test_best_response import kuhn_equilibrium, kuhn_policy

JACK, QUEEN, KING = range(3)
FOLD, CALL, BET = range(3)
GAMES = ("kuhn", "leduc(suit_isomorphism=true)", "ii_goofspiel(cards=3,order=random)", "glasses")


def test_values_of_kuhns_equilibrium_are_those_worked_by_hand() -> None:
    """Player 0 never bets (alpha = 0), and player 1 bets kings and a third of his jacks."""
    tree = compiled_game("kuhn").tree
    found = analyze_profile(tree, kuhn.to_tree(tree, kuhn_equilibrium(0)))
    # A jack folds to bets and loses its ante. A queen calls with 1/3: against jacks, a third of
    # which bet, it wins 2/3 * 1 + 1/3 * (1/3 * 2 - 2/3 * 1), against kings -(2/3 * 1 + 1/3 * 2).
    # A king calls: 1 from queens, which check; from jacks 2/3 * 1 + 1/3 * 2.
    assert found.values[0, 0] == pytest.approx([-1, (2 / 3 - 4 / 3) / 2, (1 + 4 / 3) / 2])
    assert found.ranges[0] == pytest.approx(1 / 3)
    # After check, bet: a queen that calls wins 2 from a jack (1/3 of them) and loses 2 to a king.
    facing = node_after(tree, CALL, BET)
    values = found.action_values(facing)
    assert values[QUEEN, [FOLD, CALL]] == pytest.approx([-1, (2 / 3 - 2) / (4 / 3)])
    assert values[JACK, [FOLD, CALL]] == pytest.approx([-1, -2])
    assert values[KING, [FOLD, CALL]] == pytest.approx([-1, 2])
    assert np.isnan(values[:, BET]).all()  # no raise left
    # All three cards of player 0 came by; jacks of player 1 with 1/3 of the weight of kings.
    assert found.ranges[facing, 1] == pytest.approx([1 / 4, 0, 3 / 4])


@pytest.mark.parametrize("game", GAMES)
def test_losses_add_up_to_the_exploitability(game: str) -> None:
    compiled = compiled_game(game)
    policy = random_policy(compiled.tree, seed=3)
    found = analyze_profile(compiled.tree, policy)
    expected = evaluate_policy(compiled, policy)
    assert found.exploitability == pytest.approx(expected.exploitability[0], abs=1e-12)
    assert found.losses.sum() == pytest.approx(expected.exploitability[0], abs=1e-12)
    assert found.losses.min() >= -1e-12
    for player in (0, 1):
        acts = compiled.tree.node_actor == player
        sign = 1 if player == 0 else -1
        gain = expected.best_response_value[player, 0] - sign * expected.value[0]
        assert 2 * found.losses[acts].sum() == pytest.approx(gain, abs=1e-12)
        assert found.gains[player] == pytest.approx(gain, abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
def test_cfvs_at_the_root_are_those_of_the_sequence_form(game: str) -> None:
    compiled = compiled_game(game)
    policy = random_policy(compiled.tree, seed=4)
    found, expected = analyze_profile(compiled.tree, policy), evaluate_policy(compiled, policy)
    assert found.cfvs.of_infostates[0] == pytest.approx(expected.cfvs[..., 0], abs=1e-12)
    best = found.best_cfvs.of_infostates[0]
    assert best == pytest.approx(expected.best_response_cfvs[..., 0], abs=1e-12)
    assert found.value(0) == pytest.approx(expected.value[0], abs=1e-12)


@pytest.mark.parametrize("game", GAMES)
def test_both_players_say_how_likely_a_public_state_is(game: str) -> None:
    tree = compiled_game(game).tree
    found = analyze_profile(tree, random_policy(tree, seed=5))
    by_player = found.probability.sum(axis=-1)
    assert by_player[:, 0] == pytest.approx(by_player[:, 1], abs=1e-12)
    ends = tree.node_actor == 3
    assert by_player[ends, 0].sum() == pytest.approx(1, abs=1e-12)
    arrives = by_player[:, 0] > 0
    assert found.ranges[arrives].sum(axis=-1) == pytest.approx(1, abs=1e-9)
    assert np.isnan(found.ranges[~arrives]).all()


@pytest.mark.parametrize("seed", range(3))
def test_action_values_differ_by_the_regrets_of_plain_python(seed: int) -> None:
    tree, policy = compiled_game("kuhn").tree, kuhn_policy(seed)
    found = analyze_profile(tree, kuhn.to_tree(tree, policy))
    for player in (0, 1):
        for (card, bets), regrets in kuhn.instant_regrets(policy, player).items():
            steps = [kuhn._ACTION[bets[:i]][bets[i]] for i in range(len(bets))]
            node = node_after(tree, *steps)
            cfv = found.cfvs.of_infostates[node, player, card]
            for move, regret in regrets.items():
                action = kuhn._ACTION[bets][move]
                gained = found.cfvs.of_actions[node, card, action] - cfv
                assert gained == pytest.approx(regret, abs=1e-12)


def test_where_a_jack_calls_is_where_most_is_lost() -> None:
    """Player 1 calls a bet with a jack, which costs 1 chip more each time that he has one there."""
    tree = compiled_game("kuhn").tree
    policy = kuhn_equilibrium(1 / 3)
    policy[JACK, "b"] = {"p": 0.0, "b": 1.0}
    losses = analyze_profile(tree, kuhn.to_tree(tree, policy)).losses
    node, infostate = map(int, np.unravel_index(losses.argmax(), losses.shape))
    assert (node, infostate) == (node_after(tree, BET), JACK)
    # One deal in six is king against jack; kings bet always, queens never. Half of it counts.
    assert losses[node, infostate] == pytest.approx(1 / 6 * 1 / 2)
    # And player 0 should now bet his queens: 2 more from jacks that call instead of 1 (see the
    # check: 2/3 * 1 + 1/3 * (2/3 * 2 - 1/3 * 1) = 1), but 2 lost to kings instead of 5/3.
    assert losses[0, QUEEN] == pytest.approx(1 / 6 * (1 - 1 / 3) / 2)
