"""The contract of games in plain Python, for searches that play thousands of them to their end.

A step is a few operations on small numbers, where the contract's functions of a public state
compute masks and tables of all infostates.
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

    __slots__ = ("directed", "player")

    player: int
    """To move; TERMINAL at the end."""

    directed: float
    """The probability of the moves so far if they are directed at a target, with chance events
    divided by their usual probability. 1 without a target; `Target.deal` and chance events after it
    change it, and a search multiplies it by the players' part."""

    @abc.abstractmethod
    def actions(self) -> Sequence[int]:
        """Legal actions of the player to move, by the contract's numbers, ascending."""

    @abc.abstractmethod
    def play(self, action: int) -> None:
        """Makes a legal move, and the chance events after it."""

    @abc.abstractmethod
    def finish(self, source: random.Random) -> float:
        """Plays at random to the end; returns the utility to player 0."""

    @abc.abstractmethod
    def key(self) -> Hashable:
        """A unique key of the infostate of the player to move, among those of both players."""


@dataclasses.dataclass(frozen=True, slots=True)
class Seen:
    """The information of a player to move."""

    player: int
    own: int
    """The infostate."""
    public: tuple[int, ...]
    """Public events, or the node of an enumerated public state."""


class Target(abc.ABC):
    """A part of the game to target simulations at (Lisy et al. 2015, section 3)."""

    @abc.abstractmethod
    def deal(self, source: random.Random, *, is_directed: bool) -> World:
        """A new game, whose chance events lead to the target if they are directed."""

    @abc.abstractmethod
    def leads(self, world: World) -> bool | Sequence[bool]:
        """For each action, whether the target can still be reached after it; True for all of them
        at and below the target. world: one that directed simulations can get to."""

    @abc.abstractmethod
    def probability(self, policy: Policy) -> float:
        """The probability of reaching the target; infostates without a policy act at random."""


class InfostateGame(abc.ABC):
    """A game of the contract, whose infostates have keys and can be sampled from."""

    max_utility: float

    @abc.abstractmethod
    def seen(self, state: Any, player: int, infostate: int) -> Seen:
        """The information at a public state of the contract, on the host, and an infostate."""

    @abc.abstractmethod
    def deal(self, source: random.Random) -> World:
        """A new game, with a random deal."""

    @abc.abstractmethod
    def worlds(self, seen: Seen) -> Callable[[random.Random], World]:
        """A function that samples worlds consistent with `seen`, by chance probabilities."""

    @abc.abstractmethod
    def target(self, seen: Seen, *, public: bool) -> Target:
        """The subgame after `seen`, or after its public part."""
