"""The common part of all schedules: learner, replay, query queue, and saving them.

`selfplay.loop` runs actors, solver and learner in turns, `selfplay.processes` concurrently.
"""

import abc
import time
from collections.abc import Iterator
from typing import Any, Final

import jax
import numpy as np

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.packing import BeliefState
from networks.cvpn import make_network
from selfplay.learner import STEPS_PER_CALL, Learner, check_batch, learner_devices
from selfplay.memory import check_training
from selfplay.random_games import play_random_games
from selfplay.recipe import make_evaluator, recipe_of
from selfplay.replay import QueryQueue, Replay
from selfplay.settings import Config
from selfplay.sources import ExampleSource, check_source, find_source
from selfplay.workers import SELFPLAY, SOLVER, WorkerOutput
from sog.games.core import Game
from sog.games.encoding import CardHands

_LEARNER: Final = "learner"
_REPLAY, _QUEUE = "replay", "queue"
PASSING: Final = (f"{_REPLAY}/", f"{_QUEUE}/")
"""Prefixes of the arrays that are needed to resume a run, but not to play."""
_FIRST_EXAMPLES: Final = 2**32 - 1  # in place of a cycle's number, for their random numbers
_RANDOM_QUERIES: Final = 2**32 - 2
COUNTS: Final = ("cycles", "searches", "solves", "games", "full_trees")
PARTS: Final = (SELFPLAY, SOLVER, _LEARNER)


