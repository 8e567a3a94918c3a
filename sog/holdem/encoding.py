"""The features of hands for networks: `Game.encoding` of hold'em, see `CardHands`.

Everything is invariant under renaming of suits, and so is what a network computes from it.
"""

import functools
from typing import Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.encoding import CardHands
from sog.holdem.hand_ranks import CATEGORIES, category, strength, suit_masks
from sog.holdem.setup import HoldemSetup, HoldemState
from sog.holdem.showdown import Hands, SortedHands, net_wins, sort_hands

_STRAIGHT: Final = 5
_MOST_OF_A_SUIT: Final = 5
_MOST_OF_A_RANK: Final = 3
_OF_A_CARD: Final = 3
_OF_A_HAND: Final = 8
_DEAD: Final = -1
"""Weaker than any hand."""


def holdem_encoding(game: HoldemSetup) -> CardHands:
    """The encoding of hold'em's hands."""
    return CardHands(
        kind=(game.deck, game.hole_cards),
        channels=_OF_A_CARD * game.hole_cards + _OF_A_HAND + len(CATEGORIES),
        observe=functools.partial(_observe, game),
        compare=functools.partial(_compare, game.hands),
    )


def _observe(game: HoldemSetup, state: HoldemState) -> tuple[Array, Array, Array]:
    board = suit_masks(state.board, game.deck)
    own = jnp.asarray(game.hands.masks)
    is_live = jnp.all(own & board[None] == 0, axis=1)
    strengths = strength(own | board[None], game.deck)
    sorted_hands = sort_hands(jnp.where(is_live, strengths, _DEAD), game.hands)
    num_live = jnp.maximum(jnp.sum(is_live), 1).astype(jnp.float32)
    not_better = sorted_hands.below.astype(jnp.float32) + sorted_hands.upto
    # From -1 for the weakest to 1 for the strongest; impossible hands are below all.
    place = (not_better - 2 * (len(is_live) - num_live)) / num_live - 1
    categories = jnp.arange(len(CATEGORIES), dtype=jnp.int32)
    numbers = [
        *_of_cards(game.hands, board),
        *_of_draws(game.hands, board),
        jnp.where(is_live, place, 0),
        is_live,
    ]
    of_hands = jnp.stack([number.astype(jnp.float32) for number in numbers], axis=1)
    is_category = category(strengths)[:, None] == categories[None]
    hands = jnp.concatenate([of_hands, is_category.astype(jnp.float32)], axis=1)
    order = [leaf.reshape(-1).astype(jnp.int32) for leaf in jax.tree.leaves(sorted_hands)]
    return hands, _of_the_whole(game, state, board), jnp.concatenate(order)


def _of_cards(hands: Hands, board: Array) -> list[Array]:
    """[S] each: for both cards, the higher first, the rank, and how many cards of the board share
    the rank and the suit; whether they are paired, and suited."""
    ranks, suits = hands.cards // hands.deck.suits, hands.cards % hands.deck.suits
    in_suit = jnp.bitwise_count(board)[suits]  # [S, hole_cards]
    in_rank = jnp.sum((board[None, None] >> jnp.asarray(ranks)[:, :, None]) & 1, axis=2)
    found: list[Array] = []
    is_pair = ranks[:, 0] == ranks[:, -1]
    is_suited = suits[:, 0] == suits[:, -1]
    for number in reversed(range(hands.hole_cards)):
        # In a pair, the card with more of its suit on the board comes first.
        extreme = jnp.max(in_suit, axis=1) if number else jnp.min(in_suit, axis=1)
        of_suit = jnp.where(jnp.asarray(is_pair), extreme, in_suit[:, number])
        found += [
            jnp.asarray(ranks[:, number] / max(hands.deck.ranks - 1, 1)),
            in_rank[:, number] / jnp.float32(_MOST_OF_A_RANK),
            of_suit / jnp.float32(_MOST_OF_A_SUIT),
        ]
    two = np.float32(hands.hole_cards - 1)
    return [*found, jnp.asarray(is_pair * two), jnp.asarray(is_suited * two)]


