"""A search that can be inspected while it runs, with ranges that may be edited.

It runs in slices (`sog.play.thinking`) in other threads, taking turns with other searches; between
slices it can be paused and read. Programs are compiled in advance, once per game and budget: paths
are padded, so that other public states use the same programs.
"""

import copy
import dataclasses
import threading
import time
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np

from gtcfr.locks import HeldPolicies
from gtcfr.root import NO_EVENT, SearchRoot, check_root, known_root, start_of_game
from gtcfr.search import check_result
from sog.games import Game
from sog.play.locked import hold_locks
from sog.play.thinking import SLICE_SECONDS, Thinking
from sog.tabular.locks import Lock
from sog.web.interfaces import Poll, RequestError, SearchSetup, Submit, failed, request_errors
from sog.web.preparations import Preparations
from sog.web.snapshots import (
    Estimates,
    ExactSolution,
    Snapshot,
    Solving,
    can_be_solved,
    check_size,
    read_snapshot,
    solve_below,
)

WHOLE, WATCHED, PAUSED = "whole", "watched", "paused"
"""How a search runs: at full speed, slowly enough to watch, or not at all."""
_SECONDS_PER_SNAPSHOT: Final = 0.3
_SNAPSHOTS: Final = 40  # shown of a search in WATCHED mode
_PATH_STEP: Final = 4
_LOCK_STEP: Final = 4


