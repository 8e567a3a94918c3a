"""The contract of games in plain Python, for searches that play thousands of them to their end.

A step is a few operations on small numbers, where the contract's functions of a public state
compute masks and tables of all infostates. `PlainGame.world` converts a state of the contract.
"""

import abc
import dataclasses
import random
from collections.abc import Callable, Hashable, Sequence
from typing import Any

Policy = Callable[[Hashable], Sequence[float] | None]
"""From the key of an infostate to a probability for each of its actions, if it is in memory."""


class World(abc.ABC):
    """A mutable game in progress, hidden information included."""

    __slots__ = ("player",)

    player: int
    """To move; TERMINAL at the end."""

    @abc.abstractmethod
    def actions(self) -> Sequence[int]:
        """Legal actions of the player to move, by the contract's numbers, ascending."""

    @abc.abstractmethod
    def play(self, action: int) -> None:
        """Makes a legal move, and the chance events after it."""

    @abc.abstractmethod
    def finish(self, source: random.Random) -> float:
        """Plays at random to the end; returns the utility to player 0."""


class PlainGame(abc.ABC):
    """A game of the contract, or one too large for it, in plain Python."""

    max_utility: float

    @abc.abstractmethod
    def world(self, state: Any, infostates: Sequence[int], source: random.Random) -> World:
        """The world of a public state of the contract, on the host, where a player is to move, and
        of both infostates; source: of later chance events."""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """The information of the player to move."""

    player: int
    own: tuple[int, ...]
    """Private information, in an order that the game defines."""
    public: tuple[int, ...]
    """Public events."""


class InfostateWorld(World):
    """A world with the infostate of the player to move."""

    __slots__ = ()

    @abc.abstractmethod
    def key(self) -> Hashable:
        """A unique key of the infostate of the player to move, among those of both players."""

    @abc.abstractmethod
    def seen(self) -> Seen:
        """The information of the player to move."""


class Target(abc.ABC):
    """A part of the game to target simulations at (Lisy et al. 2015, section 3)."""

    ratio: float
    """How much more likely such a deal is in targeted simulations."""

    @abc.abstractmethod
    def deal(self, source: random.Random) -> InfostateWorld:
        """Samples a deal that leads to the target."""

    @abc.abstractmethod
    def is_dealt(self, world: InfostateWorld) -> bool:
        """Whether a deal leads to the target."""

    @abc.abstractmethod
    def leads(self, world: InfostateWorld) -> bool | Sequence[bool]:
        """For each action, whether the target can still be reached after it; one bool stands for
        all actions. Everything at or below the target leads to it."""

    @abc.abstractmethod
    def probability(self, policy: Policy) -> float:
        """The probability of reaching the target; infostates without a policy act at random."""


class InfostateGame(PlainGame):
    """A game whose infostates have keys and can be sampled from. Chance acts only in the deal."""

    can_target_public: bool = True
    """Whether `target` supports public states besides infostates."""

    @abc.abstractmethod
    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The information at a public state of the contract, on the host, and an infostate."""

    @abc.abstractmethod
    def deal(self, source: random.Random) -> InfostateWorld:
        """A new game, with a random deal."""

    @abc.abstractmethod
    def worlds(self, seen: Seen) -> Callable[[random.Random], InfostateWorld]:
        """A function that samples worlds consistent with `seen`, by chance probabilities."""

    @abc.abstractmethod
    def target(self, seen: Seen, *, public: bool) -> Target:
        """The subgame after `seen`, or after its public part."""
