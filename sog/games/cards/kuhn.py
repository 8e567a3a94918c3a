"""Kuhn poker: a card each from {J, Q, K}, ante 1, one bet of 1."""

import dataclasses

from sog.games.cards.poker import BettingGame
from sog.games.core import param


@dataclasses.dataclass(frozen=True, kw_only=True)
class Kuhn(BettingGame):
    """Kuhn poker; the value to player 0 with three cards is -1/18."""

    name = "kuhn"
    summary = "Kuhn poker: one card each, one bet of one chip"
    rules = """\
Each player puts a chip into the pot and gets one card from a deck with one of each rank.
Player 0 checks or bets a chip. After a bet player 1 folds or calls; after a check player 1 may
bet, and player 0 folds or calls. A player who folds loses the pot; otherwise the higher card
wins it."""

    ranks: int = param(3, "cards in the deck, one of each rank", minimum=2, maximum=13)

    @property
    def ranks_of_cards(self) -> tuple[int, ...]:
        return tuple(range(self.ranks))

    @property
    def raise_sizes(self) -> tuple[tuple[int, ...], ...]:
        return ((1,),)

    @property
    def raise_limit(self) -> int:
        return 1
