"""What a family of games brings along for training and commands: paths in `Game.parts`, by name.

examples      a `selfplay.sources.ExampleSource`
measure       made from (game, num_states); its `measure` tells how much a network errs, where a
              game is too large for `sog.evaluation.measure`
own_solver    (game) -> None, or a `SolvedApart`
node_tables   (`sog.drawing.nodes.NodeView`) -> (title, table of rich), ...: printed by `sog search`
"""

from typing import Any, NamedTuple

from sog.domain import load_part
from sog.games.core import Game


class SolvedApart(NamedTuple):
    """How `sog solve` solves a game that it does not enumerate."""

    how: str
    """In words; empty where it cannot."""
    until: str
    """An option that says how far, for examples."""


def game_part(game: Game[Any], name: str) -> Any:
    """A part of a game; None where it has none of that name."""
    path = game.parts.get(name)
    return None if path is None else load_part(path)
