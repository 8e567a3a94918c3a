"""Batches of games of limit hold'em over buckets: learning by UCT and Smooth UCT, and matches.
`scripts/limit_holdem.py` is the command.
"""

import dataclasses
import functools
from collections.abc import Sequence
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import draw
from sog.holdem.blueprint.buckets import Buckets, Cards
from sog.holdem.blueprint.limit_betting import (
    CALL,
    ILLEGAL,
    NOWHERE,
    NUM_ACTIONS,
    OVER,
    RAISE,
    Betting,
)
from sog.holdem.board_classes import in_order, renamed_hands, suit_classes
from sog.holdem.colex import number_of
from sog.holdem.deck import Deck
from sog.holdem.hand_ranks import strength, suit_masks
from sog.pytree import pytree

MOST_EXPLORATION: Final = {2: 24.0, 3: 36.0}  # C, big blinds
POTENTIAL: Final = 0.5  # k
GAMMA: Final = 0.1
ETA: Final = 0.9
D: Final = 1 / 20_000
SIMPLE: Final = ("always call", "always raise")
_ROWS_AT_ONCE: Final = 2**22  # when looking for best actions


@pytree
class Tree:
    """The statistics of a method; rows are decisions by bucket."""

    visits: Array  # [row, A] int32
    value: Array  # [row, A] float32: the mean gain of the player who decides, in big blinds


@pytree
class Deals:
    """The deals of G games."""

    bucket: Array  # [player, street, G] uint16
    strength: Array  # [player, G] int32: of the hand with the whole board


@dataclasses.dataclass(frozen=True, eq=False)
class Rules:
    """A limit game without its cards, as arrays. Compared by identity, as an argument of
    `jax.jit`."""

    betting: Betting
    sizes: tuple[int, ...]
    first_row: np.ndarray
    """int32[entry]: the first row of its decisions."""
    num_rows: int
    """Decisions by bucket."""

    @functools.cached_property
    def potential(self) -> np.ndarray:
        """float32[end]: the paper's k times the chips that later streets can still add."""
        limit, streets = self.betting.rules, self.betting.street[self.betting.next_node]
        left = [bin(mask).count("1") for mask in self.betting.left.tolist()]
        pairs = zip(streets.tolist(), left, strict=True)
        return np.array([POTENTIAL * limit.left_to_bet(*pair) for pair in pairs], np.float32)


def make_rules(betting: Betting, sizes: tuple[int, ...]) -> Rules:
    """The rules of a limit game. sizes: buckets by street."""
    first_row, num_rows = betting.first_rows(sizes)
    return Rules(betting=betting, sizes=sizes, first_row=first_row, num_rows=num_rows)


def empty_tree(rules: Rules) -> Tree:
    """A tree without visits."""
    shape = (rules.num_rows, NUM_ACTIONS)
    return Tree(visits=jnp.zeros(shape, jnp.int32), value=jnp.zeros(shape, jnp.float32))


def draw_cards(
    cards: Cards, random: np.random.Generator, players: int, games: int
) -> tuple[np.ndarray, np.ndarray]:
    """int32[G, card], whole boards; and int32[G, player, card], hole cards."""
    there, needed = cards.num_public[-1], players * cards.hole_cards + cards.num_public[-1]
    order = random.random((games, cards.deck.num_cards)).argpartition(needed, axis=1)[:, :needed]
    order = random.permuted(order, axis=1).astype(np.int32)
    return order[:, :there], order[:, there:].reshape(games, players, cards.hole_cards)


def strengths(deck: Deck, board: np.ndarray, held: np.ndarray) -> np.ndarray:
    """int32[player, G]: the strength of each hand with the whole board."""
    hands = [np.concatenate([board, held[:, p]], axis=1) for p in range(held.shape[1])]
    return np.stack([strength(suit_masks(hand, deck, np), deck, np) for hand in hands])


def deal(buckets: Buckets, random: np.random.Generator, players: int, games: int) -> Deals:
    """Deals cards for `games` games, and finds their buckets."""
    cards = buckets.cards
    deck, hole = cards.deck, cards.hole_cards
    board, held = draw_cards(cards, random, players, games)
    hands = np.asarray(number_of(jnp.asarray(held), deck.num_cards))
    names = renamed_hands(deck, hole)
    found = np.zeros((players, len(cards.num_public), games), np.uint16)
    for street, public in enumerate(cards.num_public):
        keys, renaming = in_order(deck, board[:, :public])
        rows = np.searchsorted(suit_classes(deck, public).key, keys)
        for player in range(players):
            named = names[renaming, hands[:, player]]
            found[player, street] = buckets.tables[street][rows, named]
    return Deals(bucket=jnp.asarray(found), strength=jnp.asarray(strengths(deck, board, held)))


