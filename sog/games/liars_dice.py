"""Liar's dice LD(D1, D2), also known as Dudo or Bluff: bids on all dice of both players.

Both players roll in secret. A bid q-f claims that at least q of all dice show face f; the highest
face is wild and counts as any other. Each bid must be higher than the last: more dice, or as many
of a higher face. Instead of bidding, a player may call the last bid a lie, which ends the game: the
caller wins if the bid does not hold.
"""

import dataclasses
import functools
import itertools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import (
    TERMINAL,
    Game,
    draw,
    opponents_weight,
    param,
    public_action,
    zero_sum_cfvs,
)
from sog.games.shown import Seen
from sog.games.views import DiceView
from sog.pytree import pytree

NO_BID = -1


@pytree
class LiarsDiceState:
    """Public state of liar's dice; bids rise, so the set of bids determines their order."""

    stage: Array  # int32: whose turn, as returned by `actor`
    bids_made: Array  # bool[num_bids]
    last_bid: Array  # int32: NO_BID at the start
    caller: Array  # int32: who called liar once the game is over, before that the player to act


@dataclasses.dataclass(frozen=True, kw_only=True)
class LiarsDice(Game[LiarsDiceState]):
    """Liar's dice; the value to player 0 with one die of six faces each is -7/258.

    Infostates are hands: multisets of faces, in lexicographic order. Action and outcome number
    (q - 1) * faces + f - 1 is the bid q-f, and the last one calls liar.
    """

    name = "liars_dice"
    summary = "liar's dice: bids on all dice, highest face wild"
    rules = """\
Each player rolls dice in secret. They take turns bidding how many of all dice show a face at
least: 2-3 claims two threes. The highest face is wild and counts as any other. A bid must be
higher than the last: more dice, or as many of a higher face. Instead of bidding, you
may call liar: if there are fewer than the last bid says, you win, otherwise the bidder does."""

    dice: int = param(1, "dice of player 0", minimum=1, maximum=5)
    faces: int = param(6, "faces of a die, the highest is wild", minimum=2, maximum=6)
    dice1: int = param(0, "dice of player 1, 0 for as many as player 0", minimum=0, maximum=5)

    @property
    def dice_of_players(self) -> tuple[int, int]:
        """The number of dice of each player."""
        return self.dice, self.dice1 or self.dice

    @property
    def num_bids(self) -> int:
        """The number of bids; the action with this number calls liar."""
        return sum(self.dice_of_players) * self.faces

    @property
    def has_public_actions(self) -> bool:
        return True

    @property
    def num_infostates(self) -> int:
        return max(len(hands) for hands in self._hands)

    @property
    def num_actions(self) -> int:
        return self.num_bids + 1

    @property
    def num_outcomes(self) -> int:
        return self.num_actions

    @property
    def max_depth(self) -> int:
        return self.num_bids + 1

    @property
    def max_utility(self) -> float:
        return 1.0

    @functools.cached_property
    def _hands(self) -> tuple[list[tuple[int, ...]], ...]:
        """For each player, the possible hands: sorted faces, counted from 0."""
        return tuple(
            list(itertools.combinations_with_replacement(range(self.faces), dice))
            for dice in self.dice_of_players
        )

    @functools.cached_property
    def _hand_probabilities(self) -> np.ndarray:
        """float64[2, S]: multinomial probability of each hand, 0 for padding."""
        probabilities = np.zeros((2, self.num_infostates))
        for player, hands in enumerate(self._hands):
            for index, hand in enumerate(hands):
                orders = math.factorial(len(hand))
                for face in range(self.faces):
                    orders //= math.factorial(hand.count(face))
                probabilities[player, index] = orders / self.faces ** len(hand)
        return probabilities

    @functools.cached_property
    def _joint_weight(self) -> np.ndarray:
        """float64[S, S]: w, the same at every public state."""
        return np.outer(*self._hand_probabilities)

    @functools.cached_property
    def _lie_weight(self) -> np.ndarray:
        """float64[bid, S, S]: w where the bid is a lie, -w where it holds."""
        wild = self.faces - 1
        counts = np.zeros((2, self.faces, self.num_infostates), np.int64)
        for player, hands in enumerate(self._hands):
            for index, hand in enumerate(hands):
                for face in range(self.faces):
                    counts[player, face, index] = sum(die in (face, wild) for die in hand)
        total = counts[0][:, :, None] + counts[1][:, None, :]  # [face, s0, s1]
        quantity_of_bid = np.arange(self.num_bids) // self.faces + 1
        face_of_bid = np.arange(self.num_bids) % self.faces
        is_lie = total[face_of_bid] < quantity_of_bid[:, None, None]
        return np.where(is_lie, self._joint_weight, -self._joint_weight)

    def root(self) -> LiarsDiceState:
        return LiarsDiceState(
            stage=jnp.int32(0),
            bids_made=jnp.zeros(self.num_bids, bool),
            last_bid=jnp.int32(NO_BID),
            caller=jnp.int32(0),
        )

    def actor(self, state: LiarsDiceState) -> Array:
        return state.stage

    def legal_outcomes(self, state: LiarsDiceState) -> Array:
        action = jnp.arange(self.num_actions)
        can_call = state.last_bid != NO_BID
        legal = (action > state.last_bid) & ((action < self.num_bids) | can_call)
        return legal & (state.stage != TERMINAL)

    def apply(self, state: LiarsDiceState, outcome: Array) -> LiarsDiceState:
        is_call = outcome == self.num_bids
        return LiarsDiceState(
            stage=jnp.where(is_call, TERMINAL, 1 - state.stage).astype(jnp.int32),
            bids_made=state.bids_made | (jnp.arange(self.num_bids) == outcome),
            last_bid=jnp.where(is_call, state.last_bid, outcome).astype(jnp.int32),
            caller=jnp.where(is_call, state.caller, 1 - state.caller).astype(jnp.int32),
        )

    def infostate_mask(self, state: LiarsDiceState) -> Array:
        return jnp.asarray(self._hand_probabilities > 0)

    def legal_actions(self, state: LiarsDiceState) -> Array:
        mask = self.infostate_mask(state)[jnp.where(state.stage == 1, 1, 0)]
        return mask[:, None] & self.legal_outcomes(state)[None, :]

    def advance(
        self, state: LiarsDiceState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        reach = public_action(state.stage, outcome, action_reach, other_reach)
        return jnp.where(self.infostate_mask(state), reach, 0)

    def compatible_reach(self, state: LiarsDiceState, reach: Array) -> Array:
        return opponents_weight(jnp.asarray(self._joint_weight, reach.dtype), reach)

    def utilities(self, state: LiarsDiceState, reach: Array) -> Array:
        lie_weight = jnp.asarray(self._lie_weight, reach.dtype)[state.last_bid]
        return zero_sum_cfvs(jnp.where(state.caller == 0, lie_weight, -lie_weight), reach)

    def observe(self, state: LiarsDiceState) -> Array:
        last_bid = jax.nn.one_hot(state.last_bid, self.num_bids, dtype=jnp.float32)
        stage = jax.nn.one_hot(state.stage, TERMINAL + 1, dtype=jnp.float32)
        return jnp.concatenate([stage, last_bid, state.bids_made.astype(jnp.float32)])

    def deal(self, key: Array) -> Array:
        probabilities = jnp.asarray(self._hand_probabilities, jnp.float32)
        hands = [
            draw(jax.random.uniform(player_key), probabilities[player])
            for player, player_key in enumerate(jax.random.split(key))
        ]
        return jnp.stack(hands)

    def transition(
        self, key: Array, state: LiarsDiceState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        return action.astype(jnp.int32), infostates

    def describe_state(self, state: LiarsDiceState) -> str:
        bids = [self._describe_bid(int(bid)) for bid in np.flatnonzero(state.bids_made)]
        called = ["liar"] if int(state.stage) == TERMINAL else []
        return " ".join(bids + called) or "start"

    def view(
        self,
        state: LiarsDiceState,
        *,
        infostates: Seen = (None, None),
        choices: Sequence[int] = (),
        ranges: np.ndarray | None = None,
    ) -> DiceView:
        first, second = (
            [None] * dice if hand is None else [face + 1 for face in self._hands[player][hand]]
            for player, (dice, hand) in enumerate(
                zip(self.dice_of_players, infostates, strict=True)
            )
        )
        last = int(state.last_bid)
        return DiceView(
            title=self.describe_state(state),
            hands=(first, second),
            faces=self.faces,
            bids=[self._quantity_and_face(bid) for bid in range(self.num_bids)],
            made=frozenset(np.flatnonzero(state.bids_made).tolist()),
            last=None if last == NO_BID else last,
            is_called=int(state.stage) == TERMINAL,
            choices=frozenset(choices) - {self.num_bids},
        )

    def describe_infostate(self, state: LiarsDiceState, player: int, infostate: int) -> str:
        return " ".join(str(face + 1) for face in self._hands[player][infostate])

    def describe_action(self, state: LiarsDiceState, infostate: int, action: int) -> str:
        return self._describe_bid(action)

    def describe_outcome(self, state: LiarsDiceState, outcome: int) -> str:
        return self._describe_bid(outcome)

    def _describe_bid(self, bid: int) -> str:
        if bid == self.num_bids:
            return "liar"
        quantity, face = self._quantity_and_face(bid)
        return f"{quantity}-{face}"

    def _quantity_and_face(self, bid: int) -> tuple[int, int]:
        return bid // self.faces + 1, bid % self.faces + 1
