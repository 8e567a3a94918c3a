"""The workers on Ray and their tasks, for the process that is connected to Ray."""

import contextlib
import importlib
from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

import jax
import numpy as np

from gtcfr.packing import BeliefState
from networks.cvpn import network_form
from selfplay.ray_cluster import ray_cluster
from selfplay.recipe import make_evaluator, recipe_of
from selfplay.settings import Config
from selfplay.workers import SELFPLAY, SOLVER, WorkerOutput, WorkersLostError, key_of
from sog.games import make

_MOST_LOSSES: Final = 3
"""How many times over all workers may die without a result in between before the run gives up."""


class Worker:
    """A process that plays and solves; arguments and results are NumPy arrays."""

    def __init__(self, config: Config) -> None:
        game = make(config.game)
        self._seed = config.run.seed
        self._apply_fn, _ = network_form(game, config.network)
        recipe = recipe_of(config)
        self._player = recipe.player(game, config)
        self._solver = recipe.solver and recipe.solver(game, config)

    def work(
        self, params: Any, version: np.ndarray, number: int, beliefs: BeliefState | None
    ) -> WorkerOutput:
        """Solves a batch of queries, or makes one decision in every game if there are none.

        number: of the task.
        """
        evaluator = make_evaluator(self._apply_fn, jax.device_put(params))
        network = evaluator, jax.device_put(version)
        if beliefs is None:
            random = np.random.default_rng([self._seed, number])
            return self._player.play(*network, key_of(self._seed, number, SELFPLAY), random)
        assert self._solver is not None  # only recipes with a solver have queries
        return self._solver.solve(*network, beliefs, key_of(self._seed, number, SOLVER))


class RayWorkers:
    """A fixed number of workers; each has a place, which another one takes if it dies."""

    def __init__(self, config: Config, count: int) -> None:
        self._ray: Any = importlib.import_module("ray")
        self._config = config
        self._remote = self._ray.remote(num_cpus=1, scheduling_strategy="SPREAD")(Worker)
        self._workers = [self._new_worker() for _ in range(count)]
        self._tasks: dict[Any, int] = {}  # the place of each task that is not done
        self._losses = 0  # since the last result
        self._params: Any = None

    def publish(self, params: Any) -> None:
        """Sets the network of the next tasks."""
        self._params = self._ray.put(params)

    def begin(
        self, place: int, version: np.ndarray, number: int, beliefs: BeliefState | None
    ) -> None:
        """Gives a worker a task: to solve the queries, or to play without any."""
        begun = self._workers[place].work.remote(self._params, version, number, beliefs)
        self._tasks[begun] = place

    def gather(self, seconds: float) -> tuple[list[WorkerOutput], list[str], list[int]]:
        """The finished work, and why workers died; waits up to `seconds` for the first of it.

        Also the number of tasks of each place's worker. Raises ValueError if a worker raised it,
        and WorkersLostError if one worker after the other dies.
        """
        works: list[WorkerOutput] = []
        reasons: list[str] = []
        tasks = list(self._tasks)
        if tasks:
            self._ray.wait(tasks, num_returns=1, timeout=seconds)
            done, _ = self._ray.wait(tasks, num_returns=len(tasks), timeout=0)
            for task in done:
                if task in self._tasks:  # otherwise its worker was just replaced
                    self._finish(task, self._tasks.pop(task), works, reasons)
        busy = Counter(self._tasks.values())
        return works, reasons, [busy[place] for place in range(len(self._workers))]

    def _finish(self, task: Any, place: int, works: list[WorkerOutput], reasons: list[str]) -> None:
        errors = self._ray.exceptions
        try:
            works.append(self._ray.get(task))
        except errors.RayTaskError as error:
            if isinstance(error.cause, ValueError):
                raise error.cause from None
            raise
        except errors.RayError as error:
            reasons.append(str(error).splitlines()[0])
            self._replace(place, error)
        else:
            self._losses = 0

    def _replace(self, place: int, error: Exception) -> None:
        """Replaces a worker that died or cannot be reached."""
        self._losses += 1
        if self._losses > _MOST_LOSSES * len(self._workers):
            why = " ".join(str(error).split())
            raise WorkersLostError(f"{self._losses} workers died one after the other: {why}")
        self._ray.kill(self._workers[place])
        self._tasks = {task: other for task, other in self._tasks.items() if other != place}
        self._workers[place] = self._new_worker()

    def _new_worker(self) -> Any:
        return self._remote.remote(self._config)


@contextlib.contextmanager
def ray_workers(config: Config, address: str | None, count: int | None) -> Iterator[RayWorkers]:
    """A context with workers; address, count and errors as in `ray_cluster`."""
    with ray_cluster(address, count) as num_workers:
        yield RayWorkers(config, num_workers)
