"""Which evaluator `sog search` asks at its leaves."""

import argparse
import dataclasses
import time
from typing import Any, Final

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from sog.cli.display import Work, note
from sog.cli.errors import CommandError
from sog.cli.sizes import can_be_counted
from sog.games import Game
from sog.tabular import TreeTooLargeError, enumerate_public_tree
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.public_tree import TreeMemoryError

_MAX_NODES: Final = 1_000_000
_ROLLOUTS: Final = 16  # random games per leaf


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class ChosenEvaluator:
    """An evaluator, and the game to search with it."""

    name: str
    evaluator: Evaluator
    game: Game[Any]
    enumerate_seconds: float

    @property
    def num_public_states(self) -> int | None:
        """Of the whole game, if they were enumerated."""
        return self.game.tree.num_nodes if isinstance(self.game, EnumeratedGame) else None


def choose_evaluator(game: Game[Any], arguments: argparse.Namespace, work: Work) -> ChosenEvaluator:
    """The one asked for; else uniform play, or zeros where a game is too large for that."""
    name, began = arguments.evaluator, time.perf_counter()
    if name == "zero":
        return _choose(name, ZeroEvaluator(), game)
    if name == "rollout":
        return _rollout(game, arguments.seed)
    if not can_be_counted(game):
        if name is None:
            return _zero_instead(game)
        raise CommandError(
            f"--evaluator {name}: {game.name} is made for search, too large to enumerate."
        )
    try:
        enumerated = _enumerate(game, arguments.max_nodes or _MAX_NODES, work)
    except (TreeTooLargeError, TreeMemoryError) as error:
        if name is None:
            return _zero_instead(game)
        hint = "; a higher limit: --max-nodes N" if isinstance(error, TreeTooLargeError) else ""
        raise CommandError(f"--evaluator {name}: {str(error).rstrip('.')}{hint}.") from None
    from gtcfr.exact import exact_evaluator, uniform_play_evaluator

    name = name or "uniform"
    work.begin(f"preparing the {name} evaluator")
    make = exact_evaluator if name == "exact" else uniform_play_evaluator
    evaluator: Evaluator = make(enumerated)
    return _choose(name, evaluator, enumerated, time.perf_counter() - began)


def _choose(
    name: str, evaluator: Evaluator, game: Game[Any], seconds: float = 0.0
) -> ChosenEvaluator:
    return ChosenEvaluator(name=name, evaluator=evaluator, game=game, enumerate_seconds=seconds)


def _zero_instead(game: Game[Any]) -> ChosenEvaluator:
    note("the game is too large to enumerate: leaves are worth 0 (see --evaluator).")
    return _choose("zero", ZeroEvaluator(), game)


def _rollout(game: Game[Any], seed: int) -> ChosenEvaluator:
    from gtcfr.rollout import RolloutEvaluator

    if game.num_infostates > 1:
        raise CommandError(
            f"--evaluator rollout: {game.name} is no game of perfect information; "
            f"one of zero, uniform and exact can value its leaves."
        )
    return _choose("rollout", RolloutEvaluator(num_rollouts=_ROLLOUTS, seed=seed), game)


def _enumerate(game: Game[Any], max_nodes: int, work: Work) -> EnumeratedGame:
    work.begin(f"enumerating {game.name}")
    tree = enumerate_public_tree(
        game, max_nodes=max_nodes, progress=lambda count: work.update(f"{count:,} public states")
    )
    return EnumeratedGame(tree=tree)
