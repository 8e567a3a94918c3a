"""Packs game states into rows of 32-bit words, so that a tree keeps them in one array.

Adding a node to a tree is then one row write, however many fields the game's state has. A field
takes the words that its bytes fill: four of bool or int8, two of int16 to a word.
"""

import functools
import math
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.pytree import pytree

WORD: Final = 4
"""Bytes of a word."""


@pytree
class BeliefState:
    """A public belief state: the input of network queries and training examples.

    JAX or NumPy arrays, with leading axes for many of them.
    """

    state: Array  # [..., width] int32: the public state, packed
    ranges: Array  # [..., player, S]; those of a player sum to 1


@functools.cache
def state_shapes(game: Game[Any]) -> Any:
    """The public state of a game as `jax.ShapeDtypeStruct`s."""
    return _packable(jax.eval_shape(game.root))


@functools.cache
def kept_shapes(game: Game[Any]) -> Any:
    """The result of `Game.keep_terminal` as `jax.ShapeDtypeStruct`s."""
    return _packable(jax.eval_shape(lambda: game.keep_terminal(game.root())))


def _packable(shapes: Any) -> Any:
    for leaf in jax.tree.leaves(shapes):
        is_number = leaf.dtype == jnp.bool_ or jnp.issubdtype(leaf.dtype, jnp.number)
        if not is_number or leaf.dtype.itemsize not in (1, 2, WORD):
            raise TypeError(
                f"a game state may hold bool and numbers of 8, 16 or 32 bits, got {leaf.dtype}."
            )
    return shapes


def packed_width(game: Game[Any]) -> int:
    """The length of a packed state."""
    return _width(state_shapes(game))


def kept_width(game: Game[Any]) -> int:
    """The length of a packed result of `Game.keep_terminal`."""
    return _width(kept_shapes(game))


def _width(shapes: Any) -> int:
    return sum(map(_num_words, jax.tree.leaves(shapes)))


def pack(state: Any) -> Array:
    """A state as int32[width]."""
    return jnp.concatenate([_to_words(leaf) for leaf in jax.tree.leaves(state)])


def unpack(game: Game[Any], row: Array) -> Any:
    """Inverts `pack`."""
    return _unpacked(state_shapes(game), row)


def unpack_kept(game: Game[Any], row: Array) -> Any:
    """Inverts `pack` for results of `Game.keep_terminal`."""
    return _unpacked(kept_shapes(game), row)


def _unpacked(shapes: Any, row: Array) -> Any:
    leaves, structure = jax.tree.flatten(shapes)
    parts = jnp.split(row, np.cumsum(list(map(_num_words, leaves)))[:-1])
    restored = [_from_words(part, leaf) for part, leaf in zip(parts, leaves, strict=True)]
    return jax.tree.unflatten(structure, restored)


def _num_words(leaf: Any) -> int:
    size: int = math.prod(leaf.shape) * leaf.dtype.itemsize
    return -(-size // WORD)


def _to_words(leaf: Array) -> Array:
    leaf = jnp.asarray(leaf).reshape(-1)
    if leaf.dtype == jnp.bool_:
        leaf = leaf.astype(jnp.uint8)
    per_word = WORD // leaf.dtype.itemsize
    if per_word > 1:
        leaf = jnp.pad(leaf, (0, -len(leaf) % per_word)).reshape(-1, per_word)
    return jax.lax.bitcast_convert_type(leaf, jnp.int32)


def _from_words(words: Array, leaf: Any) -> Array:
    dtype = jnp.uint8 if leaf.dtype == jnp.bool_ else leaf.dtype
    numbers = jax.lax.bitcast_convert_type(words, dtype).reshape(-1)[: math.prod(leaf.shape)]
    return numbers.reshape(leaf.shape).astype(leaf.dtype)
