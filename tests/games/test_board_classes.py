"""Boards up to the names of suits."""

import math

import numpy as np
import pytest

from sog.games.cards.board_classes import board_classes
from sog.games.cards.deck import Deck


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
    classes = board_classes(Deck(), num_cards)
    assert len(classes.board) == len(classes.size) == count
    assert classes.size.sum() == len(classes.number) == math.comb(52, num_cards)
    np.testing.assert_array_equal(np.bincount(classes.number), classes.size)


def test_flops_are_in_one_class_as_their_suits_and_ranks_say() -> None:
    deck = Deck()
    classes = board_classes(deck, 3)

    def size(name: str) -> int:
        board = sorted(deck.parse_cards(name))
        number = sum(math.comb(card, place + 1) for place, card in enumerate(board))
        return int(classes.size[classes.number[number]])

    # Three ranks in one suit, in two, whichever has the odd card, and in three.
    assert [size(name) for name in ("KsTs7s", "KsTs7h", "KhTs7s", "KdTh7s")] == [4, 12, 12, 24]
    # A pair with a card of one of its suits, or of another; three of a kind.
    assert [size(name) for name in ("KsKh7s", "Kd7s7h", "7s7h7d")] == [12, 12, 4]


def test_a_deck_of_one_suit_has_a_class_for_every_board() -> None:
    assert (board_classes(Deck(ranks=6, suits=1), 3).size == 1).all()
