"""The processes schedule: workers on Ray play and solve while the learner learns.

The learner lives in this process, with the replay window, the queue and the checkpoints. Workers,
each a process on this machine or on another, get tasks: one decision in a batch of games, or a
batch of queries, whichever is due, so that none of them waits for the others. The network goes into
Ray's object store once per version, and a task takes the newest version when it is submitted. A
worker that dies is replaced; its games and tasks are lost, which costs only examples. Results
arrive in any order, so runs are not repeatable.

A process between the learner and the workers is connected to Ray (`selfplay.ray_workers`) and ends
with it; the learner survives, and saves what it has.
"""

import contextlib
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from selfplay.ray_cluster import cache_environment, remove_leftovers
from selfplay.ray_workers import ray_workers
from selfplay.remote_object import ProcessEndedError, RemoteObject
from selfplay.schedule import Schedule
from selfplay.settings import Config
from selfplay.workers import WorkerOutput, WorkersLostError
from sog.games.core import Game

_TASKS_PER_WORKER: Final = 2
"""One in progress, and one that waits while the learner is busy."""
_PATIENCE_SECONDS: Final = 1.0
"""How long a cycle waits for results if there is nothing to learn."""


class ProcessSchedule(Schedule):
    """The learner, and its workers behind `workers`, a `RemoteObject` `RayWorkers`."""

    def __init__(
        self,
        game: Game[Any],
        config: Config,
        workers: RemoteObject,
        warn: Callable[[str], None] = lambda _: None,
    ) -> None:
        """warn: called with a line per worker that died. Raises ValueError for impossible sizes."""
        super().__init__(game, config)
        self._workers, self._warn = workers, warn
        self._published: Any = None  # the learner's state whose network the workers have

    def _advance(self, until: int | None) -> dict[str, float]:
        """Collects results, submits tasks unless `only_learns`, and learns once if there are enough
        examples."""
        works: list[WorkerOutput]
        works, reasons, busy = self._call(
            "gather", 0 if self.steps_due(until) else _PATIENCE_SECONDS
        )
        for reason in reasons:
            self._warn(f"a worker died and is replaced: {reason}")
        for work in works:
            self.take_in(work)
        if not self.only_learns():
            self._hand_out(busy)
        steps = self.steps_due(until)
        if steps == 0:
            return {}
        seed = [self.config.run.seed, self.learner.step, self.counts["cycles"]]
        return self.learn(steps, np.random.default_rng(seed))

    def begin_new_games(self) -> None:
        """Does nothing: the games continue, since no run could repeat them anyway."""

    def _call(self, name: str, *given: Any) -> Any:
        try:
            return self._workers.call(name, *given)
        except ProcessEndedError:
            raise WorkersLostError(
                "Ray ended, as it does when one of its processes dies; the training so far is "
                "saved, resume with the same command."
            ) from None

    def _hand_out(self, busy: list[int]) -> None:
        """Fills every worker's queue of tasks. busy: how many tasks each has."""
        if self._published is not self.learner.state:
            self._published = self.learner.state
            self._call("publish", jax.device_get(self.learner.state.average))
        for most in range(1, _TASKS_PER_WORKER + 1):
            for place, tasks in enumerate(busy):
                if tasks < most:
                    self._begin(place)
                    busy[place] += 1

    def _begin(self, place: int) -> None:
        """Starts a task; solving comes first, so that the queue stays short."""
        number, size = self.counts["cycles"], self.config.solver.batch_size
        self.counts["cycles"] += 1
        beliefs = self.queue.pop(size) if len(self.queue) >= size else None
        self._call("begin", place, np.asarray(self.learner.state.step), number, beliefs)


@contextlib.contextmanager
def process_schedule(
    game: Game[Any],
    config: Config,
    address: str | None,
    num_workers: int | None,
    warn: Callable[[str], None] = lambda _: None,
) -> Iterator[ProcessSchedule]:
    """A context with a schedule on Ray; arguments of `ProcessSchedule` and `ray_cluster`.

    Raises ValueError as those do.
    """
    with contextlib.ExitStack() as stack:
        stack.callback(remove_leftovers, Path(tempfile.gettempdir()))  # if Ray ended
        try:
            workers = RemoteObject(
                ray_workers, config, address, num_workers, environment=cache_environment()
            )
        except ProcessEndedError:
            raise ValueError("Ray ended while it started.") from None
        stack.callback(workers.close)
        yield ProcessSchedule(game, config, workers, warn)
