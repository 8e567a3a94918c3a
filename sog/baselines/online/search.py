"""The common part of the searches: a tree over both players' infostates that grows on demand."""

import abc
import random
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.play.plain_agent import PlainSearch, Simulations

Node = TypeVar("Node")


class TreeSearch(PlainSearch, Generic[Node]):
    """A search with its tree, for one player and one game at a time."""

    def __init__(self, game: InfostateGame, *, budget: int, seconds: float, seed: int) -> None:
        """seconds: the time limit of a search, 0 for none."""
        self.game, self.budget, self.seconds = game, budget, seconds
        self.source = random.Random(seed)
        self.tree: dict[Hashable, Node] = {}
        """The nodes, by `World.key`."""

    def reset(self, seed: int | None = None) -> None:
        """Starts a new game with an empty tree."""
        self.tree = {}
        if seed is not None:
            self.source = random.Random(seed)

    def at(self, state: Any, player: int, infostate: int, num_actions: int) -> list[float]:
        """Searches the player's infostate; returns its policy."""
        return self.search(self.game.seen(state, player, infostate), num_actions)

    @abc.abstractmethod
    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """Searches where a player is to move; returns a probability per action. Keeps the tree
        for the next search."""

    @abc.abstractmethod
    def search_game(self) -> None:
        """Searches the whole game, before the deal."""

    @abc.abstractmethod
    def learned(self, node: Node) -> list[float]:
        """Unnormalized weights of the policy learned."""

    def _simulations(self) -> Simulations:
        return Simulations(self.budget, self.seconds)
