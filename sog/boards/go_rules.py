"""The rules of Go as masks over the N points of a square board, row by row from the top.

Chains have labels: `chain[p]` is the same for all stones of a chain, one of their points; for an
empty point it is the point itself. A position's hash is the sum of its stones' keys, modulo 2**32,
so that removing a chain is a subtraction.
"""

import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.boards.stones import symmetries
from sog.pytree import pytree

EMPTY: Final = 0
"""The color of an empty point; a stone's color is its player plus 1."""
NUM_SYMMETRIES: Final = 8
NUM_SHOWN: Final = 8
"""Positions that a network sees: the present one and the previous seven."""
BITS: Final = 2
"""Bits of a point in one position."""
MOST_REMEMBERED: Final = 32
"""Earlier positions that superko remembers; each costs memory in every state."""
_SEED_OF_KEYS: Final = 1


@pytree
class GoState:
    """Public state of Go on N points, with W earlier positions remembered."""

    shown: Array  # uint16[N]: the colors in 8 positions, 2 bits each, the present one lowest
    chain: Array  # uint8 or uint16[N]: see `go_rules`
    earlier: Array  # uint32[W]: hashes of positions, the latest first; 0 is the empty board
    num_moves: Array  # int16: passes included
    num_passes: Array  # int8: since the last stone, two at most
    captured: Array  # int16[2]: stones that each player has captured
    symmetry: Array  # int8: the symmetry that the hashes are of, see `random_symmetry`


def last_stone(state: GoState) -> int | None:
    """The point of the last move; None after a pass."""
    before, now = np.asarray(state.shown) >> BITS & 3, np.asarray(color_of(state))
    put = np.flatnonzero((before == EMPTY) & (now != EMPTY))
    return int(put[0]) if len(put) else None


def color_of(state: GoState) -> Array:
    """uint16[N]: the color of each point, see `go_rules`."""
    color: Array = state.shown & jnp.uint16(3)
    return color


def to_move(state: GoState) -> Array:
    """uint16: whose turn it is, ignoring the end of the game."""
    player: Array = state.num_moves.astype(jnp.uint16) & jnp.uint16(1)
    return player


def keys_of(state: GoState, size: int) -> Array:
    """uint32[2, N]: what a stone of each player adds to the hash."""
    return jnp.asarray(stone_keys(size))[state.symmetry]


def beside(values: Array, size: int, outside: int | bool) -> Array:
    """[4, N]: the values above, below, left and right of each point; `outside` off the board."""
    grid = jnp.pad(values.reshape(size, size), 1, constant_values=outside)
    sides = (grid[:-2, 1:-1], grid[2:, 1:-1], grid[1:-1, :-2], grid[1:-1, 2:])
    return jnp.stack([side.reshape(-1) for side in sides])


def touches(mask: Array, size: int) -> Array:
    """bool[N]: whether each point has a neighbor in the mask."""
    return beside(mask, size, False).any(axis=0)


def only_liberty(color: Array, chain: Array, size: int) -> Array:
    """int32[N]: the only liberty of each stone's chain; N if it has several.

    A chain has one liberty if and only if its first liberty is its last.
    """
    num_points = size * size
    points = jnp.arange(num_points, dtype=jnp.int32)
    named = chain.astype(jnp.int32)

    def outermost(sign: int) -> Array:
        """The last liberty of each chain, or minus the first."""
        liberties = jnp.where(color == EMPTY, sign * points, -num_points)
        furthest = beside(liberties, size, -num_points).max(axis=0)
        chains = jnp.full(num_points, -num_points, jnp.int32)
        return chains.at[named].max(furthest, mode="promise_in_bounds")

    last, first = outermost(1), -outermost(-1)
    found = jnp.where(first == last, last, num_points)
    only: Array = found.at[named].get(mode="promise_in_bounds")
    return jnp.where(color == EMPTY, num_points, only)


def free_points(color: Array, only: Array, player: Array, size: int) -> Array:
    """bool[N]: empty points where a player's stone would have a liberty after captures.

    only: int32[N], see `only_liberty`.
    """
    is_own, in_atari = color == player + 1, only < size * size
    gives_liberty = (color == EMPTY) | ((color != EMPTY) & (is_own ^ in_atari))
    return (color == EMPTY) & touches(gives_liberty, size)


