"""Push or fold: heads-up no-limit hold'em in which the small blind jams or folds, exactly.

Boards are summed out: of two hands only the equity over all boards matters. Boards fall into
134 459 classes up to suit isomorphism, and sums over classes of hands (AKs, TT, ...) are equal
within a class. That leaves a game of 169 by 169 classes, solved by a linear program.
"""

import dataclasses
import functools
import math
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
import scipy.optimize
import scipy.sparse
from jax import Array

from sog.holdem.board_classes import suit_classes
from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.ranges import class_of_hands

_BOARD: Final = 5
_TOGETHER: Final = 32  # boards compared in one step
_SMALL_BLIND: Final = 0.5
_MOST_STACK: Final = 1_000_000
_LARGEST: Final = np.iinfo(np.int32).max


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Equities:
    """All-in before the flop; classes are row * ranks + column of `sog.holdem.ranges`."""

    num_pairs: np.ndarray
    """[class, class] float64: pairs of hands that share no card."""
    net: np.ndarray
    """[class, class] float64: the first one's win frequency over these pairs and all boards."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class PushFold:
    """An equilibrium at one stack depth."""

    value: float
    """To the small blind, in big blinds per hand."""
    jam: np.ndarray
    """[class]: the small blind's probability to jam."""
    call: np.ndarray
    """[class]: the big blind's probability to call."""
    jam_share: float
    """Of all hands."""
    call_share: float


def all_in_before_the_flop(deck: Deck = Deck()) -> Equities:  # noqa: B008 - frozen
    """Sums over all boards, class by class; takes about a minute for the whole deck."""
    classes = suit_classes(deck, _BOARD)
    boards, counts = suit_masks(classes.board, deck, np), classes.size.astype(np.int32)
    hands = suit_masks(deck.hands(), deck, np)
    fill = -len(boards) % _TOGETHER
    boards = np.concatenate([boards, np.zeros((fill, deck.suits), np.int32)])
    counts = np.concatenate([counts, np.zeros(fill, np.int32)])
    shape = (-1, _TOGETHER)
    wins = _count_wins(
        deck,
        jnp.asarray(hands),
        jnp.asarray(boards.reshape(*shape, deck.suits)),
        jnp.asarray(counts.reshape(shape)),
    )
    holds = deck.holds().astype(np.float64)
    disjoint = holds @ holds.T == 0
    net = np.where(disjoint, np.asarray(wins, np.float64) - np.asarray(wins, np.float64).T, 0)
    numbers = class_numbers(deck)
    member = np.zeros((len(numbers), deck.ranks**2))
    member[np.arange(len(numbers)), numbers] = 1
    num_pairs = member.T @ disjoint @ member
    num_boards = math.comb(deck.num_cards - 4, _BOARD)  # without a card of either hand
    total = member.T @ net @ member
    return Equities(num_pairs=num_pairs, net=total / np.maximum(num_pairs, 1) / num_boards)


def class_numbers(deck: Deck) -> np.ndarray:
    """[hand]: the class of each hand, as numbered in `Equities` and `PushFold`."""
    rows, columns = class_of_hands(deck).T
    return np.asarray(rows * deck.ranks + columns)


def check_stack(stack: float) -> None:
    """Raises ValueError for a stack, in big blinds, without a choice, or too large for the linear
    program's precision."""
    if not stack > 1:
        raise ValueError(f"stack must be > 1 big blind, got {stack:g}.")
    if stack > _MOST_STACK:
        raise ValueError(f"stack must be <= {_MOST_STACK:,} big blinds, got {stack:g}.")


def solve_push_fold(equities: Equities, stack: float) -> PushFold:
    """An equilibrium. stack: of each player, in big blinds; the small blind is a half."""
    check_stack(stack)
    deal = equities.num_pairs / equities.num_pairs.sum()
    size = len(deal)
    # Maximize the sum of v over jams x. v of a class of the big blind is the small blind's gain
    # from it: at most the gain if it folds, and at most the gain if it calls.
    by_fold = (deal * (1 + _SMALL_BLIND)).T
    by_call = (deal * (stack * equities.net + _SMALL_BLIND)).T
    identity = scipy.sparse.identity(size)
    rows = scipy.sparse.bmat([[-by_fold, identity], [-by_call, identity]]).tocsr()
    limits = np.tile(-_SMALL_BLIND * deal.sum(axis=0), 2)
    found = scipy.optimize.linprog(
        np.concatenate([np.zeros(size), -np.ones(size)]),
        A_ub=rows,
        b_ub=limits,
        bounds=[(0, 1)] * size + [(None, None)] * size,
        method="highs",
    )
    jam = np.clip(found.x[:size], 0, 1)
    # The dual variables of folding and calling are the big blind's policy.
    prices = -found.ineqlin.marginals.reshape(2, size)
    call = np.clip(prices[1] / prices.sum(axis=0), 0, 1)
    hands = equities.num_pairs.sum(axis=1) / equities.num_pairs.sum()
    return PushFold(
        value=float(-found.fun),
        jam=jam,
        call=call,
        jam_share=float(jam @ hands),
        call_share=float(call @ hands),
    )


@functools.partial(jax.jit, static_argnums=0)
def _count_wins(deck: Deck, hands: Array, boards: Array, counts: Array) -> Array:
    """int32[hand, hand]: boards, without their cards, on which the first beats the second."""

    def add(wins: Array, chunk: tuple[Array, Array]) -> tuple[Array, None]:
        board, count = chunk
        strengths = strength(hands[None] | board[:, None], deck)
        is_live = jnp.all(hands[None] & board[:, None] == 0, axis=-1)
        own = jnp.where(is_live, strengths, -1)  # a dead hand beats nothing
        other = jnp.where(is_live, strengths, _LARGEST)  # and is not beaten
        for number in range(_TOGETHER):
            beats = own[number][:, None] > other[number][None, :]
            wins = wins + jnp.where(beats, count[number], 0)
        return wins, None

    nothing = jnp.zeros((len(hands), len(hands)), jnp.int32)
    wins, _ = jax.lax.scan(add, nothing, (boards, counts))
    found: Array = wins
    return found
