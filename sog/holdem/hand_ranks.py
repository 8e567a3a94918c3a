"""Strength of poker hands: the best five of up to seven cards as one integer.

Cards are the bits of a mask per suit, bit r for rank r (`sog.holdem.deck`). Counting equal ranks,
finding flushes and straights and keeping the best side cards are then a few dozen bitwise
operations on int32, the same for NumPy and JAX and for any number of hands at once, without tables.
A strength is `category << 26 | first << 13 | second`, the latter two masks of ranks: those that
make the category (pairs, three of a kind, ...), and the kickers. Masks with equally many ranks
compare like the ranks, from the highest down.

With fewer than five cards there are pairs, two pairs and three or four of a kind, but neither
straights nor flushes. In a straight the ace is also below the lowest rank of the deck.
"""

from types import ModuleType
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

from sog.holdem.deck import Deck

CATEGORIES: Final = (
    "high card",
    "pair",
    "two pairs",
    "three of a kind",
    "straight",
    "flush",
    "full house",
    "four of a kind",
    "straight flush",
)
"""The weakest first."""
HIGH_CARD, PAIR, TWO_PAIRS, TRIPS, STRAIGHT, FLUSH, FULL_HOUSE, QUADS, STRAIGHT_FLUSH = range(9)
_BITS: Final = 13
_HAND: Final = 5
_MOST_CARDS: Final = 7


def suit_masks(cards: Any, deck: Deck, xp: ModuleType = jnp) -> Any:
    """int32[..., suits]: the ranks in each suit of the cards [..., n]; N is no card."""
    cards, suits = cards.astype(np.int32), np.arange(deck.suits, dtype=np.int32)
    bits = xp.left_shift(np.int32(1), cards // deck.suits) & np.int32((1 << deck.ranks) - 1)
    is_of_suit = (cards % deck.suits)[..., None] == suits.reshape(*[1] * cards.ndim, -1)
    found = xp.where(is_of_suit, bits[..., None], np.int32(0))
    return xp.bitwise_or.reduce(found, axis=-2)


def strength(masks: Any, deck: Deck, xp: ModuleType = jnp) -> Any:
    """int32[...]: larger is better, equal hands split the pot.

    masks: int32[..., suits], of at most seven cards (see `suit_masks`; combine board and hand by
    |). xp: `numpy` or `jax.numpy`, as the arrays are.
    """
    suits = [masks[..., suit] for suit in range(deck.suits)]
    once, twice, thrice, fourfold = _at_least(suits)
    straight = _best_straight(once, deck)
    flush, straight_flush = xp.zeros_like(once), xp.zeros_like(once)
    for ranks in suits:
        is_flush = xp.bitwise_count(ranks) >= _HAND
        flush = xp.where(is_flush, ranks, flush)
        straight_flush = straight_flush | xp.where(is_flush, _best_straight(ranks, deck), 0)

    top_trips, top_pair = _highest(thrice), _highest(twice)
    next_pair = _highest(twice & ~top_pair)
    beside_trips = _highest(twice & ~top_trips)
    pairs = top_pair | next_pair
    quads = _highest(fourfold)

    def hand(category: int, first: Any, second: Any) -> Any:
        return xp.int32(category << 2 * _BITS) | first << _BITS | second

    # The weakest first: later categories override.
    found = hand(HIGH_CARD, xp.zeros_like(once), _top(once, _HAND, _MOST_CARDS, xp))
    for category, exists, first, second in (
        (PAIR, twice, top_pair, _top(once & ~top_pair, 3, _MOST_CARDS - 2, xp)),
        (TWO_PAIRS, next_pair, pairs, _highest(once & ~pairs)),
        (TRIPS, thrice, top_trips, _top(once & ~top_trips, 2, _MOST_CARDS - 3, xp)),
        (STRAIGHT, straight, _highest(straight), 0),
        (FLUSH, flush, _top(flush, _HAND, _MOST_CARDS, xp), 0),
        (FULL_HOUSE, top_trips & -(beside_trips != 0).astype(xp.int32), top_trips, beside_trips),
        (QUADS, quads, quads, _highest(once & ~quads)),
        (STRAIGHT_FLUSH, straight_flush, _highest(straight_flush), 0),
    ):
        found = xp.where(exists != 0, hand(category, first, second), found)
    return found


def category(strengths: Any) -> Any:
    """int32[...]: which of `CATEGORIES`."""
    return strengths >> 2 * _BITS


def _at_least(suits: list[Any]) -> list[Any]:
    """The masks of ranks that occur at least 1, 2, 3 and 4 times."""
    found = [suits[0]] + [suits[0] ^ suits[0]] * 3
    for ranks in suits[1:]:
        more = [found[number] | found[number - 1] & ranks for number in range(1, 4)]
        found = [found[0] | ranks, *more]
    return found


def _best_straight(ranks: Any, deck: Deck) -> Any:
    """A mask whose highest bit is the top rank of the best straight; 0 without one."""
    if deck.ranks < _HAND:
        return ranks ^ ranks
    low_ace = ranks << 1 | ranks >> (deck.ranks - 1) & 1
    run = low_ace
    for shift in range(1, _HAND):
        run = run & low_ace << shift
    return run >> 1


def _highest(mask: Any) -> Any:
    """The highest bit alone; 0 for 0."""
    filled = mask | mask >> 1
    filled = filled | filled >> 2
    filled = filled | filled >> 4
    filled = filled | filled >> 8
    return filled ^ filled >> 1


def _top(mask: Any, kept: int, most: int, xp: ModuleType) -> Any:
    """The `kept` highest bits of a mask that has at most `most`."""
    extra = xp.asarray(xp.bitwise_count(mask)).astype(xp.int32) - kept
    for number in range(most - kept):
        mask = xp.where(extra > number, mask & mask - 1, mask)
    return mask
