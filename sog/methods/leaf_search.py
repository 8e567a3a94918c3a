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
from sog.methods.method import Host, Method
from sog.play.agent import SearchAgent
from sog.play.arena import AgentFactory
from sog.tabular.enumerated_game import EnumeratedGame

_MOST_GAMES: Final = 2**16


@dataclasses.dataclass(frozen=True, kw_only=True)
class LeafSearch(Method):
    """Growing-tree CFR (Schmid et al. 2023, "Search via sound self-play"), without a network.

    How it searches is not among its parameters: `Host.search_settings` says it, since that holds
    for trained networks too.
    """

    paper: ClassVar[str] = "Schmid et al. 2023, Growing-tree counterfactual regret minimization"
    needs_tree: ClassVar[bool] = False
    """Whether `evaluator` has to be given an `EnumeratedGame`."""

    @abc.abstractmethod
    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """What values the leaves."""

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that share one evaluator."""
        settings = host.search_settings(game)
        searched = EnumeratedGame(tree=host.enumerate(game)) if self.needs_tree else game
        if self.needs_tree:
            host.begin(f"preparing the {self.name} evaluator")
        evaluator = self.evaluator(searched, host.seed)
        host.check_room(searched, evaluator, settings)
        return search_agents(searched, evaluator, settings, host.seconds)


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
        if is_perfect_information(game):
            return RolloutEvaluator(num_rollouts=self.games, seed=seed)
        return WorldRolloutEvaluator(num_games=self.games, seed=seed)


def search_agents(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, seconds: float | None = None
) -> AgentFactory:
    """Agents that search; with perfect information they take their best action."""
    greedy = is_perfect_information(game)

    def make(player: int, seed: int) -> SearchAgent:
        return SearchAgent(
            game,
            evaluator,
            settings,
            player=player,
            seed=seed,
            greedy=greedy,
            seconds=seconds,
        )

    return make


def is_perfect_information(game: Game[Any]) -> bool:
    """Whether nothing is ever hidden, so that nobody needs to mix actions."""
    return game.num_infostates == 1
