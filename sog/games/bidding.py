"""Bidding cards for point cards: the engine of both variants of Goofspiel.

Each player has the bid cards 1 to N, and point cards 1 to N come up one by one. The higher bid
takes the point card, equal bids discard it, and the bid cards are spent. Each player's last card is
forced, so the game ends after N - 1 rounds, and its score includes the last one, as in OpenSpiel.
"""

import abc
import dataclasses
import functools
import math
from collections.abc import Sequence
from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import (
    CHANCE,
    PLAYER_0,
    PLAYER_1,
    TERMINAL,
    Game,
    draw,
    param,
)
from sog.games.shown import Seen
from sog.games.views import PrizesView
from sog.pytree import pytree

BID_MADE = 0
"""The outcome of player 0's hidden bid."""

# Results of a round.
WON_BY_0, WON_BY_1, TIED, NOT_PLAYED = range(4)
POINTS_SIGN = (1, -1, 0, 0)
"""The sign with which a result adds the point card to player 0's lead."""


@pytree
class BiddingState:
    """The public state of either variant of Goofspiel."""

    stage: Array  # int32: whose turn, as returned by `actor`
    round: Array  # int32: finished rounds
    point_cards: Array  # int32[cards]: the point card of each round, 0 if unknown
    results: Array  # int32[cards - 1]: WON_BY_0 to NOT_PLAYED


AnyBiddingState = TypeVar("AnyBiddingState", bound=BiddingState)


def result_of_bids(bid_0: Array, bid_1: Array) -> Array:
    """int32: who wins a round with these bids."""
    unequal = jnp.where(bid_0 > bid_1, WON_BY_0, WON_BY_1)
    return jnp.where(bid_0 == bid_1, TIED, unequal).astype(jnp.int32)


