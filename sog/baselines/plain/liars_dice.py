"""Liar's dice in plain Python, with any dice."""

import dataclasses
import itertools
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from sog.baselines.plain.worlds import InfostateGame, InfostateWorld, Policy, Seen, Target
from sog.games.core import TERMINAL
from sog.games.liars_dice import LiarsDice


class LiarsDiceWorld(InfostateWorld):
    """Both hands, and the bids so far."""

    __slots__ = ("bids", "caller", "game", "hands", "last")

    def __init__(self, game: "PlainLiarsDice", hands: tuple[int, int], bids: Sequence[int]) -> None:
        """hands: infostates. bids: ascending."""
        self.game, self.hands = game, hands
        self.bids = sum(1 << bid for bid in bids)  # as a set
        self.last = bids[-1] if bids else -1
        self.player, self.caller = len(bids) % 2, -1

    def actions(self) -> Sequence[int]:
        """Higher bids, and calling liar after the first bid."""
        return range(self.last + 1, self.game.num_bids + (self.last >= 0))

    def play(self, action: int) -> None:
        """Bids, or calls liar."""
        if action == self.game.num_bids:
            self.caller, self.player = self.player, TERMINAL
        else:
            self.bids |= 1 << action
            self.last, self.player = action, 1 - self.player

    def key(self) -> Hashable:
        """The player's hand and the bids, whose number gives the player."""
        return self.hands[self.player], self.bids

    def seen(self) -> Seen:
        """The player's hand, and the bids."""
        bids = (bid for bid in range(self.game.num_bids) if self.bids >> bid & 1)
        return Seen(self.player, (self.hands[self.player],), tuple(bids))

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
        is_lie = self.game.is_lie[last][self.hands[0]][self.hands[1]]
        return 1.0 if is_lie == (caller == 0) else -1.0


class PlainLiarsDice(InfostateGame):
    """`LiarsDice` in plain Python."""

    def __init__(self, game: LiarsDice) -> None:
        """Tabulates which bids are lies with which hands."""
        self.max_utility, self.num_bids = game.max_utility, game.num_bids
        self.is_lie: list[list[list[bool]]] = (game._lie_weight > 0).tolist()
        probability = game._hand_probabilities
        self.odds: list[list[float]] = [row[row > 0].tolist() for row in probability]
        """[player][hand]"""
        self._upto = [list(itertools.accumulate(odds)) for odds in self.odds]

    def roll(self, player: int, source: random.Random) -> int:
        """Rolls a hand."""
        (hand,) = source.choices(range(len(self.odds[player])), cum_weights=self._upto[player])
        return hand

    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> InfostateWorld:
        """The world; infostates are hands, and there is no chance after the deal."""
        return LiarsDiceWorld(self, (int(infostates[0]), int(infostates[1])), _bids(state))

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The player's hand, and the bids of the state."""
        return Seen(player, (infostate,), _bids(state))

    def deal(self, source: random.Random) -> InfostateWorld:
        """A new game with random hands."""
        return LiarsDiceWorld(self, (self.roll(0, source), self.roll(1, source)), ())

    def worlds(self, seen: Seen) -> Callable[[random.Random], InfostateWorld]:
        """Samples any hand of the opponent."""

        def draw(source: random.Random) -> InfostateWorld:
            return LiarsDiceWorld(self, self.hands(seen, source), seen.public)

        return draw

    def hands(self, seen: Seen, source: random.Random) -> tuple[int, int]:
        """The player's hand, and a random one of the opponent."""
        (own,) = seen.own
        other = self.roll(1 - seen.player, source)
        return (own, other) if seen.player == 0 else (other, own)

    def target(self, seen: Seen, *, public: bool) -> Target:
        """The bids, with any hands or with the player's hand."""
        return _Bids(self, seen, public)


def _bids(state: Any) -> tuple[int, ...]:
    """Rising."""
    return tuple(np.flatnonzero(state.bids_made).tolist())


@dataclasses.dataclass
class _Bids(Target):
    """The subgame after some bids."""

    game: PlainLiarsDice
    to: Seen
    public: bool

    def __post_init__(self) -> None:
        bids = self.to.public
        self._sets = [sum(1 << bid for bid in bids[:count]) for count in range(len(bids) + 1)]
        self._below = (1 << (bids[-1] + 1 if bids else 0)) - 1
        self.ratio = 1.0
        if not self.public:
            self.ratio /= self.game.odds[self.to.player][self.to.own[0]]

    def deal(self, source: random.Random) -> InfostateWorld:
        if self.public:
            return self.game.deal(source)
        return LiarsDiceWorld(self.game, self.game.hands(self.to, source), ())

    def is_dealt(self, world: InfostateWorld) -> bool:
        assert isinstance(world, LiarsDiceWorld)
        return self.public or world.hands[self.to.player] == self.to.own[0]

    def leads(self, world: InfostateWorld) -> bool | Sequence[bool]:
        assert isinstance(world, LiarsDiceWorld)
        if not self.is_dealt(world):
            return False
        bids, wanted = world.bids, self.to.public
        count = bids.bit_count()
        if count >= len(wanted):
            return bids & self._below == self._sets[-1]
        if bids != self._sets[count]:
            return False
        return [action == wanted[count] for action in world.actions()]

    def probability(self, policy: Policy) -> float:
        odds, bids = self.game.odds, self.to.public
        reach = [np.array(hands) for hands in odds]
        if not self.public:
            own = reach[self.to.player]
            own[np.arange(len(own)) != self.to.own[0]] = 0
        for count, bid in enumerate(bids):
            player, first = count % 2, bids[count - 1] + 1 if count else 0
            for hand in np.flatnonzero(reach[player]).tolist():
                found = policy((hand, self._sets[count]))
                size = self.game.num_bids + (count > 0) - first
                reach[player][hand] *= 1 / size if found is None else found[bid - first]
        return float(reach[0].sum() * reach[1].sum())
