"""A game of perfect information whose chance has more outcomes than players have actions."""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, TERMINAL
from sog.games.perfect_information import PerfectInformationGame
from sog.pytree import pytree

STOP, GAMBLE = 0, 1
_FIRST = 2


@pytree
class GambleState:
    """How far it is, and what is won."""

    stage: Array  # int32: a choice, chance, the end
    gambled: Array  # bool
    won: Array  # float32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Gamble(PerfectInformationGame[GambleState]):
    """Player 0 stops with nothing, or gambles."""

    name: ClassVar[str] = "gamble"
    won: tuple[float, ...]
    """Of chance's outcomes from 2 on, alike often; the two before cannot be."""
    num_actions: ClassVar[int] = 2
    num_decision_outcomes: ClassVar[int] = 2
    max_depth: ClassVar[int] = 2
    has_chance: ClassVar[bool] = True

    @property
    def num_outcomes(self) -> int:
        return _FIRST + len(self.won)

    @property
    def num_chance_outcomes(self) -> int:
        return len(self.won)

    def root(self) -> GambleState:
        return GambleState(stage=jnp.int32(0), gambled=jnp.bool_(False), won=jnp.float32(0))

    def actor(self, state: GambleState) -> Array:
        return jnp.array([PLAYER_0, CHANCE, TERMINAL], jnp.int32)[state.stage]

    def legal_outcomes(self, state: GambleState) -> Array:
        is_action = jnp.arange(self.num_outcomes) < _FIRST
        return jnp.where(state.stage == 0, is_action, ~is_action & (state.stage == 1))

    def legal_actions(self, state: GambleState) -> Array:
        return (jnp.arange(self.num_actions) < jnp.array([2, 1, 0])[state.stage])[None]

    def apply(self, state: GambleState, outcome: Array) -> GambleState:
        is_over = (state.stage == 1) | (outcome == STOP)
        won = jnp.array(self.won, jnp.float32)[jnp.maximum(outcome - _FIRST, 0)]
        return GambleState(
            stage=jnp.where(is_over, 2, 1).astype(jnp.int32),
            gambled=outcome != STOP,
            won=jnp.where(state.stage == 1, won, 0).astype(jnp.float32),
        )

    def compatible_reach(self, state: GambleState, reach: Array) -> Array:
        return reach[::-1] * self._weight(state).astype(reach.dtype)

    def utilities(self, state: GambleState, reach: Array) -> Array:
        signs = jnp.array([[1], [-1]], reach.dtype)
        return signs * self.result(state).astype(reach.dtype) * self.compatible_reach(state, reach)

    def _weight(self, state: GambleState) -> Array:
        return jnp.where((state.stage == 2) & state.gambled, 1 / len(self.won), 1)

    def result(self, state: GambleState) -> Array:
        return state.won

    def transition(
        self, key: Array, state: GambleState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        drawn = _FIRST + jax.random.randint(key, (), 0, len(self.won))
        return jnp.where(state.stage == 1, drawn, action).astype(jnp.int32), infostates

    def observe(self, state: GambleState) -> Array:
        return jnp.zeros(1)

    def describe_state(self, state: GambleState) -> str:
        return f"stage {int(state.stage)}"

    def describe_action(self, state: GambleState, infostate: int, action: int) -> str:
        return str(action)
