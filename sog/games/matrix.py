"""Matrix games: both players move at once, then the game is over.

The move of each player becomes the player's infostate and is never shown: nothing follows the
second move, so the public tree has only three states. `MatrixGame(payoffs=...)` takes any matrix.
"""

import abc
import dataclasses
import functools
from typing import ClassVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import TERMINAL, Game, opponents_weight, param, zero_sum_cfvs
from sog.pytree import pytree

MOVED = 0
"""The only outcome: the player to act has chosen a move."""


@pytree
class MatrixState:
    """Public state of a matrix game."""

    num_moves: Array  # int32: number of players who have moved, 0 to 2


@dataclasses.dataclass(frozen=True, kw_only=True)
class SimultaneousGame(Game[MatrixState], abc.ABC):
    """A game of one simultaneous move, player 0 choosing a row and player 1 a column.

    The infostate of a player who has moved is the move; before that it is 0.
    """

    move_names: ClassVar[tuple[str, ...]] = ()
    """The names of the moves of either player; empty for numbers."""

    @property
    @abc.abstractmethod
    def payoff_rows(self) -> tuple[tuple[float, ...], ...]:
        """Utilities of player 0, a row per move of player 0, a column per move of player 1."""

    @functools.cached_property
    def _payoff_matrix(self) -> np.ndarray:
        """float64[S, S]: utilities of player 0, padded with 0."""
        payoffs = np.array(self.payoff_rows, np.float64)
        padding = self.num_infostates - np.array(payoffs.shape)
        return np.pad(payoffs, ((0, padding[0]), (0, padding[1])))

    @property
    def _moves_of_players(self) -> tuple[int, int]:
        return len(self.payoff_rows), len(self.payoff_rows[0])

    @property
    def num_infostates(self) -> int:
        return self.num_actions

    @property
    def num_actions(self) -> int:
        return max(self._moves_of_players)

    @property
    def num_outcomes(self) -> int:
        return 1

    @property
    def max_depth(self) -> int:
        return 2

    @property
    def max_utility(self) -> float:
        largest = max(abs(payoff) for row in self.payoff_rows for payoff in row)
        return float(largest) or 1.0  # it divides utilities, which may all be 0

    def root(self) -> MatrixState:
        return MatrixState(num_moves=jnp.int32(0))

    def actor(self, state: MatrixState) -> Array:
        return jnp.where(state.num_moves == 2, TERMINAL, state.num_moves)

    def legal_outcomes(self, state: MatrixState) -> Array:
        return (state.num_moves < 2)[None]

    def apply(self, state: MatrixState, outcome: Array) -> MatrixState:
        return MatrixState(num_moves=state.num_moves + 1)

    def infostate_mask(self, state: MatrixState) -> Array:
        moves = jnp.array(self._moves_of_players, jnp.int32)
        num_infostates = jnp.where(state.num_moves > jnp.arange(2), moves, 1)
        return jnp.arange(self.num_infostates)[None, :] < num_infostates[:, None]

    def legal_actions(self, state: MatrixState) -> Array:
        moves = jnp.array((*self._moves_of_players, 0), jnp.int32)[state.num_moves]
        legal = jnp.arange(self.num_actions) < moves
        return (jnp.arange(self.num_infostates) == 0)[:, None] & legal[None, :]

    def advance(
        self, state: MatrixState, outcome: Array, action_reach: Array, other_reach: Array
    ) -> Array:
        moved = action_reach[0]  # from the one infostate; moves are the new infostates
        reach = jnp.where(
            state.num_moves == 0,
            jnp.stack([moved, other_reach]),
            jnp.stack([other_reach, moved]),
        )
        return jnp.where(self.infostate_mask(self.apply(state, outcome)), reach, 0)

    def compatible_reach(self, state: MatrixState, reach: Array) -> Array:
        mask = self.infostate_mask(state)
        weight = mask[0][:, None] & mask[1][None, :]
        return opponents_weight(weight.astype(reach.dtype), reach)

    def utilities(self, state: MatrixState, reach: Array) -> Array:
        return zero_sum_cfvs(jnp.asarray(self._payoff_matrix, reach.dtype), reach)

    def observe(self, state: MatrixState) -> Array:
        return jax.nn.one_hot(state.num_moves, 3, dtype=jnp.float32)

    def transition(
        self, key: Array, state: MatrixState, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        is_mover = jnp.arange(2) == state.num_moves
        return jnp.int32(MOVED), jnp.where(is_mover, action, infostates).astype(jnp.int32)

    def describe_state(self, state: MatrixState) -> str:
        return ("start", "player 0 has moved", "both have moved")[int(state.num_moves)]

    def describe_infostate(self, state: MatrixState, player: int, infostate: int) -> str:
        has_moved = int(state.num_moves) > player
        return self._describe_move(infostate) if has_moved else "yet to move"

    def describe_action(self, state: MatrixState, infostate: int, action: int) -> str:
        return self._describe_move(action)

    def describe_outcome(self, state: MatrixState, outcome: int) -> str:
        return f"player {int(state.num_moves)} moves"

    def _describe_move(self, move: int) -> str:
        return self.move_names[move] if self.move_names else f"move {move}"


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatrixGame(SimultaneousGame):
    """The game of any payoff matrix: `MatrixGame(payoffs=((1, -1), (-1, 1)))`."""

    name = "matrix"
    summary = "one simultaneous move with the given payoffs to player 0"
    rules = """\
Both players choose a move in secret and reveal it together; a table gives player 0's payoff,
which player 1 pays."""

    payoffs: tuple[tuple[float, ...], ...]
    """A row per move of player 0; tuples, so that the game is hashable."""

    def __post_init__(self) -> None:
        lengths = {len(row) for row in self.payoffs}
        if len(lengths) != 1 or 0 in lengths:
            got = [len(row) for row in self.payoffs]
            raise ValueError(f"matrix: payoffs must have rows of one length, got lengths {got}.")
        if not np.isfinite(np.array(self.payoffs, np.float64)).all():
            raise ValueError(f"matrix: payoffs must be finite, got {self.payoffs}.")
        super().__post_init__()

    @property
    def payoff_rows(self) -> tuple[tuple[float, ...], ...]:
        return self.payoffs


@dataclasses.dataclass(frozen=True, kw_only=True)
class MatchingPennies(SimultaneousGame):
    """Player 0 wins if the pennies match; the equilibrium is (1/2, 1/2), the value 0."""

    name = "matching_pennies"
    summary = "matching pennies: player 0 wins if both show the same side"
    rules = """\
Both players choose heads or tails in secret. Player 0 wins a point if the sides are the
same, player 1 if they differ."""
    move_names = ("heads", "tails")

    @property
    def payoff_rows(self) -> tuple[tuple[float, ...], ...]:
        return ((1.0, -1.0), (-1.0, 1.0))


@dataclasses.dataclass(frozen=True, kw_only=True)
class RockPaperScissors(SimultaneousGame):
    """Rock, paper, scissors; the equilibrium is (1/3, 1/3, 1/3), the value 0."""

    name = "rps"
    summary = "rock, paper, scissors"
    rules = """\
Both players choose in secret: rock beats scissors, scissors beat paper, paper beats rock. The
winner gets a point."""
    move_names = ("rock", "paper", "scissors")

    @property
    def payoff_rows(self) -> tuple[tuple[float, ...], ...]:
        return _rock_paper_scissors(1.0)


@dataclasses.dataclass(frozen=True, kw_only=True)
class BiasedRockPaperScissors(SimultaneousGame):
    """Rock, paper, scissors where rock against scissors counts `bias` times.

    The equilibrium is (1, bias, 1) / (2 + bias) for rock, paper, scissors: paper, which beats the
    stronger rock, gains; the value is 0 by symmetry.
    """

    name = "biased_rps"
    summary = "rock, paper, scissors where rock's win over scissors counts more"
    rules = """\
Rock, paper, scissors, but rock's win over scissors counts for more points (bias)."""
    move_names = ("rock", "paper", "scissors")

    bias: float = param(2.0, "points for rock against scissors", minimum=0.0, maximum=1e6)

    @property
    def payoff_rows(self) -> tuple[tuple[float, ...], ...]:
        return _rock_paper_scissors(float(self.bias))


def _rock_paper_scissors(rock_win: float) -> tuple[tuple[float, ...], ...]:
    return ((0.0, -1.0, rock_win), (1.0, 0.0, -1.0), (-rock_win, 1.0, 0.0))
