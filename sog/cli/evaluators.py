"""Which evaluator `sog search` asks at its leaves."""

import argparse
import dataclasses
import time
from typing import Any, Final

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from sog.cli.display import Work, note
from sog.cli.errors import CommandError
from sog.cli.sizes import can_be_counted
from sog.cli.tree import TOO_LARGE, enumerate_whole_game, explain_too_large
from sog.games import Game
from sog.methods.leaf_search import LeafSearch
from sog.methods.registry import method_class
from sog.tabular.enumerated_game import EnumeratedGame

_MAX_NODES: Final = 1_000_000


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


def choose_evaluator(
    game: Game[Any], arguments: argparse.Namespace, work: Work, asked: str
) -> ChosenEvaluator:
    """The one asked for; else uniform play, or zeros where a game is too large for that.

    arguments: `evaluator`, `seed` and `max_nodes`. asked: how the user named the evaluator.
    """
    name, began = arguments.evaluator, time.perf_counter()
    leaf: LeafSearch = method_class(name or "uniform")()  # type: ignore[assignment]
    try:
        leaf.check(game)
    except ValueError as error:
        raise CommandError(f"{asked}: {error}") from None
    if not leaf.needs_tree:
        return _choose(name, leaf.evaluator(game, arguments.seed), game)
    if not can_be_counted(game):
        if name is None:
            return _zero_instead(game)
        raise CommandError(f"{asked}: {game.name} is made for search, too large to enumerate.")
    try:
        tree = enumerate_whole_game(game, arguments.max_nodes or _MAX_NODES, work)
    except TOO_LARGE as error:
        if name is None:
            return _zero_instead(game)
        raise CommandError(f"{asked}: {explain_too_large(game, error)}") from None
    enumerated = EnumeratedGame(tree=tree)
    work.begin(f"preparing the {leaf.name} evaluator")
    evaluator = leaf.evaluator(enumerated, arguments.seed)
    return _choose(leaf.name, evaluator, enumerated, time.perf_counter() - began)


def _choose(
    name: str, evaluator: Evaluator, game: Game[Any], seconds: float = 0.0
) -> ChosenEvaluator:
    return ChosenEvaluator(name=name, evaluator=evaluator, game=game, enumerate_seconds=seconds)


def _zero_instead(game: Game[Any]) -> ChosenEvaluator:
    note("the game is too large to enumerate: leaves are worth 0 (see --evaluator).")
    return _choose("zero", ZeroEvaluator(), game)
