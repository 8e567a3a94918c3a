"""Monte Carlo CFR with public chance sampling over buckets (Johanson et al. 2012, *Efficient Nash
equilibrium approximation through Monte Carlo counterfactual regret minimization*).

An iteration draws a whole board and updates one player's regrets: for all its hands against all of
the opponent's, in the whole betting tree. Showdowns are products with the matrix of which hand
beats which on this board, for all showdowns at once. Regrets and policies are per bucket; those of
its hands are summed. Iterations are weighted linearly (Brown and Sandholm 2019): by `t`, regrets
and average policy alike.

Arrays of a level are [decision, action, bucket], or [decision, action, hand] with the L hands that
are live on the board.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.holdem.blueprint.betting_tree import ILLEGAL, OVER, BettingLevel, BettingTree
from sog.holdem.blueprint.buckets import Buckets
from sog.holdem.blueprint.strengths import num_opponents
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.no_limit import NO_FOLDER
from sog.pytree import pytree

BOARDS: Final = 8
"""Boards per call."""


@pytree
class Tables:
    """What is learned; lists by level."""

    regret: list[Array]
    """[D, A, bucket] float32: cumulative regrets, divided by the number of iterations."""
    policy_sum: list[Array]
    """[D, A, bucket] float32: sums of own reach times policy, likewise."""


@pytree
class Draw:
    """B boards drawn, and their live hands."""

    board: Array  # [B, suits] int32: as masks
    hand: Array  # [B, L] int32
    bucket: list[Array]  # by street: [B, L] int32; of no hands if scores give them


@dataclasses.dataclass(frozen=True, eq=False)
class Trainer:
    """What is constant in training. Compared by identity, as a static argument of `jax.jit`."""

    tree: BettingTree
    buckets: Buckets

    def empty(self) -> Tables:
        """Zeros: the current policy is uniform."""

        def zeros() -> list[Array]:
            return [
                jnp.zeros((*level.child.shape, self.buckets.sizes[level.street]), jnp.float32)
                for level in self.tree.levels
            ]

        return Tables(regret=zeros(), policy_sum=zeros())

    @property
    def num_entries(self) -> int:
        """Entries of each of the two tables."""
        sizes = self.buckets.sizes
        return sum(level.child.size * sizes[level.street] for level in self.tree.levels)

    def draw(self, seed: int, call: int) -> Draw:
        """The boards of a call, deterministic in seed and call."""
        game = self.buckets.game
        random = np.random.default_rng([seed, call])
        deck = np.broadcast_to(np.arange(game.deck.num_cards), (BOARDS, game.deck.num_cards))
        boards = random.permuted(deck, axis=1)[:, : game.num_public[-1]]
        live = game.hands.live(boards)
        hand = np.nonzero(live)[1].reshape(BOARDS, -1).astype(np.int32)
        bucket = []
        for street, there in enumerate(game.num_public):
            known = np.zeros((BOARDS, 0), np.int32)
            if len(self.buckets.tables[street]):
                every = self.buckets.of_boards(street, boards[:, :there])
                known = np.take_along_axis(every, hand, axis=1).astype(np.int32)
            bucket.append(jnp.asarray(known))
        masks = suit_masks(boards, game.deck, np)
        return Draw(board=jnp.asarray(masks), hand=jnp.asarray(hand), bucket=bucket)

    @property
    def num_met(self) -> int:
        """How many hands the opponent may hold, given a hand and a board."""
        game = self.buckets.game
        return num_opponents(game.hands, game.num_public[-1])

    def levels_before(self, number: int) -> list[int]:
        """The levels whose actions lead to a level."""
        levels = self.tree.levels
        if number and levels[number - 1].street == levels[number].street:
            return [number - 1]
        street = levels[number].street - 1
        return [one for one in range(number) if levels[one].street == street]


def average_policy(tables: Tables, levels: Sequence[BettingLevel]) -> list[np.ndarray]:
    """By level: [D, A, bucket] float32; uniform where nothing was learned."""
    found = []
    for level, summed in zip(levels, tables.policy_sum, strict=True):
        legal = level.legal[:, :, None]
        total = np.asarray(summed) * legal
        whole = total.sum(axis=1, keepdims=True)
        uniform = np.broadcast_to(legal / legal.sum(axis=1, keepdims=True), total.shape)
        found.append(np.where(whole > 0, total / np.where(whole > 0, whole, 1), uniform))
    return [policy.astype(np.float32) for policy in found]


@functools.partial(jax.jit, static_argnums=0, donate_argnums=1)
def iterate(trainer: Trainer, tables: Tables, drawn: Draw, before: Array) -> tuple[Tables, Array]:
    """An iteration of each player on each board; before: the number of earlier boards.

    Also returns float32, player 0's mean gain under the current policies.
    """

    def one(carry: tuple[Tables, Array], board: Draw) -> tuple[Any, Array]:
        tables, number = carry
        table = _Board(trainer, board)
        keep = number / (number + 1)
        values = []
        for player in (0, 1):
            tables, value = _update(trainer, tables, table, player, keep)
            values.append(value)
        return (tables, number + 1), (values[0] - values[1]) / 2

    (tables, _), values = jax.lax.scan(one, (tables, before.astype(jnp.float32)), drawn)
    return tables, jnp.mean(values)


class _Board:
    """Which hands beat which on one board, and their buckets."""

    def __init__(self, trainer: Trainer, drawn: Draw) -> None:
        hands, buckets = trainer.buckets.game.hands, trainer.buckets
        own = jnp.asarray(hands.masks)[drawn.hand]
        strengths = strength(own | drawn.board[None], hands.deck)
        shared = jnp.zeros((len(own), len(own)), jnp.int32)
        for ranks in own.T:
            shared |= ranks[:, None] & ranks[None, :]
        # Faster than jnp.sign, which XLA does not fuse with the rest.
        signs = jnp.clip(strengths[:, None] - strengths[None, :], -1, 1)
        self.beats = jnp.where(shared == 0, signs, 0).astype(jnp.float32)
        cards = jnp.asarray(hands.cards)[drawn.hand]
        self.holds = jax.nn.one_hot(cards, hands.deck.num_cards, dtype=jnp.float32).sum(axis=1)
        numbers = list(drawn.bucket)
        if buckets.has_edges:
            score = self.beats.sum(axis=1).astype(jnp.int32) + trainer.num_met
            numbers[-1] = jnp.searchsorted(
                jnp.asarray(buckets.edges), score, method="compare_all"
            ).astype(jnp.int32)
        self.bucket = numbers
        self.member = [
            (number[:, None] == jnp.arange(size)[None]).astype(jnp.float32)
            for number, size in zip(numbers, buckets.sizes, strict=True)
        ]
        self.num_hands, self.hole_cards = len(cards), hands.hole_cards

    def met(self, reach: Array) -> Array:
        """[row, hand]: the reach of the hands that share no card with each hand."""
        shares = reach @ self.holds @ self.holds.T
        whole = jnp.sum(reach, axis=1, keepdims=True)
        return whole - shares + (self.hole_cards - 1) * reach  # subtracted for both of its cards


def _current(regret: Array, legal: np.ndarray) -> Array:
    """[D, A, bucket]: regret matching; legal: [D, A]."""
    mask = jnp.asarray(legal)[:, :, None]
    positive = jnp.where(mask, jnp.maximum(regret, 0), 0)
    total = jnp.sum(positive, axis=1, keepdims=True)
    uniform = mask / jnp.sum(mask, axis=1, keepdims=True, dtype=jnp.float32)
    return jnp.where(total > 0, positive / jnp.where(total > 0, total, 1), uniform)


def _update(
    trainer: Trainer, tables: Tables, board: _Board, player: int, keep: Array
) -> tuple[Tables, Array]:
    """One player's regrets and average policy after one board, and its value there under the
    current policies. keep: the factor on old sums."""
    levels = trainer.tree.levels
    policies = [
        _current(regret, level.legal) for regret, level in zip(tables.regret, levels, strict=True)
    ]
    by_hand = [
        jnp.take(policy, board.bucket[level.street], axis=2)
        for policy, level in zip(policies, levels, strict=True)
    ]
    reach, ends = _forward(trainer, board, by_hand, player)
    regret, policy_sum = list(tables.regret), list(tables.policy_sum)
    values: list[Array | None] = [None] * len(levels)
    for number in reversed(range(len(levels))):
        level, policy = levels[number], policies[number]
        after = _after_actions(trainer, number, values, ends)
        if level.actor != player:
            values[number] = jnp.sum(after, axis=1)
            continue
        member = board.member[level.street]
        values[number] = jnp.sum(by_hand[number] * after, axis=1)
        worth = after @ member
        gain = worth - jnp.sum(policy * worth, axis=1, keepdims=True)
        regret[number] = regret[number] * keep + gain
        own = (reach[number] @ member)[:, None, :] * policy
        policy_sum[number] = policy_sum[number] * keep + own
    root = values[0]
    assert root is not None
    return Tables(regret=regret, policy_sum=policy_sum), jnp.sum(root) / board.num_hands


def _forward(
    trainer: Trainer, board: _Board, by_hand: list[Array], player: int
) -> tuple[list[Array], Array]:
    """By level: [D, hand], the player's own reach; and [end, hand], its cfvs at the ends.

    Those are divided by the number of hands it meets, so that values at the root are in game units.
    """
    start = jnp.ones((1, board.num_hands), jnp.float32)
    own_after: list[Array] = []
    other_after: list[Array] = []
    reach, at_ends = [], []
    for number, level in enumerate(trainer.tree.levels):
        own, other = start, start / trainer.num_met
        if number:
            before = trainer.levels_before(number)
            child = np.concatenate([trainer.tree.levels[one].child.ravel() for one in before])
            # Decisions are numbered in the order of the actions that lead to them.
            rows = np.flatnonzero((child >= level.first) & (child < level.first + len(level.child)))
            own, other = (
                jnp.concatenate([after[one] for one in before])[rows.astype(np.int32)]
                for after in (own_after, other_after)
            )
        reach.append(own)
        num_decisions, num_actions = level.child.shape
        shape = (num_decisions * num_actions, board.num_hands)
        taken = by_hand[number]
        for after, now, is_mover in (
            (own_after, own, level.actor == player),
            (other_after, other, level.actor != player),
        ):
            spread = now[:, None, :] * taken if is_mover else now[:, None, :]
            after.append(jnp.broadcast_to(spread, taken.shape).reshape(shape))
        at_ends.append(other_after[number][level.child.ravel() <= OVER])
    return reach, _worth_of_ends(trainer, board, jnp.concatenate(at_ends), player)


def _worth_of_ends(trainer: Trainer, board: _Board, other: Array, player: int) -> Array:
    """[end, hand], see `_forward`. other: [end, hand], the opponent's reach."""
    folder, won = trainer.tree.folder, trainer.tree.won
    is_shown = folder == NO_FOLDER
    sign = np.where(folder == player, -1, 1).astype(np.float32)
    folds = board.met(other[~is_shown]) * (sign * won)[~is_shown, None]
    # The matrix is antisymmetric, and the player's hands should be the columns.
    shown = other[is_shown] @ board.beats * -won[is_shown, None]
    order = np.concatenate([np.flatnonzero(~is_shown), np.flatnonzero(is_shown)])
    return jnp.concatenate([folds, shown])[np.argsort(order)]


