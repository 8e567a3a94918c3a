"""The base class of games with rounds of simultaneous moves, revealed after each round.

A round is player 0's hidden move and player 1's move; between rounds nothing is hidden.
"""

import abc
import dataclasses
from typing import Final, Generic, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import (
    PLAYER_0,
    PLAYER_1,
    TERMINAL,
    Game,
    opponents_weight,
    zero_sum_cfvs,
)
from sog.pytree import pytree

MOVED: Final = 0
"""The outcome of player 0's hidden move."""

Position = TypeVar("Position")


@pytree
class RoundState(Generic[Position]):
    """Public state: a position, and whose turn it is in its round."""

    stage: Array  # int32: PLAYER_0, PLAYER_1 or TERMINAL
    position: Position


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimultaneousMovesGame(Game[RoundState[Position]], abc.ABC):
    """Positions, and pairs of moves that lead from one to the next; no chance.

    A player has one infostate, 0, except for player 0 at player 1's turn: the move. The outcome of
    player 1's move is both moves: A times player 0's plus player 1's. Functions of a position are
    unbatched and can be jitted; a position is a `pytree`.
    """

    @property
    @abc.abstractmethod
    def max_rounds(self) -> int:
        """The most pairs of moves."""

    @abc.abstractmethod
    def opening(self) -> Position:
        """The position before the first round."""

    @abc.abstractmethod
    def moves(self, position: Position) -> Array:
        """bool[2, A]: the legal moves of each player, at least one unless the game is over."""

    @abc.abstractmethod
    def after(self, position: Position, moves: Array) -> Position:
        """The position after legal moves int32[2]."""

    @abc.abstractmethod
    def is_over(self, position: Position) -> Array:
        """bool; False at the start."""

    @abc.abstractmethod
    def result(self, position: Position) -> Array:
        """float32: the utility of player 0, where the game is over."""

    @abc.abstractmethod
    def features(self, position: Position) -> Array:
        """float32[F]: features of a position, roughly in [-1, 1]."""

    @abc.abstractmethod
    def describe_position(self, position: Position) -> str:
        """A position in one line."""

    @abc.abstractmethod
    def describe_move(self, player: int, move: int) -> str:
        """A move as text."""

    @property
    def num_infostates(self) -> int:
        return self.num_actions

    @property
    def num_outcomes(self) -> int:
        return self.num_actions**2

    @property
    def num_decision_outcomes(self) -> int:
        return self.num_outcomes

    @property
    def max_depth(self) -> int:
        return 2 * self.max_rounds

    @property
    def max_utility(self) -> float:
        return 1.0

    @property
    def has_chance(self) -> bool:
        return False

    def root(self) -> RoundState[Position]:
        return RoundState(stage=jnp.int32(PLAYER_0), position=self.opening())

    def actor(self, state: RoundState[Position]) -> Array:
        return state.stage

    def legal_outcomes(self, state: RoundState[Position]) -> Array:
        moves = self.moves(state.position)
        both = (moves[0][:, None] & moves[1][None, :]).reshape(-1)
        hidden = jnp.arange(self.num_outcomes) == MOVED
        by_stage = jnp.where(state.stage == PLAYER_0, hidden, both)
        return by_stage & (state.stage != TERMINAL)

    def apply(self, state: RoundState[Position], outcome: Array) -> RoundState[Position]:
        outcome = outcome.astype(jnp.int32)
        moves = jnp.stack([outcome // self.num_actions, outcome % self.num_actions])
        further = self.after(state.position, moves)
        ends_round = state.stage == PLAYER_1
        position = jax.tree.map(
            lambda new, old: jnp.where(ends_round, new, old), further, state.position
        )
        next_stage = jnp.where(self.is_over(position), TERMINAL, PLAYER_0)
        stage = jnp.where(ends_round, next_stage, PLAYER_1).astype(jnp.int32)
        return RoundState(stage=stage, position=position)

    def infostate_mask(self, state: RoundState[Position]) -> Array:
        alone = jnp.arange(self.num_infostates) == 0
        pending = jnp.where(state.stage == PLAYER_1, self.moves(state.position)[0], alone)
        return jnp.stack([pending, alone])

    def legal_actions(self, state: RoundState[Position]) -> Array:
        alone = jnp.arange(self.num_infostates) == 0
        own = self.moves(state.position)[jnp.minimum(state.stage, PLAYER_1)]
        return alone[:, None] & own[None, :] & (state.stage != TERMINAL)

    def advance(
        self,
        state: RoundState[Position],
        outcome: Array,
        action_reach: Array,
        other_reach: Array,
    ) -> Array:
        first, second = outcome // self.num_actions, outcome % self.num_actions
        alone = jnp.arange(self.num_infostates) == 0
        hides = jnp.stack([action_reach[0], other_reach])
        # Both moves are shown, so each player's one new infostate takes the reach of the move.
        shown = jnp.stack([other_reach[first], action_reach[0, second]])
        reveals = jnp.where(alone[None, :], shown[:, None], 0)
        reach = jnp.where(state.stage == PLAYER_0, hides, reveals)
        return jnp.where(self.infostate_mask(self.apply(state, outcome)), reach, 0)

    def compatible_reach(self, state: RoundState[Position], reach: Array) -> Array:
        mask = self.infostate_mask(state)
        return opponents_weight((mask[0][:, None] & mask[1][None, :]).astype(reach.dtype), reach)

    def utilities(self, state: RoundState[Position], reach: Array) -> Array:
        result = self.result(state.position).astype(reach.dtype)
        size = self.num_infostates
        return zero_sum_cfvs(jnp.zeros((size, size), reach.dtype).at[0, 0].set(result), reach)

    def observe(self, state: RoundState[Position]) -> Array:
        stage = jax.nn.one_hot(state.stage, TERMINAL + 1, dtype=jnp.float32)
        return jnp.concatenate([stage, self.features(state.position)])

    def transition(
        self, key: Array, state: RoundState[Position], infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        is_first = state.stage == PLAYER_0
        both = infostates[0] * self.num_actions + action
        pending = jnp.where(is_first, action, 0)
        after = jnp.stack([pending, jnp.zeros_like(pending)]).astype(jnp.int32)
        return jnp.where(is_first, MOVED, both).astype(jnp.int32), after

    def describe_state(self, state: RoundState[Position]) -> str:
        waits = ", player 0 has moved" if int(state.stage) == PLAYER_1 else ""
        return f"{self.describe_position(state.position)}{waits}"

    def describe_infostate(self, state: RoundState[Position], player: int, infostate: int) -> str:
        is_pending = player == PLAYER_0 and int(state.stage) == PLAYER_1
        return self.describe_move(PLAYER_0, infostate) if is_pending else "nothing hidden"

    def describe_action(self, state: RoundState[Position], infostate: int, action: int) -> str:
        return self.describe_move(int(state.stage), action)

    def describe_outcome(self, state: RoundState[Position], outcome: int) -> str:
        if int(state.stage) == PLAYER_0:
            return "player 0 moves"
        first, second = divmod(outcome, self.num_actions)
        return f"{self.describe_move(PLAYER_0, first)}, {self.describe_move(PLAYER_1, second)}"
