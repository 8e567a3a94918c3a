"""Random spots: examples and queries that do not come from play, in games that have them.

A family of games names its source in `Game.parts["examples"]`; none of the core's games has one.
"""

import dataclasses
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from gtcfr.packing import BeliefState
from selfplay.workers import WorkerOutput
from sog.games.core import Game
from sog.games.parts import game_part


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExampleSource:
    """Random spots of a game: belief states that play seldom or never reaches."""

    is_of: Callable[[Any], bool]
    """Whether a game of the family has spots."""
    solve: Callable[[Any, int, np.random.Generator], Iterator[WorkerOutput]]
    """(game, count, random): examples from `count` spots that are solved exactly."""
    queries: Callable[[Any, int, np.random.Generator, bool], BeliefState]
    """(game, count, random, solved): `count` spots for the solver; including the kind that `solve`
    solves if `solved`, otherwise without it where there are others."""


def find_source(game: Game[Any]) -> ExampleSource | None:
    """The source of a game's spots; None if it has no spots."""
    source: ExampleSource | None = game_part(game, "examples")
    return source if source is not None and source.is_of(game) else None


def check_source(game: Game[Any], **wanted: float) -> None:
    """Raises ValueError if spots are requested of a game without any. wanted: `random_spots`, by
    the part of the configuration."""
    for part, spots in wanted.items():
        if spots and find_source(game) is None:
            raise ValueError(f"{part}: random_spots must be 0 in {game.name}, got {spots}.")
