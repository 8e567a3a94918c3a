"""Imperfect-information Goofspiel in plain Python, with any number of cards."""

import functools
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any, Final

import numpy as np

from sog.baselines.plain.worlds import InfostateGame, InfostateWorld, Policy, Seen, Target
from sog.games.bidding import TIED, WON_BY_0, WON_BY_1
from sog.games.core import PLAYER_1, TERMINAL
from sog.games.ii_goofspiel import IIGoofspiel

_RESULTS: Final = 4  # the base in which results, from 1, are digits


class IIGoofspielWorld(InfostateWorld):
    """Cards left and bids of both players. Cards are actions, from 0."""

    __slots__ = ("bids", "codes", "game", "hands", "lead", "pending", "results", "results_code")

    def __init__(self, game: "PlainIIGoofspiel") -> None:
        """Before the first bid."""
        self.game, self.player, self.lead, self.pending = game, 0, 0, -1
        self.hands = (list(range(game.cards)), list(range(game.cards)))
        self.bids: tuple[list[int], list[int]] = ([], [])
        self.codes = [0, 0]  # of the bids, in base cards + 1
        self.results: list[int] = []
        self.results_code = 0

    def actions(self) -> Sequence[int]:
        """Cards left."""
        return self.hands[self.player]

    def play(self, action: int) -> None:
        """Bids."""
        player = self.player
        self.hands[player].remove(action)
        self.bids[player].append(action)
        self.codes[player] = self.codes[player] * (self.game.cards + 1) + action + 1
        if player == 0:
            self.pending, self.player = action, 1
            return
        result = result_of(self.pending, action)
        self.lead += self.game.points[len(self.results)] * _SIGN[result]
        self.results.append(result)
        self.results_code = self.results_code * _RESULTS + result + 1
        self.player = 0 if len(self.hands[0]) > 1 else TERMINAL

    def key(self) -> Hashable:
        """The own bids and the results."""
        return self.player, self.codes[self.player], self.results_code

    def seen(self) -> Seen:
        """The same."""
        return Seen(self.player, tuple(self.bids[self.player]), tuple(self.results))

    def finish(self, source: random.Random) -> float:
        """The last cards are forced."""
        number = source.random
        first, second = (sorted(hand, key=lambda _: number()) for hand in self.hands)
        if self.player == 1:
            first.append(self.pending)
        lead = self.lead
        for points in self.game.points[len(self.results) :]:
            bid_0, bid_1 = first.pop(), second.pop()
            lead += points * ((bid_0 > bid_1) - (bid_0 < bid_1))
        return float(lead if self.game.counts_points else (lead > 0) - (lead < 0))


_SIGN: Final = {WON_BY_0: 1, WON_BY_1: -1, TIED: 0}


def result_of(bid_0: int, bid_1: int) -> int:
    """Who wins a round."""
    return TIED if bid_0 == bid_1 else WON_BY_0 if bid_0 > bid_1 else WON_BY_1


