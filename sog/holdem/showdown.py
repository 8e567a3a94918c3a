"""Sums over the opponent's hands with card removal: all that a hand meets, and those it beats.

A hand of one or two cards meets every hand without its cards. So a sum over the hands it meets is
the sum over all, minus those with its first card, minus those with its second, plus its own, which
was subtracted twice (inclusion and exclusion). For showdowns, hands are sorted by strength once per
board, in total and per card. Weaker hands are then a prefix of each list, and sums over them are
prefix sums: O(S) per range, where the matrix of all pairs has S^2 entries.

Differences of float32 cancel: their rounding errors are some 1e-7 of the range's sum. So results
within that error count as 0, and no hand wins more than it meets.
"""

import dataclasses
import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import suit_masks
from sog.pytree import pytree

_ROUNDINGS: Final = 32.0
"""The rounding error of a difference, in machine epsilons of the range's sum."""


@dataclasses.dataclass(frozen=True)
class Hands:
    """The private hands of a deck, S of them, of one or two cards each; see `Deck.hands`."""

    deck: Deck
    hole_cards: int = 2

    @functools.cached_property
    def cards(self) -> np.ndarray:
        """int32[S, hole_cards]."""
        return self.deck.hands(self.hole_cards)

    @functools.cached_property
    def masks(self) -> np.ndarray:
        """int32[S, suits]: masks for `strength`."""
        return np.asarray(suit_masks(self.cards, self.deck, np))

    @functools.cached_property
    def with_card(self) -> np.ndarray:
        """int32[N, L]: the hands with each card."""
        holds = self.deck.holds(self.hole_cards)
        return np.stack([np.flatnonzero(column) for column in holds.T]).astype(np.int32)

    @functools.cached_property
    def place(self) -> np.ndarray:
        """int32[S, hole_cards]: a hand's index in `with_card` of each of its cards."""
        found = np.zeros(self.cards.shape, np.int32)
        for card, hands in enumerate(self.with_card):
            at = np.argwhere(self.cards[hands] == card)
            found[hands[at[:, 0]], at[:, 1]] = at[:, 0]
        return found

    @functools.cached_property
    def pairs(self) -> np.ndarray:
        """bool[S, S]: whether two hands share no card."""
        holds = self.deck.holds(self.hole_cards).astype(np.int32)
        return np.asarray(holds @ holds.T == 0)

    def live(self, boards: np.ndarray) -> np.ndarray:
        """bool[n, S]: the hands without a card of the boards [n, cards]."""
        on_board = np.zeros((len(boards), self.deck.num_cards), bool)
        np.put_along_axis(on_board, boards, True, axis=1)
        return ~np.asarray(on_board[:, self.cards].any(axis=2))


@pytree
class SortedHands:
    """The hands of a board by strength, the weakest first; int16."""

    order: Array  # [S]: all hands
    below: Array  # [S]: how many are weaker than a hand
    upto: Array  # [S]: how many are not stronger
    card_order: Array  # [N, L]: the hands with a card
    card_below: Array  # [S, hole_cards]: how many of those with each card of a hand are weaker
    card_upto: Array  # [S, hole_cards]


def sort_hands(strengths: Array, hands: Hands) -> SortedHands:
    """Sorts the hands of one board. strengths: int32[S]; arbitrary for hands with a card of the
    board, whose reach must be 0."""
    below, upto = _bounds(jnp.sort(strengths), strengths, strengths)
    # Strength and index in one number: sorting single numbers is ten times faster on a CPU than
    # sorting by a key.
    count = len(strengths)
    numbers = below * count + jnp.arange(count, dtype=jnp.int32)
    of_card = jnp.sort(numbers[jnp.asarray(hands.with_card)], axis=1)
    first = below * count
    held = jnp.asarray(hands.with_card)
    card_below, card_upto = jax.vmap(_bounds)(of_card, first[held], first[held] + count - 1)
    narrow = functools.partial(jax.tree.map, lambda array: array.astype(jnp.int16))
    sorted_hands: SortedHands = narrow(
        SortedHands(
            order=jnp.sort(numbers) % count,
            below=below,
            upto=upto,
            card_order=of_card % count,
            card_below=card_below[hands.cards, hands.place],
            card_upto=card_upto[hands.cards, hands.place],
        )
    )
    return sorted_hands


def _bounds(ascending: Array, least: Array, most: Array) -> tuple[Array, Array]:
    """How many of the ascending numbers are below `least`, and how many are at most `most`."""
    search = functools.partial(jnp.searchsorted, ascending, method="scan_unrolled")
    return search(least, side="left"), search(most, side="right")


def met(reach: Array, hands: Hands) -> Array:
    """[..., S]: the reach of the hands that share no card with each hand. reach: [..., S]."""
    total = jnp.sum(reach, axis=-1, keepdims=True)
    if hands.hole_cards == 1:
        others = total - reach
    else:
        of_card = jnp.sum(reach[..., jnp.asarray(hands.with_card)], axis=-1)
        first, second = (of_card[..., jnp.asarray(hands.cards[:, card])] for card in range(2))
        others = total - first - second + reach
    whole = jnp.sum(jnp.abs(reach), axis=-1, keepdims=True)
    smallest = _ROUNDINGS * float(np.finfo(reach.dtype).eps) * whole
    return jnp.where(jnp.abs(others) > smallest, others, 0)


def net_wins(reach: Array, sorted_hands: SortedHands, hands: Hands) -> tuple[Array, Array]:
    """Two arrays [..., S]: the reach of the hands that each hand beats minus that of hands that
    beat it, among those that it meets; and the reach of all these, see `met`.

    reach: [..., S], at least 0, of one board.
    """
    running = _running(reach[..., sorted_hands.order])
    wins = running[..., sorted_hands.below]
    losses = running[..., -1:] - running[..., sorted_hands.upto]
    if hands.hole_cards == 2:
        of_card = _running(reach[..., sorted_hands.card_order])
        for card in range(2):
            held = jnp.asarray(hands.cards[:, card])
            wins -= of_card[..., held, sorted_hands.card_below[:, card]]
            above = of_card[..., held, sorted_hands.card_upto[:, card]]
            losses -= of_card[..., held, -1] - above
    most = met(reach, hands)
    return jnp.clip(wins - losses, -most, most), most


def _running(values: Array) -> Array:
    """[..., n + 1] from [..., n]: prefix sums of the first 0, 1, ..., n values."""
    return jnp.pad(jnp.cumsum(values, axis=-1), [(0, 0)] * (values.ndim - 1) + [(1, 0)])
