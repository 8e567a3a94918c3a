"""Torsos: what a network makes of its inputs before the heads answer.

A torso is made from (game, num_inputs, width, depth, rngs), maps [batch, input] to [batch,
num_outputs], and has a line in `TORSOS`. Student of Games, Table S1.
"""

import itertools
from collections.abc import Callable
from typing import Any, Final

import jax.numpy as jnp
from flax import nnx
from jax import Array

from sog.games.core import Game

_HEAD_CHANNELS: Final = 8


class MLP(nnx.Module):
    """Layers of ReLU units."""

    def __init__(
        self, game: Game[Any], num_inputs: int, width: int, depth: int, *, rngs: nnx.Rngs
    ) -> None:
        """For any game; width: units of a layer, depth: layers."""
        sizes = [num_inputs, *[width] * depth]
        self.layers = nnx.List(
            nnx.Linear(before, after, kernel_init=nnx.initializers.he_normal(), rngs=rngs)
            for before, after in itertools.pairwise(sizes)
        )
        self.num_outputs = width

    def __call__(self, inputs: Array) -> Array:
        """[batch, input] -> [batch, width]."""
        return self._after_first(self.layers[0](inputs))

    def begin(self, first: Array) -> Array:
        """What the first inputs [batch, n] add to the first layer: [batch, width]."""
        layer: Any = self.layers[0]
        begun: Array = first @ layer.kernel[: first.shape[1]] + layer.bias[None]
        return begun

    def go_on(self, begun: Array, others: Array) -> Array:
        """The answer to both, from `begin` and the inputs after the first ones."""
        return self._after_first(begun + others @ self.layers[0].kernel[-others.shape[1] :])

    def _after_first(self, inner: Array) -> Array:
        for layer in list(self.layers)[1:]:
            inner = layer(nnx.relu(inner))
        return nnx.relu(inner)


class ResidualBlock(nnx.Module):
    """Two 3 x 3 convolutions beside the identity, as in AlphaZero.

    Normalized over the channels of a place instead of over the batch, so that the answer to a query
    does not depend on the other queries.
    """

    def __init__(self, width: int, *, rngs: nnx.Rngs) -> None:
        self.first = nnx.Conv(width, width, (3, 3), use_bias=False, rngs=rngs)
        self.first_norm = nnx.LayerNorm(width, rngs=rngs)
        self.second = nnx.Conv(width, width, (3, 3), use_bias=False, rngs=rngs)
        self.second_norm = nnx.LayerNorm(width, rngs=rngs)

    def __call__(self, planes: Array) -> Array:
        """[batch, row, column, width], the same."""
        inner = nnx.relu(self.first_norm(self.first(planes)))
        return nnx.relu(planes + self.second_norm(self.second(inner)))


class ResNet(nnx.Module):
    """Residual blocks over the planes of a board, the game's `planes`; looks at no ranges."""

    def __init__(
        self, game: Game[Any], num_inputs: int, width: int, depth: int, *, rngs: nnx.Rngs
    ) -> None:
        """width: channels; depth: blocks. Raises ValueError for a game without planes."""
        planes = getattr(game, "planes", None)
        if planes is None:
            raise ValueError(
                f"torso must be mlp for {game.name}, whose features are no planes, got resnet."
            )
        self.planes = planes
        self.first = nnx.Conv(planes[0], width, (3, 3), rngs=rngs)
        self.blocks = nnx.List(ResidualBlock(width, rngs=rngs) for _ in range(depth))
        self.last = nnx.Conv(width, _HEAD_CHANNELS, (1, 1), rngs=rngs)
        self.num_outputs = _HEAD_CHANNELS * planes[1] * planes[2]

    def __call__(self, features: Array) -> Array:
        """[batch, plane * row * column] -> [batch, output]."""
        size = self.planes[0] * self.planes[1] * self.planes[2]
        planes = features[:, :size].reshape(-1, *self.planes)
        inner = nnx.relu(self.first(jnp.moveaxis(planes, 1, -1)))
        for block in self.blocks:
            inner = block(inner)
        return nnx.relu(self.last(inner)).reshape(len(features), -1)


TORSOS: Final[dict[str, Callable[..., Any]]] = {"mlp": MLP, "resnet": ResNet}
"""By name, as `NetworkSettings.torso` has it."""
