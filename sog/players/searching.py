"""Players that search by growing-tree CFR: how, with how much room, and what makes their agents."""

import dataclasses
from typing import Any

from gtcfr.evaluator import Evaluator
from gtcfr.room import search_room, summary_bytes
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.memory import check_memory
from sog.parameters import unknown_name
from sog.play.agent import SearchAgent
from sog.play.arena import AgentFactory
from sog.play.chained_search import usual_path
from sog.play.tree_reuse_agent import TreeReuseAgent
from sog.players.player import Host, Player, SearchChanges


def read_simulations(text: str, name: str = "search") -> dict[str, Any]:
    """The changes that "s,c" asks for: SoG(s, c). name: what to call it in a mistake."""
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
    """Settings with other values. Raises ValueError for a name or a value that cannot be."""
    names = [field.name for field in dataclasses.fields(settings)]
    for name in changes:
        if name not in names:
            raise ValueError(unknown_name("setting of a search", name, names))
    return dataclasses.replace(settings, **changes)


def trained_settings(settings: SearchSettings, changes: SearchChanges) -> SearchSettings:
    """How a trained network searches that was evaluated by `settings`; not what is for training.

    The room that was made for the simulations of training goes with their number.
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
    """A player who searches; ValueError for sizes that cannot be, or that there is no memory for.

    searched: the game, perhaps enumerated.
    """
    hint = host.option("search s,c")
    parts = check_room(searched, evaluator, settings, usual_path(game), hint=hint)
    # Twice as many games go on as are searched at once, in each of them two chains.
    chains = 4 * summary_bytes(searched, settings, usual_path(game))
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
    """What one search takes, see `search_room`; ValueError where that is more than there is.

    hint: what makes it less.
    """
    settings.shape(game, path_length)  # other mistakes first
    simulations, per_update = settings.num_simulations, settings.simulations_per_update
    try:
        parts = search_room(game, evaluator, settings, path_length)
        check_memory({f"SoG({simulations}, {per_update:g})": sum(parts.values())})
    except ValueError as error:
        told = str(error).rstrip(".")
        raise ValueError(f"{told}; try fewer simulations: {hint}.") from None
    return parts


def search_agents(
    game: Game[Any], evaluator: Evaluator, settings: SearchSettings, seconds: float | None = None
) -> AgentFactory:
    """Agents that search; with perfect information they take their best action.

    They go on with their trees where `SearchSettings.kept_simulations` says so; ValueError where
    that cannot be.
    """
    greedy = not game.hides_information  # else a player has to mix actions
    if settings.kept_simulations and (not greedy or game.has_chance):
        raise ValueError(
            f"kept_simulations must be 0 where things are hidden or left to chance, as in "
            f"{game.name}, got {settings.kept_simulations}."
        )
    kind = TreeReuseAgent if settings.kept_simulations else SearchAgent
    return lambda player, seed: kind(
        game, evaluator, settings, player=player, seed=seed, greedy=greedy, seconds=seconds
    )
