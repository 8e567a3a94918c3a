"""How much memory and disk a run needs, before anything is compiled.

What cannot fit this machine's memory is refused at the door (`sog.memory`). The rest is as it
comes: intermediate results of programs are not counted.
"""

import functools
from typing import Any, Final

import jax
import numpy as np

from gtcfr.query import no_queries
from gtcfr.room import tree_shapes
from gtcfr.settings import SearchSettings
from networks.cvpn import EncodeState, NetworkSettings, num_parameters
from selfplay.examples import no_examples
from selfplay.learner import first_state
from selfplay.settings import Config
from sog.games.core import Game
from sog.memory import bytes_of, check_memory

_BYTES_PER_NUMBER: Final = 4
_LAST_SEARCHES: Final = 2
"""Trees that a game of self-play keeps beside the searches that go on: one of each player."""
_STEPS_PER_CALL: Final = 8


def check_training(game: Game[Any], config: Config) -> None:
    """Raises ValueError for a run that this machine has no memory for; says which part of it."""
    play, solver = config.selfplay, config.solver
    trees = functools.partial(search_bytes, game, config.network)
    parts = {
        _named("network", config.network): learner_bytes(game, config),
        f"selfplay.batch_size = {play.batch_size} searches of search.num_simulations = "
        f"{config.search.num_simulations}": (play.searches_per_decision + _LAST_SEARCHES)
        * play.batch_size
        * trees(config.search, play.max_events),
        f"solver.batch_size = {solver.batch_size} searches of solver.search.num_simulations = "
        f"{solver.search.num_simulations}": solver.batch_size * trees(solver.search, 0),
        f"replay.size = {config.replay.size} examples": config.replay.size * example_bytes(game),
        f"learner.batch_size = {config.learner.batch_size} examples": _STEPS_PER_CALL
        * config.learner.batch_size
        * example_bytes(game),
    }
    check_memory(parts)


def check_playing(game: Game[Any], network: NetworkSettings) -> None:
    """Raises ValueError for a network that this machine has no memory for."""
    check_memory({_named("network", network): _BYTES_PER_NUMBER * num_parameters(game, network)})


def learner_bytes(game: Game[Any], config: Config) -> int:
    """Parameters, their average, the optimizer's moments and a gradient."""
    count = num_parameters(game, config.network)
    params = jax.ShapeDtypeStruct((count,), np.float32)
    state = jax.eval_shape(functools.partial(first_state, config.learner), {"all": params})
    return bytes_of(state) + _BYTES_PER_NUMBER * count


def search_bytes(
    game: Game[Any], network: NetworkSettings, settings: SearchSettings, path_length: int
) -> int:
    """The tree of one search. path_length: see `SearchSettings.shape`."""
    encode = EncodeState(network)
    encoded = () if game.num_infostates == 1 else jax.eval_shape(lambda: encode(game, game.root()))
    return bytes_of(tree_shapes(game, encoded, settings, path_length))


def disk_bytes(game: Game[Any], config: Config) -> int:
    """What the checkpoints of a run take at most, when its replay and its queue are full.

    One more than the newest that are kept: an old one goes when the new one is whole.
    """
    run = config.run
    learner = learner_bytes(game, config) - _BYTES_PER_NUMBER * num_parameters(game, config.network)
    query = bytes_of(no_queries(game, 1, 1))
    passing = config.replay.size * example_bytes(game) + config.solver.queue_size * query
    return (run.keep + 1) * (learner + passing) + (run.milestones + 1) * learner


def example_bytes(game: Game[Any]) -> int:
    """One example of the replay."""
    return bytes_of(no_examples(game, 1))


def _named(part: str, network: NetworkSettings) -> str:
    return f"{part}.width = {network.width} and {part}.depth = {network.depth}"
