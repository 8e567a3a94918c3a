"""A search that the host starts, resumes, stops and reads.

    thinking = Thinking(game, evaluator=evaluator, root=start_of_game(game), key=key)
    thinking.go(seconds=1.0)
    thinking.read().policy
    thinking.go()    # the rest of it

A compiled program cannot be interrupted, so a search runs in slices: calls of about `SLICE_SECONDS`
each. Between them Python handles signals, the clock and `stop`. The result after all updates does
not depend on the slices. `think` runs a whole search.
"""

import functools
import math
import threading
import time
from collections.abc import Callable
from typing import Any, Final, cast

import jax
import numpy as np
from jax import Array

from gtcfr.enlarging import enlarge, with_more_simulations
from gtcfr.evaluator import Evaluator
from gtcfr.root import SearchRoot, start_of_game
from gtcfr.search import SearchResult, advance, begin, read, search
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree_reuse import can_reuse, reuse_subtree
from sog.games.core import Game
from sog.kept_programs import HostProgram, compiles_quickly, kept, quick_options
from sog.precision import in_32_bits

SLICE_SECONDS: Final = 0.2
"""Intended duration of a slice."""
_MOST_GROWTH: Final = 8
_UPDATES_AT_ONCE: Final = 1000
"""Searches with at most so many updates run as one call unless they have a clock or report
progress: calling a compiled program costs some 0.5 ms, a tenth of a short search."""
_can_reuse: Final = HostProgram(can_reuse)


