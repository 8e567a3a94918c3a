"""The base class of games without hidden information: one infostate per player."""

import abc
import dataclasses

import jax.numpy as jnp
from jax import Array

from sog.games.core import Game, public_action, zero_sum_cfvs
from sog.games.shown import State


@dataclasses.dataclass(frozen=True, kw_only=True)
class PerfectInformationGame(Game[State], abc.ABC):
    """A game of perfect information: S = 1, and every outcome of a decision is the action itself.

    Chance does not act unless a game says otherwise (`has_chance`).

    A subclass writes `num_actions`, `max_depth`, `root`, `actor`, `legal_outcomes`, `apply`,
    `result`, `observe`, `describe_state` and `describe_action`.
    """

    @abc.abstractmethod
    def result(self, state: State) -> Array:
        """float32: the utility of player 0 at a terminal state."""

    @property
    def has_public_actions(self) -> bool:
        return True

    @property
    def has_chance(self) -> bool:
        return False

    @property
    def num_infostates(self) -> int:
        return 1

    @property
    def num_outcomes(self) -> int:
        return self.num_actions

    @property
    def max_utility(self) -> float:
        return 1.0

    def infostate_mask(self, state: State) -> Array:
        return jnp.ones((2, 1), bool)

    def legal_actions(self, state: State) -> Array:
        return self.legal_outcomes(state)[None]

    def advance(
        self, state: State, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        return public_action(self.actor(state), outcome, action_reach, other_reach)

    def compatible_reach(self, state: State, reach: Array) -> Array:
        return reach[::-1]

    def utilities(self, state: State, reach: Array) -> Array:
        return zero_sum_cfvs(self.result(state).astype(reach.dtype)[None, None], reach)

    def transition(
        self, key: Array, state: State, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        return action.astype(jnp.int32), infostates

    def describe_infostate(self, state: State, player: int, infostate: int) -> str:
        return "everything is public"

    def describe_outcome(self, state: State, outcome: int) -> str:
        return self.describe_action(state, 0, outcome)
