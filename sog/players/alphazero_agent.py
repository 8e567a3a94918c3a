"""An agent that plays by AlphaZero's search, from the position alone.

It needs the package mctx (the extra `alphazero`).
"""

import functools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from selfplay.alphazero.search import check_game, search
from selfplay.settings import AlphaZeroSettings
from sog.games.core import Game
from sog.play.agent import SearchAgent
from sog.play.chained_search import Chain, LastSearch
from sog.precision import in_32_bits


class AlphaZeroAgent(SearchAgent):
    """Takes the best action of a search without noise, so it is deterministic.

    The compiled search is shared by all agents with the same game and settings.
    """

    def __init__(
        self,
        game: Game[Any],
        evaluator: Evaluator,
        settings: AlphaZeroSettings = AlphaZeroSettings(),  # noqa: B008 (frozen)
        *,
        num_simulations: int,
        player: int,
    ) -> None:
        """Sits down as a player, before the first public event.

        Raises ValueError for a game that AlphaZero cannot play, for less than one simulation, or if
        mctx is not installed.
        """
        check_game(game)
        if num_simulations < 1:
            raise ValueError(f"num_simulations must be >= 1, got {num_simulations}.")
        self.alphazero, self.num_simulations = settings, num_simulations
        self.game, self.player, self.evaluator = game, player, evaluator
        self.seconds, self._greedy = None, True
        self.begin(seed=0)

    @property
    def how_it_searches(self) -> Any:
        """See `SearchAgent`."""
        return self.game, id(self.evaluator), self.alphazero, self.num_simulations

    @in_32_bits
    def _search(
        self, chains: Sequence[Chain], keys: Sequence[Array], batch_size: int
    ) -> list[LastSearch]:
        """See `SearchAgent`; from the positions alone. Ties may be broken differently."""
        states = [chain.state for chain in chains]
        states += states[:1] * (batch_size - len(states))
        stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(states))
        how = self.game, self.alphazero, self.num_simulations, self.evaluator
        found = jax.device_get(_search(*how, stacked))
        return [jax.tree.map(lambda leaf, n=n: leaf[n], found) for n in range(len(chains))]


@functools.partial(jax.jit, static_argnums=(0, 1, 2))
def _search(
    game: Game[Any],
    settings: AlphaZeroSettings,
    num_simulations: int,
    evaluator: Evaluator,
    states: Any,
) -> LastSearch:
    key = jax.random.key(0)  # breaks ties
    found = search(game, settings, num_simulations, evaluator, states, key, explores=False)
    is_mover = jnp.arange(2)[None] == jax.vmap(game.actor)(states)[:, None]
    value, batch_size = found.value[:, None], len(is_mover)
    return LastSearch(
        policy=found.policy[:, None],
        best=found.action[:, None],
        values=jnp.where(is_mover, value, -value)[:, :, None],
        ranges=jnp.ones((batch_size, 2, 1)),
        action_values=found.action_values[:, None],
        line=jnp.zeros((batch_size, 0), jnp.int32),
        summary=None,
    )
