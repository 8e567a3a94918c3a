"""One bet: each gets a card, the first player bets a chip or checks, the second calls or folds.

Both have put in a chip before; whoever holds the higher card wins. With three cards the first
player wins 1/18 of a chip per game by betting with the highest card, and bluffing with the lowest
every third time; the second calls with the middle card every third time.
"""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games import PLAYER_0, PLAYER_1, TERMINAL, Game
from sog.games.core import opponents_weight, param, public_action, zero_sum_cfvs
from sog.pytree import pytree

PASS, CHIP = 0, 1  # check or bet; fold or call


@pytree
class BetState:
    """What both players know."""

    actor: Array  # int32: who acts, or TERMINAL
    bet: Array  # bool: the first player has bet
    called: Array  # bool: the second player has called


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneBet(Game[BetState]):
    """An infostate is a card, an outcome the action itself: everything but the cards is public."""

    name = "one_bet"
    summary = "one card each, one bet, one answer"
    unit = "chips"
    milli_unit = "milli-chips"
    num_actions = num_outcomes = max_depth = 2
    max_utility = 2.0
    has_public_actions = True
    has_chance = False

    cards: int = param(3, "cards in the deck", minimum=2, maximum=50)

    @property
    def num_infostates(self) -> int:
        return self.cards

    # The public tree.

    def root(self) -> BetState:
        return BetState(actor=jnp.int32(PLAYER_0), bet=jnp.bool_(False), called=jnp.bool_(False))

    def actor(self, state: BetState) -> Array:
        return state.actor

    def legal_outcomes(self, state: BetState) -> Array:
        return jnp.broadcast_to(state.actor != TERMINAL, 2)

    def apply(self, state: BetState, outcome: Array) -> BetState:
        bets = (state.actor == PLAYER_0) & (outcome == CHIP)
        return BetState(
            actor=jnp.where(bets, PLAYER_1, TERMINAL).astype(jnp.int32),
            bet=state.bet | bets,
            called=(state.actor == PLAYER_1) & (outcome == CHIP),
        )

    def infostate_mask(self, state: BetState) -> Array:
        return jnp.ones((2, self.cards), bool)

    def legal_actions(self, state: BetState) -> Array:
        return jnp.broadcast_to(state.actor != TERMINAL, (self.cards, 2))

    # How ranges flow.

    def advance(
        self, state: BetState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        return public_action(state.actor, outcome, action_reach, other_reach)

    def _deal_weight(self) -> np.ndarray:
        """[S, S]: the probability of each pair of different cards."""
        return (1 - np.eye(self.cards)) / (self.cards * (self.cards - 1))

    def compatible_reach(self, state: BetState, reach: Array) -> Array:
        return opponents_weight(jnp.asarray(self._deal_weight(), reach.dtype), reach)

    def utilities(self, state: BetState, reach: Array) -> Array:
        card = np.arange(self.cards)
        higher = jnp.asarray(np.sign(card[:, None] - card[None, :]), reach.dtype)
        folded = state.bet & ~state.called
        chips = jnp.where(folded, 1, jnp.where(state.called, 2 * higher, higher))
        return zero_sum_cfvs(jnp.asarray(self._deal_weight(), reach.dtype) * chips, reach)

    def observe(self, state: BetState) -> Array:
        who = jax.nn.one_hot(state.actor, 4, dtype=jnp.float32)
        return jnp.concatenate([who, jnp.stack([state.bet, state.called]).astype(jnp.float32)])

    # Worlds, for sampling.

    def deal(self, key: Array) -> Array:
        return jax.random.permutation(key, self.cards)[:2].astype(jnp.int32)

    def transition(
        self, key: Array, state: BetState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        return action.astype(jnp.int32), infostates

    # Text for people.

    def describe_state(self, state: BetState) -> str:
        if not state.bet:
            return "start" if state.actor == PLAYER_0 else "checked"
        if state.actor == PLAYER_1:
            return "bet"
        return "bet, called" if state.called else "bet, folded"

    def describe_infostate(self, state: BetState, player: int, infostate: int) -> str:
        return f"card {infostate + 1} of {self.cards}"

    def describe_action(self, state: BetState, infostate: int, action: int) -> str:
        return self.describe_outcome(state, action)

    def describe_outcome(self, state: BetState, outcome: int) -> str:
        names = ("check", "bet") if state.actor == PLAYER_0 else ("fold", "call")
        return names[outcome]
