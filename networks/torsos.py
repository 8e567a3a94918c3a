"""Torsos: from a network's inputs to the input of its heads.

A torso is made from (game, (features, others), width, depth, rngs) and called with the game's
features [batch, feature] and the other inputs [batch, other], which hold the ranges. It returns
[batch, num_outputs], and the same as a board if it has one. It has a line in `TORSOS`. Student of
Games, Table S1.
"""

import itertools
from typing import Any, ClassVar, Final

import jax.numpy as jnp
from flax import nnx
from jax import Array

from sog.games.core import Game
from sog.games.encoding import Planes

_HEAD_CHANNELS: Final = 8


class MLP(nnx.Module):
    """Layers of ReLU units."""

    begins: ClassVar = True
    """Whether the features' part of the first layer can be computed alone."""

    def __init__(
        self, game: Game[Any], inputs: tuple[int, int], width: int, depth: int, *, rngs: nnx.Rngs
    ) -> None:
        """For any game; width: units of a layer, depth: layers."""
        sizes = [sum(inputs), *[width] * depth]
        self.layers = nnx.List(
            nnx.Linear(before, after, kernel_init=nnx.initializers.he_normal(), rngs=rngs)
            for before, after in itertools.pairwise(sizes)
        )
        self.num_outputs = width

    def __call__(self, features: Array, others: Array) -> tuple[Array, None]:
        """[batch, width], and no board."""
        return self._after_first(self.layers[0](jnp.concatenate([features, others], axis=1)))

    def begin(self, features: Array) -> Array:
        """The features' part [batch, width] of the first layer. features: [batch, feature]."""
        layer: Any = self.layers[0]
        begun: Array = features @ layer.kernel[: features.shape[1]] + layer.bias[None]
        return begun

    def finish(self, begun: Array, others: Array) -> tuple[Array, None]:
        """The output, from `begin` and the other inputs."""
        return self._after_first(begun + others @ self.layers[0].kernel[-others.shape[1] :])

    def _after_first(self, inner: Array) -> tuple[Array, None]:
        for layer in list(self.layers)[1:]:
            inner = layer(nnx.relu(inner))
        return nnx.relu(inner), None


class ResidualBlock(nnx.Module):
    """Two 3 x 3 convolutions with a residual connection, as in AlphaZero.

    Normalized over the channels of a cell instead of over the batch, so that a result does not
    depend on the other queries.
    """

    def __init__(self, width: int, *, rngs: nnx.Rngs) -> None:
        self.first = nnx.Conv(width, width, (3, 3), use_bias=False, rngs=rngs)
        self.first_norm = nnx.LayerNorm(width, rngs=rngs)
        self.second = nnx.Conv(width, width, (3, 3), use_bias=False, rngs=rngs)
        self.second_norm = nnx.LayerNorm(width, rngs=rngs)

    def __call__(self, planes: Array) -> Array:
        """[batch, row, column, width] to the same shape."""
        inner = nnx.relu(self.first_norm(self.first(planes)))
        return nnx.relu(planes + self.second_norm(self.second(inner)))


class ResNet(nnx.Module):
    """Residual blocks over the planes of a board.

    Ranges have no place on the board: every cell gets all of them, as AlphaZero gives global
    features as constant planes.
    """

    begins: ClassVar = False

    def __init__(
        self, game: Game[Any], inputs: tuple[int, int], width: int, depth: int, *, rngs: nnx.Rngs
    ) -> None:
        """For a game whose encoding is `Planes`; width: channels, depth: blocks."""
        assert isinstance(game.encoding, Planes)  # see `networks.cvpn.check_torso`
        self.planes = planes = game.encoding
        self.first = nnx.Conv(planes.channels, width, (3, 3), rngs=rngs)
        hides = game.hides_information  # the others are constant with perfect information
        self.others = nnx.Linear(inputs[1], width, rngs=rngs) if hides else None
        self.blocks = nnx.List(ResidualBlock(width, rngs=rngs) for _ in range(depth))
        self.last = nnx.Conv(width, _HEAD_CHANNELS, (1, 1), rngs=rngs)
        self.num_outputs = _HEAD_CHANNELS * planes.rows * planes.columns

    def __call__(self, features: Array, others: Array) -> tuple[Array, Array]:
        """[batch, num_outputs], and the board after all blocks: [batch, row, column, width]."""
        planes = self.planes
        shape = (-1, planes.channels, planes.rows, planes.columns)
        board = self.first(jnp.moveaxis(features.reshape(shape), 1, -1))
        if self.others is not None:
            board = board + self.others(others)[:, None, None]
        board = nnx.relu(board)
        for block in self.blocks:
            board = block(board)
        return nnx.relu(self.last(board)).reshape(len(features), -1), board


TORSOS: Final[dict[str, type[MLP | ResNet]]] = {"mlp": MLP, "resnet": ResNet}
"""By name, for `NetworkSettings.torso`."""
