"""Imperfect-information Goofspiel, II-GS(N): only who won each round is shown, not the bids.

See `bidding.py` for the rules. A player's infostate is the sequence of the player's own bids.
Sequences are not merged into sets of remaining cards: the compatible pairs depend on the order.
"""

import dataclasses
import functools
import itertools
import math

import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.bidding import (
    BID_MADE,
    TIED,
    WON_BY_0,
    WON_BY_1,
    BiddingGame,
    BiddingState,
    result_of_bids,
)
from sog.games.core import PLAYER_0, PLAYER_1, opponents_weight, param, zero_sum_cfvs

BITS_PER_RESULT = 2
"""Bits per round in a code of results; the first round is in the lowest bits."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class IIGoofspiel(BiddingGame[BiddingState]):
    """II-Goofspiel; its value is 0 by symmetry.

    The index of a sequence of bids is that of the first of the N! permutations, in lexicographic
    order, that begins with it. So one pair of tables over permutations serves all rounds, and the
    k-th bid of infostate s is always `_permutations[s, k]`. The outcome of player 1's bid is the
    result of the round: WON_BY_0, WON_BY_1 or TIED.
    """

    name = "ii_goofspiel"
    summary = "imperfect-information Goofspiel: only the winner of each bid is shown"
    rules = """\