def _of_draws(hands: Hands, board: Array) -> list[Array]:
    """[S] each: the most cards of a flush and of a straight with the hand, the number of straights
    that lack one card, and the most cards of a straight on the board alone."""
    deck, own = hands.deck, jnp.asarray(hands.masks)
    flush = jnp.max(jnp.bitwise_count(own | board[None]), axis=1)
    of_board = functools.reduce(jnp.bitwise_or, board)
    everything = functools.reduce(jnp.bitwise_or, list(own.T)) | of_board
    starts = np.arange(max(deck.ranks - _STRAIGHT + 2, 0), dtype=np.int32)
    runs = jnp.asarray(np.int32((1 << _STRAIGHT) - 1) << starts)

    def in_runs(ranks: Array) -> Array:
        """int32[..., run]: the cards of each run of five; the ace is also low."""
        low_ace = ranks << 1 | ranks >> (deck.ranks - 1) & 1
        return jnp.bitwise_count(low_ace[..., None] & runs.reshape((1,) * ranks.ndim + (-1,)))

    counts = in_runs(everything)
    most = jnp.max(counts, axis=1, initial=0)
    missing_one = jnp.sum(counts == _STRAIGHT - 1, axis=1)
    alone = jnp.broadcast_to(jnp.max(in_runs(of_board), initial=0), most.shape)
    return [
        flush / jnp.float32(_MOST_OF_A_SUIT),
        most / jnp.float32(_STRAIGHT),
        missing_one / jnp.float32(_STRAIGHT),
        (most - alone) / jnp.float32(_STRAIGHT),
    ]


def _of_the_whole(game: HoldemSetup, state: HoldemState, board: Array) -> Array:
    """float32[feature]: the stakes, the player to act, and features of the board."""
    betting = state.betting
    stakes = betting.stakes.astype(jnp.float32)
    stacks = jnp.maximum(betting.stacks, 1).astype(jnp.float32)
    # Half of the pot after a call; the uncallable part of a bet is returned.
    pot = game.pot / 2 + jnp.minimum(jnp.max(stakes), min(game.betting.stacks))
    most = jnp.float32(game.betting.most_won)
    ranks = jnp.arange(game.deck.ranks, dtype=jnp.int32)
    of_rank = jnp.sum((board[None] >> ranks[:, None]) & 1, axis=1)
    of_suit = jnp.sort(jnp.bitwise_count(board))[::-1]
    behind = jnp.min(stacks - jnp.minimum(stakes, stacks))
    parts = [
        (pot / most)[None],
        game.observe(state)[game.deck.num_cards :],
        jnp.stack([jnp.abs(stakes[0] - stakes[1]) / (2 * pot), jnp.log1p(behind / (2 * pot))]),
        jax.nn.one_hot(betting.street, len(game.betting.menus), dtype=jnp.float32),
        of_rank / jnp.float32(_MOST_OF_A_RANK),
        of_suit / jnp.float32(_MOST_OF_A_SUIT),
        betting.has_acted[None],
    ]
    return jnp.concatenate([part.astype(jnp.float32) for part in parts])


def _compare(hands: Hands, order: Array, ranges: Array) -> tuple[Array, Array]:
    sizes = jax.eval_shape(lambda: sort_hands(jnp.zeros(len(hands.cards), jnp.int32), hands))
    leaves, structure = jax.tree.flatten(sizes)
    ends = np.cumsum([leaf.size for leaf in leaves])[:-1]
    parts = [
        part.reshape(leaf.shape) for part, leaf in zip(jnp.split(order, ends), leaves, strict=True)
    ]
    sorted_hands: SortedHands = jax.tree.unflatten(structure, parts)
    return net_wins(ranges[::-1], sorted_hands, hands)
