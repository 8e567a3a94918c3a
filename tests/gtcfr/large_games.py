"""Games of the sizes of chess, Go and hold'em, with rules that fit a line: for what they take."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL, Game, public_action
from sog.games.perfect_information import PerfectInformationGame
from sog.pytree import pytree


@pytree
class Position:
    """A board, and what was played on it."""

    board: Array  # int8[cell]
    num_moves: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class WideGame(PerfectInformationGame[Position]):
    """Players put stones somewhere; the sum of the cells they chose decides.

    Every 21st action is legal, others in every move: 223 of 4672, where chess has 218 at most.
    """

    name = "wide"
    actions: int = 4672
    cells: int = 64 + 6
    stride: int = 21
    length: int = 12

    @property
    def num_actions(self) -> int:
        return self.actions

    @property
    def max_depth(self) -> int:
        return self.length

    def root(self) -> Position:
        return Position(board=jnp.zeros(self.cells, jnp.int8), num_moves=jnp.int32(0))

    def actor(self, state: Position) -> Array:
        player = jnp.where(state.num_moves % 2 == 0, PLAYER_0, PLAYER_1)
        return jnp.where(state.num_moves == self.length, TERMINAL, player).astype(jnp.int32)

    def legal_outcomes(self, state: Position) -> Array:
        is_due = (jnp.arange(self.actions) - state.num_moves) % self.stride == 0
        return is_due & (state.num_moves < self.length)

    def apply(self, state: Position, outcome: Array) -> Position:
        board = state.board.at[outcome % self.cells].set(jnp.int8(1))
        return Position(board=board, num_moves=state.num_moves + 1)

    def result(self, state: Position) -> Array:
        weight = jnp.sin(jnp.arange(self.cells, dtype=jnp.float32))
        return jnp.tanh(jnp.sum(weight * state.board))

    def observe(self, state: Position) -> Array:
        return state.board.astype(jnp.float32)

    def describe_state(self, state: Position) -> str:
        return f"after {int(state.num_moves)} moves"

    def describe_action(self, state: Position, infostate: int, action: int) -> str:
        return f"{action}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TurnCard(Game[Position]):
    """As many hands and cards as at the turn of hold'em: bets, then one of 48 cards, then bets."""

    name = "turn_card"

    num_infostates = 1326
    num_actions = 4
    num_outcomes = 48
    max_depth = 17
    max_utility = 1.0
    has_public_actions = True

    def root(self) -> Position:
        return Position(board=jnp.zeros(12, jnp.int8), num_moves=jnp.int32(0))

    def actor(self, state: Position) -> Array:
        bets = [PLAYER_0, PLAYER_1] * 4
        actors = jnp.array([*bets, CHANCE, *bets, TERMINAL])
        return actors[jnp.minimum(state.num_moves, self.max_depth)].astype(jnp.int32)

    def legal_outcomes(self, state: Position) -> Array:
        limit = jnp.where(self.actor(state) == CHANCE, self.num_outcomes, self.num_actions)
        return (jnp.arange(self.num_outcomes) < limit) & (state.num_moves < self.max_depth)

    def apply(self, state: Position, outcome: Array) -> Position:
        return Position(board=state.board, num_moves=state.num_moves + 1)

    def infostate_mask(self, state: Position) -> Array:
        return jnp.ones((2, self.num_infostates), bool)

    def legal_actions(self, state: Position) -> Array:
        limit = jnp.where(self.actor(state) == CHANCE, 1, self.num_actions)
        legal = (jnp.arange(self.num_actions) < limit) & (state.num_moves < self.max_depth)
        return jnp.broadcast_to(legal, (self.num_infostates, self.num_actions))

    def advance(
        self, state: Position, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        return public_action(self.actor(state), outcome, action_reach, other_reach)

    def compatible_reach(self, state: Position, reach: Array) -> Array:
        return jnp.broadcast_to(jnp.sum(reach, axis=1, keepdims=True), reach.shape)[::-1]

    def utilities(self, state: Position, reach: Array) -> Array:
        return jnp.zeros_like(reach)

    def observe(self, state: Position) -> Array:
        return state.board.astype(jnp.float32)

    def deal(self, key: Array) -> Array:
        return jax.random.randint(key, (2,), 0, self.num_infostates)

    def transition(
        self, key: Array, state: Position, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        card = jax.random.randint(key, (), 0, self.num_outcomes)
        return jnp.where(self.actor(state) == CHANCE, card, action).astype(jnp.int32), infostates

    def describe_state(self, state: Position) -> str:
        return f"after {int(state.num_moves)} events"

    def describe_infostate(self, state: Position, player: int, infostate: int) -> str:
        return f"{infostate}"

    def describe_action(self, state: Position, infostate: int, action: int) -> str:
        return f"{action}"

    def describe_outcome(self, state: Position, outcome: int) -> str:
        return f"{outcome}"


CHESS: Any = WideGame(length=512)
GO: Any = WideGame(actions=362, cells=9 * 361 + 8, stride=1, length=700)
"""With eight boards of history."""
