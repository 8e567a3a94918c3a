"""Self-play of AlphaZero: a batch of games in lockstep, with a new search for each decision.

Every decision becomes an example: its policy is that of the search, its values are the outcome of
the game (and, for a share `selfplay.search_targets`, in another example the value of the search).
Moves are drawn from the same policy. There are no queries to solve.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
from jax import Array
from jax.sharding import Mesh

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.mesh import on_all, split_batch
from gtcfr.packing import BeliefState, pack
from selfplay.actor import Decisions, play_decisions
from selfplay.alphazero.search import AlphaZeroResult, check_game, search, search_bytes
from selfplay.query_solver import NewQueries
from selfplay.settings import AlphaZeroSettings, Config, SelfplaySettings
from selfplay.workers import GamesWorker
from selfplay.world import GameInPlay, new_world
from sog.games.core import Game

_EVERY_DECISION: Final = 1.0


class AlphaZeroWorker(GamesWorker):
    """Plays a batch of games; of `search` it uses `num_simulations` only."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        """Raises ValueError for a game that AlphaZero cannot play, or if mctx is not installed."""
        check_game(game)
        step = functools.partial(
            step_games, game, config.alphazero, config.search.num_simulations, config.selfplay
        )
        start = functools.partial(start_games, game, config.selfplay)
        super().__init__(game, config.selfplay, start, step, td1=_EVERY_DECISION)


def check_alphazero(game: Game[Any], config: Config) -> dict[str, int]:
    """The `check` of the recipe."""
    check_game(game)
    if config.run.evaluate_every > 0:
        raise ValueError(
            f"run.evaluate_every must be 0 with alphazero, got {config.run.evaluate_every}: "
            "only the search of Student of Games can be evaluated during training."
        )
    play, simulations = config.selfplay, config.search.num_simulations
    name = (
        f"selfplay.batch_size = {play.batch_size} searches of search.num_simulations = "
        f"{simulations}"
    )
    return {name: play.batch_size * search_bytes(game, simulations)}


def start_games(game: Game[Any], settings: SelfplaySettings, key: Array) -> GameInPlay:
    """A batch of games at their first decisions."""
    deal = functools.partial(new_world, game, settings)
    worlds: GameInPlay = jax.vmap(deal)(jax.random.split(key, settings.batch_size))
    return worlds


def step_games(
    game: Game[Any],
    alphazero: AlphaZeroSettings,
    num_simulations: int,
    settings: SelfplaySettings,
    evaluator: Evaluator,
    worlds: GameInPlay,
    version: Array,
    key: Array,
    mesh: Mesh | None = None,
) -> tuple[GameInPlay, Decisions]:
    """Makes one decision in every game. version: of the evaluator's network. mesh: the devices that
    share the searches."""
    size = settings.batch_size
    search_key, *keys = jax.random.split(key, 3)

    def run(evaluator: Evaluator, states: Any, keys: Array) -> AlphaZeroResult:
        """The searches of one device, with the first of their keys."""
        return search(game, alphazero, num_simulations, evaluator, states, keys[0], explores=True)

    if mesh is not None:
        split, everywhere = split_batch(mesh).spec, on_all(mesh).spec
        run = jax.shard_map(
            run, mesh=mesh, in_specs=(everywhere, split, split), out_specs=split, check_vma=False
        )
    found = run(evaluator, worlds.state, jax.random.split(search_key, size))
    mover = jax.vmap(game.actor)(worlds.state)
    of_first = jnp.where(mover == 0, found.value, -found.value)
    values = jnp.stack([of_first, -of_first], axis=1)[:, :, None]
    packed = jax.vmap(pack)(worlds.state)
    none = BeliefState(state=packed[:0], ranges=jnp.ones((0, 2, 1)))
    return play_decisions(
        game,
        settings,
        worlds,
        mover[:, None],
        (jnp.ones((size, 2, 1)), values, found.policy[:, None]),
        version,
        keys,
        mesh,
        queries=NewQueries(beliefs=none, chosen=jnp.zeros(0, bool)),
        is_full=jnp.zeros(size, bool),
        has_arrived=jnp.ones(size, bool),
        overflows=jnp.zeros(size, bool),
        fault=Fault(found=~jnp.isfinite(found.value), state=packed),
    )
