"""Betting games with one private card each (Kuhn, Leduc, generic poker) in plain Python.

The public card is dealt with the private ones and revealed in the second round, so that chance acts
only in the deal.
"""

import dataclasses
import itertools
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

import numpy as np

from sog.baselines.plain.worlds import InfostateGame, InfostateWorld, Policy, Seen, Target
from sog.games.cards.poker import CALL, FIRST_RAISE, FOLD, BettingGame
from sog.games.core import TERMINAL

Deal = tuple[int, int, int]
"""The cards of player 0 and of player 1, and the public one."""
_SHOWN: Final = 2  # its index in a deal


class PokerWorld(InfostateWorld):
    """The deal, and the public events so far, by the contract's numbers."""

    __slots__ = ("deal", "events", "folder", "game", "open", "raises", "shown", "stakes")

    def __init__(self, game: "PlainPoker", deal: Deal, events: Sequence[int] = ()) -> None:
        """The world after some events."""
        self.game, self.deal = game, deal
        self.player, self.folder = 0, -1
        self.shown = False  # whether the public card is revealed: from the second round
        self.raises, self.open = 0, True  # of this round; open: nobody has acted
        self.stakes = [1, 1]
        self.events: tuple[int, ...] = ()
        for bet in game.bets(events):
            self.play(bet)

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

    def key(self) -> Hashable:
        """The player's card and the events, which determine the player."""
        return self.deal[self.player], self.events

    def seen(self) -> Seen:
        """The player's card, and the events."""
        return Seen(self.player, (self.deal[self.player],), self.events)

    def finish(self, source: random.Random) -> float:
        """A player who folds loses its stake; otherwise the better card wins."""
        while self.player != TERMINAL:
            actions = self.actions()
            self.play(actions[int(source.random() * len(actions))])
        wins = self.game.wins[self.deal] if self.folder < 0 else 2 * self.folder - 1
        return float(wins * min(self.stakes))


class PlainPoker(InfostateGame):
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

    def bets(self, events: Sequence[int]) -> list[int]:
        """The bets among public events."""
        return [event for event in events if event < self.num_actions]

    def deals(self, seen: Seen, *, public: bool = False) -> dict[Deal, float]:
        """Deals consistent with what the player sees, or its public part, and their weights."""
        shown = [event - self.num_actions for event in seen.public if event >= self.num_actions]
        return {
            deal: odds
            for deal, odds in self.odds.items()
            if (public or deal[seen.player] == seen.own[0]) and shown in ([], [deal[_SHOWN]])
        }

    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> PokerWorld:
        """The world; infostates are cards, and an unseen public card is drawn."""
        seen = self.seen(state, 0, int(infostates[0]))
        deals = {d: odds for d, odds in self.deals(seen).items() if d[1] == int(infostates[1])}
        return PokerWorld(self, _draw(deals, source), seen.public)

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The player's card, and the events of the state."""
        events = np.asarray(state.events)[: int(state.num_events)].tolist()
        return Seen(player, (infostate,), tuple(events))

    def deal(self, source: random.Random) -> PokerWorld:
        """A new game, before the first bet."""
        return PokerWorld(self, _draw(self.odds, source))

    def worlds(self, seen: Seen) -> Callable[[random.Random], InfostateWorld]:
        """Samples the opponent's card from those left."""
        deals = self.deals(seen)
        return lambda source: PokerWorld(self, _draw(deals, source), seen.public)

    def target(self, seen: Seen, *, public: bool) -> Target:
        """The events, with any cards or with the player's card."""
        return _Events(self, seen.public, self.deals(seen, public=public))


def _draw(deals: dict[Deal, float], source: random.Random) -> Deal:
    (deal,) = source.choices(list(deals), list(deals.values()))
    return deal


@dataclasses.dataclass
class _Events(Target):
    """The subgame after some events and one of some deals."""

    game: PlainPoker
    events: tuple[int, ...]
    deals: dict[Deal, float]

    def __post_init__(self) -> None:
        self.ratio = 1 / sum(self.deals.values())

    def deal(self, source: random.Random) -> InfostateWorld:
        return PokerWorld(self.game, _draw(self.deals, source))

    def is_dealt(self, world: InfostateWorld) -> bool:
        assert isinstance(world, PokerWorld)
        return world.deal in self.deals

    def leads(self, world: InfostateWorld) -> bool | Sequence[bool]:
        assert isinstance(world, PokerWorld)
        count = min(len(world.events), len(self.events))
        if world.deal not in self.deals or world.events[:count] != self.events[:count]:
            return False
        if count == len(self.events):
            return True
        return [action == self.events[count] for action in world.actions()]

    def probability(self, policy: Policy) -> float:
        reach: tuple[dict[int, float], ...] = tuple({d[p]: 1.0 for d in self.deals} for p in (0, 1))
        world = PokerWorld(
            self.game, next(iter(self.deals))
        )  # all of them have the same public card
        for bet in self.game.bets(self.events):
            place, size = world.actions().index(bet), len(world.actions())
            for card in reach[world.player]:
                found = policy((card, world.events))
                reach[world.player][card] *= 1 / size if found is None else found[place]
            world.play(bet)
        return sum(odds * reach[0][d[0]] * reach[1][d[1]] for d, odds in self.deals.items())
