"""Heads-up hold'em, and other games with one or two private cards and public cards.

Player 0 is the big blind and opens every street except the first; player 1 is the small blind and
dealer. With a board the game begins there, as a spot: there are no blinds, but a pot.
"""

import dataclasses
import functools
import itertools
import types
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, TERMINAL, public_action
from sog.games.encoding import CardHands
from sog.holdem.board_classes import by_ranks
from sog.holdem.deck import combinations, number_of
from sog.holdem.encoding import holdem_encoding
from sog.holdem.hand_ranks import strength, suit_masks
from sog.holdem.no_limit import DENOMINATOR, MOST_RAISES, NO_FOLDER, BettingState
from sog.holdem.setup import NO_EVENT, HoldemState
from sog.holdem.showdown import SortedHands, met, net_wins, sort_hands
from sog.holdem.texts import HoldemTexts
from sog.pytree import pytree


@pytree
class EndOfHand:
    """A finished hand, with the hands sorted by strength on its board."""

    state: HoldemState
    sorted_hands: SortedHands


@dataclasses.dataclass(frozen=True, kw_only=True)
class Holdem(HoldemTexts):
    """Heads-up hold'em with a bet menu; parameters make it a spot, a limit game or a small one.

    The state keeps only the chips of past bets, so equal chips mean equal subgames.
    """

    name = "holdem"
    summary = "heads-up hold'em: no-limit with a menu of bets, or a spot from a board on"
    rules = """\
Each player gets two cards. Player 1, the dealer, posts the small blind, player 0 the big one.
A round of betting, then three public cards, the flop; a second round, a fourth card, the turn;
a third round, a fifth card, the river; a last round. The dealer opens the first round, player
0 the others. Fold, call (or check), or bet (raise): at least the big blind, and at least as
much as the last raise. A player who is all-in no longer acts, and an uncalled part of a bet is
returned. At the showdown the best hand of five among a player's two and the five public cards
wins the pot; equal hands split it."""
    parts = types.MappingProxyType(
        {
            "examples": "sog.holdem.spots.training_examples:SOURCE",
            "measure": "sog.holdem.spots.value_errors:SpotMeasure",
            "own_solver": "sog.holdem.spots.spot:own_solver",
            "node_tables": "sog.holdem.commands.spot_node:node_tables",
        }
    )
    where_too_large = (
        'With a board it is a spot: `sog solve "holdem(board=KsTh7s4d,pot=100,stack=200)"`. '
        "Without: `sog search agent:holdem` shows a decision, `sog evaluate agent:holdem --lbr` "
        "bounds a player's exploitability from below."
    )

    def root(self) -> HoldemState:
        board = np.full(max(self.num_public[-1], 1), self.deck.num_cards, np.int8)
        board[: len(self._start_board)] = sorted(self._start_board)
        return HoldemState(
            betting=jax.tree.map(jnp.asarray, self.betting.start()),
            board=jnp.asarray(board),
            events=jnp.full(self.betting.most_bets, NO_EVENT, jnp.int8),
            num_events=jnp.int32(0),
        )

    def actor(self, state: HoldemState) -> Array:
        return state.betting.stage.astype(jnp.int32)

    def legal_outcomes(self, state: HoldemState) -> Array:
        def padded(legal: Array) -> Array:
            return jnp.pad(legal, (0, self.num_outcomes - len(legal)))

        actor = self.actor(state)
        legal = padded(self.betting.legal(state.betting)) & (actor < CHANCE)
        setups = jnp.ones(len(self.betting.setups), bool)
        legal |= padded(setups) & self._draws_setup(state)
        for street, dealt in enumerate(self._deals_left):
            is_now = self._deals_street(state, street)
            cards = jnp.asarray(combinations(self.deck.num_cards, dealt))
            is_there = jnp.any(self._is_public(state)[cards], axis=1)
            legal |= padded(~is_there) & is_now
        return legal

    def outcomes_in_order(self, state: HoldemState) -> Array:
        """Dealt cards ordered by rank, see `by_ranks`."""
        order = jnp.arange(self.num_outcomes, dtype=jnp.int32)
        for street, dealt in enumerate(self._deals_left):
            by_rank = by_ranks(self.deck, dealt)
            sorted_now = order.at[: len(by_rank)].set(by_rank)
            order = jnp.where(self._deals_street(state, street), sorted_now, order)
        return order

    def apply(self, state: HoldemState, outcome: Array) -> HoldemState:
        is_deal = self.actor(state) == CHANCE
        action = jnp.clip(outcome, 0, self.num_actions - 1).astype(jnp.int32)
        bet = self.betting.bet(state.betting, action)
        board = state.board
        for street, dealt in enumerate(self._deals_left):
            sets = combinations(self.deck.num_cards, dealt)
            cards = jnp.asarray(sets, jnp.int8)[jnp.clip(outcome, 0, len(sets) - 1)]
            first = self.num_public[street]
            is_now = self._deals_street(state, street)
            board = board.at[first : first + dealt].set(
                jnp.where(is_now, cards, board[first : first + dealt])
            )
        dealt_on = self.betting.next_street(state.betting)
        if self.betting.setups:
            drawn = self.betting.draw(state.betting, outcome)
            dealt_on = _either(self._draws_setup(state), drawn, dealt_on)
        number = jnp.minimum(state.num_events, len(state.events) - 1)
        event = jnp.where(is_deal, state.events[number], action.astype(jnp.int8))
        return HoldemState(
            betting=_either(is_deal, dealt_on, bet),
            board=board,
            events=state.events.at[number].set(event),
            num_events=state.num_events + ~is_deal,
        )

    def _draws_setup(self, state: HoldemState) -> Array:
        """bool: whether chance is to draw stacks and bets."""
        return (self.actor(state) == CHANCE) & self.betting.is_drawing(state.betting)

    def _deals_street(self, state: HoldemState, street: int) -> Array:
        """bool: whether chance is to deal the cards after this street."""
        is_due = (self.actor(state) == CHANCE) & (state.betting.street == street)
        return is_due & ~self.betting.is_drawing(state.betting)

    def _weight(self, state: HoldemState, dtype: Any) -> Array:
        """The joint weight of two hands that share no card."""
        weight = jnp.asarray(self._weights, dtype)[state.betting.street]
        if not self.betting.setups:
            return weight
        is_drawn = ~self.betting.is_drawing(state.betting)
        return weight * jnp.where(is_drawn, 1 / len(self.betting.setups), 1).astype(dtype)

    def _is_public(self, state: HoldemState) -> Array:
        """bool[N]."""
        every = jnp.arange(self.deck.num_cards, dtype=jnp.int8)
        return jnp.any(state.board[:, None] == every[None], axis=0)

    def _is_live(self, state: HoldemState) -> Array:
        """bool[S]: hands without a card of the board."""
        shared = jnp.asarray(self.hands.masks) & suit_masks(state.board, self.deck)[None]
        return jnp.all(shared == 0, axis=1)

    def infostate_mask(self, state: HoldemState) -> Array:
        live = self._is_live(state)
        return jnp.stack([live, live])

    def legal_actions(self, state: HoldemState) -> Array:
        only_first = jnp.arange(self.num_actions) == 0
        bets = jnp.where(self.actor(state) == CHANCE, only_first, self.betting.legal(state.betting))
        goes_on = self.actor(state) != TERMINAL
        return self._is_live(state)[:, None] & bets[None, :] & goes_on

    def advance(
        self, state: HoldemState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        reach = public_action(self.actor(state), outcome, action_reach, other_reach)
        return jnp.where(self.infostate_mask(self.apply(state, outcome)), reach, 0)

    def compatible_reach(self, state: HoldemState, reach: Array) -> Array:
        live = self.infostate_mask(state)
        weight = self._weight(state, reach.dtype)
        return jnp.where(live, met(jnp.where(live, reach, 0)[::-1], self.hands) * weight, 0)

    def utilities(self, state: HoldemState, reach: Array) -> Array:
        return self.utilities_of_kept(self.keep_terminal(state), reach)

    def keep_terminal(self, state: HoldemState) -> EndOfHand:
        masks = jnp.asarray(self.hands.masks) | suit_masks(state.board, self.deck)[None]
        sorted_hands = sort_hands(strength(masks, self.deck), self.hands)
        return EndOfHand(state=state, sorted_hands=sorted_hands)

    def utilities_of_kept(self, kept: EndOfHand, reach: Array) -> Array:
        state = kept.state
        live, folder = self.infostate_mask(state), state.betting.folder
        wins, all_met = net_wins(jnp.where(live, reach, 0)[::-1], kept.sorted_hands, self.hands)
        signs = jnp.where(folder == jnp.arange(2), -1, 1).astype(reach.dtype)
        wins = jnp.where(folder == NO_FOLDER, wins, all_met * signs[:, None])
        stake = self.betting.won(state.betting).astype(reach.dtype) / self.chips_per_unit
        return jnp.where(live, wins * self._weight(state, reach.dtype) * stake, 0)

    def world_utility(self, state: HoldemState, infostates: Array) -> Array:
        masks = jnp.asarray(self.hands.masks)[infostates] | suit_masks(state.board, self.deck)[None]
        first, second = strength(masks, self.deck)
        fold = jnp.where(state.betting.folder == PLAYER_0, -1, 1)
        sign = jnp.where(state.betting.folder == NO_FOLDER, jnp.sign(first - second), fold)
        return sign * self.betting.won(state.betting) / self.chips_per_unit

    def observe(self, state: HoldemState) -> Array:
        """Table S1 of the paper: the board, each stake as a share of the stack, and who acts; what
        was drawn, if anything; if raises are capped, their number on this street."""
        betting = state.betting
        stacks = jnp.maximum(betting.stacks, 1).astype(jnp.float32)
        parts = [
            self._is_public(state).astype(jnp.float32),
            betting.stakes.astype(jnp.float32) / stacks,
            jax.nn.one_hot(betting.stage, 3, dtype=jnp.float32),
        ]
        if self.betting.setups:
            part = betting.part.astype(jnp.float32) / DENOMINATOR
            stack = betting.stacks[0] / jnp.float32(self.betting.stacks[0])
            parts.append(jnp.stack([part, stack]))
        caps = [menu.cap for menu in self.betting.menus]
        if any(caps):
            most = np.array([cap or MOST_RAISES for cap in caps], np.float32)
            parts.append((betting.num_raises / jnp.asarray(most)[betting.street])[None])
        return jnp.concatenate(parts).astype(jnp.float32)

    @functools.cached_property
    def encoding(self) -> CardHands:
        """The hands."""
        return holdem_encoding(self)

    def random_symmetry(self, key: Array, state: HoldemState) -> tuple[HoldemState, Array, Array]:
        """Permutes suits that are alike on the initial board."""
        alike, suits = self._alike_suits, self.deck.suits
        shuffled = jnp.lexsort((jax.random.uniform(key, (suits,)), jnp.asarray(alike)))
        new = (
            jnp.zeros(suits, jnp.int32)
            .at[np.argsort(alike, kind="stable")]
            .set(shuffled.astype(jnp.int32))
        )
        cards = np.arange(self.deck.num_cards)
        renamed = jnp.asarray(cards // suits * suits) + new[cards % suits]
        board = jnp.append(renamed, self.deck.num_cards).astype(jnp.int8)[state.board]
        ends = (0, *self.num_public, len(board))
        board = jnp.concatenate([jnp.sort(board[a:b]) for a, b in itertools.pairwise(ends)])
        old = jnp.argsort(renamed).astype(jnp.int32)
        hands = number_of(old[self.hands.cards], self.deck.num_cards)
        twin = dataclasses.replace(state, board=board)
        return twin, jnp.stack([hands, hands]), jnp.arange(self.num_actions, dtype=jnp.int32)

    def deal(self, key: Array) -> Array:
        left = np.ones(self.deck.num_cards, bool)
        left[list(self._start_board)] = False
        cards = self._draw(key, jnp.asarray(left), 2 * self.hole_cards)
        found: Array = number_of(cards.reshape(2, self.hole_cards), self.deck.num_cards)
        return found

    def transition(
        self, key: Array, state: HoldemState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        outcome = action.astype(jnp.int32)
        if self.betting.setups:
            drawn = jax.random.randint(
                jax.random.fold_in(key, 1), (), 0, len(self.betting.setups), jnp.int32
            )
            outcome = jnp.where(self._draws_setup(state), drawn, outcome)
        if self._deals_left:
            held = jnp.asarray(self.hands.cards)[infostates].reshape(-1)
            left = ~self._is_public(state).at[held].set(True)
            cards = self._draw(key, left, max(self._deals_left))
            for street, dealt in enumerate(self._deals_left):
                is_now = self._deals_street(state, street)
                drawn = number_of(cards[:dealt], self.deck.num_cards)
                outcome = jnp.where(is_now, drawn, outcome)
        return outcome, infostates

    def _draw(self, key: Array, left: Array, count: int) -> Array:
        """int32[count]: remaining cards in random order; arbitrary if there are too few."""
        order = jnp.where(left, jax.random.uniform(key, left.shape), -1)
        return jax.lax.top_k(order, count)[1].astype(jnp.int32)


def _either(condition: Array, one: BettingState, other: BettingState) -> BettingState:
    found: BettingState = jax.tree.map(lambda a, b: jnp.where(condition, a, b), one, other)
    return found
