"""The inline schedule: actors, query solver and learner take turns in one process.

It is deterministic: the same configuration on the same devices gives the same parameters, bit for
bit, also if the run was killed and resumed from a checkpoint. For that, every random number derives
from the seed and the number of the cycle, and games start anew after every checkpoint, whether or
not the run resumes from it.
"""

import concurrent.futures
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from selfplay.schedule import Schedule
from selfplay.settings import Config
from selfplay.workers import SELFPLAY, SOLVER, GamesWorker, SolverWorker, key_of
from sog.games.core import Game


class InlineSchedule(Schedule):
    """One worker of each kind, in this process."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        """Raises ValueError for sizes that the game cannot have."""
        super().__init__(game, config)
        self._player = self.recipe.player(game, config)
        self._solver = self.recipe.solver and self.recipe.solver(game, config)

    def prepare(self, report: Callable[[Sequence[str]], None]) -> None:
        """Compiles self-play and the query solver concurrently, since a compilation seldom uses
        more than one core. report: called with the names of the unfinished programs."""
        evaluator, version = self.evaluator, self.learner.state.step
        workers: dict[str, GamesWorker | SolverWorker] = {"self-play": self._player}
        if self._solver is not None:
            workers["the query solver"] = self._solver
        report([*workers])
        pool = concurrent.futures.ThreadPoolExecutor(len(workers))
        try:
            waiting = {
                pool.submit(worker.prepare(evaluator, version)): name
                for name, worker in workers.items()
            }
            for done in concurrent.futures.as_completed([*waiting]):
                done.result()
                del waiting[done]
                if waiting:
                    report([*waiting.values()])
        finally:
            pool.shutdown(wait=False, cancel_futures=True)  # Ctrl-C does not wait for a compiler

    def _advance(self, until: int | None) -> dict[str, float]:
        """Makes a decision in all games, then the solves and the learner steps that are due; only
        the learner steps while `only_learns`."""
        seed, cycle = self.config.run.seed, self.counts["cycles"]
        random = np.random.default_rng([seed, cycle])
        version = self.learner.state.step
        key = key_of(seed, cycle, SELFPLAY)
        if not self.only_learns():
            self.take_in(self._player.play(self.evaluator, version, key, random))
            self._solve_all(key_of(seed, cycle, SOLVER))
        losses: list[dict[str, float]] = []
        while steps := self.steps_due(until):
            losses.append(self.learn(steps, random))
        self.counts["cycles"] += 1
        if not losses:
            return {}
        return {name: float(np.mean([one[name] for one in losses])) for name in losses[0]}

    def begin_new_games(self) -> None:
        """Abandons the games in progress, as a run resumed from the checkpoint would."""
        self._player.begin_new_games()

    def _solve_all(self, key: jax.Array) -> None:
        size, number = self.config.solver.batch_size, 0
        while self._solver is not None and len(self.queue) >= size:
            self.take_in(
                self._solver.solve(
                    self.evaluator,
                    self.learner.state.step,
                    self.queue.pop(size),
                    jax.random.fold_in(key, number),
                )
            )
            number += 1
