"""Bitboards: sets of squares as 64 bits, in two words of 32.

A square is bit `8 * rank + file` for every board size: a smaller board is in the corner of the
first rank and file, and the rest is masked.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

FILES: Final = 8
"""Bits from a square to the one above it."""
WORD_BITS: Final = 2**5
NUM_BITS: Final = 64


class Bits(NamedTuple):
    """A set of squares, or an array of sets: both words have its shape; NumPy's for constants."""

    low: Any  # [...] uint32: ranks 0 to 3
    high: Any  # [...] uint32: ranks 4 to 7

    def __and__(self, other: "Bits") -> "Bits":
        return Bits(self.low & other.low, self.high & other.high)

    def __or__(self, other: "Bits") -> "Bits":
        return Bits(self.low | other.low, self.high | other.high)

    def __xor__(self, other: "Bits") -> "Bits":
        return Bits(self.low ^ other.low, self.high ^ other.high)

    def __invert__(self) -> "Bits":
        return Bits(~self.low, ~self.high)

    def each(self, change: Callable[[Any], Any]) -> "Bits":
        """Applies a function to both words."""
        return Bits(change(self.low), change(self.high))

    def pick(self, *index: Any) -> "Bits":
        """Indexes an array of sets."""
        return self.each(lambda word: word[index])

    def is_any(self) -> Array:
        """[...] bool: which sets are not empty."""
        has_any: Array = (self.low | self.high) != 0
        return has_any

    def num_squares(self) -> Array:
        """[...] int32: how many squares each set has."""
        ones = jax.lax.population_count(self.low) + jax.lax.population_count(self.high)
        return ones.astype(jnp.int32)

    def moved(self, steps: np.ndarray | int) -> "Bits":
        """Rotates each set up by its number of bits; mask what wraps around. A single set
        broadcasts against many numbers."""
        turn = np.asarray(steps) % NUM_BITS
        count = (turn % WORD_BITS).astype(np.uint32)
        crosses = turn >= WORD_BITS
        low, high = self
        if turn.ndim == 0:
            low, high = (high, low) if crosses else (low, high)
        elif crosses.any():
            low, high = jnp.where(crosses, high, low), jnp.where(crosses, low, high)
        rest = np.uint32(WORD_BITS - 1) - count  # shifted once before: by 32 is not defined
        return Bits(
            (low << count) | ((high >> np.uint32(1)) >> rest),
            (high << count) | ((low >> np.uint32(1)) >> rest),
        )

    def turned(self, ranks: int) -> "Bits":
        """Flips the ranks of a board: the first becomes the last."""
        swapped = Bits(_bytes_swapped(self.high), _bytes_swapped(self.low))
        missing = FILES * (NUM_BITS // FILES - ranks)
        return swapped.moved(-missing) if missing else swapped


NOTHING: Final = Bits(np.uint32(0), np.uint32(0))


def where(condition: Any, yes: Bits, no: Bits) -> Bits:
    """`jnp.where` of both words."""
    return Bits(jnp.where(condition, yes.low, no.low), jnp.where(condition, yes.high, no.high))


def square(number: Array) -> Bits:
    """The set of one square, int32; empty for a number outside 0 to 63."""
    one = jnp.uint32(1) << (number & (WORD_BITS - 1)).astype(jnp.uint32)
    word = number >> 5
    return Bits(jnp.where(word == 0, one, jnp.uint32(0)), jnp.where(word == 1, one, jnp.uint32(0)))


def stacked(sets: Sequence[Bits]) -> Bits:
    """Stacks sets into an array of sets."""
    low, high = zip(*sets, strict=True)
    return Bits(jnp.stack(low), jnp.stack(high))


def joined(arrays: Sequence[Bits]) -> Bits:
    """Concatenates arrays of sets."""
    low, high = zip(*arrays, strict=True)
    return Bits(jnp.concatenate(low), jnp.concatenate(high))


def union(sets: Bits, axis: int = -1) -> Bits:
    """The union of the sets along an axis.

    XLA does not recompute a reduction for every use, as it does elementwise operations: a union
    between two stages of a computation keeps them from being fused.
    """
    return sets.each(lambda word: jax.lax.reduce_or(word, axes=(axis % word.ndim,)))


def constant(mask: np.ndarray) -> Bits:
    """A constant from bool[..., 64]."""
    weights = np.uint32(1) << np.arange(WORD_BITS, dtype=np.uint32)
    low, high = mask[..., :WORD_BITS], mask[..., WORD_BITS:]
    return Bits(*((half * weights).sum(axis=-1, dtype=np.uint32) for half in (low, high)))


def to_mask(sets: Bits) -> Array:
    """[rank, file, set] bool: the squares in each set of an array.

    A loop over the ranks of a word: without it, XLA recomputes the sets for each square.
    """
    both = jnp.stack(sets)[:, None]
    files = np.arange(FILES, dtype=np.uint32)[None, :, None]

    def of_rank(rank: Array) -> Array:
        return (both >> (rank * FILES) >> files) & np.uint32(1) == 1  # [word, file, set]

    ranks = jnp.arange(WORD_BITS // FILES, dtype=jnp.uint32)
    squares = jnp.swapaxes(jax.lax.map(of_rank, ranks), 0, 1)
    return squares.reshape(-1, *squares.shape[2:])


def _bytes_swapped(word: Any) -> Any:
    byte = np.uint32(0xFF)
    return (
        (word << np.uint32(24))
        | ((word & (byte << np.uint32(8))) << np.uint32(8))
        | ((word >> np.uint32(8)) & (byte << np.uint32(8)))
        | (word >> np.uint32(24))
    )
