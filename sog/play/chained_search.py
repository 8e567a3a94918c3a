"""The next search of one chain, or of several chains in one batch.

A chain is what the searches of one player in one game hand on: the last of them, and the public
events since. The next one is re-solved from what the last promised the opponent
(`gtcfr.resolving`).
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator
from gtcfr.packing import pack
from gtcfr.resolving import next_root, summarize
from gtcfr.root import NO_EVENT, SearchRoot
from gtcfr.search import SearchResult, check_result
from gtcfr.settings import SearchSettings
from sog.games.core import Game
from sog.play.thinking import first_root, think
from sog.precision import in_32_bits

_SHORTEST_PATH: Final = 4
"""Room for public events between two searches; more of them compile the search once more."""


def usual_path(game: Game[Any]) -> int:
    """The room for public events between two searches that agents of most games come to need."""
    return min(2 * _SHORTEST_PATH, longest_path(game))


def longest_path(game: Game[Any]) -> int:
    """The most public events between two searches: the last event ends the game."""
    return max(1, game.max_depth - 1)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Chain:
    """Where a player's chain of searches has come to."""

    player: int
    state: Any
    """The public state that is to be searched."""
    last: SearchResult | None = None
    """The last search of this game, a batch of one."""
    path: tuple[int, ...] = ()
    """The public events since its state, or since the start of the game."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Searching:
    """How chains are searched; those with equal ones can be searched in one batch."""

    game: Game[Any]
    evaluator: Evaluator
    settings: SearchSettings
    seconds: float | None
    safe: bool

    def __eq__(self, other: object) -> bool:
        """Evaluators are equal if they are the same: they hold arrays."""
        return isinstance(other, Searching) and self._identity == other._identity

    def __hash__(self) -> int:
        return hash(self._identity)

    @property
    def _identity(self) -> tuple[Any, ...]:
        return self.game, id(self.evaluator), self.settings, self.seconds, self.safe


@in_32_bits
def search_chains(
    how: Searching, chains: Sequence[Chain], keys: Sequence[Array], batch_size: int = 1
) -> list[SearchResult]:
    """Searches the public states that some chains have come to; each result is a batch of one.

    Each is what the chain would find alone, rounding apart (but with perfect information playouts
    at random are numbered through the batch, see `gtcfr.rollout`). There are at most batch_size
    chains; copies fill up the batch, so that one compiled program serves all numbers. Raises
    ValueError if a search fails.
    """
    numbers = [*range(len(chains)), *[0] * (batch_size - len(chains))]
    copies, filled = [chains[n] for n in numbers], jnp.stack([keys[n] for n in numbers])
    # From the host, always of the same types: the search must not be compiled again.
    root, states = jax.device_get((_roots(how, copies), _stack([one.state for one in copies])))
    result = think(
        how.game,
        evaluator=how.evaluator,
        root=root,
        key=filled,
        settings=how.settings,
        seconds=how.seconds,
    )
    check_result(how.game, result)
    for chain, has_arrived in zip(
        chains, np.asarray(_is_of(how.game, result, states)), strict=False
    ):
        if not has_arrived:
            raise ValueError(
                f"capacity must have room for the {len(chain.path)} public events since the last "
                f"search and what else could have happened at "
                f"'{how.game.describe_state(chain.state)}', got {how.settings.capacity}."
            )
    if batch_size == 1:
        return [result]
    host = jax.device_get(result)
    return [_take(host, number) for number in range(len(chains))]


def _roots(how: Searching, chains: Sequence[Chain]) -> SearchRoot:
    """Where the searches start, with room for the events since the last ones."""
    length = min(_SHORTEST_PATH, longest_path(how.game))
    while length < max(len(chain.path) for chain in chains):
        length = min(2 * length, longest_path(how.game))
    path = np.full((len(chains), length), NO_EVENT, np.int32)
    for row, chain in zip(path, chains, strict=True):
        row[: len(chain.path)] = chain.path
    begins = np.array([chain.last is None for chain in chains])
    if begins.all():
        return first_root(how.game, path)
    players = np.array([chain.player for chain in chains], np.int32)
    # Last searches that had room for other numbers of events are other programs. All are for the
    # whole batch, in which somebody's search stands in for those that are not meant, so that no
    # program depends on how many there are of which.
    shapes = [None if chain.last is None else chain.last.tree.shape for chain in chains]
    parts: list[tuple[np.ndarray, SearchRoot]] = []
    for shape in dict.fromkeys(shape for shape in shapes if shape is not None):
        is_meant = np.array([other == shape for other in shapes])
        last = [chain.last for chain in chains if chain.last and chain.last.tree.shape == shape]
        meant = iter(last)
        root = _next_root(
            how.game,
            _concatenate([next(meant) if here else last[0] for here in is_meant]),
            np.where(is_meant[:, None], path, NO_EVENT),
            players,
            how.settings.resolve_from,
            how.safe,
        )
        parts.append((is_meant, root))
    if begins.any():
        parts.append((begins, first_root(how.game, path)))
    root = parts[0][1]
    for is_meant, other in parts[1:]:
        root = _where(is_meant, *jax.device_get((other, root)))
    return root


def _where(condition: np.ndarray, yes: SearchRoot, no: SearchRoot) -> SearchRoot:
    """Chooses between the starts of searches. condition: [batch]."""

    def choose(first: Any, second: Any) -> np.ndarray:
        wide = condition.reshape(-1, *[1] * (np.ndim(first) - 1))
        return np.asarray(np.where(wide, first, second))

    chosen: SearchRoot = jax.tree.map(choose, yes, no)
    return chosen


def _stack(states: Sequence[Any]) -> Any:
    stacked: Any = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(list(states)))
    return stacked


def _concatenate(results: Sequence[SearchResult]) -> SearchResult:
    if len(results) == 1:
        return results[0]
    joined: SearchResult = jax.tree.map(
        lambda *leaves: np.concatenate(leaves), *jax.device_get(list(results))
    )
    return joined


def _take(result: SearchResult, number: int) -> SearchResult:
    """One of a batch."""
    part: SearchResult = jax.tree.map(lambda leaf: leaf[number : number + 1], result)
    return part


@functools.partial(jax.jit, static_argnums=0)
def _is_of(game: Game[Any], result: SearchResult, states: Any) -> Array:
    """[batch]: whether each search got to the state that it was to search."""
    searched = jax.vmap(lambda rows, slot: rows[slot])(result.tree.interior.state, result.slot)
    return jnp.all(searched == jax.vmap(pack)(states), axis=1)


@functools.partial(jax.jit, static_argnums=(0, 4, 5))
def _next_root(
    game: Game[Any],
    result: SearchResult,
    path: Array,
    player: Array,
    resolve_from: str,
    safe: bool,
) -> SearchRoot:
    return next_root(game, summarize(result, resolve_from), path, player, safe=safe)
