"""Independent deep Q-learning: each player treats the other as part of the environment."""

import dataclasses
from typing import Any, ClassVar, Final, NamedTuple

import jax
import jax.numpy as jnp
import optax
from jax import Array

from sog.baselines.histories.arrays import Histories, HistoryTree
from sog.baselines.histories.walk import Steps, explored, greedy_policy, play_games
from sog.baselines.learners.learning import LearningMethod
from sog.baselines.learners.row_network import apply_network, begin_network, of_mover, with_features
from sog.games.core import param
from sog.pytree import pytree

_GAMES: Final = 8  # per iteration, which ends with one update of the networks
_BATCH: Final = 128
_TARGET_EVERY: Final = 100  # iterations
_LEAST_EPSILON: Final = 0.1


class Transition(NamedTuple):
    """Decisions with their outcomes, as in `Steps`."""

    row: Array
    choice: Array
    next_row: Array
    reward: Array


@pytree
class TransitionBuffer:
    """The last decisions of both players."""

    memory: Transition  # [player, place]
    count: Array  # [player] int32: all transitions ever added


@pytree
class DqnState:
    """The training state."""

    network: Any
    target: Any
    """The target network."""
    optimizer: Any
    replay: TransitionBuffer
    iteration: Array


@dataclasses.dataclass(frozen=True, kw_only=True)
class Dqn(LearningMethod):
    """Independent DQN in self-play (Mnih et al. 2015), as compared in Schmid et al. 2023.

    After 8 games, one step of Adam on 128 decisions of each player from its replay buffer. What
    counts as learned is the greedy policy.
    """

    name = "dqn"
    paper: ClassVar[str] = "Mnih et al. 2015; Schmid et al. 2023, Table S6 and Figure S4"
    episodes: ClassVar[int] = _GAMES

    learning_rate: float = param(0.001, "learning rate of Adam", minimum=0.0000001, maximum=10)
    epsilon: float = param(0.5, "initial probability of a random action", minimum=0, maximum=1)
    decay: int = param(10_000, "iterations until epsilon is 0.1", minimum=1, maximum=2**31 - 1)
    replay: int = param(
        10_000, "decisions in the replay buffer of a player", minimum=1, maximum=10**7
    )
    hidden: int = param(64, "units per layer", minimum=1, maximum=4096)
    layers: int = param(1, "hidden layers", minimum=1, maximum=8)
    budget: int = param(10_000, "iterations of 8 games", minimum=1, maximum=2**31 - 1)

    def prepare(self, tree: HistoryTree) -> Histories:
        """Histories with features."""
        return with_features(tree)

    def begin(self, histories: Histories, key: Array) -> DqnState:
        """A random network and an empty buffer."""
        inputs = histories.row_features.shape[1]
        network = begin_network(key, (inputs, *self.layers * (self.hidden,), histories.max_choices))
        places = jnp.zeros((2, self.replay), jnp.int32)
        return DqnState(
            network=network,
            target=network,
            optimizer=self._optimizer.init(network),
            replay=TransitionBuffer(
                memory=Transition(places, places, places, jnp.zeros((2, self.replay))),
                count=jnp.zeros(2, jnp.int32),
            ),
            iteration=jnp.int32(0),
        )

    def iterate(self, histories: Histories, state: DqnState, key: Array) -> DqnState:
        """Plays games and makes one update."""
        play_key, sample_key = jax.random.split(key)
        greedy = self.average_policy(histories, state)
        progress = jnp.minimum(state.iteration / self.decay, 1)
        epsilon = self.epsilon + (min(_LEAST_EPSILON, self.epsilon) - self.epsilon) * progress
        policy = explored(greedy, histories.legal, epsilon)
        steps = play_games(histories, policy, play_key, _GAMES)
        replay = jax.vmap(_add)(state.replay, steps)
        network, optimizer = self._update(histories, state, replay, sample_key)
        is_old = state.iteration % _TARGET_EVERY == 0
        target = jax.tree.map(lambda new, old: jnp.where(is_old, new, old), network, state.target)
        return DqnState(
            network=network,
            target=target,
            optimizer=optimizer,
            replay=replay,
            iteration=state.iteration + 1,
        )

    def average_policy(self, histories: Histories, state: DqnState) -> Array:
        """The greedy policy."""
        values = of_mover(histories, apply_network(state.network, histories.row_features))
        return greedy_policy(values, histories.legal)

    @property
    def _optimizer(self) -> optax.GradientTransformation:
        return optax.adam(self.learning_rate)

    def _update(
        self, histories: Histories, state: DqnState, replay: TransitionBuffer, key: Array
    ) -> tuple[Any, Any]:
        """Takes one step of Adam on the squared error of Q to the reward plus the best target Q."""
        known = jnp.clip(replay.count, 1, self.replay)
        place = (jax.random.uniform(key, (2, _BATCH)) * known[:, None]).astype(jnp.int32)
        both = jnp.arange(2)[:, None]
        row, choice, next_row, reward = (part[both, place] for part in replay.memory)
        after = apply_network(state.target, histories.row_features)
        best = jnp.where(histories.legal[None], after, -jnp.inf).max(axis=2).at[:, -1].set(0)
        aim = reward + best[both, next_row]

        def loss(network: Any) -> Array:
            values = apply_network(network, histories.row_features)[both, row, choice]
            return ((values - aim) ** 2).mean(axis=1).sum()

        gradient = jax.grad(loss)(state.network)
        change, optimizer = self._optimizer.update(gradient, state.optimizer)
        return optax.apply_updates(state.network, change), optimizer


def _add(replay: TransitionBuffer, steps: Steps) -> TransitionBuffer:
    """Adds a player's steps [step] to its buffer, over the oldest ones."""
    capacity = len(replay.memory.row)
    number = replay.count + jnp.cumsum(steps.is_own) - 1
    place = jnp.where(steps.is_own, number % capacity, capacity)
    new = Transition(steps.row, steps.choice, steps.next_row, steps.reward)
    memory = jax.tree.map(
        lambda old, added: old.at[place].set(added.astype(old.dtype), mode="drop"),
        replay.memory,
        new,
    )
    return TransitionBuffer(memory=memory, count=replay.count + steps.is_own.sum(dtype=jnp.int32))
