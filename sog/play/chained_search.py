"""The next search of one chain, or of several chains in one batch.

A chain is the state that one player's searches pass on within a game: the last search and the
public events since. The next search re-solves from it (`gtcfr.resolving`).
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.action_values import action_values
from gtcfr.evaluator import Evaluator
from gtcfr.resolving import Summary, next_root, summarize
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.kept_programs import HostProgram
from sog.play.principal_variation import best_line
from sog.play.rules import first_state
from sog.play.thinking import compile_think, first_root, think
from sog.precision import in_32_bits
from sog.pytree import pytree

T = TypeVar("T")

_SHORTEST_PATH: Final = 4
"""Room for public events between two searches; with more the search is recompiled."""


def usual_path(game: Game[Any]) -> int:
    """Room for public events between two searches that suffices in most games."""
    return min(2 * _SHORTEST_PATH, longest_path(game))


def longest_path(game: Game[Any]) -> int:
    """The most public events between two searches: the last event ends the game."""
    return max(1, game.max_depth - 1)


@pytree
class LastSearch:
    """What a chain keeps of a search: its result, and what the next one re-solves from.

    NumPy arrays, with a leading batch axis for a batch.
    """

    policy: Array  # [S, A], as in `SearchResult`
    best: Array  # [S], the action that a greedy agent takes
    values: Array  # [player, S]
    ranges: Array  # [player, S]
    action_values: Array  # [S, A], see `gtcfr.action_values`
    line: Array  # [event], see `sog.play.principal_variation.best_line`
    summary: Any  # a `Summary`; None for an engine that does not re-solve


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """The current end of a player's chain of searches."""

    player: int
    state: Any
    """The public state to search next."""
    last: LastSearch | None = None
    """The last search of this game."""
    path: tuple[int, ...] = ()
    """The public events since that search, or since the start of the game."""
    start: Any = None
    """Where the game began, if not at its root; with perfect information only."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Searching:
    """How chains are searched; chains with equal values can be searched in one batch."""

    game: Game[Any]
    evaluator: Evaluator
    settings: SearchSettings
    seconds: float | None

    def __eq__(self, other: object) -> bool:
        """Compares evaluators by identity, since they hold arrays."""
        return isinstance(other, Searching) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.game, id(self.evaluator), self.settings, self.seconds


@in_32_bits
def search_chains(
    how: Searching, chains: Sequence[Chain], keys: Sequence[Array], batch_size: int = 1
) -> list[LastSearch]:
    """Searches the current public states of several chains.

    Up to rounding, each result is that of a search on its own (but with perfect information random
    rollouts are numbered through the batch, see `gtcfr.evaluators.rollout`). There may be at most
    batch_size chains; copies pad the batch, so that one program serves all. Raises ValueError if
    one fails.
    """
    numbers = [*range(len(chains)), *[0] * (batch_size - len(chains))]
    copies, filled = [chains[n] for n in numbers], jnp.stack([keys[n] for n in numbers])
    # On the host, always with the same types, so that the search is not recompiled.
    root = jax.device_get(_roots(how, copies))
    result = think(
        how.game,
        evaluator=how.evaluator,
        root=root,
        key=filled,
        settings=how.settings,
        seconds=how.seconds,
    )
    check_result(how.game, result)
    kept, arrived = jax.device_get(_keep(how.game, how.settings.resolve_from, result))
    for chain, has_arrived in zip(chains, arrived, strict=False):
        if not has_arrived:
            raise ValueError(
                f"capacity must have room for the {len(chain.path)} public events since the last "
                f"search and what else could have happened at "
                f"'{how.game.describe_state(chain.state)}', got {how.settings.capacity}."
            )
    return [_take(kept, number) for number in range(len(chains))]


@in_32_bits
def compile_first(how: Searching) -> None:
    """Compiles a first search from the start of a game, and does not run it."""
    length = min(_SHORTEST_PATH, longest_path(how.game))
    result = compile_think(
        how.game,
        evaluator=how.evaluator,
        root=jax.device_get(first_root(how.game, np.full((1, length), NO_EVENT, np.int32))),
        key=jnp.stack([jax.random.key(0)]),
        settings=how.settings,
        seconds=how.seconds,
    )
    _keep.compile(how.game, how.settings.resolve_from, result)


def _roots(how: Searching, chains: Sequence[Chain]) -> SearchRoot:
    """The roots of the searches, with room for the events since the last ones."""
    length = min(_SHORTEST_PATH, longest_path(how.game))
    while length < max(len(chain.path) for chain in chains):
        length = min(2 * length, longest_path(how.game))
    path = np.full((len(chains), length), NO_EVENT, np.int32)
    for row, chain in zip(path, chains, strict=True):
        row[: len(chain.path)] = chain.path
    summaries = [chain.last.summary for chain in chains if chain.last is not None]
    if not summaries:
        return _first_root(how.game, chains, path)
    # Every program runs on the whole batch, with some chain's summary where there is none, so that
    # shapes do not depend on how many chains have one.
    begins = np.array([chain.last is None for chain in chains])
    meant = iter(_padded(summaries))
    stand_in = _padded(summaries)[0]
    summary = _stack([stand_in if here else next(meant) for here in begins])
    players = np.array([chain.player for chain in chains], np.int32)
    going_on = np.where(begins[:, None], NO_EVENT, path)
    root: SearchRoot = _next_root(
        how.game,
        summary,
        going_on,
        players,
        safe=how.settings.safe,
        evaluator=how.evaluator,
        widest_chance=how.settings.widest_chance,
    )
    if begins.any():
        first = _first_root(how.game, chains, path)
        root = _where(begins, *jax.device_get((first, root)))
    return root


def _first_root(game: Game[Any], chains: Sequence[Chain], path: np.ndarray) -> SearchRoot:
    """The roots of games, each at the start or at a custom position."""
    root = first_root(game, path)
    if all(chain.start is None for chain in chains):
        return root
    usual = first_state(game)
    starts = [usual if chain.start is None else chain.start for chain in chains]
    return dataclasses.replace(root, state=_stack(starts))


def _padded(summaries: Sequence[Summary]) -> list[Summary]:
    """Summaries padded to equally many rows, since trees differ with the room for events."""
    structure = jax.tree.structure(summaries[0])
    same = list(zip(*map(jax.tree.leaves, summaries), strict=True))

    def pad(leaf: np.ndarray, like: Sequence[np.ndarray]) -> np.ndarray:
        if leaf.ndim == 0:
            return leaf
        missing = max(map(len, like)) - len(leaf)
        width = [(0, missing), *[(0, 0)] * (leaf.ndim - 1)]
        return np.pad(leaf, width, constant_values=-1)  # no event, no row

    return [
        jax.tree.unflatten(structure, [pad(leaves[number], leaves) for leaves in same])
        for number in range(len(summaries))
    ]


def _where(condition: np.ndarray, yes: SearchRoot, no: SearchRoot) -> SearchRoot:
    """Chooses between the starts of searches. condition: [batch]."""

    def choose(first: Any, second: Any) -> np.ndarray:
        wide = condition.reshape(-1, *[1] * (np.ndim(first) - 1))
        return np.asarray(np.where(wide, first, second))

    chosen: SearchRoot = jax.tree.map(choose, yes, no)
    return chosen


def _stack(parts: Sequence[T]) -> T:
    """Stacks to a batch of NumPy arrays."""
    stacked: T = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(list(parts)))
    return stacked


def _take(batch: LastSearch, number: int) -> LastSearch:
    """Copies one item of a batch."""
    part: LastSearch = jax.tree.map(lambda leaf: np.array(leaf[number]), batch)
    return part


@functools.partial(HostProgram, static_argnums=(0, 1))
def _keep(
    game: Game[Any],
    resolve_from: str,
    result: SearchResult,
) -> tuple[LastSearch, Array]:
    """What the chains keep, and [batch] whether each search reached its state."""
    kept = LastSearch(
        policy=result.policy,
        best=jnp.argmax(result.policy, axis=-1),
        values=result.values,
        ranges=result.ranges,
        action_values=action_values(game, result),
        line=jax.vmap(functools.partial(best_line, game))(result.tree, result.slot),
        summary=summarize(result, resolve_from),
    )
    return kept, result.has_arrived


_next_root: Final = jax.jit(next_root, static_argnames=("game", "safe", "widest_chance"))
