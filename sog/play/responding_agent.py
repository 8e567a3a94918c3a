"""The base of agents that respond to the opponent's policy, as a best response does."""

import abc
import functools
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import PLAYER_1, Game
from sog.play.match import Agent
from sog.play.rules import after, first_state, situation
from sog.play.simple_agents import SamplingAgent
from sog.precision import in_32_bits


class RespondingAgent(SamplingAgent):
    """Knows the policy of the agent given to `watch` at every infostate, and so its range.

    It wins no more than a best response does, so its mean is a lower bound on that.
    """

    watches = True
    name: ClassVar[str]

    def __init__(self, game: Game[Any], *, player: int, seed: int = 0) -> None:
        """Sits down as a player, before the first public event."""
        self.game, self.player = game, player
        self._other: Agent | None = None
        self.begin(seed=seed)

    @abc.abstractmethod
    def respond(self, legal: np.ndarray) -> np.ndarray:
        """[S, A]: its policy at the current public state, where it has a choice.

        legal: [S, A] bool.
        """

    def begin(self, state: Any = None, seed: int | None = None) -> None:
        """Begins a new game, at any state."""
        self._state = first_state(self.game) if state is None else state
        self._policies: np.ndarray | None = None
        # Its own range stays as dealt: it responds at all its infostates.
        self._reach = self._possible()
        super().begin(state, seed)

    def watch(self, other: Agent) -> None:
        """Sets the opponent, which must reveal its policies, else ValueError."""
        if isinstance(other, RespondingAgent):
            raise ValueError(
                f"{self.name} cannot play {other.name}: each would wait for the other's policy."
            )
        if not other.exposes_policies:
            raise ValueError(
                f"{self.name} needs an opponent that reveals its policies, which this one does not."
            )
        self._other = other

    def observe(self, outcome: int) -> None:
        """Observes a public event; must be called before the opponent observes it."""
        now = situation(self.game, self._state)
        policies = np.asarray(now.legal_actions, np.float32)
        if now.actor == 1 - self.player:
            policies = np.asarray(self.opponent.policies(), np.float32)
        which = np.int32(outcome)
        reach = np.array(_reach_after(self.game, self._state, self._reach, policies, which))
        self._state, self._policies = after(self.game, self._state, outcome), None
        if not reach[1 - self.player].any():  # by rounding: the policy does not expect this event
            reach = self._possible()
        self._reach = reach

    def policies(self) -> np.ndarray:
        """[S, A]: see `respond`, which is called once."""
        if self._policies is None:
            now = situation(self.game, self._state)
            found = self.respond(now.legal_actions) if now.has_choice else 1.0
            self._policies = np.asarray(found * now.legal_actions, float)
        return self._policies

    @property
    def opponent(self) -> Agent:
        """The agent to respond to."""
        if self._other is None:
            raise ValueError(
                f"{self.name} can only play where it sees its opponent's policy, as in matches."
            )
        return self._other

    def _possible(self) -> np.ndarray:
        return situation(self.game, self._state).infostate_mask.astype(np.float32)


@in_32_bits
@functools.partial(jax.jit, static_argnums=0)
def _reach_after(
    game: Game[Any], state: Any, reach: Array, policies: Array, outcome: Array
) -> Array:
    """[2, S]: after a public event; policies: [S, A], of the player that acted."""
    second = game.actor(state) == PLAYER_1
    acting, other = jnp.where(second, reach[::-1], reach)
    return game.advance(state, outcome, acting[:, None] * policies, other)
