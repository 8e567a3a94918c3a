"""Games where chance deals hidden hands and all moves are public, in plain Python."""

import abc
import functools
import itertools
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

from sog.baselines.plain.worlds import InfostateGame, Policy, Seen, Target, World

Deal = tuple[int, ...]
"""The hand of player 0, of player 1, and perhaps a public card to be revealed."""


class PublicMovesWorld(World):
    """The deal, and the public events so far, by the contract's numbers."""

    __slots__ = ("deal", "events")

    deal: Deal
    events: tuple[int, ...]

    def key(self) -> Hashable:
        """The player's hand and the events, which determine the player."""
        return self.deal[self.player], self.events


class PublicMovesGame(InfostateGame):
    """A game whose infostates are hands."""

    odds: dict[Deal, float]
    """Of all deals."""

    @abc.abstractmethod
    def begin(self, deal: Deal) -> PublicMovesWorld:
        """The world before the first move."""

    @abc.abstractmethod
    def events(self, state: Any) -> tuple[int, ...]:
        """The public events of a public state."""

    def agrees(self, deal: Deal, events: Sequence[int]) -> bool:
        """Whether events reveal nothing else than this deal."""
        return True

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The player's hand, and the events of the state."""
        return Seen(player, infostate, self.events(state))

    def deal(self, source: random.Random) -> PublicMovesWorld:
        """A new game, before the first move."""
        return self.begin(self._draw(source))

    @functools.cached_property
    def _draw(self) -> Callable[[random.Random], Deal]:
        return _sampler(self.odds)

    def worlds(self, seen: Seen) -> Callable[[random.Random], PublicMovesWorld]:
        """Samples what the player does not see of the deal."""
        draw = _sampler(self.deals(seen, public=False))

        def sample(source: random.Random) -> PublicMovesWorld:
            world = self.begin(draw(source))
            while len(world.events) < len(seen.public):  # some moves reveal a card
                world.play(seen.public[len(world.events)])
            return world

        return sample

    def deals(self, seen: Seen, *, public: bool) -> dict[Deal, float]:
        """Deals consistent with what the player sees, or its public part, and their odds."""
        return {
            deal: odds
            for deal, odds in self.odds.items()
            if (public or deal[seen.player] == seen.own) and self.agrees(deal, seen.public)
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
        self, game: PublicMovesGame, events: tuple[int, ...], deals: dict[Deal, float]
    ) -> None:
        self._game, self._events, self._deals = game, events, deals
        self._draw, self._ratio = _sampler(deals), 1 / sum(deals.values())

    def deal(self, source: random.Random, *, is_directed: bool) -> World:
        game = self._game
        world = game.begin(self._draw(source)) if is_directed else game.deal(source)
        world.directed = self._ratio if world.deal in self._deals else 0.0
        return world

    def leads(self, world: World) -> bool | Sequence[bool]:
        assert isinstance(world, PublicMovesWorld)
        count = len(world.events)
        if count >= len(self._events):
            return True
        return [action == self._events[count] for action in world.actions()]

    def probability(self, policy: Policy) -> float:
        reach: tuple[dict[int, float], ...] = tuple(
            dict.fromkeys((deal[player] for deal in self._deals), 1.0) for player in (0, 1)
        )
        world = self._game.begin(next(iter(self._deals)))  # all reveal the same
        while len(world.events) < len(self._events):
            move, actions = self._events[len(world.events)], world.actions()
            for hand in reach[world.player]:
                found = policy((hand, world.events))
                odds = 1 / len(actions) if found is None else found[actions.index(move)]
                reach[world.player][hand] *= odds
            world.play(move)
        return sum(
            odds * reach[0][deal[0]] * reach[1][deal[1]] for deal, odds in self._deals.items()
        )
