"""Games with random payoffs, one for each seed, for comparing solvers."""

import dataclasses
from typing import Final

import jax
import jax.numpy as jnp
from jax import Array

from sog.games.core import PLAYER_0, param
from sog.games.simultaneous_moves import SimultaneousMovesGame
from sog.pytree import pytree

_STEPS: Final = ((16, 0x85EBCA6B), (13, 0xC2B2AE35))  # of the finalizer of MurmurHash3
_GOLDEN: Final = 0x9E3779B9  # 2**32 / golden ratio


@pytree
class MoveSequence:
    """A position: a hash of the moves so far, and the score."""

    number: Array  # uint32
    round: Array  # int32
    score: Array  # int32: player 0's


@dataclasses.dataclass(frozen=True, kw_only=True)
class RandomGame(SimultaneousMovesGame[MoveSequence]):
    """Every pair of moves scores -1, 0 or 1 for player 0, drawn from the seed.

    As in Bosansky et al. 2016: final utilities are sums along the path, so that those of one branch
    are similar. payoff=sign counts only who is ahead at the end.
    """

    name = "random_game"
    summary = "simultaneous moves with random scores, another game for each seed"
    rules = """\
In each round both players choose a move in secret, then reveal it. Each pair of moves scores
-1, 0 or 1 for player 0; the scores are drawn from the seed, another game for each."""

    actions: int = param(3, "moves of either player", minimum=1, maximum=100)
    rounds: int = param(3, "pairs of moves", minimum=1, maximum=100)
    payoff: str = param(
        "sum", "sum: of the scores; sign: 1 for being ahead", choices=("sum", "sign")
    )
    seed: int = param(0, "which game", minimum=0, maximum=1_000_000)

    @property
    def num_actions(self) -> int:
        return self.actions

    @property
    def max_rounds(self) -> int:
        return self.rounds

    @property
    def max_utility(self) -> float:
        return float(self.rounds) if self.payoff == "sum" else 1.0

    def opening(self) -> MoveSequence:
        number = _mix(jnp.uint32(self.seed) + jnp.uint32(_GOLDEN))
        return MoveSequence(number=number, round=jnp.int32(0), score=jnp.int32(0))

    def moves(self, position: MoveSequence) -> Array:
        return jnp.ones((2, self.num_actions), bool)

    def after(self, position: MoveSequence, moves: Array) -> MoveSequence:
        joint = (moves[0] * self.num_actions + moves[1]).astype(jnp.uint32)
        number = _mix(position.number + jnp.uint32(_GOLDEN) * (joint + jnp.uint32(1)))
        gain = (number >> jnp.uint32(8)) % jnp.uint32(3)
        return MoveSequence(
            number=number,
            round=position.round + 1,
            score=position.score + gain.astype(jnp.int32) - 1,
        )

    def is_over(self, position: MoveSequence) -> Array:
        return position.round == self.rounds

    def result(self, position: MoveSequence) -> Array:
        score = position.score if self.payoff == "sum" else jnp.sign(position.score)
        return score.astype(jnp.float32)

    def features(self, position: MoveSequence) -> Array:
        bits = (position.number >> jnp.arange(32, dtype=jnp.uint32)) & jnp.uint32(1)
        played = jax.nn.one_hot(position.round, self.rounds + 1, dtype=jnp.float32)
        score = position.score.astype(jnp.float32) / self.rounds
        return jnp.concatenate([played, score[None], bits.astype(jnp.float32)])

    def describe_position(self, position: MoveSequence) -> str:
        played, score = int(position.round), int(position.score)
        return f"round {played} of {self.rounds}, {score:+d}, {int(position.number):08x}"

    def describe_move(self, player: int, move: int) -> str:
        return f"{'row' if player == PLAYER_0 else 'column'} {move}"


def _mix(number: Array) -> Array:
    """uint32: every bit depends on every bit."""
    for shift, factor in _STEPS:
        number = (number ^ (number >> jnp.uint32(shift))) * jnp.uint32(factor)
    mixed: Array = number ^ (number >> jnp.uint32(16))
    return mixed
