"""Boards up to the names of suits."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.children import spread
from sog.games.registry import make
from sog.holdem.board_classes import by_ranks, in_order, suit_classes
from sog.holdem.deck import Deck, combinations


@pytest.mark.parametrize(
    ("num_cards", "count"),
    [
        (1, 13),
        (2, 169),  # the classes of private hands
        (3, 1755),
        pytest.param(4, 16432, marks=pytest.mark.slow),
        pytest.param(5, 134459, marks=pytest.mark.slow),
    ],
)
def test_boards_have_the_known_numbers_of_classes(num_cards: int, count: int) -> None:
    """Waugh 2013, "A fast and optimal hand isomorphism algorithm", and any table of hold'em."""
    classes = suit_classes(Deck(), num_cards)
    assert len(classes.board) == len(classes.size) == len(classes.key) == count
    assert classes.size.sum() == math.comb(52, num_cards)
    keys, _ = in_order(Deck(), classes.board)
    np.testing.assert_array_equal(keys, classes.key)


def test_flops_are_in_one_class_as_their_suits_and_ranks_say() -> None:
    deck = Deck()
    classes = suit_classes(deck, 3)

    def size(name: str) -> int:
        key, _ = in_order(deck, np.array([sorted(deck.parse_cards(name))]))
        return int(classes.size[classes.key == key].sum())

    # Three ranks in one suit, in two, whichever has the odd card, and in three.
    assert [size(name) for name in ("KsTs7s", "KsTs7h", "KhTs7s", "KdTh7s")] == [4, 12, 12, 24]
    # A pair with a card of one of its suits, or of another; three of a kind.
    assert [size(name) for name in ("KsKh7s", "Kd7s7h", "7s7h7d")] == [12, 12, 4]


def test_a_deck_of_one_suit_has_a_class_for_every_board() -> None:
    assert (suit_classes(Deck(ranks=6, suits=1), 3).size == 1).all()


def test_a_deal_is_in_the_order_of_ranks_and_a_bet_in_that_of_its_numbers() -> None:
    game = make("holdem(ranks=4,suits=3,deals=3/1,blinds=1/2,stack=4,bets=allin)")
    order, apply = jax.jit(game.outcomes_in_order), jax.jit(game.apply)
    everything = np.arange(game.num_outcomes)
    state = game.root()
    np.testing.assert_array_equal(order(state), everything)
    for event in (1, 1):  # a call and a check
        state = apply(state, jnp.int32(event))
    flops = np.asarray(order(state))
    np.testing.assert_array_equal(np.sort(flops), everything)
    ranks = combinations(12, 3)[flops] // 3
    np.testing.assert_array_equal(ranks[:3], [[0, 0, 0], [0, 0, 1], [0, 0, 1]])
    highest_first = ranks @ [1, 4, 16]
    assert (np.diff(highest_first) >= 0).all()


def test_flops_spread_over_their_ranks_err_less_than_plain_samples_and_are_right_on_average() -> (
    None
):
    """All starts of a sample of 20 of 1,140 flops. What each is worth to one hand: a pair of the
    lowest rank, against one of the next, after whichever of them the flop helps more."""
    deck = Deck(5, 4)
    flops = combinations(deck.num_cards, 3)
    ranks = flops // deck.suits
    helps = np.where((ranks == 0).any(axis=1), 1.0, np.where((ranks == 1).any(axis=1), -1.0, 0.25))
    count, total = 20, len(flops)
    order = by_ranks(deck, 3)
    starts = jnp.arange(total)
    samples = jax.jit(jax.vmap(lambda start: spread(jnp.ones(total, bool), count, start)))(starts)
    found = np.asarray(samples) @ helps[order] / count
    np.testing.assert_allclose(found.mean(), helps.mean(), rtol=1e-6)
    plain_variance = helps.var() / count * (total - count) / (total - 1)
    assert found.var() < plain_variance / 1.5