Both players hold the cards 1 to N. In each round a point card is turned up, and both bid one
of their cards in secret. Only the winner is announced, never the cards. The higher bid wins
the points; with equal bids nobody does. Bids are spent. The player with more points wins."""

    # Tables of all pairs of infostates are in memory: with 6 cards, 720 x 720.
    cards: int = param(4, "N, the cards of each player", minimum=2, maximum=6)

    @property
    def num_infostates(self) -> int:
        return math.factorial(self.cards)

    @property
    def num_outcomes(self) -> int:
        results = TIED + 1
        return max(results, self.cards) if self.order == "random" else results

    @functools.cached_property
    def _permutations(self) -> np.ndarray:
        """int32[S, cards]: the permutations of the actions, in lexicographic order."""
        return np.array(list(itertools.permutations(range(self.cards))), np.int32)

    @functools.cached_property
    def _position(self) -> np.ndarray:
        """int32[S, A]: the position of an action in a permutation."""
        return np.argsort(self._permutations, axis=1).astype(np.int32)

    @functools.cached_property
    def _completions(self) -> np.ndarray:
        """int32[cards + 1]: number of permutations that begin with a sequence, by its length."""
        lengths = range(self.cards + 1)
        return np.array([math.factorial(self.cards - length) for length in lengths], np.int32)

    @functools.cached_property
    def _shifts(self) -> np.ndarray:
        """int32[cards]: the bit position of each round's result in a code."""
        return BITS_PER_RESULT * np.arange(self.cards, dtype=np.int32)

    @functools.cached_property
    def _results_of_pairs(self) -> np.ndarray:
        """int32[S, S]: code of the results of all rounds when two permutations meet."""
        bid_0, bid_1 = self._permutations[:, None, :], self._permutations[None, :, :]
        results = np.where(bid_0 == bid_1, TIED, np.where(bid_0 > bid_1, WON_BY_0, WON_BY_1))
        return np.asarray((results << self._shifts).sum(axis=2), np.int32)

    @functools.cached_property
    def _last_sign(self) -> np.ndarray:
        """int32[S, S]: 1 where player 0 wins the forced last round, -1 where player 1 does."""
        last = self._permutations[:, -1]
        return np.asarray(np.sign(last[:, None] - last[None, :]))

    @functools.cached_property
    def _possible(self) -> np.ndarray:
        """bool[code of results, 2, S]: permutations with a compatible one of the opponent's."""
        num_codes = 1 << BITS_PER_RESULT * self.num_rounds
        possible = np.zeros((num_codes, 2, self.num_infostates), bool)
        index = np.arange(self.num_infostates)
        for num_played in range(self.cards):
            played = (1 << BITS_PER_RESULT * num_played) - 1
            # NOT_PLAYED has all bits set.
            code = self._results_of_pairs & played | (num_codes - 1) & ~played
            possible[code, 0, index[:, None]] = True
            possible[code, 1, index[None, :]] = True
        return possible

    def _code(self, state: BiddingState) -> Array:
        """int32: code of the results so far; all bits of the rounds to come are set."""
        shifts = jnp.asarray(self._shifts[: self.num_rounds])
        return jnp.left_shift(state.results, shifts).sum(dtype=jnp.int32)

    def root(self) -> BiddingState:
        return self._root_fields()

    def legal_outcomes(self, state: BiddingState) -> Array:
        outcomes = jnp.arange(self.num_outcomes)
        # While a card is left over, some pair of bid sequences gives any results: a cycle through
        # all cards of the rounds won and lost, and one more, has them in any proportion.
        results = outcomes <= TIED
        unseen = jnp.pad(self._unseen_point_cards(state), (0, self.num_outcomes))
        by_stage = [outcomes == BID_MADE, results, unseen[: self.num_outcomes], outcomes < 0]
        return jnp.stack(by_stage)[state.stage]

    def apply(self, state: BiddingState, outcome: Array) -> BiddingState:
        return self._next_fields(state, outcome, outcome)

    def _num_bids(self, state: BiddingState) -> Array:
        """int32[2]: bids that each player has made."""
        return jnp.stack([state.round + (state.stage == PLAYER_1), state.round])

    def infostate_mask(self, state: BiddingState) -> Array:
        completions = jnp.asarray(self._completions)[self._num_bids(state)]
        is_first = jnp.arange(self.num_infostates)[None, :] % completions[:, None] == 0
        return is_first & jnp.asarray(self._possible)[self._code(state)]

    def legal_actions(self, state: BiddingState) -> Array:
        mask = self.infostate_mask(state)
        unspent = jnp.asarray(self._position) >= state.round
        wait = jnp.arange(self.num_actions) == 0
        by_stage = [
            mask[0][:, None] & unspent,
            mask[1][:, None] & unspent,
            mask[0][:, None] & wait[None, :],
            jnp.zeros_like(unspent),
        ]
        return jnp.stack(by_stage)[state.stage]

    def advance(
        self, state: BiddingState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        # Each new sequence comes from one (sequence, action) pair, so reach is gathered.
        index = jnp.arange(self.num_infostates)
        before = index - index % jnp.asarray(self._completions)[state.round]
        bid = jnp.asarray(self._permutations)[:, state.round]
        moved = action_reach[before, bid]
        reach = jnp.stack(
            [
                jnp.stack([moved, other_reach]),
                jnp.stack([other_reach, moved]),
                jnp.stack([action_reach[:, 0], other_reach]),
                jnp.zeros((2, self.num_infostates), action_reach.dtype),
            ]
        )
        mask = self.infostate_mask(self.apply(state, outcome))
        return jnp.where(mask, reach[state.stage], 0)

    def _joint_weight(self, state: BiddingState, reach: Array) -> Array:
        """w, [S, S] in the reach's dtype, for the infostates in `infostate_mask`."""
        played = jnp.left_shift(1, BITS_PER_RESULT * state.round) - 1
        differs = (jnp.asarray(self._results_of_pairs) ^ self._code(state)) & played
        return (differs == 0).astype(reach.dtype) * self._chance_reach(state, reach)

    def compatible_reach(self, state: BiddingState, reach: Array) -> Array:
        mask = self.infostate_mask(state)
        weight = self._joint_weight(state, reach)
        return jnp.where(mask, opponents_weight(weight, jnp.where(mask, reach, 0)), 0)

    def utilities(self, state: BiddingState, reach: Array) -> Array:
        last_points = jnp.asarray(self._last_sign) * state.point_cards[-1]
        utility = self._utility(self._lead(state) + last_points).astype(reach.dtype)
        return zero_sum_cfvs(self._joint_weight(state, reach) * utility, reach)

    def observe(self, state: BiddingState) -> Array:
        return self._observe_rounds(state)

    def transition(
        self, key: Array, state: BiddingState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        bid_0 = jnp.asarray(self._permutations)[infostates[0], state.round]
        outcomes = [
            jnp.int32(BID_MADE),
            result_of_bids(bid_0, action),
            self._draw_point_card(key, state),
        ]
        # The remaining cards follow in ascending order; the bid moves to their front.
        num_smaller = jnp.asarray(self._position)[infostates, action] - state.round
        moved = infostates + num_smaller * jnp.asarray(self._completions)[state.round + 1]
        is_bidder = jnp.arange(2) == state.stage
        after = jnp.where(is_bidder, moved, infostates)
        return jnp.stack(outcomes)[state.stage], after.astype(jnp.int32)

    def describe_state(self, state: BiddingState) -> str:
        rounds = [
            f"{int(state.point_cards[i])} {_describe_result(int(state.results[i]))},"
            for i in range(int(state.round))
        ]
        return " ".join([*rounds, self._describe_point_card(state)])

    def describe_infostate(self, state: BiddingState, player: int, infostate: int) -> str:
        num_bids = int(self._num_bids(state)[player])
        bids = self._permutations[infostate, :num_bids] + 1
        return f"has bid {' '.join(map(str, bids))}" if num_bids else "no bid yet"

    def describe_outcome(self, state: BiddingState, outcome: int) -> str:
        if int(state.stage) == PLAYER_0:
            return "player 0 bids"
        if int(state.stage) == PLAYER_1:
            return _describe_result(outcome)
        return f"point card {outcome + 1}"


def _describe_result(result: int) -> str:
    return "tied" if result == TIED else f"to player {0 if result == WON_BY_0 else 1}"
