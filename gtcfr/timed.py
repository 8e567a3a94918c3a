"""Searching from the host in slices of time: by a clock, watched, and heard by Ctrl-C.

A compiled program cannot be interrupted, so a search runs as several calls of one, each of about
`SLICE_SECONDS`. Between two of them Python handles signals, and a clock is looked at.
"""

import functools
import time
from collections.abc import Callable
from typing import Any, Final

import jax
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.root import SearchRoot, start_of_game
from gtcfr.search import SearchResult, advance, begin, read, search
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.kept_programs import kept
from sog.precision import in_32_bits

SLICE_SECONDS: Final = 0.2
"""How long a slice should take, about."""
_MOST_GROWTH: Final = 8
_UPDATES_AT_ONCE: Final = 1000
"""Searches of no more updates are one call, unless there is a clock or somebody watches: a call of
a compiled program costs some 0.5 ms, a tenth of a short search."""


@in_32_bits
def timed_search(
    game: Game[Any],
    *,
    evaluator: Evaluator,
    root: SearchRoot,
    key: Array,
    settings: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    seconds: float | None = None,
    progress: Callable[[int], None] | None = None,
) -> SearchResult:
    """A batch of searches as by `gtcfr.search.search`, compiled, but in slices.

    seconds: the search ends after so much time, compiling not counted, if it did not end before; at
    least one update is made. progress: called with the number of updates made, after each slice,
    and with 0 when all is compiled. What is found in all updates does not depend on the slices.
    Raises ValueError for seconds that are not positive, and what `search` raises.
    """
    if seconds is not None and not seconds > 0:
        raise ValueError(f"seconds must be > 0, got {seconds}.")
    result: SearchResult
    is_plain = seconds is None and progress is None
    if is_plain and settings.num_updates <= _UPDATES_AT_ONCE:
        result = _search(game, settings, evaluator, root, key)
        return result
    state = _begin(game, settings, evaluator, root, key)
    if not is_plain:
        # No update, but now it is compiled.
        state = jax.block_until_ready(_advance(game, settings, evaluator, state, 0))
    if progress is not None:
        progress(0)
    end = None if seconds is None else time.perf_counter() + seconds
    done, count = 0, 1
    while done < settings.num_updates:
        began = time.perf_counter()
        count = min(count, settings.num_updates - done)
        state = jax.block_until_ready(_advance(game, settings, evaluator, state, count))
        done += count
        now = time.perf_counter()
        if progress is not None:
            progress(done)
        if end is not None and now >= end:
            break
        left = SLICE_SECONDS if end is None else min(SLICE_SECONDS, end - now)
        # Trees grow, and updates take longer then: no leaps.
        count = max(1, min(int(count * left / max(now - began, 1e-9)), count * _MOST_GROWTH))
    result = _read(game, state)
    return result


def first_root(game: Game[Any], path: Array | np.ndarray) -> SearchRoot:
    """`start_of_game` as one program: what it is made of would be a dozen. path: [batch, event]."""
    root: SearchRoot = _first_root(game, path)
    return root


@functools.partial(jax.jit, static_argnums=0)
def _first_root(game: Game[Any], path: Array) -> SearchRoot:
    return start_of_game(game, batch_size=len(path), path=path)


@functools.partial(jax.jit, static_argnums=(0, 1))
def _search(
    game: Game[Any], settings: SearchSettings, evaluator: Evaluator, root: SearchRoot, key: Array
) -> SearchResult:
    run = kept(functools.partial(_searched, game, settings))
    result: SearchResult = run(evaluator, root, key)
    return result


@functools.partial(jax.jit, static_argnums=(0, 1))
def _begin(
    game: Game[Any], settings: SearchSettings, evaluator: Evaluator, root: SearchRoot, key: Array
) -> SearchState:
    state: SearchState = kept(functools.partial(_begun, game, settings))(evaluator, root, key)
    return state


@functools.partial(jax.jit, static_argnums=(0, 1), donate_argnums=3)
def _advance(
    game: Game[Any],
    settings: SearchSettings,
    evaluator: Evaluator,
    state: SearchState,
    count: int | Array,
) -> SearchState:
    go_on = kept(functools.partial(_advanced, game, settings))
    advanced: SearchState = go_on(evaluator, state, count)
    return advanced


@functools.partial(jax.jit, static_argnums=0)
def _read(game: Game[Any], state: SearchState) -> SearchResult:
    result: SearchResult = kept(functools.partial(read, game))(state)
    return result


# The same with arrays as the only arguments left, which is what can be kept.


def _searched(
    game: Game[Any], settings: SearchSettings, evaluator: Evaluator, root: SearchRoot, key: Array
) -> SearchResult:
    return search(game, evaluator=evaluator, root=root, key=key, settings=settings)


def _begun(
    game: Game[Any], settings: SearchSettings, evaluator: Evaluator, root: SearchRoot, key: Array
) -> SearchState:
    return begin(game, evaluator=evaluator, root=root, key=key, settings=settings)


def _advanced(
    game: Game[Any],
    settings: SearchSettings,
    evaluator: Evaluator,
    state: SearchState,
    count: Array,
) -> SearchState:
    return advance(game, evaluator=evaluator, state=state, count=count, settings=settings)
