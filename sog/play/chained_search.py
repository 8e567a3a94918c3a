"""The next search of one chain, or of several chains in one batch.

A chain is what the searches of one player in one game hand on: the last of them, and the public
events since. The next one is re-solved from what the last promised the opponent
(`gtcfr.resolving`).
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
from sog.play.principal_variation import best_line
from sog.play.rules import first_state
from sog.play.thinking import first_root, think
from sog.precision import in_32_bits
from sog.pytree import pytree

T = TypeVar("T")

_SHORTEST_PATH: Final = 4
"""Room for public events between two searches; more of them compile the search once more."""


def usual_path(game: Game[Any]) -> int:
    """The room for public events between two searches that agents of most games come to need."""
    return min(2 * _SHORTEST_PATH, longest_path(game))


def longest_path(game: Game[Any]) -> int:
    """The most public events between two searches: the last event ends the game."""
    return max(1, game.max_depth - 1)


@pytree
class LastSearch:
    """What a chain keeps of a search: what it found at its state, and what it hands on.

    NumPy arrays; of a batch, with the batch axis first.
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
    """Where a player's chain of searches has come to."""

    player: int
    state: Any
    """The public state that is to be searched."""
    last: LastSearch | None = None
    """Of this game."""
    path: tuple[int, ...] = ()
    """The public events since its state, or since the start of the game."""
    start: Any = None
    """Where the game began, if not at its root; with perfect information only."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Searching:
    """How chains are searched; those with equal ones can be searched in one batch."""

    game: Game[Any]
    evaluator: Evaluator
    settings: SearchSettings
    seconds: float | None

    def __eq__(self, other: object) -> bool:
        """Evaluators are equal if they are the same: they hold arrays."""
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
    """Searches the public states that some chains have come to.

    Each is what the chain would find alone, rounding apart (but with perfect information playouts
    at random are numbered through the batch, see `gtcfr.rollout`). There are at most batch_size
    chains; copies fill up the batch, so that one compiled program serves all numbers. Raises
    ValueError if a search fails.
    """
    numbers = [*range(len(chains)), *[0] * (batch_size - len(chains))]
    copies, filled = [chains[n] for n in numbers], jnp.stack([keys[n] for n in numbers])
    # From the host, always of the same types: the search must not be compiled again.
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


def _roots(how: Searching, chains: Sequence[Chain]) -> SearchRoot:
    """Where the searches start, with room for the events since the last ones."""
    length = min(_SHORTEST_PATH, longest_path(how.game))
    while length < max(len(chain.path) for chain in chains):
        length = min(2 * length, longest_path(how.game))
    path = np.full((len(chains), length), NO_EVENT, np.int32)
    for row, chain in zip(path, chains, strict=True):
        row[: len(chain.path)] = chain.path
    summaries = [chain.last.summary for chain in chains if chain.last is not None]
    if not summaries:
        return _first_root(how.game, chains, path)
    # All are for the whole batch, in which somebody's summary stands in where there is none, so
    # that no program depends on how many there are of which.
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
        how.evaluator,
        how.settings.safe,
        how.settings.widest_chance,
    )
    if begins.any():
        first = _first_root(how.game, chains, path)
        root = _where(begins, *jax.device_get((first, root)))
    return root


def _first_root(game: Game[Any], chains: Sequence[Chain], path: np.ndarray) -> SearchRoot:
    """Where games begin, each at its root or at a position of its own."""
    root = first_root(game, path)
    if all(chain.start is None for chain in chains):
        return root
    usual = first_state(game)
    starts = [usual if chain.start is None else chain.start for chain in chains]
    return dataclasses.replace(root, state=_stack(starts))


def _padded(summaries: Sequence[Summary]) -> list[Summary]:
    """With equally many rows: searches with room for other numbers of events had other trees.

    The rows that are added are nobody's children.
    """
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
    """As a batch, NumPy arrays."""
    stacked: T = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(list(parts)))
    return stacked


def _take(batch: LastSearch, number: int) -> LastSearch:
    """One of a batch, without the arrays of the others."""
    part: LastSearch = jax.tree.map(lambda leaf: np.array(leaf[number]), batch)
    return part


@functools.partial(jax.jit, static_argnums=(0, 1))
def _keep(
    game: Game[Any],
    resolve_from: str,
    result: SearchResult,
) -> tuple[LastSearch, Array]:
    """What the chains keep, and [batch] whether each search got to the state it was to search."""
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


@functools.partial(jax.jit, static_argnums=(0, 5, 6))
def _next_root(
    game: Game[Any],
    summary: Summary,
    path: Array,
    player: Array,
    evaluator: Evaluator,
    safe: bool,
    widest_chance: int | None,
) -> SearchRoot:
    return next_root(
        game, summary, path, player, safe=safe, evaluator=evaluator, widest_chance=widest_chance
    )
