"""A deck of cards, and the private hands that can be dealt from it.

Card `rank * suits + suit`: ranks count from the lowest, suits in the order of "shdc". The hands of
h cards are in colexicographic order, so hand {i < j} has the number j (j - 1) / 2 + i.
"""

import dataclasses
import math
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from sog.holdem.colex import combinations

RANKS: Final = "23456789TJQKA"
SUITS: Final = "shdc"


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
