"""Independent advantage actor-critic: each player treats the other as part of the environment."""

import dataclasses
from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import optax
from jax import Array

from sog.baselines.histories.arrays import Histories, HistoryTree
from sog.baselines.histories.walk import Steps, play_games
from sog.baselines.learners.learning import LearningMethod
from sog.baselines.learners.row_network import apply_network, begin_network, of_mover, with_features
from sog.games.core import param
from sog.pytree import pytree

_GAMES: Final = 16  # per iteration


@pytree
class A2cState:
    """The training state."""

    actor: Any
    critic: Any
    actor_optimizer: Any
    critic_optimizer: Any
    iteration: Array


@dataclasses.dataclass(frozen=True, kw_only=True)
class A2c(LearningMethod):
    """Advantage actor-critic in self-play (Mnih et al. 2016), as compared in Schmid et al. 2023.

    An iteration plays 16 games and fits the critic to what players got; every so many iterations
    the policy follows its gradient, with a bonus for entropy. What counts as learned is the present
    policy.
    """

    name = "a2c"
    paper: ClassVar[str] = "Mnih et al. 2016; Schmid et al. 2023, Table S6 and Figure S4"
    episodes: ClassVar[int] = _GAMES

    actor_rate: float = param(0.001, "learning rate of the policy", minimum=0.0000001, maximum=10)
    critic_rate: float = param(0.01, "learning rate of the critic", minimum=0.0000001, maximum=10)
    critic_updates: int = param(
        8, "updates of the critic per update of the policy", minimum=1, maximum=1000
    )
    entropy: float = param(
        0.04, "bonus per nat of entropy, in largest utilities", minimum=0, maximum=100
    )
    hidden: int = param(64, "units per layer", minimum=1, maximum=4096)
    layers: int = param(1, "hidden layers", minimum=1, maximum=8)
    budget: int = param(10_000, "iterations of 16 games", minimum=1, maximum=2**31 - 1)

    def prepare(self, tree: HistoryTree) -> Histories:
        """Histories with features."""
        return with_features(tree)

    def begin(self, histories: Histories, key: Array) -> A2cState:
        """Random networks."""
        actor_key, critic_key = jax.random.split(key)
        sizes = (histories.row_features.shape[1], *self.layers * (self.hidden,))
        actor = begin_network(actor_key, (*sizes, histories.max_choices))
        critic = begin_network(critic_key, (*sizes, 1))
        return A2cState(
            actor=actor,
            critic=critic,
            actor_optimizer=optax.adam(self.actor_rate).init(actor),
            critic_optimizer=optax.adam(self.critic_rate).init(critic),
            iteration=jnp.int32(0),
        )

    def iterate(self, histories: Histories, state: A2cState, key: Array) -> A2cState:
        """Plays games, updates the critic, and sometimes the policy."""
        steps = play_games(histories, self.average_policy(histories, state), key, _GAMES)
        gradient = jax.grad(_critic_loss)(state.critic, histories, steps)
        change, critic_optimizer = optax.adam(self.critic_rate).update(
            gradient, state.critic_optimizer
        )
        critic = optax.apply_updates(state.critic, change)

        gradient = jax.grad(self._actor_loss)(state.actor, critic, histories, steps)
        change, actor_optimizer = optax.adam(self.actor_rate).update(
            gradient, state.actor_optimizer
        )
        actor = optax.apply_updates(state.actor, change)
        is_due = state.iteration % self.critic_updates == self.critic_updates - 1
        actor, actor_optimizer = jax.tree.map(
            lambda new, old: jnp.where(is_due, new, old),
            (actor, actor_optimizer),
            (state.actor, state.actor_optimizer),
        )
        return A2cState(
            actor=actor,
            critic=critic,
            actor_optimizer=actor_optimizer,
            critic_optimizer=critic_optimizer,
            iteration=state.iteration + 1,
        )

    def average_policy(self, histories: Histories, state: A2cState) -> Array:
        """The current policy."""
        logits = of_mover(histories, apply_network(state.actor, histories.row_features))
        legal = histories.legal
        return jnp.where(legal, jax.nn.softmax(logits, axis=1, where=legal), 0)

    def _actor_loss(self, actor: Any, critic: Any, histories: Histories, steps: Steps) -> Array:
        """The policy gradient loss with the entropy bonus, per decision of each player."""
        both = jnp.arange(2)[:, None]
        expected = apply_network(critic, histories.row_features)[both, steps.row, 0]
        advantage = jax.lax.stop_gradient(steps.gain - expected)
        # The line after the rows has no legal choice; making one legal keeps its gradient finite.
        legal = histories.legal.at[-1, 0].set(True)[steps.row]
        logits = apply_network(actor, histories.row_features)[both, steps.row]
        logs = jax.nn.log_softmax(logits, axis=-1, where=legal)
        logs = jnp.where(legal, logs, 0)
        taken = jnp.take_along_axis(logs, steps.choice[..., None], axis=-1)[..., 0]
        entropy = -jnp.where(legal, jnp.exp(logs) * logs, 0).sum(axis=-1)
        bonus = self.entropy * jnp.max(jnp.abs(histories.utility))
        loss = -advantage * taken - bonus * entropy
        return _mean(loss, steps.is_own)


def _critic_loss(critic: Any, histories: Histories, steps: Steps) -> Array:
    """The squared error to the players' utilities, per decision of each."""
    both = jnp.arange(2)[:, None]
    expected = apply_network(critic, histories.row_features)[both, steps.row, 0]
    return _mean((expected - steps.gain) ** 2, steps.is_own)


def _mean(values: Array, counts: Array) -> Array:
    """The mean over valid entries [player, step], summed over players."""
    mean: Array = jnp.where(counts, values, 0).sum(axis=1) / jnp.maximum(counts.sum(axis=1), 1)
    return mean.sum()
