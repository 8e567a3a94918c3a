"""Tables for showdowns in sorted order, see `showdowns.py`: hands by strength on each board."""

from typing import Final

import jax.numpy as jnp
import numpy as np

from sog.holdem.spots.arrays import SortedHands
from sog.holdem.spots.boards import SpotHands

_STEP: Final = 8


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
