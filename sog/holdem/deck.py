"""A deck of cards, and the sets of cards that can be dealt from it by number.

Card `rank * suits + suit`: ranks count from the lowest, suits in the order of "shdc". The subsets
of k out of n are in colexicographic order: {c1 < ... < ck} has the number C(c1, 1) + ... + C(ck,
k), for every n. So hand {i < j} has the number j (j - 1) / 2 + i.
"""

import dataclasses
import functools
import itertools
import math
from collections.abc import Iterable
from types import ModuleType
from typing import Any, Final

import jax.numpy as jnp
import numpy as np

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"


@functools.cache
def combinations(n: int, k: int) -> np.ndarray:
    """int32[C(n, k), k]: all sets in their order, each ascending."""
    last_first = itertools.combinations(range(n)[::-1], k)  # backwards
    numbers = np.fromiter(itertools.chain.from_iterable(last_first), np.int32)
    everything = np.ascontiguousarray(numbers[::-1].reshape(math.comb(n, k), k))
    everything.flags.writeable = False  # callers share it
    return everything


def number_of(cards: Any, n: int, xp: ModuleType = jnp) -> Any:
    """int32[...]: the numbers of sets of cards [..., k], in any order; xp as the arrays are."""
    ascending = xp.sort(cards.astype(xp.int32), axis=-1)
    k = cards.shape[-1]
    choose = np.array([[math.comb(c, j + 1) for c in range(n)] for j in range(k)], np.int32)
    parts = [xp.asarray(choose[j])[ascending[..., j]] for j in range(k)]
    return xp.sum(xp.stack(parts, axis=-1), axis=-1, dtype=xp.int32)


@dataclasses.dataclass(frozen=True)
class Deck:
    """The highest `ranks` ranks, up to the ace, in each of the first `suits` suits.

    Three ranks are named J, Q, K, as in the literature.
    """

    ranks: int = len(RANKS)
    suits: int = len(SUITS)

    @property
    def num_cards(self) -> int:
        """N."""
        return self.ranks * self.suits

    @property
    def rank_letters(self) -> str:
        """[ranks]: from the lowest."""
        letters = RANKS[: -1 if self.ranks <= 3 else None]
        return letters[len(letters) - self.ranks :]

    def num_hands(self, hole_cards: int = 2) -> int:
        """S."""
        return math.comb(self.num_cards, hole_cards)

    def hands(self, hole_cards: int = 2) -> np.ndarray:
        """int32[S, hole_cards]: the cards of each hand, ascending."""
        return combinations(self.num_cards, hole_cards)

    def card_name(self, card: int) -> str:
        """Rank and suit, such as "Td"."""
        return self.rank_letters[card // self.suits] + SUITS[card % self.suits]

    def cards_name(self, cards: Iterable[int]) -> str:
        """Such as "AsKh", see `in_order`."""
        return "".join(map(self.card_name, self.in_order(cards)))

    def in_order(self, cards: Iterable[int]) -> list[int]:
        """Cards from the highest rank, suits of a rank in their order."""
        return sorted(cards, key=lambda card: (-(card // self.suits), card % self.suits))

    def parse_cards(self, text: str) -> tuple[int, ...]:
        """The cards of a text such as "KsTh7s4d", in its order.

        Raises ValueError that names the first unknown or repeated card.
        """
        cards: list[int] = []
        for at in range(0, len(text), 2):
            name = text[at : at + 2]
            rank = self.rank_letters.find(name[0].upper())
            suit = SUITS[: self.suits].find(name[1:].lower())
            if len(name) < 2 or rank < 0 or suit < 0:
                raise ValueError(
                    f"cards must be of {self.rank_letters} and {SUITS[: self.suits]}, such as "
                    f"{self.card_name(self.num_cards - 1)}, got {name!r} in {text!r}."
                )
            card = rank * self.suits + suit
            if card in cards:
                raise ValueError(
                    f"cards must differ, got {self.card_name(card)} twice in {text!r}."
                )
            cards.append(card)
        return tuple(cards)

    def holds(self, hole_cards: int = 2) -> np.ndarray:
        """bool[S, N]: whether each hand has each card."""
        hands: Any = self.hands(hole_cards)[:, :, None] == np.arange(self.num_cards)
        return np.asarray(hands.any(axis=1))
