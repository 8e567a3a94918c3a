"""The workers that make examples: one plays a batch of games, the other solves queries.

Both take the network with every call and return NumPy arrays, so that a schedule may have them in
its own process or in others.
"""

import dataclasses
import functools
import time
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, Fault
from gtcfr.mesh import batch_mesh, on_all, split_batch
from gtcfr.packing import BeliefState, packed_width, unpack
from selfplay.actor import Decisions, start_games, step_games
from selfplay.examples import StoredExample
from selfplay.query_solver import NewQueries, solve_queries
from selfplay.settings import Config, SelfplaySettings
from selfplay.trajectories import Trajectories
from sog.games.core import Game
from sog.kept_programs import kept
from sog.precision import in_32_bits

SELFPLAY: Final = "selfplay"
SOLVER: Final = "solver"
_PURPOSES: Final = (SELFPLAY, SOLVER)


class WorkersLostError(ValueError):
    """All workers are lost; the training so far can be saved."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class WorkerOutput:
    """The results of one call of a worker; NumPy arrays."""

    part: str
    """SELFPLAY or SOLVER."""
    examples: StoredExample | None
    """With a leading axis; None if there are none."""
    queries: BeliefState
    """Queries to solve, [query, ...]."""
    counts: dict[str, int]
    """Counts of the work, by the names of the metrics."""
    seconds: float
    """The duration of the call."""


def key_of(seed: int, cycle: int, part: str) -> Array:
    """The key of a part's work in a cycle."""
    key = jax.random.fold_in(jax.random.key(seed), cycle)
    return jax.random.fold_in(key, _PURPOSES.index(part))


class GamesWorker:
    """Plays a batch of games, one decision in each of them per call."""

    @in_32_bits
    def __init__(
        self,
        game: Game[Any],
        settings: SelfplaySettings,
        start: Callable[[Array], Any],
        step: Callable[..., tuple[Any, Decisions]],
        td1: float,
        capacity: int | None = None,
    ) -> None:
        """start: key -> games at their first decisions. step: (evaluator, games, version, key,
        mesh=) -> games after a decision in each, and the decisions. td1: the share of the decisions
        that become examples with the game's outcome. capacity: of a search, if set."""
        self._capacity = capacity
        self._game, self._settings, self._td1 = game, settings, td1
        self._start: Any = jax.jit(start)
        mesh = batch_mesh(settings.batch_size)
        self._split, self._on_all = split_batch(mesh), on_all(mesh)
        self._step: Any = jax.jit(
            kept(functools.partial(step, mesh=mesh)), out_shardings=(self._split, None)
        )
        self.begin_new_games()

    @in_32_bits
    def prepare(self, evaluator: Evaluator, version: Array) -> Callable[[], None]:
        """Traces the program; the returned function compiles it, in any thread."""
        games = jax.eval_shape(self._start, jax.random.key(0))
        games = jax.tree.map(
            lambda leaf: jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, sharding=self._split), games
        )
        inputs = (evaluator, version, jax.random.key(0))
        evaluator, version, key = jax.device_put(inputs, self._on_all)
        lowered = self._step.lower(evaluator, games, version, key)

        def compile_it() -> None:
            self._step = lowered.compile()

        return compile_it

    def begin_new_games(self) -> None:
        """Abandons the games in progress."""
        self._games: Any = None
        settings = self._settings
        self._trajectories = Trajectories(settings.batch_size, self._td1, settings.search_targets)

    @in_32_bits
    def play(
        self, evaluator: Evaluator, version: Array, key: Array, random: np.random.Generator
    ) -> WorkerOutput:
        """Makes one decision in every game. version: of the evaluator's network.

        Raises ValueError if a value is not finite, and for too small `max_events` or `capacity`.
        """
        began = time.perf_counter()
        start_key, step_key = jax.random.split(key)
        if self._games is None:
            # From the host: resharding a device's arrays would compile a program for every shape.
            started = jax.device_get(self._start(start_key))
            self._games = jax.device_put(started, self._split)
        evaluator, version, step_key = jax.device_put((evaluator, version, step_key), self._on_all)
        self._games, found = self._step(evaluator, self._games, version, step_key)
        decisions = jax.device_get(found)
        if decisions.overflows.any():
            raise ValueError(
                f"selfplay: max_events must be larger in {self._game.name}, where a player may see "
                f"more public events between two decisions, got {self._settings.max_events}."
            )
        if not decisions.has_arrived.all():
            raise ValueError(
                f"search: capacity must have room for the path from a player's last search to the "
                f"next one in {self._game.name}, got {self._capacity}."
            )
        _check(self._game, decisions.fault, "self-play")
        return WorkerOutput(
            part=SELFPLAY,
            examples=self._trajectories.add(decisions, self._game.max_utility, random),
            queries=_chosen(decisions.queries),
            counts={
                "searches": len(decisions.is_full),
                "games": int((decisions.is_over | decisions.is_resigned).sum()),
                "full_trees": int(decisions.is_full.sum()),
            },
            seconds=time.perf_counter() - began,
        )


