"""The search of this project with an evaluator that needs no network."""

import abc
import dataclasses
import time
from typing import Any, ClassVar, Final

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator, uniform_play_evaluator
from gtcfr.evaluators.rollout import RolloutEvaluator
from gtcfr.evaluators.world_rollout import WorldRolloutEvaluator, check_infostates
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from sog.games.core import Game, param
from sog.play.arena import AgentFactory
from sog.play.chained_search import usual_path
from sog.players.method import Method
from sog.players.methods import make_method
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

    Settings of the search are not parameters here, since trained networks share them.
    """

    paper: ClassVar[str] = "Schmid et al. 2023, Growing-tree counterfactual regret minimization"
    needs_tree: ClassVar[bool] = False
    """Whether `evaluator` needs an `EnumeratedGame`."""

    @abc.abstractmethod
    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """The evaluator of the leaves."""

    def ready(self, game: Game[Any], host: Host) -> tuple[Game[Any], Evaluator]:
        """The game to search, perhaps enumerated, and its evaluator."""
        self.check(game)
        searched = EnumeratedGame(tree=host.enumerate(game)) if self.needs_tree else game
        if self.needs_tree:
            host.begin(f"preparing the {self.name} evaluator")
        return searched, self.evaluator(searched, host.seed)

    def player(self, name: str, game: Game[Any], search: SearchChanges, host: Host) -> Player:
        """A player whose agents share an evaluator."""
        settings = changed(SearchSettings(), search)
        tree_shape(game, settings, usual_path(game))  # report errors first
        return searching_player(name, game, *self.ready(game, host), settings, host)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents with default search settings."""
        return self.player(self.name, game, {}, host).make


@dataclasses.dataclass(frozen=True, kw_only=True)
class Zero(LeafSearch):
    """Leaves have value 0."""

    name = "zero"

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Zeros."""
        return ZeroEvaluator()


@dataclasses.dataclass(frozen=True, kw_only=True)
class Uniform(LeafSearch):
    """Leaves have the value of uniformly random play from there on."""

    name = "uniform"
    needs_tree = True

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Exact values of random play."""
        assert isinstance(game, EnumeratedGame)
        return uniform_play_evaluator(game)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Exact(LeafSearch):
    """Leaves have the value of an equilibrium of their subgame."""

    name = "exact"
    needs_tree = True

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Subgames solved by CFR."""
        assert isinstance(game, EnumeratedGame)
        return exact_evaluator(game)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rollout(LeafSearch):
    """Leaves have the mean value of some random games.

    With hidden information every possible pair of infostates of a leaf gets at least one game; if
    there are more than 256, a sample does.
    """

    name = "rollout"

    games: int = param(16, "random games per leaf", minimum=1, maximum=_MOST_GAMES)

    def check(self, game: Game[Any]) -> None:
        """Limits the pairs of infostates, which are handled one by one."""
        check_infostates(game)

    def evaluator(self, game: Game[Any], seed: int) -> Evaluator:
        """Random games."""
        if game.hides_information:
            return WorldRolloutEvaluator(num_games=self.games, seed=seed)
        return RolloutEvaluator(num_rollouts=self.games, seed=seed)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ChosenEvaluator:
    """An evaluator, and the game to search with it."""

    name: str
    evaluator: Evaluator
    game: Game[Any]
    enumerate_seconds: float

    @property
    def num_public_states(self) -> int | None:
        """Of the whole game, if it was enumerated."""
        return self.game.tree.num_nodes if isinstance(self.game, EnumeratedGame) else None


def choose_evaluator(game: Game[Any], name: str | None, host: Host) -> ChosenEvaluator:
    """The evaluator of a `LeafSearch` by name; for None uniform play, or zeros if the game is too
    large for that. Raises ValueError if it does not support the game.
    """
    leaf, began = make_method(name or "uniform"), time.perf_counter()
    assert isinstance(leaf, LeafSearch)
    try:
        searched, evaluator = leaf.ready(game, host)
    except ValueError:
        if name is not None:
            raise
        option = host.option("evaluator")
        host.notify(f"the game is too large to enumerate: leaves are worth 0 (see {option}).")
        return choose_evaluator(game, "zero", host)
    seconds = time.perf_counter() - began if leaf.needs_tree else 0.0
    return ChosenEvaluator(
        name=leaf.name, evaluator=evaluator, game=searched, enumerate_seconds=seconds
    )
