"""Goofspiel: both players bid cards for point cards, and see both bids after each round.

See `bidding.py` for the rules. Between rounds nothing is hidden; a round is simultaneous.
"""

import dataclasses

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.bidding import BID_MADE, BiddingGame, BiddingState, result_of_bids
from sog.games.core import PLAYER_0, PLAYER_1, opponents_weight, zero_sum_cfvs
from sog.pytree import pytree


@pytree
class GoofspielState(BiddingState):
    """Public state of Goofspiel; only the bid just made is hidden."""

    bids: Array  # int32[2, cards - 1]: bids of finished rounds, 0 for the others


@dataclasses.dataclass(frozen=True, kw_only=True)
class Goofspiel(BiddingGame[GoofspielState]):
    """Goofspiel with both bids revealed; its value is 0 by symmetry.

    A player has one infostate, 0, except for player 0 at player 1's turn: the action of the bid.
    The outcome of player 1's bid is both bids: `cards` times player 0's action plus player 1's.
    """

    name = "goofspiel"
    summary = "Goofspiel: simultaneous bids, both revealed after each round"
    rules = """\
Both players hold the cards 1 to N. In each round a point card is turned up, and both bid one
of their cards in secret; then both bids are shown. The higher bid wins the points; with
equal bids nobody does. Bids are spent. The player with more points wins."""

    @property
    def num_infostates(self) -> int:
        return self.cards

    @property
    def num_outcomes(self) -> int:
        return self.cards**2

    def root(self) -> GoofspielState:
        bids = jnp.zeros((2, self.num_rounds), jnp.int32)
        return GoofspielState(**vars(self._root_fields()), bids=bids)

    def _hands(self, state: GoofspielState) -> Array:
        """bool[2, cards]: unspent bid cards, by value - 1."""
        values = jnp.arange(1, self.cards + 1)
        return (values[None, :, None] != state.bids[:, None, :]).all(axis=2)

    def legal_outcomes(self, state: GoofspielState) -> Array:
        outcomes = jnp.arange(self.num_outcomes)
        hands = self._hands(state)
        both_bids = (hands[0][:, None] & hands[1][None, :]).reshape(-1)
        shown = jnp.pad(self._unseen_point_cards(state), (0, self.num_outcomes - self.cards))
        by_stage = [outcomes == BID_MADE, both_bids, shown, jnp.zeros_like(both_bids)]
        return jnp.stack(by_stage)[state.stage]

    def apply(self, state: GoofspielState, outcome: Array) -> GoofspielState:
        bids = jnp.stack([outcome // self.cards, outcome % self.cards]).astype(jnp.int32) + 1
        after = self._next_fields(state, outcome, result_of_bids(bids[0], bids[1]))
        is_now = (jnp.arange(self.num_rounds) == state.round) & (state.stage == PLAYER_1)
        return dataclasses.replace(
            after, bids=jnp.where(is_now[None, :], bids[:, None], state.bids)
        )

    def infostate_mask(self, state: GoofspielState) -> Array:
        alone = jnp.arange(self.num_infostates) == 0
        pending = jnp.where(state.stage == PLAYER_1, self._hands(state)[0], alone)
        return jnp.stack([pending, alone])

    def legal_actions(self, state: GoofspielState) -> Array:
        alone = jnp.arange(self.num_infostates) == 0
        hands = self._hands(state)
        by_stage = jnp.stack([hands[0], hands[1], alone, jnp.zeros_like(alone)])
        return alone[:, None] & by_stage[state.stage][None, :]

    def advance(
        self, state: GoofspielState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        bid_0, bid_1 = outcome // self.cards, outcome % self.cards
        alone = jnp.arange(self.num_infostates) == 0
        hides_bid = jnp.stack([action_reach[0], other_reach])
        # Both bids are shown, so each player's one new infostate takes the reach of the bid.
        revealed = jnp.stack([other_reach[bid_0], action_reach[0, bid_1]])
        shows_bids = jnp.where(alone[None, :], revealed[:, None], 0)
        shows_card = jnp.stack([action_reach[:, 0], other_reach])
        reach = jnp.stack([hides_bid, shows_bids, shows_card, jnp.zeros_like(shows_card)])
        mask = self.infostate_mask(self.apply(state, outcome))
        return jnp.where(mask, reach[state.stage], 0)

    def compatible_reach(self, state: GoofspielState, reach: Array) -> Array:
        mask = self.infostate_mask(state)
        possible = (mask[0][:, None] & mask[1][None, :]).astype(reach.dtype)
        return opponents_weight(self._chance_reach(state, reach) * possible, reach)

    def utilities(self, state: GoofspielState, reach: Array) -> Array:
        left = self._total - state.bids.sum(axis=1, dtype=jnp.int32)
        sign = jnp.sign(left[0] - left[1])
        utility = self._utility(self._lead(state) + sign * state.point_cards[-1])
        only_pair = jnp.zeros((self.cards, self.cards), reach.dtype).at[0, 0].set(1)
        weight = self._chance_reach(state, reach) * utility.astype(reach.dtype)
        return zero_sum_cfvs(weight * only_pair, reach)

    def observe(self, state: GoofspielState) -> Array:
        hands = self._hands(state).astype(jnp.float32).reshape(-1)
        return jnp.concatenate([self._observe_rounds(state), hands])

    def transition(
        self, key: Array, state: GoofspielState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        both_bids = (infostates[0] * self.cards + action).astype(jnp.int32)
        outcomes = [jnp.int32(BID_MADE), both_bids, self._draw_point_card(key, state)]
        pending = jnp.where(state.stage == PLAYER_0, action, 0)
        after = jnp.stack([pending.astype(jnp.int32), jnp.int32(0)])
        return jnp.stack(outcomes)[state.stage], after

    def describe_state(self, state: GoofspielState) -> str:
        bids = np.asarray(state.bids)
        rounds = [
            f"{int(state.point_cards[i])}: {bids[0, i]}-{bids[1, i]},"
            for i in range(int(state.round))
        ]
        return " ".join([*rounds, self._describe_point_card(state)])

    def describe_infostate(self, state: GoofspielState, player: int, infostate: int) -> str:
        is_pending = player == PLAYER_0 and int(state.stage) == PLAYER_1
        return f"has bid {infostate + 1}" if is_pending else "nothing hidden"

    def describe_outcome(self, state: GoofspielState, outcome: int) -> str:
        if int(state.stage) == PLAYER_0:
            return "player 0 bids"
        if int(state.stage) == PLAYER_1:
            return f"bids {outcome // self.cards + 1}-{outcome % self.cards + 1}"
        return f"point card {outcome + 1}"