class WatchedSearch:
    """One search. Methods are thread-safe."""

    def __init__(
        self,
        searcher: SearchSetup,
        outcomes: tuple[int, ...],
        *,
        start: Any = None,
        ranges: np.ndarray | None = None,
        before: Estimates | None = None,
        locks: tuple[Lock, ...] = (),
        free_value: float | None = None,
        seed: int = 0,
        mode: str = WHOLE,
        submit: Submit,
    ) -> None:
        """Compiles its programs. outcomes: the public events that lead to the state to search.

        start: where they begin, if not at the root (perfect information only). ranges: [player, S]
        at the state, unnormalized; None searches for them from the start of the game. before: the
        estimates with other ranges. locks: with events from `start`; free_value: the state's value
        to player 0 without them. Raises RequestError for invalid arguments.
        """
        self.searcher, self.outcomes, self.before, self.seed = searcher, outcomes, before, seed
        self.start, self.ranges, self.locks, self.free_value = start, ranges, locks, free_value
        self.mode, self.problem = mode, ""
        self.solving = Solving()
        self.has_own_ranges = ranges is not None
        self.seconds = 0.0
        self._submit, self._lock = submit, threading.RLock()
        self._reading = threading.Lock()
        self._snapshot: Snapshot | None = None
        self._is_closed = self._is_working = False
        root = _root(searcher.game, outcomes, ranges, start)
        self._root = dataclasses.replace(root, held=_held(searcher.game, locks, start))
        began = time.perf_counter()
        with request_errors():  # such as invalid sizes
            self._thinking = self._first()
            self._thinking.compile()
        self.compile_seconds = time.perf_counter() - began
        self._target = 1 if mode == PAUSED else self.total
        with self._lock:
            self._schedule()

    def again(self, **changes: Any) -> "WatchedSearch":
        """A new search like this one, but for some arguments of `WatchedSearch`."""
        names = ("searcher", "outcomes", "start", "ranges", "locks", "seed")
        same = {name: getattr(self, name) for name in names}
        return WatchedSearch(**{**same, **changes}, submit=self._submit)

    @property
    def updates(self) -> int:
        """Updates made so far."""
        return self._thinking.num_updates

    @property
    def total(self) -> int:
        """Updates of the whole search."""
        return self._thinking.total

    @property
    def is_busy(self) -> bool:
        """Whether it is searching or solving."""
        return self._is_working or self.solving.is_busy

    @property
    def is_finished(self) -> bool:
        """Whether it is idle."""
        return not self.is_busy

    def resume(self, count: int, mode: str) -> None:
        """Makes up to `count` more updates."""
        with self._lock:
            self.mode = mode
            self._target = min(self.updates + count, self.total)
            self._schedule()

    def pause(self) -> None:
        """Pauses after the current slice."""
        with self._lock:
            self._target, self.mode = self.updates, PAUSED

    def start_anew(self) -> None:
        """Restarts the search, an update at a time."""
        with self._lock:
            if self._is_working:
                raise RequestError("The search is running: pause it first.")
            self._thinking, self._snapshot, self.seconds = self._first(), None, 0.0
            self.mode, self._target = PAUSED, 1
            self._schedule()

    def extend(self, searcher: SearchSetup) -> None:
        """Continues with more simulations and the same tree.

        searcher: the setup so far, with more simulations. Compiles if needed. Raises RequestError
        for invalid sizes.
        """
        with self._lock:
            if self._is_working or self.updates < self.total:
                raise RequestError("The search has not made all its simulations yet.")
            larger = copy.copy(self._thinking)
        with request_errors():  # such as fewer simulations than before
            larger.extend(searcher.settings.num_simulations)
            larger.compile()
        with self._lock:
            if self._is_working or self.updates != larger.num_updates:
                raise RequestError("The search was restarted meanwhile.")
            self._thinking, self.searcher = larger, searcher
            self.mode, self._target = WHOLE, self.total
            self._schedule()

    def close(self) -> None:
        """Stops the search."""
        self._is_closed = True
        self.solving.stop()

    def snapshot(self) -> Snapshot | None:
        """The current snapshot; None before the first update."""
        with self._reading:  # snapshots are large: concurrent readers share one
            with self._lock:
                now, known = (
                    copy.copy(self._thinking),
                    self._snapshot,
                )  # the search continues meanwhile
            if now.num_updates == 0:
                return None
            if known is None or known.num_updates != now.num_updates:
                known = self._snapshot = read_snapshot(now)
            return known

    def solve(self, preparations: Preparations, title: str) -> None:
        """Solves the subgame by CFR+, unless it is too large."""
        snapshot = self.snapshot()
        if snapshot is None or self.solving.is_busy:
            raise RequestError("The search has found nothing yet.")
        check_size(self.searcher.shown)
        state, ranges = snapshot.nodes[snapshot.row].state, snapshot.found.ranges
        below = [one for one in self.locks if one.outcomes[: len(self.outcomes)] == self.outcomes]

        def solve(poll: Poll) -> ExactSolution:
            return solve_below(self.searcher.shown, state, ranges, below, self.outcomes, poll)

        self.solving.begin(solve, preparations, title)

    def can_be_solved(self, snapshot: Snapshot) -> bool:
        """Whether an exact solution is missing and feasible."""
        solving = self.solving
        is_open = solving.exact is None and not solving.is_hopeless
        return is_open and can_be_solved(self.searcher.shown, len(snapshot.nodes))

    # In other threads.

    def _schedule(self) -> None:
        """Queues a slice unless one is queued; the caller holds the lock."""
        if not self._is_working:
            self._next_slice()

    def _next_slice(self) -> None:
        """Queues a slice if there is something to do."""
        with self._lock:
            self._is_working = self.updates < self._target and not self._is_closed
            if self._is_working:
                self._submit(self._work)

    def _work(self) -> None:
        """Runs one slice."""
        pause = 0.0
        try:
            if not self._is_closed:
                pause = self._run_slice()
        except ValueError as error:
            self._fail(str(error))
        except Exception as error:
            self._fail(failed("the search", error))
        if pause > 0 and self.updates < self._target:  # other searches take turns meanwhile
            timer = threading.Timer(pause, self._next_slice)
            timer.daemon = True
            timer.start()
        else:
            self._next_slice()

    def _fail(self, problem: str) -> None:
        with self._lock:
            self.problem, self._target = problem, self.updates

    def _run_slice(self) -> float:
        """Makes some updates; returns the seconds to wait before the next ones."""
        with self._lock:
            next_, most, is_watched = copy.copy(self._thinking), self._target, self.mode == WATCHED
        most -= next_.num_updates
        if is_watched:
            most = min(most, max(1, self.total // _SNAPSHOTS))
        seconds = next_.run_slice(most, SLICE_SECONDS)
        with self._lock:
            self._thinking = next_
            self.seconds += seconds
        if self.updates >= self._target:
            check_result(self.searcher.game, next_.read())
        return _SECONDS_PER_SNAPSHOT - seconds if is_watched else 0.0

    def _first(self) -> Thinking:
        """The search before its first update."""
        return Thinking(
            self.searcher.game,
            evaluator=self.searcher.evaluator,
            root=self._root,
            key=jax.random.key(self.seed),
            settings=self.searcher.settings,
            is_shared=True,
        )


def _root(
    game: Game[Any], outcomes: tuple[int, ...], ranges: np.ndarray | None, start: Any
) -> SearchRoot:
    """The root of the search, validated."""
    if start is not None and type(start) is not type(game.root()):
        raise RequestError("This evaluator needs a search from the start of the game.")
    length = 0 if ranges is not None else len(outcomes)
    path = np.full((1, max(1, -(-length // _PATH_STEP)) * _PATH_STEP), NO_EVENT, np.int32)
    if ranges is None:
        path[0, :length] = outcomes
        return start_of_game(game, path=path, state=start)
    state = game.root() if start is None else start
    for outcome in outcomes:
        state = game.apply(state, jnp.int32(outcome))
    sums = ranges.sum(axis=1, keepdims=True)
    if not (np.isfinite(ranges).all() and (ranges >= 0).all() and (sums > 0).all()):
        raise RequestError("A range must have weights >= 0, and at least one > 0.")
    batch = jax.tree.map(lambda leaf: jnp.asarray(leaf)[None], state)
    own = jnp.asarray((ranges / sums)[None], jnp.float32)
    root = known_root(batch, own, path=jnp.asarray(path))
    with request_errors():
        check_root(game, root)
    return root


def _held(game: Game[Any], locks: tuple[Lock, ...], start: Any) -> HeldPolicies | None:
    """The locks, padded with empty ones so that another lock does not recompile."""
    if not locks:
        return None
    nothing = dataclasses.replace(locks[0], is_held=np.zeros_like(locks[0].is_held))
    return hold_locks(game, (*locks, *[nothing] * (-len(locks) % _LOCK_STEP)), start=start)
