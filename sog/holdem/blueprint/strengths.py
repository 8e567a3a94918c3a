"""Hand strength: E[HS^2] of every hand on every board, exactly, in integers.

On the final board the hand strength HS is the share of the opponent's possible hands that a hand
beats, ties counting half. Earlier, E[HS^2] is the mean of its square over all cards to come
(Zinkevich et al. 2007, *Regret minimization in games with incomplete information*). Scores are
integers: twice the hands beaten plus the ties, or sums of its square over runouts. So hands that
are isomorphic in suits have exactly equal scores.

Tables have a row for each class of boards up to suit isomorphism (`sog.holdem.board_classes`).
"""

import functools
import math
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.board_classes import in_order, renamed_hands, suit_classes
from sog.holdem.deck import combinations
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.showdown import Hands

_TOGETHER: Final = 32  # boards whose hands are sorted at a time
_DEAD: Final = np.iinfo(np.int32).max


def last_scores(hands: Hands, boards: np.ndarray) -> np.ndarray:
    """int16[n, S]: on final boards, twice the hands that each hand beats plus those it ties.

    HS is that divided by twice `num_opponents`. 0 for hands with a card of the board.
    """
    found = np.zeros((len(boards), len(hands.cards)), np.int16)
    for start in range(0, len(boards), _TOGETHER):
        chunk = boards[start : start + _TOGETHER]
        found[start : start + _TOGETHER] = _last_scores(hands, chunk)
    return found


def _last_scores(hands: Hands, boards: np.ndarray) -> np.ndarray:
    """The same for a chunk of boards."""
    deck, hole_cards = hands.deck, hands.hole_cards
    count, num_hands = len(boards), len(hands.cards)
    fill = _TOGETHER - count if count > 1 else 0  # so that only two shapes are compiled
    padded = np.pad(suit_masks(boards, deck, np), ((0, fill), (0, 0)))
    # Dead hands are sorted last, where nothing counts them.
    strengths = np.asarray(_strengths(hands, jnp.asarray(padded)))[:count].astype(np.int64)
    ranked = np.sort(strengths * num_hands + np.arange(num_hands), axis=1)
    values, hand = np.divmod(ranked, num_hands)
    level = np.zeros_like(values)
    level[:, 1:] = np.cumsum(values[:, 1:] != values[:, :-1], axis=1)
    np.put_along_axis(level, hand, level.copy(), axis=1)
    width = int(level.max()) + 1
    row = np.arange(count)[:, None] * deck.num_cards
    of_hand = np.repeat(level, hole_cards, axis=1)
    places = (row + hands.cards.reshape(1, -1)) * width + of_hand
    shape = (count, deck.num_cards, width)
    numbers = np.bincount(places.ravel(), minlength=math.prod(shape)).astype(np.int16)
    numbers = numbers.reshape(shape)
    # Twice the weaker hands plus the equal ones, per card and in total.
    with_card = 2 * np.cumsum(numbers, axis=2, dtype=np.int16) - numbers
    score = with_card.sum(axis=1, dtype=np.int32) // hole_cards
    score = np.take_along_axis(score, level, axis=1)
    for card in hands.cards.T:
        score -= with_card.ravel()[(row + card) * width + level]
    score += hole_cards - 1  # the hand itself is in both lists
    return np.where(hands.live(boards), score, 0).astype(np.int16)


def num_opponents(hands: Hands, num_public: int) -> int:
    """How many hands the opponent may hold."""
    return math.comb(hands.deck.num_cards - num_public - hands.hole_cards, hands.hole_cards)


def earlier_scores(hands: Hands, num_cards: int, dealt: int, later: np.ndarray) -> np.ndarray:
    """int64[C, S]: sums of later scores over all cards that may be dealt, for boards of a street;
    sums of squares if the next street is the last (int16). 0 for dead hands.

    num_cards: on these boards. dealt: cards to come next. later: [C of the next street, S].
    """
    deck = hands.deck
    boards = suit_classes(deck, num_cards).board
    key = suit_classes(deck, num_cards + dealt).key
    names = renamed_hands(hands)
    found = np.zeros((len(boards), names.shape[1]), np.int64)
    for board, total in zip(boards, found, strict=True):
        left = np.setdiff1d(np.arange(deck.num_cards, dtype=np.int32), board)
        cards = left[combinations(len(left), dealt)]
        together = np.concatenate([np.broadcast_to(board, (len(cards), num_cards)), cards], axis=1)
        keys, renaming = in_order(deck, together)
        for row, names_there in zip(np.searchsorted(key, keys), names[renaming], strict=True):
            scores = later[row].take(names_there)
            total += scores.astype(np.int32) ** 2 if later.dtype == np.int16 else scores
    return found


@functools.partial(jax.jit, static_argnums=0)
def _strengths(hands: Hands, boards: Array) -> Array:
    """int32[n, S], the largest number for dead hands; boards: int32[n, suits]."""
    own = jnp.asarray(hands.masks)
    live = jnp.all(own[None] & boards[:, None] == 0, axis=-1)
    found: Array = jnp.where(live, strength(own[None] | boards[:, None], hands.deck), _DEAD)
    return found