class Thinking:
    """A batch of searches as by `gtcfr.search.search`, but resumable in slices.

    One thread at a time may advance it; any may call `stop`. If is_shared, `copy.copy` makes an
    independent search that continues from the same point.
    """

    num_updates: int
    """Regret updates made so far."""
    pace: float
    """Seconds per update in the last slice; 0 before the first."""
    is_draft: bool
    """Whether it runs the programs that `compile_search` calls drafts."""

    @in_32_bits
    def __init__(
        self,
        game: Game[Any],
        *,
        evaluator: Evaluator,
        root: SearchRoot,
        key: Array,
        settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
        is_shared: bool = False,
        is_draft: bool = False,
    ) -> None:
        """Starts the searches, before their first update; arguments and errors as in `search`.

        is_shared: arrays are not updated in place, which needs twice the memory.
        """
        self.is_draft = is_draft
        self.game, self.settings, self._evaluator = game, settings, evaluator
        self.num_updates = 0
        self._is_shared = is_shared
        self._path_length = root.path.shape[1]
        start = _compiled(begin, game, is_draft=is_draft, settings=settings)
        self._state: SearchState = start(evaluator=evaluator, root=root, key=key)
        self._forget_pace()
        self._is_stopped = threading.Event()

    @property
    def total(self) -> int:
        """Updates of the whole search."""
        return self.settings.num_updates

    @in_32_bits
    def compile(self) -> None:
        """Compiles all programs, and makes no update."""
        self._state = self._advance(0)
        jax.block_until_ready(self.read())

    def go(
        self,
        count: int | None = None,
        *,
        seconds: float | None = None,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        """Makes `count` more updates, or all that are left; ends early when time is up.

        seconds: without compilation; at least one update is made. progress: called with the number
        of updates so far, after compilation and after each slice. Raises ValueError unless
        seconds > 0.
        """
        if seconds is not None and not seconds > 0:
            raise ValueError(f"seconds must be > 0, got {seconds}.")
        self._is_stopped.clear()
        left = self.total - self.num_updates
        target = self.num_updates + (left if count is None else min(count, left))
        if seconds is not None or progress is not None:
            self.compile()
        if progress is not None:
            progress(self.num_updates)
        end = math.inf if seconds is None else time.perf_counter() + seconds
        left_seconds = math.inf
        while self.num_updates < target and left_seconds > 0 and not self._is_stopped.is_set():
            self.run_slice(target - self.num_updates, min(SLICE_SECONDS, left_seconds))
            if progress is not None:
                progress(self.num_updates)
            left_seconds = end - time.perf_counter()

    @in_32_bits
    def reuse_subtree(self, outcome: int, key: Array) -> bool:
        """Moves the root to the state after an event and keeps its subtree, see `gtcfr.tree_reuse`.

        Raises ValueError for hidden information. key: for the simulations to come. Returns False,
        and does nothing, if that state was not expanded. `SearchSettings.kept_simulations` makes
        room for as many new simulations as before.
        """
        outcomes = np.full(len(self._state.num_updates), outcome, np.int32)
        if not np.asarray(_can_reuse(self._state, outcomes)).all():
            return False
        reuse = _compiled(reuse_subtree, self.game, settings=self.settings)
        self._state = reuse(evaluator=self._evaluator, state=self._state, outcome=outcomes, key=key)
        self.num_updates = 0
        self._forget_pace()
        return True

    @in_32_bits
    def extend(self, num_simulations: int) -> None:
        """Enlarges the trees to continue to so many simulations in all.

        The result is that of a search with that room from the start, unless its tree grew early: it
        grows through all further updates. It recompiles, and changes `settings`. Raises ValueError
        for fewer simulations than before, invalid sizes, and a rule whose averages are planned.
        """
        settings = with_more_simulations(self.settings, self._state.tree.shape, num_simulations)
        grow = _compiled(enlarge, self.game, settings=settings, path_length=self._path_length)
        self._state = grow(evaluator=self._evaluator, state=self._state)
        self.settings = settings

    def stop(self) -> None:
        """Ends `go` after the current slice; the search can be resumed."""
        self._is_stopped.set()

    def _forget_pace(self) -> None:
        self.pace, self._most_updates = 0.0, 1

    @in_32_bits
    def run_slice(self, most: int, seconds: float) -> float:
        """Makes at most `most` updates in about so many seconds; returns the seconds they took."""
        fitting = int(seconds / self.pace) if self.pace else 1
        count = min(fitting, self._most_updates, most, self.total - self.num_updates)
        count = max(1, count)
        began = time.perf_counter()
        self._state = jax.block_until_ready(self._advance(count))
        taken = time.perf_counter() - began
        self.num_updates += count
        self.pace = max(taken, 1e-9) / count
        # Updates take longer as trees grow, so counts increase gradually.
        self._most_updates = count * _MOST_GROWTH
        return taken

    @in_32_bits
    def read(self) -> SearchResult:
        """The result so far; undefined before the first update."""
        result: SearchResult = _compiled(read, self.game)(state=self._state)
        return result

    def _advance(self, count: int) -> SearchState:
        how: dict[str, Any] = {"donates": not self._is_shared, "is_draft": self.is_draft}
        further = _compiled(advance, self.game, **how, settings=self.settings)
        state: SearchState = further(evaluator=self._evaluator, state=self._state, count=count)
        return state


@in_32_bits
def think(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    root: SearchRoot,
    key: Array,
    settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    is_draft: bool = False,
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> SearchResult:
    """Runs a batch of searches to the end; arguments as for `Thinking` and its `go`."""
    how: dict[str, Any] = {"is_draft": is_draft, "settings": settings}
    if progress is None and _runs_at_once(settings, seconds):
        run = _compiled(search, game, **how)
        result: SearchResult = run(evaluator=evaluator, root=root, key=key)
        return result
    thinking = Thinking(game, evaluator=evaluator, root=root, key=key, **how)
    thinking.go(seconds=seconds, progress=progress)
    return thinking.read()


@in_32_bits
def compile_think(
    game: Game[Any],
    *,
    settings: SearchSettings,
    seconds: float | None,
    **arguments: Any,
) -> SearchResult:
    """Compiles the programs of `think`, and runs none; returns the shapes of its result."""
    if not _runs_at_once(settings, seconds):
        return compile_search(game, settings=settings, **arguments)
    traced = cast(Any, _compiled(search, game, settings=settings)).trace(**arguments)
    traced.lower().compile()
    result: SearchResult = traced.out_info
    return result


def _runs_at_once(settings: SearchSettings, seconds: float | None) -> bool:
    return seconds is None and settings.num_updates <= _UPDATES_AT_ONCE


@in_32_bits
def compile_search(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    root: SearchRoot,
    key: Array,
    settings: SearchSettings,
    is_draft: bool = False,
    is_cancelled: Callable[[], bool] = lambda: False,
) -> SearchResult:
    """Compiles the programs of a `Thinking`, and runs none; returns the shapes of its result.

    root: committed to the first device, as results are. is_draft: those for a first search, without
    optimizations (`sog.kept_programs`).
    """
    how: dict[str, Any] = {"is_draft": is_draft, "settings": settings}

    def of_device(leaf: Any) -> Any:
        here = jax.sharding.SingleDeviceSharding(jax.devices()[0])
        return jax.ShapeDtypeStruct(leaf.shape, leaf.dtype, weak_type=leaf.weak_type, sharding=here)

    def compile_one(program: Callable[..., Any], **arguments: Any) -> Any:
        traced = cast(Any, program).trace(**arguments)
        if not is_cancelled():
            traced.lower().compile()
        return jax.tree.map(of_device, traced.out_info)

    shared = {"evaluator": evaluator, "key": key}
    state = compile_one(_compiled(begin, game, **how), root=root, **shared)
    further = _compiled(advance, game, donates=True, **how)
    compile_one(further, evaluator=evaluator, state=state, count=1)
    if not is_draft:
        outcome = np.zeros(len(root.path), np.int32)
        reuse = _compiled(reuse_subtree, game, settings=settings)
        compile_one(reuse, state=state, outcome=outcome, **shared)
        _can_reuse.compile(state, outcome)
    result: SearchResult = compile_one(_compiled(read, game), state=state)
    return result


def first_root(game: Game[Any], path: Array | np.ndarray, state: Any = None) -> SearchRoot:
    """`start_of_game` as one program instead of a dozen. path: [batch, event].

    state: where all begin instead of at the root, see `Game.read_position`.
    """
    start = _compiled(start_of_game, game, batch_size=len(path))
    root: SearchRoot = start(path=path, state=state)
    return root


def _compiled(
    function: Callable[..., Any],
    game: Game[Any],
    *,
    donates: bool = False,
    is_draft: bool = False,
    **settings: Any,
) -> Callable[..., Any]:
    """A function of `gtcfr` as a program of its other arguments, by name.

    donates: whether its `state` may be overwritten.
    """
    level = int(not is_draft) if compiles_quickly() else None
    return _program(function, game, tuple(settings.items()), donates, level)


@functools.lru_cache(maxsize=64)
def _program(
    function: Callable[..., Any],
    game: Game[Any],
    settings: tuple[tuple[str, Any], ...],
    donates: bool,
    level: int | None,
) -> Callable[..., Any]:
    compiled: Callable[..., Any] = jax.jit(
        kept(functools.partial(function, game, **dict(settings))),
        donate_argnames="state" if donates else None,
        compiler_options=None if level is None else quick_options(level),
    )
    return compiled
