"""Goofspiel of any size in plain Python."""

import dataclasses
import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from sog.games.core import PLAYER_0, TERMINAL
from sog.games.goofspiel import Goofspiel

_NOT_BID: Final = -1


@dataclasses.dataclass(slots=True)
class GoofspielWorld:
    """Cards are actions, from 0. The only hidden information is a pending bid."""

    player: int
    """To move; TERMINAL at the end."""
    hands: tuple[list[int], list[int]]
    """Cards left to each player, ascending."""
    card: int
    """The point card of this round, from 1."""
    to_come: list[int]
    """The remaining point cards, in order or not shuffled yet."""
    source: random.Random | None
    """Source of their order; None if it is fixed."""
    counts_points: bool
    """Whether utilities are points, not just the winner."""
    lead: int = 0
    """Points of player 0 minus those of player 1."""
    pending: int = _NOT_BID
    """Player 0's bid at player 1's turn."""

    def copy(self) -> "GoofspielWorld":
        """A copy with the same random source."""
        hands, ahead = (self.hands[0].copy(), self.hands[1].copy()), self.to_come.copy()
        return dataclasses.replace(self, hands=hands, to_come=ahead)

    def actions(self) -> Sequence[int]:
        """Cards left."""
        return self.hands[self.player]

    def play(self, action: int) -> None:
        """Makes a bid; the second one reveals the next card. The last cards are forced."""
        self.hands[self.player].remove(action)
        if self.player == 0:
            self.pending, self.player = action, 1
            return
        self.lead += self.card * ((self.pending > action) - (self.pending < action))
        place = 0 if self.source is None else self.source.randrange(len(self.to_come))
        self.card = self.to_come.pop(place)
        self.pending, self.player = _NOT_BID, 0 if self.to_come else TERMINAL

    def finish(self, source: random.Random) -> float:
        """Plays random bids; they also randomize the order of point cards."""
        first, second = self.hands
        if self.to_come:
            number = source.random
            for hand in self.hands:
                hand.sort(key=lambda _: number())  # several times as fast as random.shuffle
        lead = self.lead
        if self.pending != _NOT_BID:
            first = [self.pending, *first]  # for the card of this round
        for points, bid_0, bid_1 in zip(
            [self.card, *reversed(self.to_come)], first, second, strict=True
        ):
            lead += points * ((bid_0 > bid_1) - (bid_0 < bid_1))
        return float(lead if self.counts_points else (lead > 0) - (lead < 0))


class PlainGoofspiel:
    """`Goofspiel` in plain Python."""

    def __init__(self, game: Goofspiel) -> None:
        self.max_utility, self.counts_points = game.max_utility, game.payoff == "diff"
        self._cards, self._is_shuffled = game.cards, game.order == "random"

    def round(self, state: Any, source: random.Random) -> GoofspielWorld:
        """The world before a round, from a public state where a player is to bid."""
        played = int(state.round)
        bids = np.asarray(state.bids)[:, :played] - 1
        shown = np.asarray(state.point_cards)
        known = shown[shown > 0].tolist()
        ahead = known[played + 1 :]
        if self._is_shuffled:
            seen = known[: played + 1]  # with the last but one, the last is shown too
            ahead = [card for card in range(1, self._cards + 1) if card not in seen]
        first, second = ([card for card in range(self._cards) if card not in own] for own in bids)
        return GoofspielWorld(
            player=PLAYER_0 if ahead else TERMINAL,
            hands=(first, second),
            card=known[played],
            to_come=ahead,
            source=source if self._is_shuffled else None,
            counts_points=self.counts_points,
            lead=int(np.sum(np.sign(bids[0] - bids[1]) * shown[:played])),
        )
