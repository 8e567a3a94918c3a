"""CFR's tables for a player's decisions on the boards of a street, with 32 or 16 bits per number.

With 16 bits every decision on a board has a scale, its largest number, and others are rounded to
32767ths of it: half of the memory for a few more iterations (docs/holdem_spots.md). Iterations are
computed in 32 bits in either case.
"""

from typing import Final, Literal

import jax
import jax.numpy as jnp
from jax import Array

from sog.pytree import pytree

Precision = Literal["float32", "int16"]
PRECISIONS: Final[tuple[Precision, ...]] = ("float32", "int16")
_MOST: Final = 32767.0


@pytree
class Packed:
    """Numbers quantized to 16 bits."""

    parts: Array
    """[board, action, decision, hand] int16: in 32767ths of the scale."""
    scale: Array
    """[board, 1, decision, 1] float32: the largest absolute value of a decision's numbers."""


CfrTable = Array | Packed
"""[board, action, decision, hand]"""
Tables = tuple[tuple[CfrTable, ...], ...]
"""By street, then by group of the player."""


def empty_table(shape: tuple[int, int, int, int], precision: Precision) -> CfrTable:
    """Zeros."""
    if precision == "float32":
        return jnp.zeros(shape, jnp.float32)
    boards, _, decisions, _ = shape
    return Packed(
        parts=jnp.zeros(shape, jnp.int16), scale=jnp.zeros((boards, 1, decisions, 1), jnp.float32)
    )


def read(table: CfrTable, at: Array, size: int) -> Array:
    """[board, action, decision, hand] float32: `size` boards of a table from `at` on."""
    part: CfrTable = jax.tree.map(
        lambda leaf: jax.lax.dynamic_slice_in_dim(leaf, at, size, axis=0), table
    )
    if isinstance(part, Packed):
        return part.parts.astype(jnp.float32) * (part.scale / _MOST)
    return part


def write(table: CfrTable, new: Array, at: Array) -> CfrTable:
    """The table with boards replaced from `at` on; new: [board, action, decision, hand]."""
    changed: CfrTable = pack(new) if isinstance(table, Packed) else new
    updated: CfrTable = jax.tree.map(
        lambda leaf, one: jax.lax.dynamic_update_slice_in_dim(leaf, one, at, 0), table, changed
    )
    return updated


def pack(numbers: Array) -> Packed:
    """Quantizes to 16 bits, rounding to the nearest."""
    scale = jnp.max(jnp.abs(numbers), axis=(1, 3), keepdims=True)
    factor = jnp.where(scale > 0, _MOST / jnp.where(scale > 0, scale, 1), 0)
    return Packed(parts=jnp.round(numbers * factor).astype(jnp.int16), scale=scale)
