"""Outcome sampling: Monte Carlo CFR that learns from one sampled game at a time."""

import dataclasses
from typing import ClassVar

import jax
import jax.numpy as jnp
from jax import Array

from sog.baselines.histories.arrays import Histories
from sog.baselines.histories.tables import RegretTables, add_rows, row_policy
from sog.baselines.histories.walk import Place, after, before, walk
from sog.baselines.learners.learning import LearningMethod
from sog.baselines.simultaneous.stages import Stages
from sog.games.core import draw, param

BOTH = (True, True)


@dataclasses.dataclass(frozen=True, kw_only=True)
class OutcomeSampling(LearningMethod):
    """Outcome sampling (Lanctot et al. 2009, section 3; Lanctot 2013, chapter 4).

    A learning player explores: with probability epsilon it takes any action. Alternating: in turns
    one player learns and the other's average policy is updated, two games per iteration. Parallel:
    both learn from every game, and both explore. values=state is SM-OOS (Bosansky et al. 2016,
    Algorithm 4): each state is updated as if the game began there, which has less variance.
    """

    name = "outcome_sampling"
    paper: ClassVar[str] = (
        "Lanctot et al. 2009, section 3; Lanctot 2013, chapter 4; Bosansky et al. 2016, Algorithm 4"
    )

    epsilon: float = param(0.6, "probability that a learning player explores", minimum=0, maximum=1)
    updates: str = param(
        "alternating",
        "whether players learn in turns, or both from every game",
        choices=("alternating", "parallel"),
    )
    values: str = param(
        "game",
        "state: update each state as if the game began there, in games that hide nothing but "
        "simultaneous moves",
        choices=("game", "state"),
    )
    budget: int = param(100_000, "iterations", minimum=1, maximum=2**31 - 1)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.values == "state" and self.updates != "alternating":
            raise ValueError(f"{self.name}: values=state needs updates=alternating.")

    def check_histories(self, histories: Histories) -> None:
        """With values=state, only simultaneous moves may be hidden."""
        if self.values == "state":
            Stages(histories)

    @property
    def episodes_per_iteration(self) -> int:
        """One game, or one per player."""
        return 1 if self.updates == "parallel" else 2

    def iterate(self, histories: Histories, state: RegretTables, key: Array) -> RegretTables:
        """One game, or one for each player."""
        if self.updates == "parallel":
            return self.learn(histories, state, key, learns=BOTH, averages=BOTH)
        for player, one_key in enumerate(jax.random.split(key)):
            learns, averages = (player == 0, player == 1), (player == 1, player == 0)
            state = self.learn(histories, state, one_key, learns, averages)
        return state

    def learn(
        self,
        histories: Histories,
        state: RegretTables,
        key: Array,
        learns: tuple[bool, bool],
        averages: tuple[bool, bool],
    ) -> RegretTables:
        """Samples one game and updates tables along it: regrets of the learning players, and policy
        sums of the averaging ones.

        With h the history of a step, z the end, q their sampling probability and a' the action
        taken, player i's sampled counterfactual regret of action a is
        W (1[a = a'] - policy(a')), W = u_i(z) reach_-i(h) reach(h a', z) / q(z). Chance is in reach
        and in q, and cancels. values=state: reach and q are 1 before h.
        """
        choices = jnp.arange(histories.max_choices)

        def choose(_: None, place: Place, numbers: Array) -> tuple[Array, None, tuple[Array, ...]]:
            mask = choices < place.num_choices
            policy = row_policy(state.regret[place.row], mask)
            uniform = mask / jnp.maximum(place.num_choices, 1)
            explores = jnp.array(learns)[jnp.minimum(place.actor, 1)]
            mixed = (1 - self.epsilon) * policy + self.epsilon * uniform
            sampled = jnp.where(explores, mixed, policy).astype(policy.dtype)
            choice = draw(numbers[0], sampled)

            def at_choice(probabilities: Array) -> Array:
                return jnp.where(place.is_decision, probabilities[choice], 1)

            return choice, None, (policy, at_choice(policy), at_choice(sampled))

        played = walk(histories, key, choose, None)
        actor, row = played.place.actor, played.place.row
        policy, chosen, sampled = played.record
        own_before = jnp.where(actor == 0, before(_of(chosen, actor, 0)), 0)
        other_before = jnp.where(actor == 0, before(_of(chosen, actor, 1)), 0)
        own_before += jnp.where(actor == 1, before(_of(chosen, actor, 1)), 0)
        other_before += jnp.where(actor == 1, before(_of(chosen, actor, 0)), 0)
        sampled_before = before(sampled)
        if self.values == "state":
            own_before = other_before = sampled_before = jnp.ones_like(sampled)
        share_of_rest = after(chosen) / (sampled * after(sampled))
        weight = played.utility_to(actor) * other_before / sampled_before * share_of_rest
        taken = jax.nn.one_hot(played.choice, histories.max_choices, dtype=policy.dtype)
        regret = (weight * _which(actor, learns))[:, None] * (taken - chosen[:, None])
        share = own_before / sampled_before * _which(actor, averages)
        legal = choices[None, :] < played.place.num_choices[:, None]
        return RegretTables(
            regret=add_rows(state.regret, row, jnp.where(legal, regret, 0)),
            policy_sum=add_rows(state.policy_sum, row, share[:, None] * policy),
        )


def _of(chosen: Array, actor: Array, player: int) -> Array:
    """[step]: the factors of a player."""
    return jnp.where(actor == player, chosen, 1)


def _which(actor: Array, players: tuple[bool, bool]) -> Array:
    """[step] bool: where one of these players acts."""
    first, second = players
    return ((actor == 0) & first) | ((actor == 1) & second)
