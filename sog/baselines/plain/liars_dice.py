"""Liar's dice in plain Python, with any dice."""

import itertools
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from sog.baselines.plain.worlds import InfostateGame, Policy, Seen, Target, World
from sog.games.core import TERMINAL
from sog.games.liars_dice import LiarsDice

Deal = tuple[int, int]
"""The hand of each player, its infostate."""


class LiarsDiceWorld(World):
    """Both hands, and the bids so far, by the contract's numbers."""

    __slots__ = ("caller", "deal", "events", "game", "last")

    def __init__(self, game: "PlainLiarsDice", deal: Deal) -> None:
        """Before the first bid."""
        self.game, self.deal = game, deal
        self.events: tuple[int, ...] = ()
        self.directed = 1.0
        self.player, self.last, self.caller = 0, -1, -1

    def key(self) -> Hashable:
        """The player's hand and the events, which determine the player."""
        return self.deal[self.player], self.events

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


class PlainLiarsDice(InfostateGame):
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
        """Of all deals."""
        self._upto = [list(itertools.accumulate(odds)) for odds in (first, second)]

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The player's hand, and the bids, which rise."""
        return Seen(player, infostate, tuple(np.flatnonzero(state.bids_made).tolist()))

    def deal(self, source: random.Random) -> LiarsDiceWorld:
        """Rolls one hand after the other: they are independent."""
        first, second = (
            source.choices(range(len(upto)), cum_weights=upto)[0] for upto in self._upto
        )
        return LiarsDiceWorld(self, (first, second))

    def worlds(self, seen: Seen) -> Callable[[random.Random], LiarsDiceWorld]:
        """Samples the other player's hand."""
        draw = _sampler(self.deals(seen, public=False))

        def sample(source: random.Random) -> LiarsDiceWorld:
            world = LiarsDiceWorld(self, draw(source))
            for event in seen.public:
                world.play(event)
            return world

        return sample

    def deals(self, seen: Seen, *, public: bool) -> dict[Deal, float]:
        """Deals consistent with what the player sees, or its public part, and their odds."""
        return {
            deal: odds
            for deal, odds in self.odds.items()
            if public or deal[seen.player] == seen.own
        }

    def target(self, seen: Seen, *, public: bool) -> Target:
        """The events, with any hands or with the player's hand."""
        return _Events(self, seen.public, self.deals(seen, public=public))


def _sampler(deals: dict[Deal, float]) -> Callable[[random.Random], Deal]:
    every, upto = list(deals), list(itertools.accumulate(deals.values()))
    return lambda source: source.choices(every, cum_weights=upto)[0]


class _Events(Target):
    """The subgame after some events and one of some deals."""

    def __init__(
        self, game: PlainLiarsDice, events: tuple[int, ...], deals: dict[Deal, float]
    ) -> None:
        self._game, self._events, self._deals = game, events, deals
        self._draw, self._ratio = _sampler(deals), 1 / sum(deals.values())

    def deal(self, source: random.Random, *, is_directed: bool) -> World:
        game = self._game
        world = LiarsDiceWorld(game, self._draw(source)) if is_directed else game.deal(source)
        world.directed = self._ratio if world.deal in self._deals else 0.0
        return world

    def leads(self, world: World) -> bool | Sequence[bool]:
        assert isinstance(world, LiarsDiceWorld)
        count = len(world.events)
        if count >= len(self._events):
            return True
        return [action == self._events[count] for action in world.actions()]

    def probability(self, policy: Policy) -> float:
        reach: tuple[dict[int, float], ...] = tuple(
            dict.fromkeys((deal[player] for deal in self._deals), 1.0) for player in (0, 1)
        )
        world = LiarsDiceWorld(self._game, next(iter(self._deals)))
        for move in self._events:
            actions = world.actions()
            for hand in reach[world.player]:
                found = policy((hand, world.events))
                odds = 1 / len(actions) if found is None else found[actions.index(move)]
                reach[world.player][hand] *= odds
            world.play(move)
        return sum(
            odds * reach[0][deal[0]] * reach[1][deal[1]] for deal, odds in self._deals.items()
        )
