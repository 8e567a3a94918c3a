"""Showdowns in sorted order: O(S) per end, where the matrix of all pairs of hands has S^2 entries.

On a board, hands are sorted by strength, in total and per card, as in `sog.holdem.showdown`. What a
hand beats is then a prefix of each list, and hands that share a card with it are subtracted. Here
the players' hands differ, ends are many, and boards are known beforehand. So tables are made once,
all lists are the columns of one array, whose running sums are one product with a triangle, and
reach is [hand, end], so that a look-up copies rows.
"""

import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sog.holdem.spots.arrays import SortedHands, apart
from sog.holdem.spots.boards import SpotHands


def sort_hands(
    hands: SpotHands, ranks: tuple[np.ndarray, np.ndarray]
) -> tuple[SortedHands, SortedHands]:
    """For each player. ranks: [board, hand] of each, see `boards.strengths`."""
    first, second = (_sort(hands, ranks, player) for player in (0, 1))
    return first, second


def _sort(hands: SpotHands, ranks: tuple[np.ndarray, np.ndarray], player: int) -> SortedHands:
    num_cards, cards = hands.deck.num_cards, hands.deck.hands(hands.hole_cards)
    own, met = (cards[hands.number[who]] for who in (player, 1 - player))
    of_card = np.bincount(met.ravel(), minlength=num_cards)
    starts = np.cumsum(of_card) - of_card
    length = num_cards - 1  # for any ranges, so that these share a program
    last = (len(met) - 1) // length
    width = num_cards + last + 1
    num_boards, num_ranks = len(ranks[0]), 1 + max(int(rank.max()) for rank in ranks)
    lists = np.full((num_boards, length, width), len(met), np.int16)
    bounds = np.empty((num_boards, 1 + hands.hole_cards, 2, len(own)), np.int16)
    places, columns = np.arange(len(met)) % length, num_cards + np.arange(len(met)) // length
    for board, (rank, other) in enumerate(zip(ranks[player], ranks[1 - player], strict=True)):
        order = np.argsort(other, kind="stable")
        lists[board, places, columns] = order
        held = met[order].ravel()
        by_card = np.argsort(held, kind="stable")  # and by strength among those of a card
        held = held[by_card]
        in_list = np.arange(len(held)) - starts[held]
        lists[board, in_list, held] = order[by_card // hands.hole_cards]
        found = _bounds(np.bincount(other, minlength=num_ranks))[:, rank]
        column = np.minimum(found // length, last)
        bounds[board, 0] = (found - column * length) * width + num_cards + column
        keys = met * num_ranks + other[:, None]
        counts = np.bincount(keys.ravel(), minlength=num_cards * num_ranks)
        found = _bounds(counts.reshape(num_cards, num_ranks))[:, own.T, rank]
        bounds[board, 1:] = (found * width + own.T).swapaxes(0, 1)
    return SortedHands(lists=jnp.asarray(lists), bounds=jnp.asarray(bounds))


def _bounds(counts: np.ndarray) -> np.ndarray:
    """[2, ..., rank]: how many have a lower rank, and how many no higher one."""
    upto = np.cumsum(counts, axis=-1)
    return np.stack([upto - counts, upto])


def net_wins(table: SortedHands, same: Array, smallest: float, at: Array, reach: Array) -> Array:
    """[end, hand]: the reach of the hands that each hand beats minus that of hands that beat it.

    table: of one board. same: [hand], see `SpotCards`. reach: [end, hand of the other]. smallest:
    the share of a whole range below which a sum is a rounding error. at: see `apart`.
    """
    length, width = table.lists.shape
    num_cards = length + 1
    padded = jnp.pad(reach.T, ((0, 1), (0, 0)))
    lists = apart(at, _take, padded, table.lists)
    running = _product(_triangle(length + 1)[:, :-1], lists.reshape(length, -1))
    rows = running.reshape(-1, reach.shape[0])
    whole = rows[-width:]
    before = _product(_triangle(width - num_cards), whole[num_cards:])
    total = before[-1:] + whole[-1:]
    column = lax.rem(table.bounds, jnp.int16(width))
    of_all = [_take(before, which - num_cards) for which in column[0]]
    net = sum(_take(rows, bound) for bound in table.bounds[0]) + sum(of_all)
    others = total
    for (below, upto), (which, _) in zip(table.bounds[1:], column[1:], strict=True):
        net -= _take(rows, below) + _take(rows, upto)
        others -= _take(whole, which)
    # A hand of two cards is itself in both lists.
    met = others + (_take(padded, same) if len(table.bounds) > 2 else 0)
    met = jnp.where(met > smallest * total, met, 0)
    by_end: Array = apart(at, jnp.transpose, jnp.clip(net - others, -met, met))
    return by_end


def _triangle(size: int) -> Array:
    """[size, size]: 1 below the diagonal."""
    return jnp.asarray(np.tri(size, k=-1, dtype=np.float32))


def _product(matrix: Array, rows: Array) -> Array:
    return jnp.matmul(matrix, rows, precision=lax.Precision.HIGHEST)


def _take(rows: Array, which: Array) -> Array:
    return jnp.take(rows, which.astype(jnp.int32), axis=0, mode="clip")
