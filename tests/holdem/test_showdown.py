"""Sums over the hands that the opponent may hold, beside the matrix of all pairs."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.showdown import Hands, met, net_wins, sort_hands
from tests.holdem.games import pair_signs

FULL = Hands(Deck())
DECKS = [FULL, Hands(Deck(ranks=5, suits=3)), Hands(Deck(ranks=4, suits=3), hole_cards=1)]


@functools.cache
def meetings(hands: Hands) -> np.ndarray:
    """bool[S, S]: who meets whom, each pair looked at."""
    cards = [set(hand) for hand in hands.cards.tolist()]
    return np.array([[not one & other for other in cards] for one in cards])


def by_hand(hands: Hands, board: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """bool[S], live; bool[S, S], who meets whom; int[S, S], who beats whom among these."""
    live, meets = np.array(~np.isin(hands.cards, board).any(axis=1)), meetings(hands)
    whole = np.concatenate([hands.cards, np.tile(board, (len(live), 1))], axis=1)
    strengths = strength(suit_masks(whole, hands.deck, np), hands.deck, np)
    beats = np.sign(strengths[:, None].astype(np.int64) - strengths[None])
    return live, meets, beats * meets


def boards(hands: Hands, count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(len(hands.cards))
    size = 5 if hands.hole_cards == 2 else 3
    return [rng.permutation(hands.deck.num_cards)[:size].astype(np.int32) for _ in range(count)]


@pytest.mark.thorough(but=["105 hands", "12 hands"])
@pytest.mark.parametrize("hands", DECKS, ids=lambda hands: f"{len(hands.cards)} hands")
def test_sums_by_sorted_lists_are_those_of_the_matrix_of_all_pairs(hands: Hands) -> None:
    rng = np.random.default_rng(1)
    for board in boards(hands, 3):
        live, meets, beats = by_hand(hands, board)
        reach = rng.random((2, len(live))) * live
        masks = hands.masks | suit_masks(board, hands.deck, np)
        with jax.enable_x64(True):
            strengths = strength(jnp.asarray(masks), hands.deck)
            found, all_met = net_wins(jnp.asarray(reach), sort_hands(strengths, hands), hands)
            np.testing.assert_array_equal(all_met, met(jnp.asarray(reach), hands))
            np.testing.assert_allclose(found[:, live], (reach @ beats.T)[:, live], atol=1e-10)
            np.testing.assert_allclose(met(jnp.asarray(reach), hands), reach @ meets, atol=1e-10)
        # The oracle of other tests.
        np.testing.assert_array_equal(pair_signs(strengths, hands), beats)


def test_of_hands_that_are_all_of_different_strength_none_ties_with_the_next() -> None:
    hands = DECKS[1]
    strengths = np.arange(len(hands.cards), dtype=np.int32)
    strengths[:52] = 51, 50, *range(50)  # the first is next to one with which it shares a card
    beats = np.sign(strengths[:, None] - strengths[None]) * meetings(hands)
    reach = np.random.default_rng(4).random(len(strengths)).astype(np.float32)
    found, _ = net_wins(jnp.asarray(reach), sort_hands(jnp.asarray(strengths), hands), hands)
    np.testing.assert_allclose(found, beats @ reach, atol=1e-4)


@pytest.mark.thorough
def test_single_precision_loses_a_millionth_of_a_range() -> None:
    rng = np.random.default_rng(2)
    for scale in (1.0, 1e-20):
        for board in boards(FULL, 2):
            live, meets, beats = by_hand(FULL, board)
            reach = rng.random((2, len(live))) ** 8 * live
            narrow = jnp.asarray(reach * scale, jnp.float32)
            strengths = strength(
                jnp.asarray(FULL.masks | suit_masks(board, FULL.deck, np)), FULL.deck
            )
            found = (
                np.asarray(net_wins(narrow, sort_hands(strengths, FULL), FULL)[0], float) / scale
            )
            error = np.abs(found - reach @ beats.T)[:, live] / reach.sum(axis=1, keepdims=True)
            assert error.max() < 2e-6
            error = np.abs(np.asarray(met(narrow, FULL), float) / scale - reach @ meets)
            assert (error / reach.sum(axis=1, keepdims=True)).max() < 2e-6


def test_what_cancels_is_nothing_and_nobody_wins_more_than_he_meets() -> None:
    """All that the opponent may hold has the ace of spades: a hand with it meets nobody."""
    ace = FULL.deck.parse_cards("As")[0]
    reach = np.where((FULL.cards == ace).any(axis=1), np.random.default_rng(3).random(1326), 0)
    narrow = jnp.asarray(reach, jnp.float32)
    seen = np.asarray(met(narrow, FULL))
    np.testing.assert_array_equal(seen[reach > 0], 0)
    assert (seen[(FULL.cards != ace).all(axis=1)] > 0).all()
    board = np.array(FULL.deck.parse_cards("KsTh7s4d2c"), np.int32)
    strengths = strength(jnp.asarray(FULL.masks | suit_masks(board, FULL.deck, np)), FULL.deck)
    wins = np.asarray(net_wins(narrow, sort_hands(strengths, FULL), FULL)[0])
    assert (np.abs(wins) <= seen).all()


def test_what_hands_meet_is_linear_also_in_differences_of_ranges() -> None:
    rng = np.random.default_rng(4)
    first, second = jnp.asarray(rng.random((2, 1326)), jnp.float32)
    expected = 2 * np.asarray(met(first, FULL), float) - 3 * np.asarray(met(second, FULL), float)
    np.testing.assert_allclose(met(2 * first - 3 * second, FULL), expected, atol=5e-3)


def test_hands_of_a_board_of_equal_strength_all_tie() -> None:
    """The board is the best hand."""
    board = np.array(FULL.deck.parse_cards("AsKsQsJsTs"), np.int32)
    live, meets, _ = by_hand(FULL, board)
    strengths = strength(jnp.asarray(FULL.masks | suit_masks(board, FULL.deck, np)), FULL.deck)
    reach = jnp.asarray(live, jnp.float32)
    np.testing.assert_array_equal(net_wins(reach, sort_hands(strengths, FULL), FULL)[0][live], 0)
    # Of 47 cards that are left, an opponent holds two of 45.
    np.testing.assert_allclose(np.asarray(met(reach, FULL))[live], 45 * 44 / 2, rtol=1e-6)
    assert meets[live][:, live].sum(axis=1).tolist() == [990] * 1081
