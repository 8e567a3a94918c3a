"""Examples and queries that do not come from play, of games that offer some: random spots.

A family of games names its source in `Game.parts["examples"]`; of the core's games none has one.
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
    """Random spots of a game: belief states that play does not lead to, or seldom."""

    is_of: Callable[[Any], bool]
    """Whether there are spots in a game of the family."""
    solve: Callable[[Any, int, np.random.Generator], Iterator[WorkerOutput]]
    """(game, count, random): examples from so many spots that are solved exactly."""
    queries: Callable[[Any, int, np.random.Generator, bool], BeliefState]
    """(game, count, random, solved): so many spots for the solver; with those of the kind that
    `solve` solves if `solved`, else without them where there are others."""


def find_source(game: Game[Any]) -> ExampleSource | None:
    """The source that a game has; None where it has no spots."""
    source: ExampleSource | None = game_part(game, "examples")
    return source if source is not None and source.is_of(game) else None


def check_source(game: Game[Any], **wanted: float) -> None:
    """Raises ValueError where spots are wanted that a game does not have. wanted: `random_spots`,
    by the part of the configuration."""
    for part, spots in wanted.items():
        if spots and find_source(game) is None:
            raise ValueError(f"{part}: random_spots must be 0 in {game.name}, got {spots}.")
