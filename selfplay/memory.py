"""The memory and disk that a run needs, without compiling anything.

Runs that cannot fit into this machine's memory are rejected before they start (`sog.memory`).
Intermediate results of programs are not counted.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.memory_estimate import summary_shapes, tree_shapes
from gtcfr.query import no_queries
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, num_kept, num_parameters
from selfplay.examples import no_examples
from selfplay.learner import STEPS_PER_CALL, first_state
from selfplay.replay import SPARSE
from selfplay.settings import Config
from selfplay.sparse_rows import entry_type
from sog.games.core import TERMINAL, Game
from sog.games.random_play import random_action
from sog.memory import bytes_of, check_memory
from sog.precision import in_32_bits

_BYTES_PER_NUMBER: Final = 4
_PLAYERS: Final = 2
_BYTES_PER_ROW: Final = 12  # of the replay: the index of its entries
_MANY_NUMBERS: Final = 4096  # in an example: from here on, sparse storage pays
_RANDOM_GAMES: Final = 16


def searches_bytes(game: Game[Any], config: Config) -> dict[str, int]:
    """The bytes of the searches of Student of Games, by the settings that determine them."""
    play, solver = config.selfplay, config.solver
    trees = functools.partial(search_bytes, game, config.network)
    # A game also carries the summary of each player's last search.
    per_game = config.search.num_searchers * trees(config.search, play.max_events)
    per_game += _PLAYERS * bytes_of(summary_shapes(game, config.search, play.max_events))
    return {
        f"selfplay.batch_size = {play.batch_size} searches of search.num_simulations = "
        f"{config.search.num_simulations}": play.batch_size * per_game,
        f"solver.batch_size = {solver.batch_size} searches of solver.search.num_simulations = "
        f"{solver.search.num_simulations}": solver.batch_size * trees(solver.search, 0),
    }


def check_training(game: Game[Any], config: Config, searches: dict[str, int]) -> None:
    """Raises ValueError, with the largest part, for a run that does not fit into memory.

    searches: their bytes, by the settings that determine them.
    """
    parts = {
        _named("network", config.network): learner_bytes(game, config),
        **searches,
        f"replay.size = {config.replay.size} examples": config.replay.size * kept_bytes(game),
        f"learner.batch_size = {config.learner.batch_size} examples": STEPS_PER_CALL
        * config.learner.batch_size
        * example_bytes(game),
    }
    check_memory(parts)


def check_playing(game: Game[Any], network: NetworkSettings) -> None:
    """Raises ValueError for a network that does not fit into this machine's memory."""
    check_memory({_named("network", network): _BYTES_PER_NUMBER * num_parameters(game, network)})


@in_32_bits
def learner_bytes(game: Game[Any], config: Config) -> int:
    """Parameters, their average, the optimizer's moments and a gradient."""
    count = num_parameters(game, config.network)
    params = jax.ShapeDtypeStruct((count,), np.float32)
    state = jax.eval_shape(functools.partial(first_state, config.learner), {"all": params})
    return bytes_of(state) + _BYTES_PER_NUMBER * count


@in_32_bits
def search_bytes(
    game: Game[Any], network: NetworkSettings, settings: SearchSettings, path_length: int
) -> int:
    """The size of one search's tree. path_length: see `SearchSettings.shape`."""
    encoded: Any = ()
    if game.hides_information:
        encoded = jax.ShapeDtypeStruct((num_kept(game, network),), np.float32)
    return bytes_of(tree_shapes(game, encoded, settings, path_length))


@in_32_bits
def disk_bytes(game: Game[Any], config: Config) -> int:
    """The disk space of a run's checkpoints when its replay and its queue are full.

    One more than `keep`: an old checkpoint is deleted when the new one is complete.
    """
    run = config.run
    learner = learner_bytes(game, config) - _BYTES_PER_NUMBER * num_parameters(game, config.network)
    query = bytes_of(no_queries(game, 1, 1))
    passing = config.replay.size * kept_bytes(game) + config.solver.queue_size * query
    return (run.keep + 1) * (learner + passing) + (run.milestones + 1) * learner


@in_32_bits
def example_bytes(game: Game[Any]) -> int:
    """The size of an example in a batch, dense in infostates and actions."""
    return bytes_of(no_examples(game, 1))


@in_32_bits
def kept_bytes(game: Game[Any]) -> int:
    """The most bytes of an example in the sparse replay; for a large game on average."""
    example = vars(no_examples(game, 1))
    numbers: int = sum(example[name].size for name in SPARSE)
    dense = bytes_of([leaf for name, leaf in example.items() if name not in SPARSE])
    entry = _BYTES_PER_NUMBER + int(entry_type(numbers).itemsize)
    if numbers > _MANY_NUMBERS:
        numbers = _numbers_in_random_play(game)
    return dense + _BYTES_PER_ROW + numbers * entry


@functools.cache
def _numbers_in_random_play(game: Game[Any]) -> int:
    """The most nonzero numbers of an example, on average over the states of random games."""

    def event(carry: Any, key: Array) -> tuple[Any, tuple[Array, Array]]:
        state, infostates = carry
        continues = game.actor(state) != TERMINAL
        legal = game.legal_actions(state)
        count = 2 * jnp.sum(game.infostate_mask(state)) + jnp.sum(legal)
        action_key, world_key = jax.random.split(key)
        action = random_action(game, state, infostates, action_key)
        outcome, after = game.transition(world_key, state, infostates, action)
        below = (game.apply(state, outcome), after)
        carry = jax.tree.map(lambda new, old: jnp.where(continues, new, old), below, carry)
        return carry, (jnp.where(continues, count, 0), continues)

    def one_game(key: Array) -> tuple[Array, Array]:
        deal_key, key = jax.random.split(key)
        start = (game.root(), game.deal(deal_key))
        return jax.lax.scan(event, start, jax.random.split(key, game.max_depth))[1]

    play = jax.jit(jax.vmap(one_game))
    count, is_state = play(jax.random.split(jax.random.key(0), _RANDOM_GAMES))
    return int(jnp.sum(count) / jnp.sum(is_state))


def _named(part: str, network: NetworkSettings) -> str:
    return f"{part}.width = {network.width} and {part}.depth = {network.depth}"