def learn(rules: Rules, smooth: bool, tree: Tree, deals: Deals, key: Array) -> Tree:
    """Plays a game of each deal and updates the tree, whose buffers are donated.

    SEARCH and UPDATE of their Algorithms 1 and 2. smooth: whether UCB is mixed with the average
    policy.
    """
    found: Tree = _update(tree, *_search(rules, smooth, tree, deals, key))
    return found


@functools.partial(jax.jit, static_argnums=(0, 1))
def _search(rules: Rules, smooth: bool, tree: Tree, deals: Deals, key: Array) -> Any:
    """[step, G]: rows (NOWHERE where nothing is learned), actions, and the differences of the
    players' winnings from the means."""
    players, games = deals.strength.shape

    def choose(out: Array, place: "_Place", key: Array) -> tuple[Array, Array, Array]:
        visits, value = tree.visits[place.row], tree.value[place.row]
        total = visits.sum(axis=1)
        learns = place.is_running & ~jnp.take_along_axis(out, place.actor[None], axis=0)[0]
        by_tree = learns & (total > 0)
        bonus = jnp.sqrt(jnp.log(jnp.maximum(total, 1))[:, None] / jnp.maximum(visits, 1))
        score = value + place.exploration[:, None] * bonus
        score = jnp.where(visits > 0, score, jnp.inf)
        score = jnp.where(place.legal, score, -jnp.inf)
        best = score == score.max(axis=1, keepdims=True)
        numbers = jax.random.uniform(key, (2, games))
        eta = jnp.maximum(GAMMA, ETA / (1 + D * jnp.sqrt(total.astype(jnp.float32))))
        by_ucb = numbers[1] < eta if smooth else jnp.ones(games, bool)
        weight = jnp.where(by_ucb[:, None], best, visits)
        weight = jnp.where(by_tree[:, None], weight, place.legal).astype(jnp.float32)
        action = jax.vmap(draw)(numbers[0], weight)
        leaves = place.is_running & ~by_tree
        out |= leaves[None] & (place.actor[None] == jnp.arange(players)[:, None])
        return action, out, jnp.where(learns, place.row, NOWHERE)

    out = jnp.zeros((players, games), bool)
    utility, rows, actions, actors = _play(rules, deals, choose, out, key)
    gain = jnp.take_along_axis(utility, actors, axis=0)
    return rows, actions, gain - tree.value[rows, actions]


@functools.partial(jax.jit, donate_argnums=0)
def _update(tree: Tree, rows: Array, actions: Array, off: Array) -> Tree:
    """Updates in place: XLA would copy a table that is read before it is written."""
    rows = jnp.where(rows == NOWHERE, len(tree.visits), rows)  # beyond the end: dropped
    visits = tree.visits.at[rows, actions].add(1, mode="drop")
    # All games of a row together move its mean as they would in sequence.
    count = visits.at[rows, actions].get(mode="fill", fill_value=1)
    return Tree(visits=visits, value=tree.value.at[rows, actions].add(off / count, mode="drop"))


@functools.partial(jax.jit, static_argnums=0)
def match(rules: Rules, policies: Sequence[Array], deals: Deals) -> Array:
    """float32[player, G]: winnings in big blinds.

    policies: by seat, int8, the action at every row, or at every node for all hands.
    """

    def choose(out: Array, place: "_Place", key: Array) -> tuple[Array, Array, Array]:
        found = [
            policy[place.row if len(policy) == rules.num_rows else place.node]
            for policy in policies
        ]
        action = jnp.take_along_axis(jnp.stack(found), place.actor[None], axis=0)[0]
        return action.astype(jnp.int32), out, place.row

    utility: Array = _play(rules, deals, choose, jnp.bool_(False), jax.random.key(0))[0]
    return utility


@pytree
class _Place:
    """The current decisions of games."""

    node: Array  # [G] int32: the decision; arbitrary after the end
    is_running: Array  # [G] bool
    actor: Array  # [G] int32
    row: Array  # [G] int32
    legal: Array  # [G, A] bool
    exploration: Array  # [G] float32: c of their equation 3, in big blinds


