"""Methods that learn a policy of the whole game by sampling it, many runs at once.

A run is a state (tables) and a key; iterations are written for one run, and `LearningRuns` makes
one compiled program of all runs and all iterations. The number of runs does not change a run.
"""

import abc
import dataclasses
import functools
import time
from typing import Any, ClassVar, Final, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.sharding import Mesh

from gtcfr.mesh import batch_mesh, first_devices, on_all, split_batch
from sog.baselines.histories.arrays import Histories, HistoryTree
from sog.baselines.histories.layout import histories_of
from sog.baselines.histories.tables import empty_tables, table_policy
from sog.games.core import Game
from sog.memory import bytes_of, check_memory
from sog.play.arena import AgentFactory
from sog.play.simple_agents import TabularAgent
from sog.players.method import Method
from sog.players.player import Host
from sog.tabular import Evaluation, compile_game
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.solver import evaluate_policies

Precision = Literal["float32", "float64"]
_BEFORE: Final = 2**32 - 1
_LONGEST_CALL: Final = 0.5  # seconds between checks of the clock and of Ctrl-C


@dataclasses.dataclass(frozen=True, kw_only=True)
class LearningMethod(Method):
    """A method that improves a policy of the whole game, iteration by iteration.

    Its functions are pure, written for one run, and take `Histories` on a device. Tables have one
    line more than rows; steps without a decision may write to it.
    """

    budget: int  # declared by each method, with a default of its own

    episodes: ClassVar[int | None] = None
    """Games that an iteration samples; None if it samples more than single games."""

    @property
    def episodes_per_iteration(self) -> int | None:
        """The same, if it depends on parameters."""
        return self.episodes

    def prepare(self, tree: HistoryTree) -> Histories:
        """The histories of a game, on the host, with extra data of the method."""
        return tree.histories

    def check_histories(self, histories: Histories) -> None:
        """Raises ValueError if the method cannot learn this game; histories: on the host."""

    def begin(self, histories: Histories, key: Array) -> Any:
        """The state before the first iteration, by default `RegretTables`; key: for random initial
        values."""
        return empty_tables(histories)

    @abc.abstractmethod
    def iterate(self, histories: Histories, state: Any, key: Array) -> Any:
        """The state after one more iteration."""

    def average_policy(self, histories: Histories, state: Any) -> Array:
        """[row + 1, choice]: the policy learned so far; the last line is arbitrary."""
        return table_policy(histories, state.policy_sum)

    def agents(self, game: Game[Any], host: Host) -> AgentFactory:
        """Agents that play what one run of `budget` iterations has learned."""
        histories = histories_of(game, host)
        learner = LearningRuns(self, histories, seed=host.seed)
        host.begin(f"learning {game.name} by {self.name}", total=self.budget)
        while learner.iteration < self.budget:
            learner.run_for_a_moment(self.budget - learner.iteration)
            host.update(f"{learner.iteration:,} iterations", learner.iteration)
        enumerated, policy = EnumeratedGame(tree=histories.tree), learner.policy(0)
        return lambda player, seed: TabularAgent(enumerated, policy, player=player, seed=seed)


