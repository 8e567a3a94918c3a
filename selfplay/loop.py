"""The inline schedule: actors, query solver and learner take turns in one process.

It needs nothing else, and is deterministic: the same configuration on the same machine gives the
same parameters, bit for bit, also if the run was killed and resumed from a checkpoint. For that,
every random number follows from the seed and the number of the cycle, and games in progress are
begun anew after every checkpoint, whether or not the run goes on from it.
"""

import functools
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.evaluator import Fault, NetworkEvaluator
from gtcfr.packing import unpack
from networks.cvpn import make_network
from selfplay.actor import Games, start_games, step_games
from selfplay.learner import Learner
from selfplay.query_solver import NewQueries, solve_queries
from selfplay.replay import QueryQueue, Replay
from selfplay.settings import Config
from selfplay.trajectories import Trajectories
from sog.games.core import Game

STEPS_PER_CALL: Final = 8
"""Learner steps that are one call of the device."""
_ACTOR, _SOLVER = 0, 1  # what a key is for
PARTS: Final = ("selfplay", "solver", "learner")


class InlineTraining:
    """A training run in memory; `cycle` makes it go on."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        """Raises ValueError for sizes that the game cannot have."""
        self.game, self.config = game, config
        self.apply_fn, params = make_network(game, config.network, config.run.seed)
        self.learner = Learner(game, self.apply_fn, config.learner, params)
        self.replay = Replay(game, config.replay.size, config.replay.max_grad_updates)
        self.queue = QueryQueue(config.solver.queue_size)
        self.counts = dict.fromkeys(("cycles", "searches", "solves", "games", "full_trees"), 0)
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._start: Any = jax.jit(
            functools.partial(
                start_games, game, search_settings=config.search, settings=config.selfplay
            )
        )
        self._step: Any = jax.jit(
            functools.partial(step_games, game, config.search, config.selfplay)
        )
        solver = config.solver
        self._solve: Any = jax.jit(
            functools.partial(solve_queries, game, solver.search, solver.recursive_queries)
        )
        self._games: Games | None = None
        self._trajectories = self._new_trajectories()

    @property
    def evaluator(self) -> NetworkEvaluator:
        """The network as it is now."""
        return NetworkEvaluator(apply_fn=self.apply_fn, params=self.learner.state.params)

    @property
    def is_done(self) -> bool:
        """Whether all learner steps are done."""
        return self.learner.step >= self.config.run.steps

    def cycle(self, until: int | None = None) -> dict[str, float]:
        """One decision in all games, the solves that are due, the learner steps that are due.

        until: no learner step beyond this one, as for a checkpoint there. Returns the losses, empty
        if there was no learner step. Raises ValueError if a search or a step fails (see
        `gtcfr.search.check_result`, `selfplay.learner.NotFiniteError`).
        """
        random = np.random.default_rng([self.config.run.seed, self.counts["cycles"]])
        key = jax.random.fold_in(jax.random.key(self.config.run.seed), self.counts["cycles"])
        with _Clock(self.seconds, "selfplay"):
            self._play(jax.random.fold_in(key, _ACTOR), random)
        with _Clock(self.seconds, "solver"):
            self._solve_all(jax.random.fold_in(key, _SOLVER))
        with _Clock(self.seconds, "learner"):
            losses = self._learn(random, self.config.run.steps if until is None else until)
        self.counts["cycles"] += 1
        return losses

    def begin_new_games(self) -> None:
        """Gives up the games in progress; to be done after each checkpoint."""
        self._games, self._trajectories = None, self._new_trajectories()

    def _new_trajectories(self) -> Trajectories:
        return Trajectories(self.config.selfplay.batch_size, self.config.selfplay.td1)

    def _play(self, key: Any, random: np.random.Generator) -> None:
        evaluator, version = self.evaluator, self.learner.state.step
        start_key, step_key = jax.random.split(key)
        if self._games is None:
            self._games = self._start(evaluator=evaluator, key=start_key)
        self._games, found = self._step(evaluator, self._games, version, step_key)
        decisions = jax.device_get(found)
        if decisions.overflows:
            raise ValueError(
                f"selfplay: max_events must be larger in {self.game.name}, where a player may see "
                f"more public events between two decisions, got {self.config.selfplay.max_events}."
            )
        _check(self.game, decisions.fault, "self-play")
        size = len(decisions.is_over)
        self.counts["searches"] += size
        self.counts["games"] += int((decisions.is_over | decisions.is_abandoned).sum())
        self.counts["full_trees"] += int(decisions.num_full)
        self._enqueue(decisions.queries)
        examples = self._trajectories.add(decisions, self.game.max_utility, random)
        if examples is not None:
            self.replay.add(examples)

    def _solve_all(self, key: Any) -> None:
        size, number = self.config.solver.batch_size, 0
        while len(self.queue) >= size:
            states, ranges = self.queue.pop(size)
            solved = jax.device_get(
                self._solve(
                    self.evaluator,
                    states,
                    ranges,
                    self.learner.state.step,
                    jax.random.fold_in(key, number),
                )
            )
            _check(self.game, solved.fault, "the query solver")
            self.replay.add(solved.examples)
            self._enqueue(solved.queries)
            self.counts["solves"] += size
            number += 1

    def _enqueue(self, queries: NewQueries) -> None:
        chosen = np.asarray(queries.chosen)
        self.queue.add(np.asarray(queries.state)[chosen], np.asarray(queries.ranges)[chosen])

    def _learn(self, random: np.random.Generator, until: int) -> dict[str, float]:
        losses: list[dict[str, float]] = []
        if len(self.replay) < self.config.replay.least:
            return {}
        size = self.config.learner.batch_size
        while self.learner.step < until:
            steps = min(STEPS_PER_CALL, until - self.learner.step)
            if self.replay.num_batches(size) < steps:
                break
            losses.append(self.learner.train(self.replay.draw((steps, size), random)))
        if not losses:
            return {}
        return {name: float(np.mean([one[name] for one in losses])) for name in losses[0]}

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """Everything that a run goes on from: named arrays, and numbers."""
        arrays = {f"learner/{n:04}": leaf for n, leaf in enumerate(self.learner.save())}
        for room, kept in (("replay", self.replay.save()), ("queue", self.queue.save())):
            arrays |= {f"{room}/{name}": leaf for name, leaf in kept.items()}
        return arrays, {"counts": self.counts, "seconds": self.seconds}

    def load(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Takes over what `save` gave; ValueError if it is of another network or optimizer."""

        def room(name: str) -> dict[str, np.ndarray]:
            prefix = f"{name}/"
            return {
                key.removeprefix(prefix): leaf
                for key, leaf in sorted(arrays.items())
                if key.startswith(prefix)
            }

        self.learner.load(list(room("learner").values()))
        self.replay.load(room("replay"))
        self.queue.load(room("queue"))
        self.counts, self.seconds = dict(numbers["counts"]), dict(numbers["seconds"])
        self.begin_new_games()


class _Clock:
    """Adds the time of its body to a part."""

    def __init__(self, seconds: dict[str, float], part: str) -> None:
        self._seconds, self._part = seconds, part

    def __enter__(self) -> None:
        self._began = time.perf_counter()

    def __exit__(self, *_: object) -> None:
        self._seconds[self._part] += time.perf_counter() - self._began


def _check(game: Game[Any], fault: Fault, where: str) -> None:
    """Raises ValueError if the network gave a value that is not finite."""
    found = np.asarray(fault.found)
    if found.any():
        state = unpack(game, jnp.asarray(fault.state[int(np.argmax(found))]))
        raise ValueError(
            f"the network gave a value that is not finite in {where}, at the public state "
            f"'{game.describe_state(state)}'."
        )
