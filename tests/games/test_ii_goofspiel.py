"""Imperfect-information Goofspiel: what results tell about bids, and counts against OpenSpiel.

What it shares with Goofspiel is tested for both in test_goofspiel.py.
"""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.bidding import TIED, WON_BY_0, WON_BY_1
from sog.games.core import TERMINAL
from sog.games.ii_goofspiel import IIGoofspiel
from tests.games.random_plays import state_after


def after_results(game: IIGoofspiel, *results: int) -> Any:
    """The public state after these results, the point cards being in a fixed order."""
    return state_after(game, *itertools.chain(*((0, result) for result in results)))


def possible_bids(game: IIGoofspiel, state: Any, player: int) -> list[str]:
    """The sequences of bids that a player may have made, in words."""
    mask = game.infostate_mask(state)[player]
    return [game.describe_infostate(state, player, int(i)) for i in np.flatnonzero(mask)]


@pytest.mark.thorough
def test_a_win_rules_out_the_lowest_bid_and_a_tie_tells_the_bid() -> None:
    game = IIGoofspiel(cards=3)
    won = after_results(game, WON_BY_0)
    assert possible_bids(game, won, 0) == ["has bid 2", "has bid 3"]
    assert possible_bids(game, won, 1) == ["has bid 1", "has bid 2"]
    # A tie leaves all three bids, but only equal ones meet.
    tied = after_results(game, TIED)
    assert possible_bids(game, tied, 0) == ["has bid 1", "has bid 2", "has bid 3"]
    bid_three = jax.nn.one_hot(jnp.array([4, 4]), 6)  # of 123 132 213 231 312 321
    compatible = game.compatible_reach(tied, bid_three)
    np.testing.assert_array_equal(compatible, bid_three)


def test_two_wins_of_three_leave_a_player_without_his_lowest_card() -> None:
    game = IIGoofspiel(cards=3)
    # Player 0 won with 2 and 3; player 1's 1 lost to the 2 or the 3, his 2 only to the 3.
    state = after_results(game, WON_BY_0, WON_BY_0)
    assert int(game.actor(state)) == TERMINAL
    assert possible_bids(game, state, 0) == ["has bid 2 3", "has bid 3 2"]
    assert possible_bids(game, state, 1) == ["has bid 1 2", "has bid 2 1"]
    compatible = game.compatible_reach(state, jnp.ones((2, 6)))
    # 23 meets 12 alone: against 21 the first round would be tied. So 32 meets 21.
    np.testing.assert_array_equal(compatible, [[0, 0, 0, 1, 0, 1], [1, 0, 1, 0, 0, 0]])


def test_the_forced_last_round_depends_on_both_hands() -> None:
    game = IIGoofspiel(cards=3, payoff="diff")
    # Player 0 wins 3 and 2; the last cards are 1 (player 0) and 3, so player 1 wins the 1.
    state = after_results(game, WON_BY_0, WON_BY_0)
    assert game.utilities(state, jnp.ones((2, 6)))[0, 3] == 3 + 2 - 1
    # Player 0 wins 3, 2 is tied. 3-1 and 2-2 leave 1-3; 3-2, 1-1 leave 2-3; 2-1, 3-3 leave 1-2:
    # player 1 wins the 1 each time.
    state = after_results(game, WON_BY_0, TIED)
    mask = game.infostate_mask(state)
    utility = game.utilities(state, mask.astype(jnp.float32))[0]
    np.testing.assert_array_equal(utility[np.asarray(mask[0])], [2, 2, 2])


@pytest.mark.parametrize("cards", [4, 5])
def test_any_results_can_happen_while_a_card_is_left(cards: int) -> None:
    # `legal_outcomes` relies on this: all 3^(cards - 1) results occur among the pairs.
    orders = np.array(list(itertools.permutations(range(cards))))[:, :-1]
    signs = np.sign(orders[:, None, :] - orders[None, :, :]).reshape(-1, cards - 1)
    assert len(np.unique(signs, axis=0)) == 3 ** (cards - 1)


@pytest.mark.thorough
def test_six_cards_fit() -> None:
    game = IIGoofspiel(cards=6)
    state = after_results(game, TIED, TIED, TIED, TIED, TIED)
    reach = game.infostate_mask(state).astype(jnp.float32)
    assert reach.shape == (2, 720)
    # After five ties each sequence meets itself only, and the last cards are equal too.
    np.testing.assert_array_equal(game.compatible_reach(state, reach), np.ones((2, 720)))
    np.testing.assert_array_equal(game.utilities(state, reach), np.zeros((2, 720)))


def test_rounds_are_told_in_words() -> None:
    game = IIGoofspiel(cards=4)
    state = after_results(game, WON_BY_1, TIED)
    assert game.describe_state(game.root()) == "for 4"
    assert game.describe_state(state) == "4 to player 1, 3 tied, for 2"
    assert game.describe_infostate(game.root(), 0, 0) == "no bid yet"
    assert game.describe_action(state, 0, 1) == "bid 2"
    assert game.describe_outcome(state, 0) == "player 0 bids"
    assert game.describe_outcome(game.apply(state, jnp.int32(0)), TIED) == "tied"
    assert game.describe_outcome(IIGoofspiel(order="random").root(), 3) == "point card 4"
