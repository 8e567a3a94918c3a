"""Independent tabular Q-learning: each player treats the other as part of the environment."""

import dataclasses
from typing import ClassVar

import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import Histories
from sog.baselines.histories.walk import explored, greedy_policy, play
from sog.baselines.learners.learning import LearningMethod
from sog.games.core import param
from sog.pytree import pytree


@pytree
class Values:
    """Q-values of both players; the last line belongs to no row and stays 0."""

    q: Array
    """[row + 1, choice]."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class QLearning(LearningMethod):
    """Independent Q-learning in self-play (Watkins 1989), as compared in Schmid et al. 2023.

    Q(s, a) moves towards the reward plus the best Q of the player's next decision. What counts as
    learned is the greedy policy. A game is learned from when it is over.
    """

    name = "q_learning"
    paper: ClassVar[str] = "Watkins 1989; Schmid et al. 2023, Table S6 and Figure S4"
    episodes: ClassVar[int] = 1

    step_size: float = param(0.1, "learning rate", minimum=0.000001, maximum=1)
    epsilon: float = param(0.2, "probability of a random action", minimum=0, maximum=1)
    budget: int = param(100_000, "iterations", minimum=1, maximum=2**31 - 1)

    def begin(self, histories: Histories, key: Array) -> Values:
        """All values are 0."""
        return Values(q=jnp.zeros((histories.num_rows + 1, histories.max_choices)))

    def iterate(self, histories: Histories, state: Values, key: Array) -> Values:
        """Plays one game and learns from it."""
        legal = histories.legal

        def policy(row: Array) -> Array:
            return explored(greedy_policy(state.q[row], legal[row]), legal[row], self.epsilon)

        steps = play(histories, policy, key)
        best = jnp.where(legal, state.q, -jnp.inf).max(axis=1).at[-1].set(0)
        target = steps.reward + best[steps.next_row]
        error = jnp.where(steps.is_own, target - state.q[steps.row, steps.choice], 0)
        return Values(q=state.q.at[steps.row, steps.choice].add(self.step_size * error))

    def average_policy(self, histories: Histories, state: Values) -> Array:
        """The greedy policy."""
        return greedy_policy(state.q, histories.legal)
