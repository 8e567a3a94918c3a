"""Liar's dice in plain Python, with any dice."""

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.baselines.plain.public_moves import Deal, PublicMovesGame, PublicMovesWorld
from sog.games.core import TERMINAL
from sog.games.liars_dice import LiarsDice


class LiarsDiceWorld(PublicMovesWorld):
    """Both hands, and the bids so far."""

    __slots__ = ("caller", "game", "last")

    def __init__(self, game: "PlainLiarsDice", deal: Deal) -> None:
        """deal: infostates."""
        self.game, self.deal, self.events = game, deal, ()
        self.directed = 1.0
        self.player, self.last, self.caller = 0, -1, -1

    def actions(self) -> Sequence[int]:
        """Higher bids, and calling liar after the first bid."""
        return range(self.last + 1, self.game.num_bids + (self.last >= 0))

    def play(self, action: int) -> None:
        """Bids, or calls liar."""
        self.events += (action,)
        if action == self.game.num_bids:
            self.caller, self.player = self.player, TERMINAL
        else:
            self.last, self.player = action, 1 - self.player

    def finish(self, source: random.Random) -> float:
        """The caller wins if the bid is a lie."""
        caller, last, num_bids = self.caller, self.last, self.game.num_bids
        player, number = self.player, source.random
        while caller < 0:
            first = last + 1
            action = first + int(number() * (num_bids + (last >= 0) - first))
            if action == num_bids:
                caller = player
            else:
                last, player = action, 1 - player
        is_lie = self.game.is_lie[last][self.deal[0]][self.deal[1]]
        return 1.0 if is_lie == (caller == 0) else -1.0


class PlainLiarsDice(PublicMovesGame):
    """`LiarsDice` in plain Python."""

    def __init__(self, game: LiarsDice) -> None:
        """Tabulates which bids are lies with which hands."""
        self.max_utility, self.num_bids = game.max_utility, game.num_bids
        self.is_lie: list[list[list[bool]]] = (game._lie_weight > 0).tolist()
        first, second = ([p for p in hands.tolist() if p > 0] for hands in game._hand_probabilities)
        self.odds = {
            (one, other): odds * odds_of_other
            for one, odds in enumerate(first)
            for other, odds_of_other in enumerate(second)
        }
        self._upto = [list(itertools.accumulate(odds)) for odds in (first, second)]

    def deal(self, source: random.Random) -> LiarsDiceWorld:
        """Rolls one hand after the other: they are independent."""
        return self.begin(
            tuple(source.choices(range(len(upto)), cum_weights=upto)[0] for upto in self._upto)
        )

    def begin(self, deal: Deal) -> LiarsDiceWorld:
        """Before the first bid."""
        return LiarsDiceWorld(self, deal)

    def events(self, state: Any) -> tuple[int, ...]:
        """The bids, which rise."""
        return tuple(np.flatnonzero(state.bids_made).tolist())
