"""A spot: a board, chips, what may be bet, and who may hold what."""

import dataclasses
from typing import Final

import numpy as np

from sog.games.cards.deck import Deck
from sog.tabular.spots.betting import Line, Menu, Street, build_street
from sog.tabular.spots.boards import NUM_CARDS

_STREETS: Final = {3: "flop", 4: "turn", 5: "river"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class Spot:
    """Heads-up hold'em from a board on. Player 0 acts first on every street."""

    board: tuple[int, ...]
    """Three, four or five cards of the deck."""
    pot: int
    stack: int
    """Chips behind each player, those of the shorter stack."""
    menus: tuple[Menu, ...]
    """By street, from the one that the spot begins on."""
    smallest_bet: int = 1
    deck: Deck = Deck()

    def __post_init__(self) -> None:
        if len(self.board) not in _STREETS:
            raise ValueError(f"the board must have 3, 4 or 5 cards, got {len(self.board)}.")
        if len(set(self.board)) < len(self.board):
            raise ValueError("the cards of the board must differ.")
        if self.pot < 1:
            raise ValueError(f"pot must be >= 1, got {self.pot}.")
        if self.stack < 0:
            raise ValueError(f"stack must be >= 0, got {self.stack}.")

    @property
    def num_streets(self) -> int:
        """How many streets are left, the present one included."""
        return NUM_CARDS + 1 - len(self.board)

    def streets(self) -> tuple[Street, ...]:
        """The betting of all streets."""
        streets: list[Street] = []
        lines = (Line(self.pot, self.stack),)
        for number in range(self.num_streets):
            if not lines:
                break
            last = number == self.num_streets - 1
            menu = self.menus[number]
            streets.append(build_street(lines, menu, smallest_bet=self.smallest_bet, last=last))
            lines = streets[-1].next_lines
        return tuple(streets)


def full_range(deck: Deck) -> np.ndarray:
    """[hand] float32: every hand once."""
    return np.ones(deck.num_hands(), np.float32)
