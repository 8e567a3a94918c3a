"""The search of this project by what stands in for a network at its leaves."""

import abc
import dataclasses
from typing import Any, ClassVar, Final

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.exact import exact_evaluator, uniform_play_evaluator
from gtcfr.rollout import RolloutEvaluator
from gtcfr.settings import SearchSettings
from gtcfr.world_rollout import WorldRolloutEvaluator, check_infostates
from sog.games.core import Game, param
from sog.play.arena import AgentFactory
from sog.play.chained_search import usual_path
from sog.players.method import Method
from sog.players.player import Host, Player, SearchChanges
from sog.players.searching import (
    changed,
    searching_player,
)
from sog.tabular.enumerated_game import EnumeratedGame

_MOST_GAMES: Final = 2**16


@dataclasses.dataclass(frozen=True, kw_only=True)
class LeafSearch(Method):
    """Growing-tree CFR (Schmid et al. 2023, "Search via sound self-play"), without a network.

    How it searches is not among its parameters, since that holds for trained networks too.
    """

    paper: ClassVar[str] = "Schmid et al. 2023, Growing-tree counterfactual regret minimization"
    needs_tree: ClassVar[bool] = False
    """Whether `evaluator` has to be given an `EnumeratedGame`."""

    @abc.abstractmethod
    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """What values the leaves."""

    def ready(self, game: Game[Any], host: Host) -> tuple[Game[Any], Evaluator]:
        """The game to search, perhaps enumerated, and what values its leaves."""
        self.check(game)
        searched = EnumeratedGame(tree=host.enumerate(game)) if self.needs_tree else game
        if self.needs_tree:
            host.begin(f"preparing the {self.name} evaluator")
        return searched, self.evaluator(searched, host.seed)

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """One whose agents share an evaluator."""
        settings = changed(SearchSettings(), search)
        settings.shape(game, usual_path(game))  # mistakes first
        return searching_player(name, game, *self.ready(game, host), settings, host)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Those of the player who is not told how to search."""
        return self.player(self.name, game, {}, host).make


@dataclasses.dataclass(frozen=True, kw_only=True)
class Zero(LeafSearch):
    """Leaves are worth nothing."""

    name = "zero"

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Zeros."""
        return ZeroEvaluator()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Uniform(LeafSearch):
    """Leaves are worth what both players get who play at random from there on."""

    name = "uniform"
    needs_tree = True

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Exact values of random play."""
        assert isinstance(game, EnumeratedGame)
        return uniform_play_evaluator(game)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exact(LeafSearch):
    """Leaves are worth what both players get who play an equilibrium from there on."""

    name = "exact"
    needs_tree = True

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Subgames solved by CFR."""
        assert isinstance(game, EnumeratedGame)
        return exact_evaluator(game)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rollout(LeafSearch):
    """Leaves are worth the average of some random games.

    Where players hide things, every pair of infostates that a leaf may be gets a game at least; if
    there are more than 256, a sample of them does.
    """

    name = "rollout"

    games: int = param(16, "random games per leaf", minimum=1, maximum=_MOST_GAMES)

    def check(self, game: Game[Any]) -> None:
        """Pairs of infostates are looked at one by one."""
        check_infostates(game)

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Random games."""
        if game.hides_information:
            return WorldRolloutEvaluator(num_games=self.games, seed=seed)
        return RolloutEvaluator(num_rollouts=self.games, seed=seed)
