"""Heads: from a torso's output to values and policy logits."""

from typing import Any, Final

import jax
import jax.numpy as jnp
from flax import nnx
from jax import Array

from sog.games.core import Game
from sog.games.encoding import Moves

HEAD_SCALE: Final = 0.1
"""The scale of heads' initial weights: small, for values near 0 and nearly uniform policies."""


def head_init(width: int) -> Any:
    """The initializer of a head's weights with `width` inputs."""
    return nnx.initializers.normal(HEAD_SCALE / width**0.5)


class MoveHead(nnx.Module):
    """Policy logits as planes of moves, as in AlphaZero for chess.

    A layer shared by all cells computes the logits of each cell's moves, S times as many with S
    infostates; those of moves without a cell come from the mean over the board.
    """

    def __init__(self, moves: Moves, size: int, width: int, *, rngs: nnx.Rngs) -> None:
        """size: S; width: channels of the board."""
        init = head_init(width)
        self.size = size
        self.inner = nnx.Conv(width, width, (3, 3), rngs=rngs)
        self.cells = nnx.Linear(width, size * moves.planes, kernel_init=init, rngs=rngs)
        others = nnx.Linear(width, size * moves.others, kernel_init=init, rngs=rngs)
        self.others = others if moves.others else None

    def __call__(self, board: Array) -> Array:
        """[batch, row, column, width] -> [batch, S, A]."""
        batch, inner = len(board), nnx.relu(self.inner(board))
        of_cells = self.cells(inner).reshape(batch, board.shape[1] * board.shape[2], self.size, -1)
        logits = jnp.moveaxis(of_cells, 2, 1).reshape(batch, self.size, -1)
        if self.others is None:
            return logits
        of_others = self.others(jnp.mean(inner, axis=(1, 2))).reshape(batch, self.size, -1)
        return jnp.concatenate([logits, of_others], axis=2)


def opponents_given_own(weight: Array, ranges: Array) -> Array:
    """The belief of each infostate: [batch, player, own S, opponent's S]; rows sum to 1, or to 0 if
    no infostate is compatible.

    weight: [batch, S, S], the joint weights w(s0, s1); ranges: [batch, player, S].
    """
    joint = jnp.stack(
        [weight * ranges[:, 1, None, :], weight.swapaxes(1, 2) * ranges[:, 0, None, :]], axis=1
    )
    total = jnp.sum(joint, axis=3, keepdims=True)
    return jnp.where(total > 0, joint / jnp.where(total > 0, total, 1), 0)


def joint_weights(game: Game[Any], state: Any) -> Array:
    """[S, S]: w(s0, s1 | public state), up to a factor; read off `Game.compatible_reach`."""
    size = game.num_infostates

    def of_opponent(reach: Array) -> Array:
        both = jnp.stack([jnp.zeros_like(reach), reach])
        return game.compatible_reach(state, both)[0]

    weight: Array = jax.vmap(of_opponent, out_axes=1)(jnp.eye(size))
    largest = jnp.max(weight)
    return weight / jnp.where(largest > 0, largest, 1)
