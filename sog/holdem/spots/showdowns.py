"""Folds and showdowns: sums over the opponent's hands."""

from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.spots.arrays import Equities, SortedHands, SpotCards, SpotLayout
from sog.holdem.spots.sorted_hands import net_wins
from sog.tabular.cfr import add_up

_ROUNDINGS: Final = 8.0  # rounding error of a difference, in machine epsilons of the sum


def all_in_equities(layout: SpotLayout, cards: SpotCards) -> Equities:
    """[board, hand of player 0, hand of player 1] by street: player 0's mean of 1 for a win and -1
    for a loss over the cards to come, 0 for hands that share cards; None on the last."""
    found: list[Array | None] = [None]
    for street in range(layout.last - 1, -1, -1):
        below = found[0]

        def of_board(at: Array, street: int = street, below: Array | None = below) -> Array:
            def add(child: Array, total: Array) -> Array:
                if below is None:
                    ranks = (cards.rank[0][child], cards.rank[1][child])
                    matrix = _showdown(ranks, cards.compatible)
                else:
                    matrix = below[child]
                masks = [cards.mask[player][street + 1][child] for player in (0, 1)]
                matrix = matrix * masks[0][:, None] * masks[1][None, :]
                images = [cards.image[player][street + 1][child] for player in (0, 1)]
                padded = jnp.pad(matrix, ((0, 1), (0, 1)))
                twins = [
                    padded[row[:, None], col[None, :]] for row, col in zip(*images, strict=True)
                ]
                return total + add_up([matrix, *twins])

            start = cards.start[street + 1]
            nothing = jnp.zeros_like(cards.compatible)
            total = jax.lax.fori_loop(start[at], start[at + 1], add, nothing)
            mean: Array = total / layout.unseen[street]
            return mean

        size = cards.mask[0][street].shape[0]
        found.insert(0, jax.lax.map(of_board, jnp.arange(size, dtype=jnp.int32)))
    return tuple(found)


def against(layout: SpotLayout, cards: SpotCards, player: int, reach: Array) -> Array:
    """[..., hand]: for each own hand, the other's reach with hands that share no card with it.

    Subtracts the hands with each card from the total, and adds back the hand itself, which has
    both.
    """
    own, met = cards.holds[player], cards.holds[1 - player]
    with_card = _times(reach, met)
    total = jnp.sum(reach, axis=-1, keepdims=True)
    others = total - _times(with_card, own.T)
    if layout.hole_cards > 1:
        padded = jnp.pad(reach, [(0, 0)] * (reach.ndim - 1) + [(0, 1)])
        others += jnp.take(padded, cards.same[player], axis=-1, mode="clip")
    # Clear rounding errors: however small, they would produce regrets like any others.
    return jnp.where(others > _smallest(reach) * total, others, 0)


def at_showdown(
    layout: SpotLayout,
    cards: SpotCards,
    equities: Equities,
    player: int,
    street: int,
    at: Array,
    size: int,
    reach: Array,
) -> Array:
    """[board, end, hand]: the reach of the hands that each own hand beats minus that of hands that
    beat it.

    On `size` boards from `at` on; averaged over cards to come.
    """
    if street == layout.last and cards.in_order is not None:
        table = jax.tree.map(
            lambda one: jax.lax.dynamic_slice_in_dim(one, at, size), cards.in_order[player]
        )

        def of_board(table: SortedHands, reach: Array) -> Array:
            return net_wins(table, cards.same[player], _smallest(reach), at, reach)

        if size == 1:
            return of_board(jax.tree.map(lambda one: one[0], table), reach[0])[None]
        return jax.vmap(of_board)(table, reach)
    if street < layout.last:
        equity = equities[street]
        assert equity is not None
        matrix = jax.lax.dynamic_slice_in_dim(equity, at, size)
    else:
        ranks = [jax.lax.dynamic_slice_in_dim(rank, at, size) for rank in cards.rank]
        matrix = _showdown((ranks[0], ranks[1]), cards.compatible[None])
    if size == 1:
        matrix, reach = matrix[0], reach[0]
    values = _times(reach, jnp.swapaxes(matrix, -1, -2)) if player == 0 else -_times(reach, matrix)
    return values[None] if size == 1 else values


def _showdown(ranks: tuple[Array, Array], compatible: Array) -> Array:
    """[..., hand of player 0, hand of player 1]: 1 if player 0 wins, -1 if player 1 does."""
    first, second = ranks
    won = jnp.sign(first[..., :, None] - second[..., None, :])
    return won.astype(compatible.dtype) * compatible


def _smallest(reach: Array) -> float:
    """The share of a sum below which a difference is a rounding error."""
    return _ROUNDINGS * float(np.finfo(reach.dtype).eps)


def _times(rows: Array, matrix: Array) -> Array:
    """A matrix product in full float32 precision on any hardware."""
    return jnp.matmul(rows, matrix, precision=jax.lax.Precision.HIGHEST)
