"""Boards up to suit isomorphism, and an order in which similar boards are neighbors.

The canonical board of a class has its suits in order, the suit with the largest set of ranks first.
There are 1,755 classes of flops, 16,432 of boards with four cards, 134,459 with five.
"""

import dataclasses
import functools
import itertools

import numpy as np

from sog.holdem.deck import Deck, combinations, number_of
from sog.holdem.hand_ranks import suit_masks
from sog.holdem.showdown import Hands


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SuitClasses:
    """The C canonical boards of so many cards."""

    key: np.ndarray
    """int64[C], ascending: their numbers by `in_order`."""
    board: np.ndarray
    """int32[C, cards]: ascending."""
    size: np.ndarray
    """int64[C]: the number of boards in each class."""


@functools.cache
def suit_classes(deck: Deck, num_cards: int) -> SuitClasses:
    """The classes of all sets of so many cards; takes seconds for five of the whole deck."""
    boards = combinations(deck.num_cards, num_cards)
    keys, renaming = in_order(deck, boards)
    key, first, size = np.unique(keys, return_index=True, return_counts=True)
    renamed = _renamed_cards(deck)[renaming[first][:, None], boards[first]]
    return SuitClasses(key=key, board=np.sort(renamed, axis=1), size=size.astype(np.int64))


def in_order(deck: Deck, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int64[n], a number shared by isomorphic boards [n, cards]; int64[n], the renaming (see
    `renamed_hands`) that makes each canonical."""
    masks = suit_masks(boards, deck, np)
    order = np.argsort(-masks, axis=1, kind="stable")
    key = np.zeros(len(boards), np.int64)
    for column in np.take_along_axis(masks, order, axis=1).T:
        key = key << deck.ranks | column
    new_suit = np.argsort(order, axis=1)
    code = new_suit @ deck.suits ** np.arange(deck.suits)
    return key, _number_of_renaming(deck)[code]


@functools.cache
def renamed_hands(hands: Hands) -> np.ndarray:
    """int32[suits!, S]: the number of each hand after each renaming of the suits."""
    cards = _renamed_cards(hands.deck)[:, hands.cards]
    return np.asarray(number_of(cards, hands.deck.num_cards, np))


def hands_of_class(hands: Hands, board: np.ndarray) -> np.ndarray:
    """int32[S]: for each hand, the first one isomorphic to it on the board."""
    masks = suit_masks(board, hands.deck, np)
    keeps = [tuple(masks[list(suits)]) == tuple(masks) for suits in _renamings(hands.deck)]
    return np.asarray(renamed_hands(hands)[keeps].min(axis=0))


@functools.cache
def _renamings(deck: Deck) -> tuple[tuple[int, ...], ...]:
    """The new suit of each suit, by number of the renaming."""
    return tuple(itertools.permutations(range(deck.suits)))


@functools.cache
def _number_of_renaming(deck: Deck) -> np.ndarray:
    """int64[suits^suits]: by the new suits as digits."""
    codes = np.array(_renamings(deck)) @ deck.suits ** np.arange(deck.suits)
    found = np.zeros(deck.suits**deck.suits, np.int64)
    found[codes] = np.arange(len(codes))
    return found


@functools.cache
def _renamed_cards(deck: Deck) -> np.ndarray:
    """int32[suits!, N]."""
    cards = np.arange(deck.num_cards)
    suits = np.array(_renamings(deck))[:, cards % deck.suits]
    return np.asarray(cards // deck.suits * deck.suits + suits, np.int32)


@functools.cache
def by_ranks(deck: Deck, num_cards: int) -> np.ndarray:
    """int32[sets]: the sets of so many cards sorted by ranks, highest first, then by the number of
    suits, so that similar ones are neighbors."""
    sets = combinations(deck.num_cards, num_cards)  # cards of a set ascend
    ranks, suits = sets // deck.suits, np.sort(sets % deck.suits, axis=1)
    num_suits = 1 + np.count_nonzero(np.diff(suits, axis=1), axis=1)
    return np.lexsort((num_suits, *ranks.T)).astype(np.int32)
