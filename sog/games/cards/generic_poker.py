"""Generic poker GP(T, C, R, B) of the OOS paper (Lisy, Lanctot, Bowling 2015, section 5.1).

T card types with C copies each, at most R raises per round, B bet sizes. The paper does not give
the sizes: here the i-th is i times the round's unit, by default Leduc's units 2 and 4.
"""

import dataclasses

from sog.games.cards.poker import MOST_CHIPS, BettingGame
from sog.games.core import param


@dataclasses.dataclass(frozen=True, kw_only=True)
class GenericPoker(BettingGame):
    """Generic poker; infostates are card types, since copies of a type are alike."""

    name = "generic_poker"
    summary = "generic poker GP(T, C, R, B): Leduc with several bet sizes"
    rules = """\
Each player puts a chip into the pot and gets a card. A round of betting, then a public card,
then a second round. A bet or raise has one of several sizes, larger in the second round; how
many there can be in a round is limited. Fold, call (or check), or bet. At showdown a pair with
the public card wins, else the higher card; equal cards share the pot."""

    types: int = param(3, "T, types of cards", minimum=2, maximum=13)
    cards: int = param(3, "C, cards of each type", minimum=2, maximum=1000)
    raises: int = param(2, "R, raises per round", minimum=1, maximum=8)
    bets: int = param(2, "B, sizes of a bet or raise", minimum=1, maximum=8)
    first_unit: int = param(
        2, "chips of the smallest bet, first round", minimum=1, maximum=MOST_CHIPS
    )
    second_unit: int = param(
        4, "chips of the smallest bet, second round", minimum=1, maximum=MOST_CHIPS
    )

    @property
    def ranks_of_cards(self) -> tuple[int, ...]:
        return tuple(range(self.types))

    @property
    def copies(self) -> int:
        return self.cards

    @property
    def raise_sizes(self) -> tuple[tuple[int, ...], ...]:
        multiples = range(1, self.bets + 1)
        return tuple(
            tuple(i * unit for i in multiples) for unit in (self.first_unit, self.second_unit)
        )

    @property
    def raise_limit(self) -> int:
        return self.raises
