"""Players that search by growing-tree CFR: settings, memory and agents."""

import dataclasses
from typing import Any

from gtcfr.evaluator import Evaluator
from gtcfr.memory_estimate import search_memory, summary_shapes
from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from sog.games.core import Game
from sog.memory import bytes_of, check_memory
from sog.parameters import unknown_name
from sog.play.agent import SearchAgent
from sog.play.arena import AgentFactory
from sog.play.chained_search import usual_path
from sog.play.tree_reuse_agent import TreeReuseAgent
from sog.players.player import Host, Player, SearchChanges


def read_simulations(text: str, name: str = "search") -> dict[str, Any]:
    """Reads "s,c", for SoG(s, c), as changes of settings. name: for error messages."""
    first, _, second = text.partition(",")
    try:
        changes: dict[str, Any] = {
            "num_simulations": int(first),
            "simulations_per_update": float(second),
        }
    except ValueError:
        raise ValueError(f"{name} must be two numbers s,c such as 100,1, got {text!r}.") from None
    try:
        SearchSettings(**changes)
    except ValueError as error:
        raise ValueError(f"{name} {text}: {error}") from None
    return changes


def changed(settings: SearchSettings, changes: SearchChanges) -> SearchSettings:
    """Settings with changes. Raises ValueError for an invalid name or value."""
    names = [field.name for field in dataclasses.fields(settings)]
    for name in changes:
        if name not in names:
            raise ValueError(unknown_name("setting of a search", name, names))
    return dataclasses.replace(settings, **changes)


def trained_settings(settings: SearchSettings, changes: SearchChanges) -> SearchSettings:
    """Search settings for playing with a trained network, from those of its evaluation in training.

    Drops what is only for training, including a capacity for another number of simulations.
    """
    settings = dataclasses.replace(settings, num_queries=0)
    if "num_simulations" in changes and settings.lookahead == 1:
        settings = dataclasses.replace(settings, capacity=None)
    return changed(settings, changes)


def searching_player(
    name: str,
    game: Game[Any],
    searched: Game[Any],
    evaluator: Evaluator,
    settings: SearchSettings,
    host: Host,
    *,
    network: Evaluator | None = None,
) -> Player:
    """Makes a player that searches; ValueError for invalid sizes or if memory does not suffice.

    searched: the game, perhaps enumerated.
    """
    hint = host.option("search s,c")
    parts = check_room(searched, evaluator, settings, usual_path(game), hint=hint)
    # Twice as many games run as are searched at once, each with two chains.
    chains = 4 * bytes_of(summary_shapes(searched, settings, usual_path(game)))
    return Player(
        name=name,
        game=game,
        make=search_agents(searched, evaluator, settings, host.seconds),
        search=settings,
        seconds=host.seconds,
        search_bytes=sum(parts.values()) + chains,
        network=network,
    )


def check_room(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, path_length: int, *, hint: str
) -> dict[str, int]:
    """Bytes of one search, see `search_memory`; ValueError if memory does not suffice.

    hint: how to reduce it.
    """
    tree_shape(game, settings, path_length)  # report other errors first
    simulations, per_update = settings.num_simulations, settings.simulations_per_update
    try:
        parts = search_memory(game, evaluator, settings, path_length)
        check_memory({f"SoG({simulations}, {per_update:g})": sum(parts.values())})
    except ValueError as error:
        problem = str(error).rstrip(".")
        raise ValueError(f"{problem}; try fewer simulations: {hint}.") from None
    return parts


def search_agents(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, seconds: float | None = None
) -> AgentFactory:
    """A factory of agents that search; greedy with perfect information.

    They reuse their trees if `SearchSettings.kept_simulations` > 0; ValueError if they cannot.
    """
    greedy = not game.hides_information  # with hidden information it must mix actions
    if settings.kept_simulations and (not greedy or game.has_chance):
        raise ValueError(
            f"kept_simulations must be 0 with hidden information or chance, as in "
            f"{game.name}, got {settings.kept_simulations}."
        )
    kind = TreeReuseAgent if settings.kept_simulations else SearchAgent
    return lambda player, seed: kind(
        game, evaluator, settings, player=player, seed=seed, greedy=greedy, seconds=seconds
    )
