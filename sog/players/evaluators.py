"""The evaluator of a single search, chosen by name."""

import dataclasses
import time
from typing import Any

from gtcfr.evaluator import Evaluator
from sog.games import Game
from sog.players.leaf_search import LeafSearch
from sog.players.methods import make_method
from sog.players.player import Host
from sog.tabular.enumerated_game import EnumeratedGame


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
