"""Games in plain Python, one contract for all searches that play thousands of them from here to
their end.

Such a step is a few operations on small numbers, where the contract's functions of a public state
compute masks and tables of all infostates. `PlainGame.world` leads over from a game of the
contract; searches over everybody's infostates need more of a game, which `InfostateGame` tells.
"""

import abc
import dataclasses
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Policy = Callable[[Hashable], Sequence[float] | None]
"""From the key of an infostate to a probability for each of its actions, if it is in memory."""


class World(abc.ABC):
    """A game under way with all that is hidden in it, changed by its moves."""

    __slots__ = ("player",)

    player: int
    """To move; TERMINAL at the end."""

    @abc.abstractmethod
    def actions(self) -> Sequence[int]:
        """Of the player to move, as the contract's numbers in their order."""

    @abc.abstractmethod
    def play(self, action: int) -> None:
        """Makes a legal move, and what chance does after it."""

    @abc.abstractmethod
    def finish(self, source: random.Random) -> float:
        """Plays at random to the end, which may be here; the utility to player 0."""


class PlainGame(abc.ABC):
    """A game of the contract, or one too wide for it, in plain Python."""

    max_utility: float

    @abc.abstractmethod
    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> World:
        """Of the contract's public state, on the host, where a player is to move, and of what both
        hold; chance after it draws from the source."""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """What a player knows where he is to move."""

    player: int
    own: tuple[int, ...]
    """What only he knows, in an order of the game's own."""
    public: tuple[int, ...]
    """Public events, the same to both."""


class InfostateWorld(World):
    """A world that says what the player to move knows."""

    __slots__ = ()

    @abc.abstractmethod
    def key(self) -> Hashable:
        """The infostate of the player to move, unlike any other of either player."""

    @abc.abstractmethod
    def seen(self) -> Seen:
        """The same, spelled out."""


class Target(abc.ABC):
    """A part of the game that simulations are directed at (Lisy et al. 2015, section 3)."""

    ratio: float
    """How much likelier such a deal is where simulations are directed."""

    @abc.abstractmethod
    def deal(self, source: random.Random) -> InfostateWorld:
        """A deal, given that it leads to the target."""

    @abc.abstractmethod
    def is_dealt(self, world: InfostateWorld) -> bool:
        """Whether a deal leads there."""

    @abc.abstractmethod
    def leads(self, world: InfostateWorld) -> bool | Sequence[bool]:
        """For each action whether the target can still be reached after it, or whether it can after
        every one or after none. What is at or below the target leads to it."""

    @abc.abstractmethod
    def probability(self, policy: Policy) -> float:
        """How likely the target is reached; who has no policy acts at random."""


class InfostateGame(PlainGame):
    """A game whose infostates can be named and drawn from. Chance deals, and nothing after that."""

    can_target_public: bool = True
    """Whether `target` knows the public state as well as the infostate."""

    @abc.abstractmethod
    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """From a public state of the contract, on the host, and an infostate of who is to move."""

    @abc.abstractmethod
    def deal(self, source: random.Random) -> InfostateWorld:
        """A new game."""

    @abc.abstractmethod
    def worlds(self, seen: Seen) -> Callable[[random.Random], InfostateWorld]:
        """What draws worlds that agree with what is seen, each as likely as chance makes it."""

    @abc.abstractmethod
    def target(self, seen: Seen, *, public: bool) -> Target:
        """All that may follow what is seen, or what both saw of it."""
