"""Methods that search at every decision, with a budget of simulations per move."""

import abc
import dataclasses
import random
from collections.abc import Hashable
from typing import Any, Generic, TypeVar

from sog.baselines.histories.layout import histories_of
from sog.baselines.histories.worlds import HistoryGame
from sog.baselines.plain.liars_dice import PlainLiarsDice
from sog.baselines.plain.worlds import InfostateGame, Seen
from sog.games.core import Game, param
from sog.games.liars_dice import LiarsDice
from sog.play.arena import AgentFactory
from sog.play.match import only_at_the_start
from sog.play.plain_agent import PlainAgent, PlainSearch, Simulations, seconds_param
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular.enumerated_game import EnumeratedGame

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


@dataclasses.dataclass(frozen=True, kw_only=True)
class OnlineMethod(Method):
    """A method that searches at every decision."""

    tree: str = param(
        "whole",
        "whole: search the enumerated game; grown: search liars_dice without enumerating it",
        choices=("whole", "grown"),
    )
    seconds: float = seconds_param()
    budget: int  # declared by each method, with a default of its own

    @abc.abstractmethod
    def search(self, game: InfostateGame, seed: int = 0) -> TreeSearch[Any]:
        """A search with its own tree."""

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that search worlds of the game in plain Python, with a tree each."""
        plain = infostate_game(game) if self.tree == "grown" else None
        if plain is not None:
            return lambda player, seed: PlainAgent(game, self.search(plain, seed), player=player)
        found = histories_of(game, host)
        enumerated, histories = EnumeratedGame(tree=found.tree), HistoryGame(found)
        return lambda player, seed: _EnumeratedAgent(
            enumerated, self.search(histories, seed), player=player
        )


class _EnumeratedAgent(PlainAgent):
    """Plays an enumerated game, from its start."""

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        only_at_the_start(state)
        super().begin(None, seed)


def infostate_game(game: Game[Any]) -> InfostateGame | None:
    """The game in plain Python, for trees that grow; None if there is no such version."""
    return PlainLiarsDice(game) if isinstance(game, LiarsDice) else None
