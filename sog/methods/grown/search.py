"""What both searches share: which games there are, and a tree."""

import abc
import random
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from sog.games.core import Game
from sog.games.ii_goofspiel import IIGoofspiel
from sog.games.liars_dice import LiarsDice
from sog.methods.grown.budget import Simulations
from sog.methods.plain.ii_goofspiel import PlainIIGoofspiel
from sog.methods.plain.liars_dice import PlainLiarsDice
from sog.methods.plain.worlds import PlainGame, Seen

Node = TypeVar("Node")


def plain_game(game: Game[Any]) -> PlainGame | None:
    """A game in plain Python; None for games that nobody has written so."""
    if isinstance(game, LiarsDice):
        return PlainLiarsDice(game)
    if isinstance(game, IIGoofspiel) and game.order != "random":
        return PlainIIGoofspiel.of(game)
    return None


class TreeSearch(abc.ABC, Generic[Node]):
    """A search with its tree, for one player and one game at a time."""

    def __init__(self, game: PlainGame, *, budget: int, seconds: float, seed: int) -> None:
        """seconds: the most that a search takes, 0 for no clock."""
        self.game, self.budget, self.seconds = game, budget, seconds
        self.source = random.Random(seed)
        self.tree: dict[Hashable, Node] = {}
        """By `World.key`: what is known of an infostate."""

    def reset(self) -> None:
        """Begins a new game. The random numbers go on, so that games differ."""
        self.tree = {}

    @abc.abstractmethod
    def search(self, seen: Seen, num_actions: int) -> list[float]:
        """One search where a player is to move: a probability for each of his actions. What is
        found is kept for the next one."""

    def _simulations(self) -> Simulations:
        return Simulations(self.budget, self.seconds)
