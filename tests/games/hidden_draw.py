"""A game as someone else might write it, with a hidden event."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games import CHANCE, PLAYER_0, TERMINAL, Game
from sog.games.core import opponents_weight, zero_sum_cfvs
from sog.pytree import pytree


@pytree
class DrawState:
    """Public state of `HiddenDraw`."""

    stage: Array  # int32: as returned by `actor`
    guess: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class HiddenDraw(Game[DrawState]):
    """Chance gives player 1 a card that player 0 guesses."""

    name = "hidden_draw"
    summary = "guess the card"
    num_infostates = num_actions = num_outcomes = 3
    max_depth = 2
    max_utility = 1.0
    odds = (0.5, 0.3, 0.2)

    def root(self) -> DrawState:
        return DrawState(stage=jnp.int32(CHANCE), guess=jnp.int32(0))

    def actor(self, state: DrawState) -> Array:
        return state.stage

    def legal_outcomes(self, state: DrawState) -> Array:
        drawn = jnp.arange(3) == 0
        return jnp.where(state.stage == CHANCE, drawn, state.stage == PLAYER_0)

    def apply(self, state: DrawState, outcome: Array) -> DrawState:
        stage = jnp.where(state.stage == CHANCE, PLAYER_0, TERMINAL).astype(jnp.int32)
        return DrawState(stage=stage, guess=outcome)

    def infostate_mask(self, state: DrawState) -> Array:
        nothing = jnp.arange(3) == 0
        return jnp.stack([nothing, nothing | (state.stage != CHANCE)])

    def legal_actions(self, state: DrawState) -> Array:
        nothing = jnp.arange(3) == 0
        return nothing[:, None] & self.legal_outcomes(state)[None]

    def advance(
        self, state: DrawState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        is_draw = state.stage == CHANCE
        drawn = jnp.broadcast_to(other_reach[0], 3)
        column = jnp.where(is_draw, action_reach[:, 0], action_reach[:, outcome])
        return jnp.stack([column, jnp.where(is_draw, drawn, other_reach)])

    def _weight(self, state: DrawState, dtype: Any) -> Array:
        after = np.array([self.odds, [0, 0, 0], [0, 0, 0]])
        before = np.diag([1.0, 0, 0])
        return jnp.where(
            state.stage == CHANCE, jnp.asarray(before, dtype), jnp.asarray(after, dtype)
        )

    def compatible_reach(self, state: DrawState, reach: Array) -> Array:
        return opponents_weight(self._weight(state, reach.dtype), reach)

    def utilities(self, state: DrawState, reach: Array) -> Array:
        hit = (jnp.arange(3) == state.guess).astype(reach.dtype)
        return zero_sum_cfvs(self._weight(state, reach.dtype) * (2 * hit - 1)[None], reach)

    def observe(self, state: DrawState) -> Array:
        return jnp.stack([state.stage, state.guess]).astype(jnp.float32)

    def transition(
        self, key: Array, state: DrawState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        card = jax.random.choice(key, 3, p=jnp.array(self.odds, jnp.float32)).astype(jnp.int32)
        is_draw = state.stage == CHANCE
        drawn = jnp.stack([jnp.int32(0), card])
        return jnp.where(is_draw, 0, action), jnp.where(is_draw, drawn, infostates)

    def describe_state(self, state: DrawState) -> str:
        return {CHANCE: "start", PLAYER_0: "a card is drawn"}.get(int(state.stage), "guessed")

    def describe_infostate(self, state: DrawState, player: int, infostate: int) -> str:
        return f"card {infostate}" if player else "no card"

    def describe_action(self, state: DrawState, infostate: int, action: int) -> str:
        return f"guess {action}"

    def describe_outcome(self, state: DrawState, outcome: int) -> str:
        return "draw" if int(state.stage) == CHANCE else f"guess {outcome}"
