"""The processes schedule: workers play and solve while the learner learns, all on Ray.

The learner lives in this process, with the replay window, the queue and the checkpoints. Workers,
each a process on this machine or on another, are given tasks: one decision in a batch of games, or
a batch of queries, whichever is due, so that none of them waits for the others. The network goes
into Ray's object store once per version, and a task takes the version that is newest when it is
handed out. A worker that dies is replaced; its games and tasks are lost, which costs examples and
nothing else. What comes back in which order is up to the machines, so runs are not repeatable.
"""

import dataclasses
import importlib
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import jax
import numpy as np

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.packing import BeliefState
from networks.cvpn import make_network
from selfplay.ray_cluster import RayCluster
from selfplay.schedule import Schedule, make_evaluator
from selfplay.settings import Config
from selfplay.workers import (
    SELFPLAY,
    SOLVER,
    SelfplayWorker,
    SolverWorker,
    Work,
    WorkersLostError,
    key_of,
)
from sog.games import make
from sog.games.core import Game

_TASKS_PER_WORKER: Final = 2
"""One that it works on, and one that waits while the learner is busy."""
_PATIENCE_SECONDS: Final = 1.0
"""How long a cycle waits for results where there is nothing to learn."""
_MOST_LOSSES: Final = 3
"""How often all workers may die without a result in between, before the run gives up."""


class Worker:
    """A process that plays and solves; what it is told, and what it answers, is NumPy."""

    def __init__(self, config: Config) -> None:
        game = make(config.game)
        self._seed = config.run.seed
        self._apply_fn, _ = make_network(game, config.network)
        self._player, self._solver = SelfplayWorker(game, config), SolverWorker(game, config)

    def play(self, params: Any, version: np.ndarray, number: int) -> Work:
        """One decision in every game; see `SelfplayWorker.play`. number: of the task."""
        random = np.random.default_rng([self._seed, number])
        key = key_of(self._seed, number, SELFPLAY)
        return self._player.play(self._evaluator(params), jax.device_put(version), key, random)

    def solve(
        self,
        params: Any,
        version: np.ndarray,
        number: int,
        beliefs: BeliefState,
    ) -> Work:
        """A batch of queries; see `SolverWorker.solve`. number: of the task."""
        key = key_of(self._seed, number, SOLVER)
        evaluator = self._evaluator(params)
        return self._solver.solve(evaluator, jax.device_put(version), beliefs, key)

    def _evaluator(self, params: Any) -> NetworkEvaluator:
        return make_evaluator(self._apply_fn, jax.device_put(params))


class ProcessSchedule(Schedule):
    """The learner and its workers."""

    def __init__(
        self,
        game: Game[Any],
        config: Config,
        cluster: RayCluster,
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        """tell: what is told of workers that died. Raises ValueError for impossible sizes."""
        super().__init__(game, config)
        self._cluster, self._tell = cluster, tell
        self._remote = self._ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Worker)
        self._workers = [self._new_worker() for _ in range(cluster.num_workers)]
        self._tasks: dict[Any, int] = {}  # the worker of each task that is not done
        self._losses = 0  # since the last result
        self._published: Any = None  # the learner's state that `_params` is of
        self._params: Any = None

    def _go_on(self, until: int | None) -> dict[str, float]:
        """Takes in what is done, hands out tasks, and learns once if there is enough for it."""
        self._gather(0 if self.steps_due(until) else _PATIENCE_SECONDS)
        self._hand_out()
        steps = self.steps_due(until)
        if steps == 0:
            return {}
        seed = [self.config.run.seed, self.learner.step, self.counts["cycles"]]
        return self.learn(steps, np.random.default_rng(seed))

    def begin_new_games(self) -> None:
        """Nothing: the games go on, for no run could repeat them anyway."""

    @property
    def _ray(self) -> Any:
        """Ray, if it lives; see `_check_ray`."""
        self._check_ray()
        return importlib.import_module("ray")

    def _check_ray(self) -> None:
        """To be called right before Ray is: where that finds its daemon dead it ends this process
        at once, and not by an exception."""
        if not self._cluster.is_alive():
            raise WorkersLostError(
                "Ray's daemon (raylet) died; what was learned is saved, the same command goes on."
            )

    def _new_worker(self) -> Any:
        return self._remote.remote(self.config)

    def _hand_out(self) -> None:
        """Gives every worker as many tasks as it may have."""
        if self._published is not self.learner.state:
            self._published = self.learner.state
            params = jax.device_get(self.learner.state.average)
            self._params = self._ray.put(params)
        for most in range(1, _TASKS_PER_WORKER + 1):
            busy = Counter(self._tasks.values())
            for place in range(len(self._workers)):
                if busy[place] < most:
                    self._tasks[self._begin(self._workers[place])] = place

    def _begin(self, worker: Any) -> Any:
        """Begins a task; solving comes first, so that the queue stays short."""
        number = self.counts["cycles"]
        self.counts["cycles"] += 1
        task = (self._params, np.asarray(self.learner.state.step), number)
        size = self.config.solver.batch_size
        self._check_ray()
        if len(self.queue) >= size:
            return worker.solve.remote(*task, self.queue.pop(size))
        return worker.play.remote(*task)

    def _gather(self, seconds: float) -> None:
        """Takes in what is done; waits so long for the first of it."""
        tasks = list(self._tasks)
        if not tasks:
            return
        self._ray.wait(tasks, num_returns=1, timeout=seconds)
        done, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
        for task in done:
            if task in self._tasks:  # else its worker was replaced just now
                self._finish(task, self._tasks.pop(task))

    def _finish(self, task: Any, place: int) -> None:
        errors = self._ray.exceptions
        try:
            work: Work = self._ray.get(task)
        except errors.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise error.cause from None
            raise
        except errors.RayError as error:
            self._replace(place, error)
        else:
            self._losses = 0
            # Copies: the queue would keep whole results in Ray's object store.
            queries = jax.tree.map(np.array, work.queries)
            self.take_in(dataclasses.replace(work, queries=queries))

    def _replace(self, place: int, error: Exception) -> None:
        """Puts a new worker in the place of one that died, or that cannot be reached."""
        self._check_ray()
        self._losses += 1
        if self._losses > _MOST_LOSSES * len(self._workers):
            why = " ".join(str(error).split())
            raise WorkersLostError(f"{self._losses} workers died one after the other: {why}")
        self._tell(f"a worker died and is replaced: {str(error).splitlines()[0]}")
        self._ray.kill(self._workers[place])
        self._tasks = {task: other for task, other in self._tasks.items() if other != place}
        self._workers[place] = self._new_worker()