class LearningRuns:
    """Some runs of a method on one game, advanced together.

    `state` is the method's state, with the run as first axis. All devices of the process share the
    runs. Run s of seed n is the same, up to rounding, for any number of runs. float64: for tables
    that sum up more than some 10 million iterations.
    """

    def __init__(
        self,
        method: LearningMethod,
        tree: HistoryTree,
        *,
        runs: int = 1,
        seed: int = 0,
        precision: Precision = "float32",
        devices: int | None = None,
    ) -> None:
        """devices: the maximum number of devices.

        Raises ValueError if the method cannot learn the game, or memory is too small.
        """
        if runs < 1:
            raise ValueError(f"runs must be >= 1, got {runs}.")
        method.check_histories(tree.histories)
        self.method, self.tree, self.runs, self.iteration = method, tree, runs, 0
        self._precision: Precision = precision
        self._mesh = first_devices(batch_mesh(runs), devices or runs)
        self._count = 1
        histories = method.prepare(tree)
        with self._numbers():
            one = jax.eval_shape(method.begin, histories, jax.random.key(0))
            check_memory({f"{runs} runs of {method.name}": 2 * runs * bytes_of(one)})
            on_device = jax.tree.map(functools.partial(convert, precision), histories)
            self._histories = jax.device_put(on_device, on_all(self._mesh))
            keys = _run_keys(jnp.uint32(seed), runs)
            self._keys = jax.device_put(keys, split_batch(self._mesh))
            self.state = _begin(method, self._mesh, self._histories, self._keys)

    def run(self, iterations: int) -> None:
        """Runs `iterations` more iterations."""
        with self._numbers():
            self.state = _run(
                self.method,
                self._mesh,
                self._histories,
                self.state,
                self._keys,
                jnp.int32(self.iteration),
                jnp.int32(iterations),
            )
            jax.block_until_ready(self.state)
        self.iteration += iterations

    def run_for_a_moment(self, most: int) -> None:
        """Runs as many iterations as fit into half a second, at most `most`."""
        count, began = min(self._count, most), time.perf_counter()
        self.run(count)
        if time.perf_counter() - began < _LONGEST_CALL / 2:
            self._count = 2 * count

    def policies(self) -> np.ndarray:
        """[run, row + 1, choice]: the policies learned so far."""
        with self._numbers():
            return np.asarray(_policies(self.method, self._histories, self.state))

    def policy(self, run: int) -> np.ndarray:
        """[node, S, A]: the policy that one run has learned so far."""
        return self.tree.to_tree(self.policies()[run])

    def _numbers(self) -> Any:
        return jax.enable_x64(self._precision == "float64")


class RowEvaluator:
    """Computes the exact exploitability of many policies at once, in float64."""

    def __init__(self, tree: HistoryTree) -> None:
        self._tree, self._compiled = tree, compile_game(tree.tree)

    def evaluate(self, policies: np.ndarray) -> Evaluation:
        """Evaluates policies [run, row + 1, choice]; the batch axis is the run.

        Raises ValueError for an invalid policy, see `check_policy`.
        """
        wanted, given = self._tree.histories.legal.shape, np.shape(policies)
        if given[1:] != wanted:
            raise ValueError(
                f"policies must have shape (runs, {wanted[0]}, {wanted[1]}), got {given}."
            )
        return evaluate_policies(self._compiled, map(self._tree.to_tree, policies))


def convert(precision: Precision, leaf: np.ndarray) -> Array:
    """A host array on the device, with floats of this precision."""
    return jnp.asarray(leaf, precision if leaf.dtype == np.float64 else leaf.dtype)


@functools.partial(jax.jit, static_argnums=1)
def _run_keys(seed: Array, runs: int) -> Array:
    key = jax.random.key(seed)
    return jax.vmap(lambda run: jax.random.fold_in(key, run))(jnp.arange(runs))


@functools.partial(jax.jit, static_argnums=(0, 1))
def _begin(method: LearningMethod, mesh: Mesh, histories: Histories, keys: Array) -> Any:
    def begin(histories: Histories, keys: Array) -> Any:
        # Iterations fold in their number, which never gets that large.
        return jax.vmap(lambda key: method.begin(histories, jax.random.fold_in(key, _BEFORE)))(keys)

    return share(mesh, begin, 1)(histories, keys)


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=3)
def _run(
    method: LearningMethod,
    mesh: Mesh,
    histories: Histories,
    states: Any,
    keys: Array,
    first: Array,
    count: Array,
) -> Any:
    def run(histories: Histories, states: Any, keys: Array) -> Any:
        def iterate(number: Array, states: Any) -> Any:
            def one(state: Any, key: Array) -> Any:
                return method.iterate(histories, state, jax.random.fold_in(key, first + number))

            return jax.vmap(one)(states, keys)

        return jax.lax.fori_loop(0, count, iterate, states)

    return share(mesh, run, 2)(histories, states, keys)


def share(mesh: Mesh, function: Any, num_split: int) -> Any:
    """Shards a function of histories and batches: each device gets a part of the batches."""
    split = split_batch(mesh).spec
    specs = (on_all(mesh).spec, *num_split * (split,))
    # The check needs initial constants of loops to declare on which devices they vary.
    return jax.shard_map(function, mesh=mesh, in_specs=specs, out_specs=split, check_vma=False)


@functools.partial(jax.jit, static_argnums=0)
def _policies(method: LearningMethod, histories: Histories, states: Any) -> Array:
    policies: Array = jax.vmap(lambda state: method.average_policy(histories, state))(states)
    return policies