@dataclasses.dataclass(frozen=True, kw_only=True)
class BiddingGame(Game[AnyBiddingState], abc.ABC):
    """The common part of both variants of Goofspiel: point cards, rounds and score.

    A round is player 0's hidden bid and player 1's bid, after chance's point card if the order is
    random. Action a bids the card a + 1; chance's outcome k shows the point card k + 1.
    """

    cards: int = param(4, "N, the cards of each player", minimum=2, maximum=100)
    order: str = param(
        "descending", "order of the point cards", choices=("descending", "ascending", "random")
    )
    payoff: str = param(
        "wl", "wl: 1 for a win, 0 for a draw; diff: difference in points", choices=("wl", "diff")
    )

    @property
    def num_actions(self) -> int:
        return self.cards

    @property
    def num_decision_outcomes(self) -> int:
        return self.num_outcomes  # player 1's bid ends the round, with more results than bids

    @property
    def num_rounds(self) -> int:
        """Rounds with a choice in them."""
        return self.cards - 1

    @property
    def max_depth(self) -> int:
        return self.num_rounds * (3 if self.order == "random" else 2)

    @property
    def max_utility(self) -> float:
        # One can win all but one round: at best lose card 1, with one's lowest bid.
        return float(self._total - 2) if self.payoff == "diff" else 1.0

    @property
    def _total(self) -> int:
        """The sum of one player's cards."""
        return self.cards * (self.cards + 1) // 2

    @property
    def _first_stage(self) -> int:
        """Who acts at the start of a round."""
        return CHANCE if self.order == "random" else PLAYER_0

    @functools.cached_property
    def _chance_reach_table(self) -> np.ndarray:
        """float64[cards]: probability of the point cards seen, by their number."""
        if self.order != "random":
            return np.ones(self.cards)
        return np.array([1 / math.perm(self.cards, seen) for seen in range(self.cards)])

    def _root_fields(self) -> BiddingState:
        """The shared part of the root."""
        upwards = jnp.arange(1, self.cards + 1, dtype=jnp.int32)
        orders = {"ascending": upwards, "descending": upwards[::-1], "random": 0 * upwards}
        return BiddingState(
            stage=jnp.int32(self._first_stage),
            round=jnp.int32(0),
            point_cards=orders[self.order],
            results=jnp.full(self.num_rounds, NOT_PLAYED, jnp.int32),
        )

    def _next_fields(
        self, state: AnyBiddingState, outcome: Array, result: Array
    ) -> AnyBiddingState:
        """The shared part of `apply`, with the result if this ends the round."""
        shows_card, ends_round = state.stage == CHANCE, state.stage == PLAYER_1
        next_round = state.round + ends_round
        follower = jnp.array([PLAYER_1, self._first_stage, PLAYER_0, TERMINAL], jnp.int32)
        stage = jnp.where(next_round == self.num_rounds, TERMINAL, follower[state.stage])
        is_now = jnp.arange(self.cards) == state.round
        shown = jnp.where(is_now, outcome + 1, state.point_cards)
        # The last but one determines the last.
        is_last = jnp.arange(self.cards) == state.round + 1
        last = self._total - shown.sum(dtype=jnp.int32)
        shown = jnp.where(is_last & (state.round == self.num_rounds - 1), last, shown)
        return dataclasses.replace(
            state,
            stage=stage.astype(jnp.int32),
            round=next_round,
            point_cards=jnp.where(shows_card, shown, state.point_cards).astype(jnp.int32),
            results=jnp.where(ends_round & is_now[:-1], result.astype(jnp.int32), state.results),
        )

    def actor(self, state: AnyBiddingState) -> Array:
        return state.stage

    def _unseen_point_cards(self, state: AnyBiddingState) -> Array:
        """bool[cards]: point cards that chance can show, by value - 1."""
        values = jnp.arange(1, self.cards + 1)
        return (values[:, None] != state.point_cards[None, :]).all(axis=1)

    def _chance_reach(self, state: AnyBiddingState, reach: Array) -> Array:
        """Scalar of the reach's dtype: probability of the point cards seen so far."""
        num_seen = (state.point_cards[:-1] > 0).sum(dtype=jnp.int32)
        return jnp.asarray(self._chance_reach_table, reach.dtype)[num_seen]

    def _lead(self, state: AnyBiddingState) -> Array:
        """int32: player 0's points minus player 1's, without the forced last round."""
        signs = jnp.array(POINTS_SIGN, jnp.int32)[state.results]
        return (signs * state.point_cards[:-1]).sum(dtype=jnp.int32)

    def _utility(self, lead: Array) -> Array:
        """Player 0's utility from the final lead."""
        return lead if self.payoff == "diff" else jnp.sign(lead)

    def _observe_rounds(self, state: AnyBiddingState) -> Array:
        """float32[F]: the shared part of `observe`."""
        position = jnp.arange(self.cards)
        values = jnp.arange(1, self.cards + 1)
        is_ahead = (position >= state.round) & (state.point_cards > 0)
        ahead = (values[:, None] == jnp.where(is_ahead, state.point_cards, 0)[None, :]).any(axis=1)
        current = jnp.where(is_ahead, state.point_cards, 0)[state.round] == values
        results = jax.nn.one_hot(state.results, 3, dtype=jnp.float32)
        return jnp.concatenate(
            [
                jax.nn.one_hot(state.stage, TERMINAL + 1, dtype=jnp.float32),
                jax.nn.one_hot(state.round, self.cards, dtype=jnp.float32),
                (ahead | self._unseen_point_cards(state)).astype(jnp.float32),
                current.astype(jnp.float32),
                results.reshape(-1),
                (self._lead(state).astype(jnp.float32) / self._total)[None],
            ]
        )

    def _draw_point_card(self, key: Array, state: AnyBiddingState) -> Array:
        """int32: an outcome of chance, uniform over the unseen cards."""
        unseen = self._unseen_point_cards(state).astype(jnp.float32)
        # In other stages there may be nothing to draw; the result is unused.
        return draw(jax.random.uniform(key), unseen)

    def view(
        self,
        state: AnyBiddingState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> PrizesView:
        winners = {WON_BY_0: PLAYER_0, WON_BY_1: PLAYER_1, TIED: None}
        results = [int(result) for result in state.results if int(result) in winners]
        is_played = int(state.stage) not in (CHANCE, TERMINAL)
        return PrizesView(
            title=self.describe_state(state),
            points=[int(card) for card in state.point_cards],
            winners=[winners[result] for result in results],
            now=int(state.round) if is_played else None,
            choices={action: self.describe_action(state, 0, action) for action in choices},
        )

    def describe_action(self, state: AnyBiddingState, infostate: int, action: int) -> str:
        return "wait" if int(state.stage) == CHANCE else f"bid {action + 1}"

    def _describe_point_card(self, state: AnyBiddingState) -> str:
        """The point card of the current round."""
        stage, card = int(state.stage), int(state.point_cards[int(state.round)])
        return "over" if stage == TERMINAL else f"for {card}" if card else "next card"
