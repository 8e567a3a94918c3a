"""What both searches share: which games there are, a tree, regret matching."""

import abc
import random
from collections.abc import Hashable, Sequence
from typing import Any, Generic, TypeVar

from sog.games.core import Game
from sog.games.ii_goofspiel import IIGoofspiel
from sog.games.liars_dice import LiarsDice
from sog.methods.budget import Simulations
from sog.methods.grown.ii_goofspiel import PlainIIGoofspiel
from sog.methods.grown.liars_dice import PlainLiarsDice
from sog.methods.grown.worlds import PlainGame, Seen

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


def matched(regret: Sequence[float], gamma: float) -> list[float]:
    """Regret matching, mixed with uniform play."""
    size = len(regret)
    total = sum(value for value in regret if value > 0)
    if total <= 0:
        return [1 / size] * size
    scale, least = (1 - gamma) / total, gamma / size
    return [least + scale * value if value > 0 else least for value in regret]


def draw(weights: Sequence[float], total: float, source: random.Random) -> int:
    """A place in proportion to weights, whose sum is given; never one of weight 0."""
    point, last = source.random() * total, 0
    for place, weight in enumerate(weights):
        if weight > 0:
            if point < weight:
                return place
            point, last = point - weight, place
    return last


def normalized(weights: Sequence[float]) -> list[float]:
    """In proportion; uniform where nothing is positive."""
    total = sum(weights)
    return [w / total for w in weights] if total > 0 else [1 / len(weights)] * len(weights)
