"""Positions of a game with perfect information by the number of events, counted by histories."""

from collections.abc import Callable, Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sog.chunks import in_chunks
from sog.games.core import Game


def levels(
    game: Game[Any], rows_of: Callable[[Any], np.ndarray]
) -> Iterator[tuple[np.ndarray, Any]]:
    """By number of events: how many histories lead to each distinct position; and these.

    rows_of: what tells states apart, an array with a row for each. Histories that meet are not
    followed one by one.
    """

    @jax.jit
    @jax.vmap
    def look(state: Any) -> tuple[jax.Array, Any]:
        actions = jnp.arange(game.num_actions, dtype=jnp.int32)
        return game.legal_outcomes(state), jax.vmap(game.apply, (None, 0))(state, actions)

    states = jax.tree.map(lambda leaf: np.asarray(leaf)[None], game.root())
    counts = np.ones(1, int)
    while len(counts) > 0:
        yield counts, states
        legal, children = in_chunks(look, states, size=512)
        parents, actions = np.nonzero(legal)
        found = jax.tree.map(lambda leaf, at=(parents, actions): leaf[at], children)
        _, first, group = np.unique(rows_of(found), axis=0, return_index=True, return_inverse=True)
        states = jax.tree.map(lambda leaf, first=first: leaf[first], found)
        counts = np.bincount(group, counts[parents], len(first)).astype(int)
