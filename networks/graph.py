"""A graph network over the map of a game, with weights shared by all nodes.

The infostates of a hidden pawn are stations, and an MLP does not generalize from one station to the
others. Here each has its own features, computed by shared functions from the public ones there
(`sog.games.encoding.Graph`) and from the features of its neighbors. Beyond the paper.
"""

from typing import Any, ClassVar, Final

import jax
import jax.numpy as jnp
import numpy as np
from flax import nnx
from jax import Array

from networks.heads import head_init
from sog.games.core import Game
from sog.games.encoding import MOVER, Graph, within

_FARTHEST: Final = 4  # moves; the largest distance for features of a range around a node

# Nodes are the first axis, so that a sum over roads is one matrix product.


class RoadBlock(nnx.Module):
    """A residual layer over each node and its neighbors."""

    def __init__(self, width: int, *, rngs: nnx.Rngs) -> None:
        self.own = nnx.Linear(width, width, rngs=rngs)
        self.neighbors = nnx.Linear(width, width, use_bias=False, rngs=rngs)
        self.last = nnx.Linear(width, width, rngs=rngs)

    def __call__(self, nodes: Array, roads: Array) -> Array:
        """[node, batch, width] to the same shape. roads: [node, node], the weights of neighbors."""
        inner = nnx.relu(nodes)
        received = (roads @ self.neighbors(inner).reshape(len(nodes), -1)).reshape(nodes.shape)
        return nodes + self.last(nnx.relu(self.own(inner) + received))


class GraphCVPN(nnx.Module):
    """A CVPN (`networks.cvpn`) for games whose encoding is a `Graph`: torso and heads.

    The value of player 0 is computed at every node. That of player 1, who has one infostate, is
    minus their mean by the range: values are zero-sum. The logit of an action is computed from its
    two ends and its kind.
    """

    reads: ClassVar = (Graph,)
    leaves_per_call: ClassVar = None

    def __init__(self, game: Game[Any], width: int, depth: int, *, rngs: nnx.Rngs) -> None:
        """width: features of a node, depth: blocks."""
        self.game = game
        graph = graph_of(game)
        channels, whole = jax.eval_shape(lambda: graph.observe(game.root()))
        self.size, self.num_channels, self.width = len(graph.roads), len(channels), width
        self.channels = nnx.Linear(self.num_channels, width, rngs=rngs)
        self.whole = nnx.Linear(len(whole), width, use_bias=False, rngs=rngs)
        self.blocks = nnx.List(RoadBlock(width, rngs=rngs) for _ in range(depth))
        self.ranges = nnx.Linear(2 + _FARTHEST, width, use_bias=False, rngs=rngs)
        self.pooled = nnx.Linear(2 * width, width, rngs=rngs)
        self.last = nnx.Linear(width, width, rngs=rngs)
        head = head_init(width)
        self.values = nnx.Linear(width, 1, kernel_init=head, rngs=rngs)
        self.starts = nnx.Linear(width, graph.num_kinds, kernel_init=head, rngs=rngs)
        self.ends = nnx.Linear(width, graph.num_kinds, kernel_init=head, rngs=rngs)

    @staticmethod
    def observe(game: Game[Any], state: Any) -> Array:
        """[feature]: the channels of all nodes, then the features of the whole state."""
        channels, whole = graph_of(game).observe(state)
        return jnp.concatenate([channels.reshape(-1), whole])

    def __call__(self, features: Array, ranges: Array) -> tuple[Array, Array]:
        """As `CVPN`. features: [batch, feature], see `observe`; ranges: [batch, player, S].

        Returns values [batch, player, S] and policy logits [batch, S, A].
        """
        return self.answer(self.embed(features), ranges)

    def embed(self, features: Array) -> Array:
        """[batch, feature] -> [batch, kept]: the nodes after all blocks, and the mover's node."""
        batch, split = len(features), self.size * self.num_channels
        channels = features[:, :split].reshape(batch, self.num_channels, self.size)
        nodes = self.channels(channels.transpose(2, 0, 1)) + self.whole(features[:, split:])[None]
        roads = _road_weights(graph_of(self.game).roads)
        for block in self.blocks:
            nodes = block(nodes, roads)
        kept = [nodes.swapaxes(0, 1).reshape(batch, -1), channels[:, MOVER]]
        return jnp.concatenate(kept, axis=1)

    def answer(self, kept: Array, ranges: Array) -> tuple[Array, Array]:
        """The same as `__call__`, from the output of `embed`."""
        split = self.size * self.width
        nodes = kept[:, :split].reshape(-1, self.size, self.width).swapaxes(0, 1)
        range_ = ranges[:, 0].T  # [node, batch]
        inner = nnx.relu(nodes)
        pooled = [jnp.einsum("nb,nbw->bw", range_, inner), jnp.mean(inner, axis=0)]
        nodes = nodes + self.ranges(self._of_range(range_))
        nodes = nnx.relu(nodes + self.pooled(jnp.concatenate(pooled, axis=1))[None])
        nodes = nodes + nnx.relu(self.last(nodes))
        values = self.values(nodes)[:, :, 0]
        mean = jnp.sum(range_ * values, axis=0)[:, None]
        both = jnp.stack([values.T, jnp.broadcast_to(-mean, ranges[:, 1].shape)], axis=1)
        return both, self._logits(nodes, kept[:, split:])

    def _of_range(self, range_: Array) -> Array:
        """[node, batch, feature]: a range at a node and around it. range_: [node, batch]."""
        around = jnp.asarray(within(graph_of(self.game).roads, _FARTHEST), range_.dtype)
        mass = (around.reshape(-1, self.size) @ range_).reshape(_FARTHEST, *range_.shape)
        return jnp.stack([range_, jnp.sqrt(range_), *mass], axis=2)

    def _logits(self, nodes: Array, mover: Array) -> Array:
        """[batch, S, A] from nodes [node, batch, width] and [batch, node], 1 for the mover's."""
        graph = graph_of(self.game)
        starts, ends = (head(nodes).swapaxes(1, 2) for head in (self.starts, self.ends))
        picked = np.minimum(graph.action_end, self.size - 1) * graph.num_kinds + graph.action_kind
        of_ends = jnp.take(
            ends.reshape(self.size * graph.num_kinds, -1), picked, axis=0, mode="clip"
        )
        logits = (starts[:, graph.action_kind] + of_ends).transpose(2, 0, 1)
        # Player 1 has one infostate, with the actions of the pawn that is to move.
        own = jnp.einsum("bn,bna->ba", mover, logits)
        moves_second = jnp.sum(mover, axis=1, keepdims=True) > 0
        return logits.at[:, 0].set(jnp.where(moves_second, own, logits[:, 0]))


def graph_of(game: Game[Any]) -> Graph:
    """The map of a game whose encoding is a `Graph`."""
    assert isinstance(game.encoding, Graph)  # see `networks.cvpn.check_torso`
    return game.encoding


def _road_weights(roads: np.ndarray) -> Array:
    """float32[N, N]: for neighbors, 1 / sqrt(product of both degrees)."""
    degree = np.maximum(roads.sum(axis=1), 1)
    return jnp.asarray(roads / np.sqrt(degree[:, None] * degree), jnp.float32)
