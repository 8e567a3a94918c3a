"""Leduc hold'em, as in the supplement of Student of Games ("Description of Leduc poker").

Ante 1; a private card each, a round of betting, a public card, a second round. Folding is possible
only when there is a bet to fold to.
"""

import dataclasses

from sog.games.cards.poker import MOST_CHIPS, BettingGame
from sog.games.core import param


@dataclasses.dataclass(frozen=True, kw_only=True)
class Leduc(BettingGame):
    """Leduc hold'em; with the default parameters its value to player 0 is -0.0856064."""

    name = "leduc"
    summary = "Leduc hold'em: two rounds, a public card between them"
    rules = """\
Each player puts a chip into the pot and gets one card from a deck with two suits of each
rank. A round of betting, then a public card, then a second round. A bet or raise is 2 chips
in the first round and 4 in the second; a round has at most two of them. On your turn fold
(after a bet only), call (or check), or bet (raise). At showdown a pair with the public card
wins, else the higher card; equal cards share the pot."""

    ranks: int = param(3, "ranks in the deck", minimum=2, maximum=13)
    suits: int = param(2, "cards of each rank", minimum=2, maximum=4)
    first_raise: int = param(2, "chips per raise in the first round", minimum=1, maximum=MOST_CHIPS)
    second_raise: int = param(
        4, "chips per raise in the second round", minimum=1, maximum=MOST_CHIPS
    )
    max_raises: int = param(2, "raises per round", minimum=1, maximum=8)
    suit_isomorphism: bool = param(False, "merge cards that differ in suit alone")

    @property
    def ranks_of_cards(self) -> tuple[int, ...]:
        each = 1 if self.suit_isomorphism else self.suits
        return tuple(rank for rank in range(self.ranks) for _ in range(each))

    @property
    def copies(self) -> int:
        return self.suits if self.suit_isomorphism else 1

    @property
    def raise_sizes(self) -> tuple[tuple[int, ...], ...]:
        return ((self.first_raise,), (self.second_raise,))

    @property
    def raise_limit(self) -> int:
        return self.max_raises
