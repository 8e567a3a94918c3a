"""What both searches share: a tree over everybody's infostates."""

import abc
import random
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.play.budget import Simulations
from sog.play.plain_agent import PlainSearch

Node = TypeVar("Node")


class TreeSearch(PlainSearch, Generic[Node]):
    """A search with its tree, for one player and one game at a time."""

    def __init__(self, game: InfostateGame, *, budget: int, seconds: float, seed: int) -> None:
        """seconds: the most that a search takes, 0 for no clock."""
        self.game, self.budget, self.seconds = game, budget, seconds
        self.source = random.Random(seed)
        self.tree: dict[Hashable, Node] = {}
        """By `World.key`: what is known of an infostate."""

    def reset(self, seed: int | None = None) -> None:
        """Begins a new game, with nothing in memory."""
        self.tree = {}
        if seed is not None:
            self.source = random.Random(seed)

    def at(self, state: Any, player: int, infostate: int, num_actions: int) -> list[float]:
        """Searches what the player sees."""
        return self.search(self.game.seen(state, player, infostate), num_actions)

    @abc.abstractmethod
    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """One search where a player is to move: a probability for each of his actions. What is
        found is kept for the next one."""

    def _simulations(self) -> Simulations:
        return Simulations(self.budget, self.seconds)
