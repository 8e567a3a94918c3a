"""Strengths of poker hands, and the decks they come from."""

import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.holdem.deck import Deck, combinations, number_of
from sog.holdem.hand_ranks import CATEGORIES, category, strength, suit_masks

DECK = Deck()


def of(*hands: str, deck: Deck = DECK) -> list[int]:
    cards = np.array([deck.parse_cards(hand) for hand in hands])
    found: list[int] = strength(suit_masks(cards, deck, np), deck, np).tolist()
    return found


def test_all_hands_of_five_cards_have_the_known_categories_and_7462_strengths() -> None:
    """The counts are in any book on poker; 7462 classes of equal hands likewise."""
    hands, found = combinations(52, 5), []
    for start in range(0, len(hands), 2**17):
        masks = suit_masks(hands[start : start + 2**17], DECK, np)
        found.append(strength(masks, DECK, np))
    strengths = np.concatenate(found)
    counts = np.bincount(category(strengths), minlength=len(CATEGORIES)).tolist()
    assert counts == [1302540, 1098240, 123552, 54912, 10200, 5108, 3744, 624, 40]
    assert strengths.dtype == np.int32
    assert len(np.unique(strengths)) == 7462


@pytest.mark.slow
def test_all_hands_of_seven_cards_have_the_known_categories_and_4824_strengths() -> None:
    """Counts: Wikipedia, "Poker probability", 7-card poker hands; 4824 as in its text."""
    four = suit_masks(combinations(52, 4), DECK, np)
    counts, strengths = np.zeros(len(CATEGORIES), np.int64), set[int]()
    for three in combinations(52, 3):  # beside all fours of lower cards
        lower = four[: math.comb(int(three[0]), 4)]
        found = strength(lower | suit_masks(three, DECK, np), DECK, np)
        counts += np.bincount(category(found), minlength=len(CATEGORIES))
        strengths.update(np.unique(found).tolist())
    assert counts.tolist() == [
        *(23294460, 58627800, 31433400, 6461620, 6180020),
        *(4047644, 3473184, 224848, 41584),
    ]
    assert counts.sum() == math.comb(52, 7) == 133784560
    assert len(strengths) == 4824


def test_strengths_order_hands_of_five_to_seven_cards_as_eval7_does() -> None:
    eval7 = pytest.importorskip("eval7")
    cards = [eval7.Card(DECK.card_name(card)) for card in range(52)]
    rng = np.random.default_rng(0)
    for size in (5, 6, 7):
        hands = np.argsort(rng.random((3000, 52)), axis=1)[:, :size]
        expected = [eval7.evaluate([cards[card] for card in hand]) for hand in hands]
        ours = np.asarray(strength(suit_masks(jnp.asarray(hands), DECK), DECK))
        _, ranked = np.unique(ours, return_inverse=True)
        _, expected_rank = np.unique(expected, return_inverse=True)
        np.testing.assert_array_equal(ranked, expected_rank)


def test_numpy_and_jax_agree_and_a_card_number_of_the_deck_stands_for_none() -> None:
    hands = np.argsort(np.random.default_rng(1).random((500, 52)), axis=1)[:, :7].astype(np.int8)
    hands[:, 6] = 52
    with_none = strength(suit_masks(hands, DECK, np), DECK, np)
    np.testing.assert_array_equal(with_none, strength(suit_masks(hands[:, :6], DECK, np), DECK, np))
    in_jax = jax.jit(lambda cards: strength(suit_masks(cards, DECK), DECK))(hands)
    assert in_jax.dtype == jnp.int32
    np.testing.assert_array_equal(with_none, in_jax)


@pytest.mark.parametrize(
    "weakest_first",
    [
        ("As2h3d4c5s", "2s3h4d5c6s", "TsJhQdKcAs"),  # the ace may stand below the two
        ("2s2h2d2cAs", "3s3h3d3c2s", "3s3h3d3c4s"),
        ("Ah2h3h4h5h", "2h3h4h5h6h", "TdJdQdKdAd"),
        # Seven cards: the fourth pair, the second three of a kind and the sixth suited card drop.
        ("AsAhKdKcQs2h2d", "AsAhKdKcQsQhAd", "AsAhAdKcKsKhAc"),
        ("AsAhAdQsQh3c2c", "AsAhAdKsKhKd2c"),
        ("2h3h4h5h7h9hJs", "2h3h4h5h7hTh9h"),
    ],
)
def test_hands_of_one_category_are_ordered_by_what_makes_them_up_then_by_side_cards(
    weakest_first: tuple[str, ...],
) -> None:
    strengths = of(*weakest_first)
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == len(strengths)


def test_decks_of_other_sizes_have_their_own_hands() -> None:
    short = Deck(ranks=6, suits=2)  # nine to ace
    hands = combinations(12, 5)
    kinds = category(strength(suit_masks(hands, short, np), short, np))
    counts = dict(zip(*np.unique(kinds, return_counts=True), strict=True))
    # Of 12 cards in two suits: A-9-T-J-Q, 9-K and T-A in suits, 2 of each; flushes: the other
    # three of six sets of five ranks; straights: 3 * (2^5 - 2).
    assert (counts[8], counts[5], counts[4]) == (3 * 2, 3 * 2, 3 * 30)
    assert counts[2] == math.comb(6, 2) * 8  # two pairs and one of eight other cards
    assert sum(counts.values()) == math.comb(12, 5)
    jack, queen, king = (rank + "s" for rank in "JQK")
    leduc = Deck(ranks=3, suits=2)
    strengths = of(jack + queen, jack + king, king + queen, jack + "Jh", king + "Kh", deck=leduc)
    assert strengths == sorted(strengths)
    assert len(set(strengths)) == 5


def test_hands_are_numbered_as_the_formula_says() -> None:
    hands = combinations(9, 3)
    assert sorted(map(tuple, hands.tolist())) == list(itertools.combinations(range(9), 3))
    for number, (i, j, k) in enumerate(hands.tolist()):
        assert number == math.comb(i, 1) + math.comb(j, 2) + math.comb(k, 3)
    np.testing.assert_array_equal(number_of(jnp.asarray(hands[:, ::-1]), 9), np.arange(len(hands)))


def test_cards_are_read_as_they_are_written() -> None:
    assert DECK.cards_name(DECK.parse_cards("7s4dKsTh")) == "KsTh7s4d"
    assert [DECK.card_name(card) for card in (0, 1, 2, 3, 51)] == ["2s", "2h", "2d", "2c", "Ac"]
    with pytest.raises(ValueError, match=r"got '1h' in 'As1h'\.$"):
        DECK.parse_cards("As1h")
    with pytest.raises(ValueError, match=r"got 'A' in 'KsA'\.$"):
        DECK.parse_cards("KsA")
    with pytest.raises(ValueError, match=r"^cards must differ, got Ks twice in 'KsKS'\.$"):
        DECK.parse_cards("KsKS")