class PlainIIGoofspiel(InfostateGame):
    """`IIGoofspiel` in plain Python, with any number of cards instead of at most 6."""

    can_target_public = False  # given results alone, both players' bids are unknown

    def __init__(self, *, cards: int, order: str, payoff: str) -> None:
        """Parameters as for `IIGoofspiel`, except a random order of point cards."""
        self.cards, self.counts_points = cards, payoff == "diff"
        self.points = sorted(range(1, cards + 1), reverse=order == "descending")
        most = sum(self.points) - 2 if self.counts_points else 1
        self.max_utility = float(most)

    @classmethod
    def of(cls, game: IIGoofspiel) -> "PlainIIGoofspiel":
        """The same rules."""
        return cls(cards=game.cards, order=game.order, payoff=game.payoff)

    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> InfostateWorld:
        """The world; there is no chance."""
        number, is_second = int(state.round), int(state.stage) == PLAYER_1
        first = self._bids(int(infostates[0]), number + is_second)
        return self._played(first, self._bids(int(infostates[1]), number))

    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The player's bids, and the winners of the rounds."""
        number = int(state.round)
        results = np.asarray(state.results)[:number].tolist()
        return Seen(player, self._bids(infostate, number), tuple(results))

    def _bids(self, infostate: int, number: int) -> tuple[int, ...]:
        """The first bids of a permutation, from its number (see `IIGoofspiel`)."""
        left, bids = list(range(self.cards)), []
        for _ in range(number):
            size = _factorial(len(left) - 1)
            bids.append(left.pop(infostate // size))
            infostate %= size
        return tuple(bids)

    def _played(self, first: Sequence[int], second: Sequence[int]) -> IIGoofspielWorld:
        """The world after alternating bids of both players."""
        world = IIGoofspielWorld(self)
        for number, bid in enumerate(first):
            world.play(bid)
            if number < len(second):
                world.play(second[number])
        return world

    def deal(self, source: random.Random) -> InfostateWorld:
        """A new game; there is no deal."""
        return IIGoofspielWorld(self)

    def worlds(self, seen: Seen) -> Callable[[random.Random], InfostateWorld]:
        """Samples the opponent's bids uniformly from those that explain the results."""
        ways = _Ways(self.cards, seen)

        def draw(source: random.Random) -> InfostateWorld:
            other = ways.draw(source)
            if seen.player == 0:
                return self._played(seen.own, other)
            other.append(source.choice([c for c in range(self.cards) if c not in other]))
            return self._played(other, seen.own)

        return draw

    def target(self, seen: Seen, *, public: bool) -> Target:
        """The own bids and the results."""
        assert not public
        return _Bids(self, seen)


class _Ways:
    """Counts the opponent's bid sequences that explain the results."""

    def __init__(self, cards: int, seen: Seen) -> None:
        self._cards, self._rounds = cards, len(seen.own)
        self._allowed = [
            [card for card in range(cards) if _of_round(seen.player, own, card) == result]
            for own, result in zip(seen.own, seen.public, strict=True)
        ]
        """Lists by round the cards that give the result."""
        self._count: dict[int, int] = {}

    def fits(self, number: int, card: int) -> bool:
        """Whether a card gives the result of a round."""
        return card in self._allowed[number]

    def count(self, spent: int) -> int:
        """The number of continuations after a set of bids of the opponent, one per round."""
        number = spent.bit_count()
        if number >= self._rounds:
            return 1
        if spent not in self._count:
            free = (card for card in self._allowed[number] if not spent >> card & 1)
            self._count[spent] = sum(self.count(spent | 1 << card) for card in free)
        return self._count[spent]

    def draw(self, source: random.Random) -> list[int]:
        """Samples one sequence."""
        bids: list[int] = []
        spent = 0
        for allowed in self._allowed:
            free = [card for card in allowed if not spent >> card & 1]
            (card,) = source.choices(free, [self.count(spent | 1 << card) for card in free])
            bids.append(card)
            spent |= 1 << card
        return bids


def _of_round(player: int, own: int, other: int) -> int:
    return result_of(own, other) if player == 0 else result_of(other, own)


class _Bids(Target):
    """The subgame after one player's bids and the results."""

    ratio = 1.0

    def __init__(self, game: PlainIIGoofspiel, seen: Seen) -> None:
        self._game, self._to, self._ways = game, seen, _Ways(game.cards, seen)
        base = game.cards + 1
        self._codes, self._results = [0], [0]
        for own, result in zip(seen.own, seen.public, strict=True):
            self._codes.append(self._codes[-1] * base + own + 1)
            self._results.append(self._results[-1] * _RESULTS + result + 1)

    def deal(self, source: random.Random) -> InfostateWorld:
        return self._game.deal(source)

    def is_dealt(self, world: InfostateWorld) -> bool:
        return True

    def leads(self, world: InfostateWorld) -> bool | Sequence[bool]:
        assert isinstance(world, IIGoofspielWorld)
        player, last = self._to.player, len(self._to.own)
        own, other = world.bids[player], world.bids[1 - player]
        number = len(world.results)
        if number >= last:
            base = self._game.cards + 1
            results = world.results_code // _RESULTS ** (number - last)
            code = world.codes[player] // base ** (len(own) - last)
            return (results, code) == (self._results[-1], self._codes[-1])
        if (
            world.results_code != self._results[number]
            or world.codes[player] != self._codes[len(own)]
        ):
            return False
        spent = sum(1 << card for card in other)
        has_bid = len(other) > number  # the opponent, in this round
        if not self._ways.count(spent) or (has_bid and not self._ways.fits(number, other[-1])):
            return False
        if world.player == player:
            wanted = self._to.own[number]
            return [card == wanted for card in world.hands[player]]
        return [
            self._ways.fits(number, card) and self._ways.count(spent | 1 << card) > 0
            for card in world.hands[1 - player]
        ]

    def probability(self, policy: Policy) -> float:
        player, cards = self._to.player, self._game.cards
        reached, left = 1.0, list(range(cards))
        for number, own in enumerate(self._to.own):
            found = policy((player, self._codes[number], self._results[number]))
            reached *= 1 / len(left) if found is None else found[left.index(own)]
            left.remove(own)
        return reached * self._of_opponent(policy, 0, 0, list(range(cards)))

    def _of_opponent(self, policy: Policy, code: int, spent: int, left: list[int]) -> float:
        """The probability that the opponent continues with bids that explain the results."""
        number, last = self._game.cards - len(left), len(self._to.own)
        if number == last:
            return 1.0
        found = policy((1 - self._to.player, code, self._results[number]))
        if found is None:  # random play from here
            ways = self._ways.count(spent)
            return ways * _factorial(len(left) - last + number) / _factorial(len(left))
        total = 0.0
        for place, card in enumerate(left):
            after = spent | 1 << card
            if found[place] and self._ways.fits(number, card) and self._ways.count(after):
                rest = left[:place] + left[place + 1 :]
                next_code = code * (self._game.cards + 1) + card + 1
                total += found[place] * self._of_opponent(policy, next_code, after, rest)
        return total


@functools.cache
def _factorial(number: int) -> int:
    return 1 if number < 2 else number * _factorial(number - 1)
