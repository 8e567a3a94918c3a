"""Game states as rows of 32-bit integers, so that a tree keeps them in one array; belief states.

Adding a node to a tree is then one row write, however many fields the game's state has.
"""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.pytree import pytree


@pytree
class BeliefState:
    """What is public and what both players may hold: what a network is asked about, and learns.

    Of JAX or of NumPy arrays, with axes in front for many of them.
    """

    state: Array  # [..., width] int32: the public state, packed
    ranges: Array  # [..., player, S]; those of a player sum to 1


def packed_width(game: Game[Any]) -> int:
    """The length of a packed state."""
    leaves = jax.tree.leaves(jax.eval_shape(game.root))
    return sum(math.prod(leaf.shape) for leaf in leaves)


def pack(state: Any) -> Array:
    """A state as int32[width]."""
    return jnp.concatenate([_to_bits(leaf).reshape(-1) for leaf in jax.tree.leaves(state)])


def unpack(game: Game[Any], row: Array) -> Any:
    """The state that `pack` made this row from."""
    leaves, structure = jax.tree.flatten(jax.eval_shape(game.root))
    sizes = [math.prod(leaf.shape) for leaf in leaves]
    parts = jnp.split(row, np.cumsum(sizes)[:-1])
    restored = [
        _from_bits(part, leaf.dtype).reshape(leaf.shape)
        for part, leaf in zip(parts, leaves, strict=True)
    ]
    return jax.tree.unflatten(structure, restored)


def _to_bits(leaf: Array) -> Array:
    if jnp.issubdtype(leaf.dtype, jnp.integer) or leaf.dtype == jnp.bool_:
        return jnp.asarray(leaf).astype(jnp.int32)  # uint32 wraps around, and back in `unpack`
    if leaf.dtype != jnp.float32:
        raise TypeError(f"a game state may hold integers, bool and float32, got {leaf.dtype}.")
    return jax.lax.bitcast_convert_type(leaf, jnp.int32)


def _from_bits(part: Array, dtype: Any) -> Array:
    if dtype == jnp.float32:
        return jax.lax.bitcast_convert_type(part, jnp.float32)
    return part.astype(dtype)
