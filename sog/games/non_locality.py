"""The non-locality game: Figure 1 of the OOS paper (Lisy, Lanctot, Bowling 2015).

Chance goes left or right, 0.5 each. Player 0, who cannot tell which, picks left or right. After
chance's left the game is over and pays `leftmost` for left, 0 for right. After chance's right,
player 1, who cannot see what player 0 picked, picks left or right too: 3 if the picks are equal, 0
if not. So player 1's best policy depends on a payoff that can no longer be reached.

Here chance moves after player 0's hidden pick, as a public event ("over" or "goes on"). This is the
same game: the pick neither depends on chance nor changes its odds, and all that player 1 ever
learns about chance is that the game went on.
"""

import dataclasses
import functools

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
    opponents_weight,
    param,
    zero_sum_cfvs,
)
from sog.pytree import pytree

PICKED = 0
GOES_ON, OVER = 0, 1
LEFT, RIGHT = 0, 1

# Phases of the game, in the order of play; the last two are its two ends.
PICK_0, FORK, PICK_1, ENDED_EARLY, ENDED_LATE = range(5)
ACTOR_OF_PHASE = (PLAYER_0, CHANCE, PLAYER_1, TERMINAL, TERMINAL)


@pytree
class NonLocalityState:
    """Public state of the non-locality game."""

    phase: Array  # int32: PICK_0 to ENDED_LATE


@dataclasses.dataclass(frozen=True, kw_only=True)
class NonLocality(Game[NonLocalityState]):
    """The non-locality game; the infostate of a player who has picked is the pick, otherwise 0.

    For leftmost = x in [-3, 3], player 0 plays (1/2, 1/2) and player 1 plays left with probability
    1/2 - x/6, which makes 0.5 x + 1.5 p(left) and 1.5 p(right), the utilities of player 0's two
    picks, equal; the value is (3 + x) / 4. So x = 1 has value 1 with player 1 playing (1/3, 2/3).
    """

    name = "non_locality"
    summary = "Figure 1 of the OOS paper: a far payoff decides the best play"
    rules = """\
Chance goes left or right, and nobody sees where. Player 0 picks left or right in secret. If
chance went left, the game is over: left pays player 0 `leftmost`, right 0. Else player 1
picks too, without having seen the first pick: player 0 gets 3 if the picks are equal."""

    leftmost: float = param(
        1.0, "payoff of player 0's left if the game is over at once", minimum=-1e6, maximum=1e6
    )

    @functools.cached_property
    def _chance_reach(self) -> np.ndarray:
        """float64[phase]: probability of chance's moves so far."""
        return np.array([1.0, 1.0, 0.5, 0.5, 0.5])

    @functools.cached_property
    def _payoffs(self) -> np.ndarray:
        """float64[phase, S, S]: utilities of player 0; player 1 has not picked at ENDED_EARLY."""
        payoffs = np.zeros((len(ACTOR_OF_PHASE), 2, 2))
        payoffs[ENDED_EARLY, LEFT, 0] = self.leftmost
        payoffs[ENDED_LATE] = 3 * np.eye(2)
        return payoffs

    @property
    def num_infostates(self) -> int:
        return 2

    @property
    def num_actions(self) -> int:
        return 2

    @property
    def num_outcomes(self) -> int:
        return 2

    @property
    def max_depth(self) -> int:
        return 3

    @property
    def max_utility(self) -> float:
        return max(3.0, abs(float(self.leftmost)))

    def root(self) -> NonLocalityState:
        return NonLocalityState(phase=jnp.int32(PICK_0))

    def actor(self, state: NonLocalityState) -> Array:
        return jnp.array(ACTOR_OF_PHASE, jnp.int32)[state.phase]

    def legal_outcomes(self, state: NonLocalityState) -> Array:
        num_outcomes = jnp.array([1, 2, 1, 0, 0], jnp.int32)[state.phase]
        return jnp.arange(2) < num_outcomes

    def apply(self, state: NonLocalityState, outcome: Array) -> NonLocalityState:
        follower = [[FORK, FORK], [PICK_1, ENDED_EARLY], [ENDED_LATE, ENDED_LATE]]
        return NonLocalityState(phase=jnp.array(follower, jnp.int32)[state.phase, outcome])

    def infostate_mask(self, state: NonLocalityState) -> Array:
        has_picked = jnp.stack([state.phase != PICK_0, state.phase == ENDED_LATE])
        return has_picked[:, None] | (jnp.arange(2) == 0)[None, :]

    def legal_actions(self, state: NonLocalityState) -> Array:
        first = jnp.arange(2) == 0
        to_pick = (state.phase == PICK_0) | (state.phase == PICK_1)
        fork = (state.phase == FORK) & first[None, :]
        return jnp.where(to_pick, first[:, None], fork)

    def advance(
        self, state: NonLocalityState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        # A pick is made from the one infostate 0 and becomes the new infostate.
        moved = jnp.where(state.phase == FORK, action_reach[:, 0], action_reach[0])
        reach = jnp.where(
            state.phase == PICK_1,
            jnp.stack([other_reach, moved]),
            jnp.stack([moved, other_reach]),
        )
        return jnp.where(self.infostate_mask(self.apply(state, outcome)), reach, 0)

    def compatible_reach(self, state: NonLocalityState, reach: Array) -> Array:
        mask = self.infostate_mask(state)
        possible = (mask[0][:, None] & mask[1][None, :]).astype(reach.dtype)
        chance_reach = jnp.asarray(self._chance_reach, reach.dtype)[state.phase]
        return opponents_weight(chance_reach * possible, reach)

    def utilities(self, state: NonLocalityState, reach: Array) -> Array:
        chance_reach = jnp.asarray(self._chance_reach, reach.dtype)[state.phase]
        return zero_sum_cfvs(
            chance_reach * jnp.asarray(self._payoffs, reach.dtype)[state.phase], reach
        )

    def observe(self, state: NonLocalityState) -> Array:
        return jax.nn.one_hot(state.phase, len(ACTOR_OF_PHASE), dtype=jnp.float32)

    def transition(
        self, key: Array, state: NonLocalityState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        is_over = jax.random.bernoulli(key)
        outcome = jnp.where((state.phase == FORK) & is_over, OVER, GOES_ON)
        is_picker = jnp.arange(2) == self.actor(state)
        return (
            outcome.astype(jnp.int32),
            jnp.where(is_picker, action, infostates).astype(jnp.int32),
        )

    def describe_state(self, state: NonLocalityState) -> str:
        texts = ("start", "player 0 has picked", "the game went on", "over early", "over")
        return texts[int(state.phase)]

    def describe_infostate(self, state: NonLocalityState, player: int, infostate: int) -> str:
        has_picked = bool(self.infostate_mask(state)[player, RIGHT])
        return _describe_pick(infostate) if has_picked else "yet to pick"

    def describe_action(self, state: NonLocalityState, infostate: int, action: int) -> str:
        return "wait" if int(state.phase) == FORK else _describe_pick(action)

    def describe_outcome(self, state: NonLocalityState, outcome: int) -> str:
        if int(state.phase) == FORK:
            return "over" if outcome == OVER else "goes on"
        return f"player {int(self.actor(state))} picks"


def _describe_pick(pick: int) -> str:
    return "right" if pick == RIGHT else "left"
