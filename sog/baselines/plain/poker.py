"""Betting games with one private card each (Kuhn, Leduc, generic poker) in plain Python.

The public card is dealt with the private ones and revealed in the second round, so that chance acts
only in the deal.
"""

import itertools
import random
from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from sog.baselines.plain.public_moves import Deal, PublicMovesGame, PublicMovesWorld
from sog.games.cards.poker import CALL, FIRST_RAISE, FOLD, BettingGame
from sog.games.core import TERMINAL

_SHOWN: Final = 2  # its index in a deal


class PokerWorld(PublicMovesWorld):
    """The cards, and the bets so far."""

    __slots__ = ("folder", "game", "open", "raises", "shown", "stakes")

    def __init__(self, game: "PlainPoker", deal: Deal) -> None:
        """Before the first bet."""
        self.game, self.deal, self.events = game, deal, ()
        self.directed = 1.0
        self.player, self.folder = 0, -1
        self.shown = False  # whether the public card is revealed: from the second round
        self.raises, self.open = 0, True  # of this round; open: nobody has acted
        self.stakes = [1, 1]

    def actions(self) -> Sequence[int]:
        """Legal actions: fold if there is a bet, raise if raises are left."""
        least = FOLD if self.stakes[0] != self.stakes[1] else CALL
        return range(least, self.game.num_actions if self.raises < self.game.most else FIRST_RAISE)

    def play(self, action: int) -> None:
        """Folds, calls or raises."""
        player, owed = self.player, self.stakes[1 - self.player]
        self.events += (action,)
        self.player = 1 - player
        if action == FOLD:
            self.folder, self.player = player, TERMINAL
            return
        self.stakes[player] = owed
        if action >= FIRST_RAISE:
            self.stakes[player] += self.game.sizes[self.shown][action - FIRST_RAISE]
            self.raises += 1
        elif not self.open:  # both have acted
            self.player = TERMINAL
            if not self.shown and len(self.game.sizes) > 1:
                self.events += (self.game.num_actions + self.deal[_SHOWN],)
                self.player, self.shown, self.raises, self.open = 0, True, 0, True
            return
        self.open = False

    def finish(self, source: random.Random) -> float:
        """A player who folds loses its stake; otherwise the better card wins."""
        while self.player != TERMINAL:
            actions = self.actions()
            self.play(actions[int(source.random() * len(actions))])
        wins = self.game.wins[self.deal] if self.folder < 0 else 2 * self.folder - 1
        return float(wins * min(self.stakes))


class PlainPoker(PublicMovesGame):
    """`BettingGame` with at most one public card in plain Python."""

    def __init__(self, game: BettingGame) -> None:
        """Lists all deals; a missing public card is 0."""
        self.max_utility, self.num_actions = game.max_utility, game.num_actions
        self.sizes, self.most = game.raise_sizes, game.raise_limit
        ranks, copies = game.ranks_of_cards, game.copies
        cards = range(len(ranks))
        weights: dict[Deal, int] = {}
        self.wins: dict[Deal, int] = {}
        """1 if player 0 has the better card, -1 if player 1 has."""
        for first, second in itertools.product(cards, cards):
            pair = copies * (copies - (first == second))
            for public in cards if game.most_public_cards else [0]:
                deal = (first, second, public)
                left = copies - (public == first) - (public == second)
                weight = pair * left if game.most_public_cards else pair
                if weight > 0:
                    weights[deal] = weight
                    worth = [
                        (game.most_public_cards and ranks[card] == ranks[public], ranks[card])
                        for card in (first, second)
                    ]
                    self.wins[deal] = (worth[0] > worth[1]) - (worth[0] < worth[1])
        total = sum(weights.values())
        self.odds = {deal: weight / total for deal, weight in weights.items()}

    def begin(self, deal: Deal) -> PokerWorld:
        """Before the first bet."""
        return PokerWorld(self, deal)

    def events(self, state: Any) -> tuple[int, ...]:
        """Bets, and the public card."""
        return tuple(np.asarray(state.events)[: int(state.num_events)].tolist())

    def agrees(self, deal: Deal, events: Sequence[int]) -> bool:
        """Whether a public card that is shown is that of the deal."""
        shown = [event - self.num_actions for event in events if event >= self.num_actions]
        return shown in ([], [deal[_SHOWN]])
