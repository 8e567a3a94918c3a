"""Counts the public tree of a game without building it, by one small program per game."""

import dataclasses
import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.chunks import in_chunks
from sog.games import Game

_CHUNK: Final = 4096
_LARGEST_STATE: Final = 8192  # infostates times actions; larger games are not counted
_MOST_OUTCOMES: Final = 8192  # likewise


@dataclasses.dataclass(frozen=True, kw_only=True)
class Sizes:
    """The size of a game's public tree."""

    num_public_states: int
    """Chance and terminal ones included."""
    num_infostates: tuple[int, int]
    """Of each player, at the public states where the player acts."""
    depth: int


def can_be_counted(game: Game[Any]) -> bool:
    """Whether the tree may be countable: False for games made for search only, like Scotland Yard
    on the London board, and for events as wide as a flop."""
    is_small = game.num_infostates * game.num_actions <= _LARGEST_STATE
    return is_small and game.num_outcomes <= _MOST_OUTCOMES


def count_public_tree(game: Game[Any], limit: int) -> Sizes | None:
    """Counts level by level; None if there are more than `limit` public states."""
    shapes = jax.eval_shape(game.root)
    states = jax.tree.map(lambda leaf: np.zeros((1, *leaf.shape), leaf.dtype), shapes)
    rows, outcomes = np.zeros(1, np.int64), np.zeros(1, np.int32)
    num_states, num_infostates, depth = 1, np.zeros(2, np.int64), 0
    while True:

        def visit(at: Any, above: Any = states, at_root: bool = depth == 0) -> Any:
            parents = jax.tree.map(lambda leaf: leaf[at[0]], above)
            return _visit_chunk(game, parents, at[1], np.bool_(at_root))

        states, legal, acting = in_chunks(visit, (rows, outcomes), _CHUNK)
        num_infostates += acting.sum(axis=0)
        rows, found = np.nonzero(legal)
        if rows.size == 0:
            break
        outcomes = found.astype(np.int32)
        num_states += rows.size
        depth += 1
        if num_states > limit:
            return None
    return Sizes(
        num_public_states=num_states,
        num_infostates=(int(num_infostates[0]), int(num_infostates[1])),
        depth=depth,
    )


def estimate_public_states(game: Game[Any]) -> float:
    """An estimate of the number of public states: a mean over random walks (Knuth 1975)."""
    rng = np.random.default_rng(0)
    shapes = jax.eval_shape(game.root)
    states = jax.tree.map(lambda leaf: np.zeros((_CHUNK, *leaf.shape), leaf.dtype), shapes)
    outcomes = np.zeros(_CHUNK, np.int32)
    # The product of the numbers of outcomes: 1 / the probability of this walk.
    weights, total = np.ones(_CHUNK), 1.0
    for depth in range(game.max_depth):
        states, found, _ = _visit_chunk(game, states, outcomes, np.bool_(depth == 0))
        legal = np.asarray(found)
        weights *= legal.sum(axis=1)
        total += weights.mean()
        outcomes = (legal * (1 - rng.random(legal.shape))).argmax(axis=1).astype(np.int32)
    return float(total)


@functools.partial(jax.jit, static_argnums=0)
def _visit_chunk(
    game: Game[Any], states: Any, outcomes: Array, at_root: Array
) -> tuple[Any, Array, Array]:
    """The children of public states by outcomes; the root where `at_root`.

    Returns them, their legal outcomes [node, K], and infostates of the player to act [node, 2].
    """

    def visit(state: Any, outcome: Array) -> tuple[Any, Array, Array]:
        child = jax.tree.map(
            lambda root, applied: jnp.where(at_root, root, applied),
            game.root(),
            game.apply(state, outcome),
        )
        acts = jnp.arange(2) == game.actor(child)
        count = game.infostate_mask(child).sum(axis=1, dtype=jnp.int32)
        return child, game.legal_outcomes(child), jnp.where(acts, count, 0)

    return jax.vmap(visit)(states, outcomes)
