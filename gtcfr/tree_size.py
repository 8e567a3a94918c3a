"""The sizes of a search tree's tables and chunks."""

import dataclasses
import math
from typing import Any, Final

from gtcfr.layout import Layout
from gtcfr.tree import TreeShape
from sog.accelerators import is_accelerated
from sog.games.core import Game
from sog.parameters import check_fields

_CHUNK_SIZE: Final = 4
_CHUNK_SIZE_OF_AN_ACCELERATOR: Final = 16
_SMALL_NODE: Final = 1024  # entries [A, S]; larger nodes need no batching
_MOST_EMPTY: Final = 2**15  # entries [A, S] of slots that deep trees leave empty in their chunks
_LEAST_DEPTH: Final = 16
_ENDS_PER_STEP: Final = 16
_LARGE_ENDS_PER_STEP: Final = 4
_MANY_INFOSTATES: Final = 1024


@dataclasses.dataclass(frozen=True, kw_only=True)
class TreeCapacity:
    """The size of a tree; derived from the other settings where not given here."""

    capacity: int | None = None
    """Public states that a tree has room for; None for as many as it can hold if at most every
    second simulation reaches a chance node. Below the searched state it has room for 16 levels plus
    twice the square root of the number of simulations. A result says if that was too little."""
    kept_simulations: int = 0
    """Simulations of earlier searches whose nodes the tree has room for, see `gtcfr.tree_reuse`.
    Agents then reuse their trees from move to move; for perfect information."""
    chunk_size: int | None = None
    """Nodes that are processed as one array operation; affects speed and memory only. None for the
    result of `chunk_size_of`, or fewer in trees that may be deep."""

    def __post_init__(self) -> None:
        check_fields(self, "an integer >= 0", "kept_simulations")
        check_fields(self, "an integer >= 1", "capacity", "chunk_size")

    def shape_for(
        self,
        game: Game[Any],
        layout: Layout,
        *,
        num_states: int,
        num_simulations: int,
        path_length: int,
        looks_ahead: bool,
    ) -> TreeShape:
        """The sizes of a tree that can hold `num_states` public states.

        looks_ahead: whether it holds more levels from the start than the path and the root's
        children. Raises ValueError for a capacity too small for those.
        """
        capacity = num_states if self.capacity is None else self.capacity
        least = 1 + (path_length + 1) * 2
        if self.capacity is not None and capacity < least:
            raise ValueError(
                f"capacity must be at least {least} for the root's branch and children, "
                f"got {capacity}."
            )
        simulations = num_simulations + self.kept_simulations
        interior = min(capacity, 1 + path_length + simulations)
        depth = 1 + path_length + _LEAST_DEPTH + 2 * math.isqrt(simulations)
        if looks_ahead:
            interior = depth = capacity
        depth = min(depth, game.max_depth + 1, interior)
        chunk_size = self.chunk_size or chunk_size_of(game, layout.num_actions)
        if self.chunk_size is None:
            numbers = layout.num_actions * game.num_infostates
            most = interior + _MOST_EMPTY // numbers
            while chunk_size > 1 and chunk_size * _num_chunks(interior, depth, chunk_size) > most:
                chunk_size //= 2
        return TreeShape(
            layout=layout,
            num_chunks=_num_chunks(interior, depth, chunk_size),
            chunk_size=chunk_size,
            depth=depth,
            num_leaves=capacity,
            num_terminals=capacity,
            ends_per_step=_ends_per_step(game, chunk_size),
        )


def chunk_size_of(
    game: Game[Any], num_actions: int | None = None, *, accelerated: bool | None = None
) -> int:
    """Nodes per array operation: 4 small ones, 16 on accelerators; or 1 large one.

    num_actions: of a node in the tree, None for all of the game's. accelerated: None to detect it.
    """
    if (num_actions or game.num_actions) * game.num_infostates > _SMALL_NODE:
        return 1
    on_accelerator = is_accelerated() if accelerated is None else accelerated
    return _CHUNK_SIZE_OF_AN_ACCELERATOR if on_accelerator else _CHUNK_SIZE


def _ends_per_step(game: Game[Any], chunk_size: int) -> int:
    """Leaves, or terminal states, per array operation: few if they have many infostates, since the
    padding of the last step costs time."""
    if game.num_infostates >= _MANY_INFOSTATES and not is_accelerated():
        return _LARGE_ENDS_PER_STEP
    return max(_ENDS_PER_STEP, _ENDS_PER_STEP // 4 * chunk_size)


def _num_chunks(interior: int, depth: int, chunk_size: int) -> int:
    """The most chunks that a tree of that depth can use for so many interior nodes.

    After a chunk with room come only nodes whose parents are in it or after it: at most `depth`
    chunks are not full, and each of them holds a node.
    """
    return depth + (interior - depth) // chunk_size
