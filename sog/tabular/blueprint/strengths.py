"""How strong hands are on average: E[HS^2] of every hand on every board, exactly and in integers.

On a last board the hand strength HS of a hand is the share of the opponent's possible hands that it
beats, a tie counting half. Before, E[HS^2] is the mean of its square over all cards to come
(Zinkevich et al. 2007, *Regret minimization in games with incomplete information*). All are kept as
integers: twice the hands beaten plus the ties, sums of its square over what may come. So hands that
differ in the names of suits alone have equal scores, to the last bit.

A board is turned into one with its suits in order, the suit with the largest set of ranks first.
There is one such board in each class of boards that differ in the names of suits (134 459 of five
cards), and tables have a row for each.
"""

import dataclasses
import functools
import itertools
import math
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.cards.colex import combinations
from sog.games.cards.deck import Deck
from sog.games.cards.hand_ranks import strength, suit_masks
from sog.games.cards.showdown import Hands

_TOGETHER: Final = 32  # boards whose hands are sorted at a time
_DEAD: Final = np.iinfo(np.int32).max


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SuitClasses:
    """The boards of so many cards with suits in order, C of them."""

    key: np.ndarray
    """int64[C], ascending: what `in_order` makes of the boards."""
    board: np.ndarray
    """int32[C, cards]: ascending."""
    size: np.ndarray
    """int64[C]: how many boards there are of each."""


@functools.cache
def suit_classes(deck: Deck, num_cards: int) -> SuitClasses:
    """The classes of all sets of so many cards; of five of the whole deck it takes seconds."""
    boards = combinations(deck.num_cards, num_cards)
    keys, renaming = in_order(deck, boards)
    key, first, size = np.unique(keys, return_index=True, return_counts=True)
    renamed = _renamed_cards(deck)[renaming[first][:, None], boards[first]]
    return SuitClasses(key=key, board=np.sort(renamed, axis=1), size=size.astype(np.int64))


def in_order(deck: Deck, boards: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """int64[n], a number that boards [n, cards] share whose suits can be renamed to one another;
    int64[n], which renaming (see `renamed_hands`) puts the suits of each in order."""
    masks = suit_masks(boards, deck, np) if boards.shape[1] else _no_cards(deck, len(boards))
    order = np.argsort(-masks, axis=1, kind="stable")
    key = np.zeros(len(boards), np.int64)
    for column in np.take_along_axis(masks, order, axis=1).T:
        key = key << deck.ranks | column
    new_suit = np.argsort(order, axis=1)
    code = new_suit @ deck.suits ** np.arange(deck.suits)
    return key, _number_of_renaming(deck)[code]


@functools.cache
def renamed_hands(deck: Deck, hole_cards: int) -> np.ndarray:
    """int32[suits!, S]: what each hand is called after each renaming of the suits."""
    cards = np.sort(_renamed_cards(deck)[:, deck.hands(hole_cards)], axis=-1)
    choose = np.array(
        [[math.comb(c, j + 1) for c in range(deck.num_cards)] for j in range(hole_cards)]
    )
    return np.asarray(sum(choose[j][cards[..., j]] for j in range(hole_cards)), np.int32)


def hands_of_class(deck: Deck, hole_cards: int, board: np.ndarray) -> np.ndarray:
    """int32[S]: of the hands that are alike on a board, the first one, for each hand."""
    masks = suit_masks(board, deck, np) if len(board) else _no_cards(deck, 1)[0]
    keeps = [tuple(masks[list(suits)]) == tuple(masks) for suits in _renamings(deck)]
    return np.asarray(renamed_hands(deck, hole_cards)[keeps].min(axis=0))


def live_hands(deck: Deck, hole_cards: int, boards: np.ndarray) -> np.ndarray:
    """bool[n, S]: the hands without a card of the boards [n, cards]."""
    on_board = np.zeros((len(boards), deck.num_cards), bool)
    np.put_along_axis(on_board, boards, True, axis=1)
    return ~np.asarray(on_board[:, deck.hands(hole_cards)].any(axis=2))


def last_scores(deck: Deck, hole_cards: int, boards: np.ndarray) -> np.ndarray:
    """int16[n, S]: on last boards, twice the hands that each hand beats plus those it ties with.

    HS is that divided by twice `num_opponents`. 0 for hands with a card of the board.
    """
    found = np.zeros((len(boards), deck.num_hands(hole_cards)), np.int16)
    for start in range(0, len(boards), _TOGETHER):
        chunk = boards[start : start + _TOGETHER]
        found[start : start + _TOGETHER] = _last_scores(deck, hole_cards, chunk)
    return found


def _last_scores(deck: Deck, hole_cards: int, boards: np.ndarray) -> np.ndarray:
    """The same, of not too many boards."""
    hands = Hands(deck, hole_cards)
    count, num_hands = len(boards), len(hands.cards)
    fill = _TOGETHER - count if count > 1 else 0  # so that there are two programs only
    masks = suit_masks(boards, deck, np) if boards.shape[1] else _no_cards(deck, count)
    padded = np.concatenate([masks, _no_cards(deck, fill)])
    # Dead hands are strongest, where nothing counts them.
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
    # Twice those of a lower level plus those of the same, by card, and of all hands.
    with_card = 2 * np.cumsum(numbers, axis=2, dtype=np.int16) - numbers
    score = with_card.sum(axis=1, dtype=np.int32) // hole_cards
    score = np.take_along_axis(score, level, axis=1)
    for card in hands.cards.T:
        score -= with_card.ravel()[(row + card) * width + level]
    score += hole_cards - 1  # the hand itself, which both lists have
    return np.where(live_hands(deck, hole_cards, boards), score, 0).astype(np.int16)


def num_opponents(deck: Deck, hole_cards: int, num_public: int) -> int:
    """How many hands the opponent may hold."""
    return math.comb(deck.num_cards - num_public - hole_cards, hole_cards)


def earlier_scores(
    deck: Deck, hole_cards: int, num_cards: int, dealt: int, later: np.ndarray
) -> np.ndarray:
    """int64[C, S]: the sums of later scores over all cards that may be dealt, for boards of a
    street; the squares of them where the next street is the last (int16). 0 for dead hands.

    num_cards: on these boards. dealt: how many come next. later: [C of the next street, S].
    """
    boards = suit_classes(deck, num_cards).board
    key = suit_classes(deck, num_cards + dealt).key
    names = renamed_hands(deck, hole_cards)
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


def _no_cards(deck: Deck, count: int) -> np.ndarray:
    return np.zeros((count, deck.suits), np.int32)


@functools.cache
def _renamings(deck: Deck) -> tuple[tuple[int, ...], ...]:
    """What each suit becomes, by the number of the renaming."""
    return tuple(itertools.permutations(range(deck.suits)))


@functools.cache
def _number_of_renaming(deck: Deck) -> np.ndarray:
    """int64[suits^suits]: by the digits of what the suits become."""
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
