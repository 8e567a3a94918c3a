"""How much memory and disk a run needs, before anything is compiled.

What cannot fit this machine's memory is refused at the door (`sog.memory`). The rest is as it
comes: intermediate results of programs are not counted.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.query import no_queries
from gtcfr.room import summary_bytes, tree_shapes
from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings, num_kept, num_parameters
from selfplay.examples import as_arrays, no_examples
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
_BYTES_PER_ROW: Final = 12  # of the replay: where its entries are
_MANY_NUMBERS: Final = 4096  # in an example: then it pays to look how many are 0
_RANDOM_GAMES: Final = 16


def searches_bytes(game: Game[Any], config: Config) -> dict[str, int]:
    """What the searches of Student of Games take, by what sets it."""
    play, solver = config.selfplay, config.solver
    trees = functools.partial(search_bytes, game, config.network)
    # While a game searches it also carries what each player's last search handed on.
    per_game = config.search.num_searchers * trees(config.search, play.max_events)
    per_game += _PLAYERS * summary_bytes(game, config.search, play.max_events)
    return {
        f"selfplay.batch_size = {play.batch_size} searches of search.num_simulations = "
        f"{config.search.num_simulations}": play.batch_size * per_game,
        f"solver.batch_size = {solver.batch_size} searches of solver.search.num_simulations = "
        f"{solver.search.num_simulations}": solver.batch_size * trees(solver.search, 0),
    }


def check_training(game: Game[Any], config: Config, searches: dict[str, int]) -> None:
    """Raises ValueError for a run that this machine has no memory for; says which part of it.

    searches: what they take, by what sets it.
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
    """Raises ValueError for a network that this machine has no memory for."""
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
    """The tree of one search. path_length: see `SearchSettings.shape`."""
    encoded: Any = ()
    if game.hides_information:
        encoded = jax.ShapeDtypeStruct((num_kept(game, network),), np.float32)
    return bytes_of(tree_shapes(game, encoded, settings, path_length))


@in_32_bits
def disk_bytes(game: Game[Any], config: Config) -> int:
    """What the checkpoints of a run take, when its replay and its queue are full.

    One more than the newest that are kept: an old one goes when the new one is whole.
    """
    run = config.run
    learner = learner_bytes(game, config) - _BYTES_PER_NUMBER * num_parameters(game, config.network)
    query = bytes_of(no_queries(game, 1, 1))
    passing = config.replay.size * kept_bytes(game) + config.solver.queue_size * query
    return (run.keep + 1) * (learner + passing) + (run.milestones + 1) * learner


@in_32_bits
def example_bytes(game: Game[Any]) -> int:
    """One example of a batch, which has room for all infostates and actions."""
    return bytes_of(no_examples(game, 1))


@in_32_bits
def kept_bytes(game: Game[Any]) -> int:
    """One example of the replay, which keeps what is not 0: at most; of a large game on average."""
    example = as_arrays(no_examples(game, 1))
    numbers: int = sum(example[name].size for name in SPARSE)
    dense = bytes_of([leaf for name, leaf in example.items() if name not in SPARSE])
    entry = _BYTES_PER_NUMBER + int(entry_type(numbers).itemsize)
    if numbers > _MANY_NUMBERS:
        numbers = _numbers_in_random_play(game)
    return dense + _BYTES_PER_ROW + numbers * entry


@functools.cache
def _numbers_in_random_play(game: Game[Any]) -> int:
    """How many numbers of an example are not 0 at most, on average over states of random games."""

    def event(carry: Any, key: Array) -> tuple[Any, tuple[Array, Array]]:
        state, infostates = carry
        goes_on = game.actor(state) != TERMINAL
        legal = game.legal_actions(state)
        count = 2 * jnp.sum(game.infostate_mask(state)) + jnp.sum(legal)
        action_key, world_key = jax.random.split(key)
        action = random_action(game, state, infostates, action_key)
        outcome, after = game.transition(world_key, state, infostates, action)
        below = (game.apply(state, outcome), after)
        carry = jax.tree.map(lambda new, old: jnp.where(goes_on, new, old), below, carry)
        return carry, (jnp.where(goes_on, count, 0), goes_on)

    def one_game(key: Array) -> tuple[Array, Array]:
        deal_key, key = jax.random.split(key)
        start = (game.root(), game.deal(deal_key))
        return jax.lax.scan(event, start, jax.random.split(key, game.max_depth))[1]

    play = jax.jit(jax.vmap(one_game))
    count, is_state = play(jax.random.split(jax.random.key(0), _RANDOM_GAMES))
    return int(jnp.sum(count) / jnp.sum(is_state))


def _named(part: str, network: NetworkSettings) -> str:
    return f"{part}.width = {network.width} and {part}.depth = {network.depth}"
