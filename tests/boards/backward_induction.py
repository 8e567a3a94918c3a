"""Values of positions with perfect information and no chance, by trying everything."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.games.core import PLAYER_0, TERMINAL, Game


class BackwardInduction:
    """Solves positions of a game; each is visited once."""

    def __init__(self, game: Game[Any]) -> None:
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)

        def look(state: Any) -> tuple[Any, ...]:
            utility = game.utilities(state, jnp.ones((2, 1)))[0, 0]
            children = jax.vmap(game.apply, (None, 0))(state, actions)
            return game.actor(state), utility, game.legal_outcomes(state), children

        self._look: Any = jax.jit(look)
        self._known: dict[bytes, float] = {}

    def values(self, state: Any) -> np.ndarray:
        """[A]: values of actions to the player to move; NaN where illegal."""
        actor, _, legal, children = jax.device_get(self._look(state))
        sign = 1 if actor == PLAYER_0 else -1
        found = np.full(len(legal), np.nan)
        for action in np.flatnonzero(legal).tolist():
            child = jax.tree.map(lambda leaf, action=action: leaf[action], children)
            found[action] = sign * self._value(child)
        return found

    def _value(self, state: Any) -> float:
        """To player 0."""
        key = b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(state))
        if key not in self._known:
            actor, utility, *_ = jax.device_get(self._look(state))
            sign = 1 if actor == PLAYER_0 else -1
            is_over = actor == TERMINAL
            self._known[key] = (
                float(utility) if is_over else sign * float(np.nanmax(self.values(state)))
            )
        return self._known[key]
