"""Poker with several public cards: wide chance, one card after the other."""

import dataclasses

from sog.games.cards.poker import MOST_CHIPS, BettingGame
from sog.games.core import param


@dataclasses.dataclass(frozen=True, kw_only=True)
class BoardPoker(BettingGame):
    """A private card each and several public cards, a round of betting before and after each.

    Our own, between Leduc, which has one public card, and hold'em: as in fixed-limit hold'em,
    raises double in the second half of the rounds. The default ranks and suits are a deck of 40
    cards.
    """

    name = "board_poker"
    summary = "poker with a private card each and several public cards"
    rules = """\
Each player puts a chip into the pot and gets a card. There is a round of betting before the
first and after each of the public cards; raises are twice as large in the second half of the
rounds. Fold, call (or check), or bet. At showdown more cards of one's rank on the board win,
else the higher card; equal cards share the pot."""

    ranks: int = param(10, "ranks in the deck", minimum=2, maximum=13)
    suits: int = param(4, "cards of each rank", minimum=2, maximum=4)
    public_cards: int = param(3, "public cards, dealt one by one", minimum=1, maximum=5)
    small_raise: int = param(2, "chips per raise at first", minimum=1, maximum=MOST_CHIPS)
    max_raises: int = param(1, "raises per round", minimum=1, maximum=8)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ranks * self.suits < self.public_cards + 2:
            raise ValueError(
                f"{self.name}: public_cards must be at most {self.ranks * self.suits - 2}, so that "
                f"the deck has a card for each player, got {self.public_cards}."
            )

    @property
    def ranks_of_cards(self) -> tuple[int, ...]:
        return tuple(rank for rank in range(self.ranks) for _ in range(self.suits))

    @property
    def raise_sizes(self) -> tuple[tuple[int, ...], ...]:
        rounds = self.public_cards + 1
        return tuple(
            (self.small_raise if number < rounds // 2 else 2 * self.small_raise,)
            for number in range(rounds)
        )

    @property
    def raise_limit(self) -> int:
        return self.max_raises
