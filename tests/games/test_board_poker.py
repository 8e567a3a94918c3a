"""Poker with several public cards."""

import itertools
from fractions import Fraction

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.cards.poker import CALL, FIRST_RAISE
from sog.games.core import TERMINAL
from sog.games.registry import make as make_game
from sog.tabular import compile_tree
from tests.games.random_plays import state_after

SMALL = make("board_poker(ranks=2,suits=3,public_cards=2)")
"""Cards 0, 1, 2 are of the lower rank, 3, 4, 5 of the higher one."""


def test_with_one_public_card_it_is_leduc() -> None:
    """Whose value is known; here tree and payoffs are the same."""
    ours = compile_tree(make("board_poker(ranks=3,suits=2,public_cards=1,max_raises=2)")).tree
    leduc = compile_tree(make("leduc")).tree
    for name in ("node_parent", "node_outcome", "node_actor", "node_mask", "node_legal"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(leduc, name))
    np.testing.assert_array_equal(ours.payoff_infostates, leduc.payoff_infostates)
    np.testing.assert_allclose(ours.payoff, leduc.payoff, atol=1e-12)


def test_joint_weights_count_the_deals_of_the_deck() -> None:
    """All 6 * 5 * 4 * 3 ways to deal two private and two public cards are equally likely."""
    every = list(itertools.permutations(range(6), 4))
    for board in ((0, 4), (4, 0), (3, 5)):
        state = state_after(SMALL, CALL, CALL, board[0], CALL, CALL, board[1])
        expected = np.zeros((6, 6))
        for first, second, *public in every:
            if tuple(public) == board:
                expected[first, second] += float(Fraction(1, len(every)))
        found = [
            SMALL.compatible_reach(state, jnp.stack([jnp.zeros(6), one]))[0] for one in jnp.eye(6)
        ]
        np.testing.assert_allclose(np.stack(found, axis=1), expected, rtol=1e-5)


@pytest.mark.parametrize(
    ("board", "cards", "wins"),
    [
        ((0, 4), (1, 2), 0),  # a pair each of the same rank
        ((0, 4), (1, 3), -1),  # both have a pair; that of the higher rank wins
        ((0, 1), (2, 5), 1),  # three of a kind against a high card
    ],
)
def test_most_public_cards_of_ones_own_rank_win_then_the_higher_rank(
    board: tuple[int, int], cards: tuple[int, int], wins: int
) -> None:
    state = state_after(SMALL, CALL, CALL, board[0], CALL, CALL, board[1], CALL, CALL)
    assert int(SMALL.actor(state)) == TERMINAL
    assert float(SMALL.world_utility(state, jnp.asarray(cards))) == wins  # the ante


def test_raises_are_twice_as_large_in_the_second_half_of_the_rounds() -> None:
    game = make_game("board_poker")
    assert game.max_utility == 1 + 2 + 2 + 4 + 4
    assert (game.num_infostates, game.num_outcomes, game.num_decision_outcomes) == (40, 40, 3)
    bets = FIRST_RAISE, CALL
    state = state_after(game, *bets, 7, *bets, 8, *bets, 9)
    assert state.stakes.tolist() == [9, 9]
    legal = np.asarray(game.infostate_mask(state))
    assert (~legal).nonzero()[1].tolist() == [7, 8, 9] * 2


def test_public_cards_are_dealt_evenly_from_what_is_left() -> None:
    state = state_after(SMALL, CALL, CALL, 0, CALL, CALL)

    def deal(key: jax.Array) -> jax.Array:
        return SMALL.transition(key, state, jnp.array([1, 5]), jnp.int32(0))[0]

    cards = np.asarray(jax.vmap(deal)(jax.random.split(jax.random.key(0), 3000)))
    shares = np.bincount(cards, minlength=6) / 3000
    np.testing.assert_allclose(shares, np.array([0, 0, 1, 1, 1, 0]) / 3, atol=0.035)


def test_a_deck_must_have_a_card_for_everybody() -> None:
    with pytest.raises(ValueError, match=r"^board_poker: public_cards must be at most 2, .* got 3"):
        make("board_poker(ranks=2,suits=2,public_cards=3)")