def _after_actions(
    trainer: Trainer, number: int, values: Sequence[Array | None], ends: Array
) -> Array:
    """[D, A, hand]: the player's values after each action of a level, 0 where it is illegal.

    values: of decisions on later levels. ends: [end, hand], of all ends.
    """
    level = trainer.tree.levels[number]
    child = level.child.ravel()
    place = np.full(len(child), -1)
    parts, size = [], 0
    for later in range(number + 1, len(trainer.tree.levels)):
        first, found = trainer.tree.levels[later].first, values[later]
        assert found is not None
        rows = np.flatnonzero((child >= first) & (child < first + len(found)))
        if len(rows):
            # Decisions are numbered in the order of the actions that lead to them.
            begin = int(child[rows[0]]) - first
            parts.append(found[begin : begin + len(rows)])
            place[rows] = size + np.arange(len(rows))
            size += len(rows)
    rows = np.flatnonzero(child <= OVER)
    place[rows] = size + np.arange(len(rows))
    if len(rows):  # ends are numbered like that, too
        begin = OVER - int(child[rows[0]])
        parts.append(ends[begin : begin + len(rows)])
    every = jnp.concatenate([*parts, jnp.zeros((1, ends.shape[-1]), jnp.float32)])
    place[child == ILLEGAL] = len(every) - 1
    return every[place].reshape(*level.child.shape, -1)
