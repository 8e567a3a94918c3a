"""Refuses searches that this machine has no memory for."""

from typing import Any

from gtcfr.evaluator import Evaluator
from gtcfr.room import search_room
from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.games import Game
from sog.memory import check_memory


def check_room(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, path_length: int, *, hint: str
) -> dict[str, int]:
    """What one search takes, see `search_room`; CommandError where that is more than there is.

    hint: the option that makes it less.
    """
    simulations, per_update = settings.num_simulations, settings.simulations_per_update
    try:
        parts = search_room(game, evaluator, settings, path_length)
        check_memory({f"SoG({simulations}, {per_update:g})": sum(parts.values())})
    except ValueError as error:
        told = str(error).rstrip(".")
        raise CommandError(f"{told}; try fewer simulations: {hint}.") from None
    return parts