@pytree
class _Hand:
    """The state of games."""

    node: Array  # [G] int32, or NOWHERE
    entry: Array  # [G] int32
    paid: Array  # [player, G] int32: chips
    left: Array  # [G] int32: a bit for each player who has not folded
    exploration: Array  # [G] float32


def _play(rules: Rules, deals: Deals, choose: Any, out: Array, key: Array) -> Any:
    """[player, G], winnings in big blinds; then [step, G]: rows, actions and actors."""
    betting, limit = rules.betting, rules.betting.rules
    players, games = deals.strength.shape
    seats = jnp.arange(players)[:, None]
    child, pays, street_of = map(jnp.asarray, (betting.child, betting.pays, betting.street))
    next_entry = jnp.asarray(np.concatenate(betting.next_entry))
    sizes, big_blind = jnp.asarray(rules.sizes), limit.blinds[-1]

    def explored(pot: Array | int, potential: Array | float) -> Array:
        return jnp.minimum(MOST_EXPLORATION[players], (pot + potential) / big_blind)

    def step(carry: tuple[_Hand, Array], key: Array) -> Any:
        hand, out = carry
        node, is_running = jnp.maximum(hand.node, 0), hand.node >= 0
        actor, street = jnp.asarray(betting.actor)[node], street_of[node]
        bucket = deals.bucket[actor, street, jnp.arange(games)].astype(jnp.int32)
        row = jnp.asarray(rules.first_row)[hand.entry]
        row += jnp.asarray(betting.local)[node] * sizes[street] + bucket
        place = _Place(
            node=node,
            is_running=is_running,
            actor=actor,
            row=row,
            legal=child[node] != ILLEGAL,
            exploration=hand.exploration,
        )
        action, out, row = choose(out, place, key)
        chips = jnp.where(is_running, pays[node, action], 0)
        paid = hand.paid + jnp.where(seats == actor[None], chips[None], 0)
        after = child[node, action]
        is_end = is_running & (after <= OVER)
        end = jnp.where(is_end, OVER - after, 0)
        next_node = jnp.asarray(betting.next_node)[end]
        deals_on = is_end & (next_node != NOWHERE)
        number = next_entry[hand.entry] + jnp.asarray(betting.next_number)[end]
        potential = jnp.asarray(rules.potential)[end]
        hand = _Hand(
            node=jnp.where(is_end, next_node, jnp.where(is_running, after, NOWHERE)),
            entry=jnp.where(deals_on, number, hand.entry),
            paid=paid,
            left=jnp.where(is_end, jnp.asarray(betting.left)[end], hand.left),
            exploration=jnp.where(
                deals_on, explored(paid.sum(axis=0), potential), hand.exploration
            ),
        )
        return (hand, out), (row, action, actor)

    first = POTENTIAL * limit.left_to_bet(0, players)
    start = _Hand(
        node=jnp.zeros(games, jnp.int32),
        entry=jnp.zeros(games, jnp.int32),
        paid=jnp.broadcast_to(jnp.array(limit.first_paid)[:, None], (players, games)),
        left=jnp.full(games, (1 << players) - 1, jnp.int32),
        exploration=jnp.full(games, explored(sum(limit.blinds), first)),
    )
    (hand, _), steps = jax.lax.scan(step, (start, out), jax.random.split(key, betting.longest))
    is_left = (hand.left[None] >> seats) & 1
    best = jnp.max(jnp.where(is_left, deals.strength, -1), axis=0)
    wins = is_left & (deals.strength == best[None])
    won = wins * (hand.paid.sum(axis=0) / wins.sum(axis=0))[None]
    return (won - hand.paid) / big_blind, *steps


def greedy_policy(tree: Tree) -> Array:
    """int8[row]: the visited action of the highest value, else the call."""
    visits, value = np.asarray(tree.visits), np.asarray(tree.value)
    found = np.full(len(visits), CALL, np.int8)
    for first in range(0, len(found), _ROWS_AT_ONCE):
        some = slice(first, min(first + _ROWS_AT_ONCE, len(found)))
        best = np.where(visits[some] > 0, value[some], -np.inf).argmax(axis=1)
        found[some] = np.where(visits[some].any(axis=1), best, CALL)
    return jnp.asarray(found)


def simple_policies(rules: Rules) -> dict[str, Array]:
    """int8[node] for each of `SIMPLE`."""
    can_raise = rules.betting.child[:, RAISE] != ILLEGAL
    raises = np.where(can_raise, RAISE, CALL).astype(np.int8)
    return dict(zip(SIMPLE, map(jnp.asarray, (np.full_like(raises, CALL), raises)), strict=True))