class SelfplayWorker(GamesWorker):
    """Self-play of Student of Games."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        how = (game, config.search, config.selfplay)
        start = kept(functools.partial(start_games, *how))
        step = functools.partial(step_games, *how)
        td1, capacity = config.selfplay.td1, config.search.capacity
        super().__init__(game, config.selfplay, start, step, td1=td1, capacity=capacity)


class SolverWorker:
    """Solves batches of queries."""

    def __init__(self, game: Game[Any], config: Config) -> None:
        self._game = game
        self._batch_size = config.solver.batch_size
        mesh = batch_mesh(self._batch_size)
        self._split, self._on_all = split_batch(mesh), on_all(mesh)
        self._solve: Any = jax.jit(
            kept(functools.partial(solve_queries, game, config.solver, mesh=mesh))
        )

    @in_32_bits
    def prepare(self, evaluator: Evaluator, version: Array) -> Callable[[], None]:
        """As of `GamesWorker`."""
        size, game = self._batch_size, self._game
        state: Any = np.zeros((size, packed_width(game)), np.int32)
        ranges: Any = np.zeros((size, 2, game.num_infostates), np.float32)
        inputs = (evaluator, version, jax.random.key(0))
        evaluator, version, key = jax.device_put(inputs, self._on_all)
        queries = jax.device_put(BeliefState(state=state, ranges=ranges), self._split)
        lowered = self._solve.lower(evaluator, queries, version, key)

        def compile_it() -> None:
            self._solve = lowered.compile()

        return compile_it

    @in_32_bits
    def solve(
        self,
        evaluator: Evaluator,
        version: Array,
        beliefs: BeliefState,
        key: Array,
    ) -> WorkerOutput:
        """Solves queries [query, ...]; all batches have the same size.

        Raises ValueError if a value is not finite.
        """
        began = time.perf_counter()
        queries = jax.device_put(beliefs, self._split)
        evaluator, version, key = jax.device_put((evaluator, version, key), self._on_all)
        solved = jax.device_get(self._solve(evaluator, queries, version, key))
        _check(self._game, solved.fault, "the query solver")
        return WorkerOutput(
            part=SOLVER,
            examples=solved.examples,
            queries=_chosen(solved.queries),
            counts={"solves": len(beliefs.ranges)},
            seconds=time.perf_counter() - began,
        )


def _chosen(queries: NewQueries) -> BeliefState:
    chosen = np.asarray(queries.chosen)
    beliefs: BeliefState = jax.tree.map(lambda leaf: np.asarray(leaf)[chosen], queries.beliefs)
    return beliefs


def _check(game: Game[Any], fault: Fault, where: str) -> None:
    """Raises ValueError if the network gave a value that is not finite."""
    found = np.asarray(fault.found)
    if found.any():
        state = unpack(game, jnp.asarray(fault.state[int(np.argmax(found))]))
        raise ValueError(
            f"the network gave a value that is not finite in {where}, at the public state "
            f"'{game.describe_state(state)}'."
        )
