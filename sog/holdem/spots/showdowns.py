"""Folds and showdowns: sums over the opponent's hands.

A hand meets all hands but those with one of its cards (inclusion and exclusion). With few hands, or
on an accelerator, a showdown is a product with the matrix of all S^2 pairs. With many it takes O(S)
per end, as in `sog.holdem.showdown`: hands are sorted by strength, in total and per card, so that
those which a hand beats are a prefix of each list. Lists are the columns of one array (see
`SortedHands`, which `sort_hands` makes), and a loop over places adds them up, all at once.
"""

import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.accelerators import is_accelerated
from sog.holdem.spots.arrays import Equities, SortedHands, SpotCards, SpotLayout, apart
from sog.holdem.spots.boards import SpotHands
from sog.tabular.cfr import add_up

_STEP: Final = 8
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
    """[..., hand]: for each own hand, the other's reach with hands that share no card with it."""
    padded = _by_hand(reach.reshape(-1, reach.shape[-1]))
    _, met = _meet(layout, cards, player, padded, _times(cards.holds[1 - player], padded[:-1]))
    return _by_end(cards, met).reshape(*reach.shape[:-1], -1)


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
        tables: SortedHands = jax.tree.map(
            lambda one: jax.lax.dynamic_slice_in_dim(one, at, size), cards.in_order[player]
        )
        of_board = functools.partial(_net_wins, layout, cards, player)
        if size == 1:
            return of_board(jax.tree.map(lambda one: one[0], tables), reach[0])[None]
        return jax.vmap(of_board)(tables, reach)
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


def _net_wins(
    layout: SpotLayout, cards: SpotCards, player: int, table: SortedHands, reach: Array
) -> Array:
    """[end, hand]: see `at_showdown`, on the board of a table. reach: [end, hand]."""
    length, width = table.lists.shape
    num_cards = cards.holds[player].shape[0]
    padded = _by_hand(reach)

    def add(place: Array, sums: Array) -> Array:
        hands, before = (
            jax.lax.dynamic_index_in_dim(a, place, 0, False) for a in (table.lists, sums)
        )
        after: Array = jax.lax.dynamic_update_index_in_dim(
            sums, before + _take(padded, hands), place + 1, 0
        )
        return after

    nothing = jnp.zeros((length + 1, width, len(reach)), reach.dtype)
    sums = jax.lax.fori_loop(0, length, add, nothing)
    rows, whole = sums.reshape(-1, len(reach)), sums[-1]
    columns = np.tri(width - num_cards, k=-1, dtype=np.float32)
    before = _times(jnp.asarray(columns), whole[num_cards:])
    net = jnp.zeros_like(padded[:1])
    for bounds in table.bounds[0]:
        column = jax.lax.rem(bounds, jnp.int16(width)) - num_cards
        net += _take(rows, bounds) + _take(before, column)
    for below, upto in table.bounds[1:]:
        net -= _take(rows, below) + _take(rows, upto)
    others, met = _meet(layout, cards, player, padded, whole[:num_cards])
    return _by_end(cards, jnp.clip(net - others, -met, met))


def _meet(
    layout: SpotLayout, cards: SpotCards, player: int, padded: Array, of_card: Array
) -> tuple[Array, Array]:
    """[hand, end] twice: the total minus the hands with each card of a hand; and what it meets,
    which is that, and if it has two cards itself, which was subtracted twice.

    padded: see `_by_hand`. of_card: [card, end].
    """
    total = jnp.sum(of_card, axis=0, keepdims=True) / layout.hole_cards
    others = total - sum(_take(of_card, held) for held in cards.held[player])
    met = others + _take(padded, cards.same[player]) if layout.hole_cards > 1 else others
    # Clear rounding errors: however small, they would produce regrets like any others.
    smallest = _ROUNDINGS * float(np.finfo(padded.dtype).eps) * total
    return others, jnp.where(met > smallest, met, 0)


def _by_hand(reach: Array) -> Array:
    """[hand + 1, end] from [end, hand]: a look-up copies rows. The last one is 0."""
    return jnp.pad(reach.T, ((0, 1), (0, 0)))


def _by_end(cards: SpotCards, values: Array) -> Array:
    """[end, hand] from [hand, end]."""
    if is_accelerated():
        return values.T
    found: Array = apart(cards.same[0][0], jnp.transpose, values)
    return found


def _take(rows: Array, which: Array) -> Array:
    return jnp.take(rows, which.astype(jnp.int32), axis=0, mode="clip")


def _times(rows: Array, matrix: Array) -> Array:
    """A matrix product in full float32 precision on any hardware."""
    return jnp.matmul(rows, matrix, precision=jax.lax.Precision.HIGHEST)


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
    # In steps, so that similar ranges share a program.
    length = min(-(-int(of_card.max()) // _STEP) * _STEP, num_cards - 1)
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
