"""The parts of a training algorithm that the training loop takes as arguments.

Schedules, replay, learner steps, checkpoints and resumption are the same for all recipes. A recipe
has the self-play and the solver of its queries. Configurations choose one by its name
(`Config.algorithm`).
"""

import dataclasses
from collections.abc import Callable
from typing import Any, Final

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.mesh import leaves_per_call
from gtcfr.shape import tree_shape
from networks.cvpn import ApplyNetwork
from selfplay.alphazero.player import AlphaZeroWorker, check_alphazero
from selfplay.memory import searches_bytes
from selfplay.settings import Config
from selfplay.workers import GamesWorker, SelfplayWorker, SolverWorker
from sog.accelerators import is_accelerated
from sog.games.core import Game

STUDENT_OF_GAMES: Final = "student_of_games"
ALPHAZERO: Final = "alphazero"
_MOST_STATES: Final = 2**29  # of a tree; its rows have 32-bit numbers


def make_evaluator(apply_fn: ApplyNetwork, params: Any) -> NetworkEvaluator:
    """The evaluator of a network."""
    embed, answer = apply_fn.in_parts
    per_call = leaves_per_call()
    if not is_accelerated():
        per_call = min(per_call, apply_fn.leaves_per_call or per_call)
    return NetworkEvaluator(
        apply_fn=answer,
        params=params,
        encode_fn=apply_fn.encode,
        embed_fn=embed,
        leaves_per_call=per_call,
    )


@dataclasses.dataclass(frozen=True, kw_only=True)
class Recipe:
    """An algorithm."""

    check: Callable[[Game[Any], Config], dict[str, int]]
    """Raises ValueError for an unsupported game or settings; returns the bytes of its searches, by
    the settings that determine them. Compiles nothing."""
    player: Callable[[Game[Any], Config], GamesWorker]
    """Makes the self-play worker; raises ValueError for impossible sizes."""
    solver: Callable[[Game[Any], Config], SolverWorker] | None = None
    """Makes the solver; None if there are no queries to solve."""


def check_student_of_games(game: Game[Any], config: Config) -> dict[str, int]:
    """The `check` of the recipe."""
    play = config.selfplay
    if play.queries_per_search == play.td1 == play.search_targets == 0:
        raise ValueError(
            "selfplay: one of queries_per_search, td1 and search_targets must be > 0, "
            "else there is nothing to learn from."
        )
    searches = {
        "search": (config.search, config.selfplay.max_events),
        "solver.search": (config.solver.search, 0),
        "run.evaluate_search": (config.run.evaluate_search, 0),
    }
    for name, (search, path_length) in searches.items():
        try:
            shape = tree_shape(game, search, path_length)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if shape.num_leaves > _MOST_STATES:
            raise ValueError(
                f"{name}: trees must have room for at most {_MOST_STATES} public states, got "
                f"{shape.num_leaves}."
            )
    return searches_bytes(game, config)


RECIPES: Final = {
    STUDENT_OF_GAMES: Recipe(
        check=check_student_of_games, player=SelfplayWorker, solver=SolverWorker
    ),
    ALPHAZERO: Recipe(check=check_alphazero, player=AlphaZeroWorker),
}


def recipe_of(config: Config) -> Recipe:
    """The recipe of a configuration; raises ValueError for an unknown name."""
    if config.algorithm not in RECIPES:
        raise ValueError(
            f"algorithm must be one of {', '.join(RECIPES)}, got {config.algorithm!r}."
        )
    return RECIPES[config.algorithm]
