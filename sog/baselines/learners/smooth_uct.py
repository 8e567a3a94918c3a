"""Extensive-form UCT and Smooth UCT: each player grows a tree over its own infostates."""

import abc
import dataclasses
from typing import ClassVar

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.histories.arrays import Histories
from sog.baselines.histories.tables import table_policy
from sog.baselines.histories.walk import Place, walk
from sog.baselines.learners.learning import LearningMethod
from sog.games.core import draw, param
from sog.pytree import pytree


@pytree
class VisitTables:
    """The statistics of both players' trees. A visited infostate is in the tree."""

    visits: Array
    """[row + 1, choice] int32: N(u, a)."""
    value: Array
    """[row + 1, choice]: Q(u, a), the mean utility to the player who chooses."""

    @classmethod
    def empty(cls, histories: Histories) -> "VisitTables":
        """Zeros."""
        shape = (histories.num_rows + 1, histories.max_choices)
        return cls(visits=jnp.zeros(shape, jnp.int32), value=jnp.zeros(shape))

    def add(self, row: Array, choice: Array, gain: Array) -> "VisitTables":
        """UPDATE of Algorithm 2 at some steps; steps to ignore use the last line."""
        visits = self.visits.at[row, choice].add(1)
        step = (gain - self.value[row, choice]) / visits[row, choice]
        return VisitTables(visits=visits, value=self.value.at[row, choice].add(step))


def is_best_by_ucb(visits: Array, value: Array, legal: Array, c: float) -> Array:
    """[choice] bool: actions that maximize Q + c sqrt(log N / N_a); unvisited ones come first."""
    total = visits.sum()
    bonus = c * jnp.sqrt(jnp.log(jnp.maximum(total, 1)) / jnp.maximum(visits, 1))
    score = jnp.where(visits > 0, value + bonus, np.inf)
    score = jnp.where(legal, score, -np.inf)
    return score == score.max()


@dataclasses.dataclass(frozen=True, kw_only=True)
class SelfPlayUct(LearningMethod):
    """Self-play Monte Carlo tree search in extensive-form games (Algorithm 1 of the paper).

    One iteration is one sampled game. Each player acts by its tree until it reaches an infostate
    that is not in it, which joins it; from there on it acts at random, and only the infostates in
    the tree are updated.
    """

    episodes: ClassVar[int] = 1

    c: float = param(
        1.0, "exploration c sqrt(log N / N_a), as a share of the largest utility", minimum=0
    )
    budget: int = param(1_000_000, "iterations", minimum=1, maximum=2**31 - 1)

    @abc.abstractmethod
    def greediness(self, visits: Array) -> Array:
        """eta: the probability of choosing by UCB instead of the average policy."""

    def begin(self, histories: Histories, key: Array) -> VisitTables:
        """Empty trees."""
        return VisitTables.empty(histories)

    def average_policy(self, histories: Histories, state: VisitTables) -> Array:
        """Visit frequencies."""
        return table_policy(histories, state.visits.astype(state.value.dtype))

    def iterate(self, histories: Histories, state: VisitTables, key: Array) -> VisitTables:
        """SEARCH, SIMULATE and UPDATE for one game."""
        start = jnp.zeros(2, bool)  # whether each player has left its tree
        played = walk(histories, key, lambda *where: self._choose(histories, state, *where), start)
        row = jnp.where(played.record, played.place.row, histories.num_rows)
        return state.add(row, played.choice, played.utility_to(played.place.actor))

    def _choose(
        self,
        histories: Histories,
        state: VisitTables,
        is_out: Array,
        place: Place,
        numbers: Array,
    ) -> tuple[Array, Array, Array]:
        """SELECT (Algorithm 2), EXPANDTREE or ROLLOUT; records whether the step is in the tree."""
        visits, value = state.visits[place.row], state.value[place.row]
        legal = jnp.arange(histories.max_choices) < place.num_choices
        total = visits.sum()
        player = jnp.minimum(place.actor, 1)
        learns = place.is_decision & ~is_out[player]
        by_tree = learns & (total > 0)

        is_best = is_best_by_ucb(visits, value, legal, self.c * histories.max_utility)
        by_ucb = numbers[2] < self.greediness(total)
        weight = jnp.where(by_tree, jnp.where(by_ucb, is_best, visits), legal)
        choice = draw(numbers[0], weight.astype(value.dtype))
        is_out = is_out.at[player].set(is_out[player] | (place.is_decision & ~by_tree))
        return choice, is_out, learns


@dataclasses.dataclass(frozen=True, kw_only=True)
class ExtensiveUct(SelfPlayUct):
    """Extensive-form UCT (Heinrich and Silver 2015, section 3.1): always by UCB."""

    name = "extensive_uct"
    paper: ClassVar[str] = "Heinrich and Silver 2015, Algorithm 1 and section 3.1"

    def greediness(self, visits: Array) -> Array:
        """Always."""
        return jnp.ones_like(visits, float)


@dataclasses.dataclass(frozen=True, kw_only=True)
class SmoothUct(SelfPlayUct):
    """Smooth UCT (Heinrich and Silver 2015, Algorithm 2): UCB mixed with the average policy.

    With n visits of an infostate UCB decides with probability max(gamma, eta / (1 + d sqrt(n)))
    (their equation 2), else an action is taken as often as it was before.
    """

    name = "smooth_uct"
    paper: ClassVar[str] = "Heinrich and Silver 2015, Algorithm 2"

    gamma: float = param(0.1, "least probability of choosing by UCB", minimum=0, maximum=1)
    eta: float = param(0.9, "probability of choosing by UCB at first", minimum=0, maximum=1)
    d: float = param(0.002, "how fast eta falls with visits", minimum=0)

    def greediness(self, visits: Array) -> Array:
        """Their equation 2."""
        return jnp.maximum(self.gamma, self.eta / (1 + self.d * jnp.sqrt(visits)))