def hashes_after(color: Array, only: Array, player: Array, keys: Array) -> Array:
    """uint32[N]: the hash of the position after a player's stone at each point.

    keys: uint32[2, N], of a stone of each player. only: int32[N], see `only_liberty`.
    """
    num_points = len(color)
    taken = jnp.where((color == 2 - player) & (only < num_points), keys[1 - player], 0)
    lost = jnp.zeros(num_points + 1, jnp.uint32).at[only].add(taken, mode="promise_in_bounds")
    return hash_of(color, keys) + keys[player] - lost[:num_points]


def hash_of(color: Array, keys: Array) -> Array:
    """uint32: the hash of a position."""
    held = jnp.where(color == 1, keys[0], jnp.where(color == 2, keys[1], 0))
    return held.sum(dtype=jnp.uint32)


def put_stone(
    color: Array, chain: Array, point: Array, player: Array, size: int
) -> tuple[Array, Array, Array]:
    """The colors and chains after a stone, and which stones it captures, bool[N]."""
    num_points = size * size
    points = jnp.arange(num_points, dtype=jnp.int32)
    here = points == point
    near = jnp.asarray(neighbors(size))[point]
    is_inside = near < num_points
    near_color = jnp.where(is_inside, color.at[near].get(mode="clip"), EMPTY)
    in_chain = chain[None] == chain.at[near].get(mode="clip")[:, None]  # [4, N]
    breathes = touches((color == EMPTY) & ~here, size)
    is_taken = (near_color == 2 - player) & ~(in_chain & breathes[None]).any(axis=1)
    captured = (in_chain & is_taken[:, None]).any(axis=0)
    joined = here | (in_chain & (near_color == player + 1)[:, None]).any(axis=0)
    after = jnp.where(captured, EMPTY, jnp.where(here, player + 1, color)).astype(color.dtype)
    names = jnp.where(joined, point, jnp.where(captured, points, chain)).astype(chain.dtype)
    return after, names, captured


def area(color: Array, size: int) -> Array:
    """bool[2, N]: each player's area: its stones, and empty points that reach only its stones.

    Rows of the board are bits of words, so that a flood fill takes few operations.
    """
    weights = jnp.left_shift(jnp.uint32(1), jnp.arange(size, dtype=jnp.uint32))

    def as_words(mask: Array) -> Array:
        return (mask.reshape(size, size) * weights[None]).sum(axis=1, dtype=jnp.uint32)

    stones = jnp.stack([as_words(color == 1), as_words(color == 2)])
    empty = as_words(color == EMPTY)[None]

    def spread(step: tuple[Array, Array]) -> tuple[Array, Array]:
        reached, _ = step
        rows = jnp.pad(reached, ((0, 0), (1, 1)))
        beside_them = (reached << 1) | (reached >> 1) | rows[:, :-2] | rows[:, 2:]
        wider = reached | (beside_them & empty)
        return wider, (wider != reached).any()

    reached, _ = jax.lax.while_loop(lambda step: step[1], spread, (stones, jnp.bool_(True)))
    counted = reached & ~reached[::-1] | stones
    return ((counted[:, :, None] & weights[None, None]) > 0).reshape(2, size * size)


@functools.cache
def neighbors(size: int) -> np.ndarray:
    """int32[N, 4]: the points above, below, left and right; N off the board."""
    points = np.pad(
        np.arange(size * size, dtype=np.int32).reshape(size, size), 1, constant_values=size * size
    )
    sides = (points[:-2, 1:-1], points[2:, 1:-1], points[1:-1, :-2], points[1:-1, 2:])
    return np.stack([side.ravel() for side in sides], axis=1)


@functools.cache
def compositions() -> np.ndarray:
    """int8[8, 8]: the composition of two symmetries, the first one applied first."""
    all_of_3 = symmetries(3)  # the smallest board on which all of them differ
    twice = all_of_3[:, all_of_3]  # [first, then, point]
    same = (twice[:, :, None] == all_of_3).all(axis=3)
    composed: np.ndarray = same.argmax(axis=2).astype(np.int8)
    return composed


@functools.cache
def stone_keys(size: int) -> np.ndarray:
    """uint32[8, 2, N]: the keys of stones on a board under each symmetry."""
    num_points = size * size
    bits = np.random.PCG64(_SEED_OF_KEYS).random_raw(2 * num_points)
    keys = (bits >> np.uint64(32)).astype(np.uint32).reshape(2, num_points)
    return np.ascontiguousarray(np.moveaxis(keys[:, symmetries(size)], 1, 0))