class Schedule(abc.ABC):
    """A training run in memory; `cycle` advances it."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        """Raises ValueError for impossible sizes."""
        check_config(game, config)
        self.game, self.config = game, config
        self.recipe, self.source = recipe_of(config), find_source(game)
        self.apply_fn, params = make_network(game, config.network, config.run.seed)
        self.learner = Learner(game, self.apply_fn, config.learner, params)
        self.replay = Replay(game, config.replay.size, config.replay.max_grad_updates)
        self.queue = QueryQueue(game, config.solver.queue_size)
        self.counts = dict.fromkeys(COUNTS, 0)
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._is_gathered = False

    @property
    def evaluator(self) -> NetworkEvaluator:
        """The current network."""
        return make_evaluator(self.apply_fn, self.learner.state.average)

    @property
    def is_done(self) -> bool:
        """Whether all learner steps are done."""
        return self.learner.step >= self.config.run.steps

    def cycle(self, until: int | None = None) -> dict[str, float]:
        """Advances the run a little; the first call gathers the first examples.

        until: the last learner step to take, as for a checkpoint there. Returns the losses, empty
        if there was no learner step. Raises ValueError if a search or a step fails (see
        `selfplay.workers`, `selfplay.learner.NotFiniteError`).
        """
        for _ in self.gather():
            pass
        return self._advance(until)

    @abc.abstractmethod
    def _advance(self, until: int | None) -> dict[str, float]:
        """A cycle."""

    def gather(self) -> Iterator[tuple[str, int, int]]:
        """Plays the random games and solves the random spots, if there are no examples yet; `cycle`
        calls it if the caller has not. Yields the activity, how much is done, and of how much.
        """
        if self._is_gathered or self.replay.num_added:  # as in a restored checkpoint
            return
        play, seed = self.config.selfplay, self.config.run.seed
        key, random = jax.random.key(seed), np.random.default_rng([seed, _FIRST_EXAMPLES])
        games = play_random_games(self.game, play.random_games, play.random_share, key, random)
        sources = [("playing games at random", "games", games, play.random_games)]
        if self.source is not None:
            spots = self.source.solve(self.game, play.random_spots, random)
            sources.append(("solving random spots", "solves", spots, play.random_spots))
        for what, counted, works, total in sources:
            done = 0
            for work in works:
                self.take_in(work)
                done += work.counts.get(counted, 0)
                yield what, done, total
        self._is_gathered = True

    @abc.abstractmethod
    def begin_new_games(self) -> None:
        """Called after each checkpoint, which does not hold the games in progress."""

    def take_in(self, work: WorkerOutput) -> None:
        """Adds a worker's counts, examples and queries."""
        for name, count in work.counts.items():
            self.counts[name] += count
        self.seconds[work.part] += work.seconds
        self.queue.add(work.queries)
        if self.source is not None:
            self.queue.add(self._random_queries(self.source, len(work.queries.state)))
        if work.examples is not None:
            self.replay.add(work.examples)

    def _random_queries(self, source: ExampleSource, others: int) -> BeliefState:
        """Random spots to add to `others` queries: a share `solver.random_spots` of all."""
        share = self.config.solver.random_spots
        numbers = [self.config.run.seed, _RANDOM_QUERIES, *self.counts.values()]
        random = np.random.default_rng(numbers)
        count = int(others * share / (1 - share) + random.random())
        # Exactly solved spots are better examples, while the replay has them.
        known = bool(self.config.selfplay.random_spots)
        known &= self.replay.num_added <= self.replay.size
        return source.queries(self.game, count, random, not known)

    def only_learns(self) -> bool:
        """Whether the network must first learn the spots solved before the first game: examples
        from earlier searches with it would stay in the replay for long."""
        is_first = bool(self.config.selfplay.random_spots) and not self.counts["searches"]
        return is_first and self.steps_due(None) > 0

    def steps_due(self, until: int | None) -> int:
        """Learner steps that the next call may take; 0 if there are too few examples."""
        left = (self.config.run.steps if until is None else until) - self.learner.step
        steps = min(STEPS_PER_CALL, left)
        too_few = len(self.replay) < self.config.replay.least
        if too_few or self.replay.num_batches(self.config.learner.batch_size) < steps:
            return 0
        return max(steps, 0)

    def learn(self, steps: int, random: np.random.Generator) -> dict[str, float]:
        """Takes learner steps in one call; returns the losses."""
        began = time.perf_counter()
        batches = self.replay.draw((steps, self.config.learner.batch_size), random)
        losses = self.learner.train(batches)
        self.seconds[_LEARNER] += time.perf_counter() - began
        return losses

    def save(self) -> tuple[dict[str, np.ndarray], dict[str, Any]]:
        """The state that a run resumes from: named arrays, and numbers."""
        arrays = {f"learner/{n:04}": leaf for n, leaf in enumerate(self.learner.save())}
        for room, kept in ((_REPLAY, self.replay.save()), (_QUEUE, self.queue.save())):
            arrays |= {f"{room}/{name}": leaf for name, leaf in kept.items()}
        return arrays, {"counts": self.counts, "seconds": self.seconds}

    def load(self, arrays: dict[str, np.ndarray], numbers: dict[str, Any]) -> None:
        """Restores what `save` returned; ValueError if it is from another network or optimizer.

        `PASSING` arrays may be missing; then the examples are gathered anew.
        """
        self.learner.load(list(arrays_of(arrays, "learner").values()))
        if kept := arrays_of(arrays, _REPLAY):
            self.replay.load(kept)
            self.queue.load(arrays_of(arrays, _QUEUE))
        self.counts, self.seconds = dict(numbers["counts"]), dict(numbers["seconds"])
        self.begin_new_games()


def arrays_of(arrays: dict[str, np.ndarray], part: str) -> dict[str, np.ndarray]:
    """The arrays of one part of a schedule, in the order of their names."""
    prefix = f"{part}/"
    return {
        name.removeprefix(prefix): leaf
        for name, leaf in sorted(arrays.items())
        if name.startswith(prefix)
    }


def check_config(game: Game[Any], config: Config) -> None:
    """Raises ValueError for a network or searches that the game does not support or that do not fit
    into memory; compiles nothing."""
    check_source(game, selfplay=config.selfplay.random_spots, solver=config.solver.random_spots)
    if config.learner.relative_values and not isinstance(game.encoding, CardHands):
        raise ValueError(
            f"learner: relative_values must be false in {game.name}, whose states do not define "
            f"what is at stake, got true."
        )
    searches = recipe_of(config).check(game, config)
    check_batch(config.learner, len(learner_devices()))
    check_training(game, config, searches)
