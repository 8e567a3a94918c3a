"""Sets of cards up to the names of suits: 1,755 flops, 16,432 boards of four, 134,459 of five;
and in an order in which those that are alike are neighbours."""

import dataclasses
import functools
import itertools
import math

import numpy as np

from sog.games.cards.colex import combinations
from sog.games.cards.deck import Deck

_CHUNK = 2**16  # sets at a time, so that they stay in the cache


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class BoardClasses:
    """Classes of sets that differ in the names of suits alone, C of them."""

    board: np.ndarray
    """int32[C, cards]: of each class the set with the lowest number."""
    size: np.ndarray
    """int32[C]: how many sets there are in each class."""
    number: np.ndarray
    """int32[sets]: the class of each set, sets as `sog.games.cards.colex` counts them."""


@functools.cache
def board_classes(deck: Deck, num_cards: int) -> BoardClasses:
    """The classes of the sets of so many cards; 5 cards of the whole deck take some 20 seconds."""
    sets = combinations(deck.num_cards, num_cards)
    least = np.arange(len(sets), dtype=np.int32)
    cards = np.arange(deck.num_cards)
    choose = [
        np.array([math.comb(card, place + 1) for card in range(deck.num_cards)], np.int32)
        for place in range(num_cards)
    ]
    for start in range(0, len(sets), _CHUNK):
        chunk = slice(start, start + _CHUNK)
        for suits in itertools.islice(itertools.permutations(range(deck.suits)), 1, None):
            renamed = cards // deck.suits * deck.suits + np.array(suits)[cards % deck.suits]
            twins = np.sort(renamed.astype(np.int8)[sets[chunk]], axis=1)
            numbers = sum(choose[place][twins[:, place]] for place in range(num_cards))
            least[chunk] = np.minimum(least[chunk], numbers)
    first, number, size = np.unique(least, return_inverse=True, return_counts=True)
    return BoardClasses(
        board=sets[first], size=size.astype(np.int32), number=number.astype(np.int32)
    )


@functools.cache
def by_ranks(deck: Deck, num_cards: int) -> np.ndarray:
    """int32[sets]: the sets of so many cards by their ranks, of these the highest first, then by
    how many suits there are: those that are alike stand next to each other."""
    sets = combinations(deck.num_cards, num_cards)  # cards of a set ascend
    ranks, suits = sets // deck.suits, np.sort(sets % deck.suits, axis=1)
    num_suits = 1 + np.count_nonzero(np.diff(suits, axis=1), axis=1)
    return np.lexsort((num_suits, *ranks.T)).astype(np.int32)
