"""The optional parts of a family of games: paths in `Game.parts`, by name.

examples      a `selfplay.sources.ExampleSource`
measure       made from (game, num_states); its `measure` computes a network's error, for games
              too large for `sog.evaluation.measure`
own_solver    (game) -> None, or a `SolvedApart`
node_tables   (`sog.drawing.nodes.NodeView`) -> (title, table of rich), ...: printed by `sog search`
"""

from typing import Any, NamedTuple

from sog.domain import load_part
from sog.games.core import Game


class SolvedApart(NamedTuple):
    """How `sog solve` solves a game without enumerating it."""

    how: str
    """A description; empty if it cannot."""
    until: str
    """An option that limits the solve, for examples."""


def game_part(game: Game[Any], name: str) -> Any:
    """A part of a game; None if it has no part of that name."""
    path = game.parts.get(name)
    return None if path is None else load_part(path)
