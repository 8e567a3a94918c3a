"""Goofspiel in plain Python, of any size: what a search plays thousands of."""

import dataclasses
import random
from typing import Any

import numpy as np


@dataclasses.dataclass(slots=True)
class GoofspielWorld:
    """Before a round, changed by its rounds; all that is hidden is the move of the round."""

    hands: tuple[list[int], list[int]]
    """Cards left to each player, ascending."""
    card: int
    """The point card of this round."""
    to_come: list[int]
    """The point cards after it, in their order or still to be shuffled."""
    shuffled: bool
    """Whether chance decides which of them comes next."""
    lead: int
    """Points of player 0 less those of player 1."""

    @classmethod
    def at(cls, game: Any, state: Any) -> "GoofspielWorld":
        """Of a public state of `sog.games.goofspiel`, on the host, where a player is to bid."""
        played = int(state.round)
        bids = np.asarray(state.bids)[:, :played]
        every = range(1, game.cards + 1)
        shown = np.asarray(state.point_cards)
        known = shown[shown > 0].tolist()
        is_random = game.order == "random"
        ahead = [card for card in every if card not in known[: played + 1]]
        if not is_random:
            ahead = known[played + 1 :]
        lead = int(np.sum(np.sign(bids[0] - bids[1]) * shown[:played]))
        first, second = ([card for card in every if card not in own] for own in bids)
        return cls((first, second), known[played], ahead, is_random, lead)

    def copy(self) -> "GoofspielWorld":
        """Another one to change."""
        first, second = self.hands
        return GoofspielWorld(
            (first.copy(), second.copy()), self.card, self.to_come.copy(), self.shuffled, self.lead
        )

    @property
    def is_over(self) -> bool:
        """Whether the cards left are forced."""
        return len(self.to_come) == 0

    def play(self, first: int, second: int, source: random.Random) -> None:
        """A round: both bid the cards at these places of their hands; the next card is drawn."""
        bid_0, bid_1 = self.hands[0].pop(first), self.hands[1].pop(second)
        self.lead += self.card * ((bid_0 > bid_1) - (bid_0 < bid_1))
        place = source.randrange(len(self.to_come)) if self.shuffled else 0
        self.card = self.to_come.pop(place)

    def finish(self, source: random.Random) -> None:
        """Plays at random to the end. Which point card meets which bids is drawn by the bids."""
        number = source.random
        for hand in self.hands:
            hand.sort(key=lambda _: number())  # several times as fast as random.shuffle
        first, second = self.hands
        for card in self.to_come:
            bid_0, bid_1 = first.pop(), second.pop()
            self.lead += card * ((bid_0 > bid_1) - (bid_0 < bid_1))
        self.to_come.clear()

    def final_lead(self) -> int:
        """Of player 0, the forced cards counted."""
        (bid_0,), (bid_1,) = self.hands
        return self.lead + self.card * ((bid_0 > bid_1) - (bid_0 < bid_1))
