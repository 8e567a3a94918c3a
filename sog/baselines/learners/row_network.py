"""Small networks of one infostate, one network per player."""

import dataclasses
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.baselines.histories.arrays import Histories, HistoryTree
from sog.precision import in_32_bits

Parameters = Any


@in_32_bits
def with_features(tree: HistoryTree) -> Histories:
    """The histories with the network input of a row: the game's observation of the public state and
    the infostate of the player who chooses."""
    game, nodes = tree.tree.game, tree.row_node
    states = jax.tree.map(lambda leaf: jnp.asarray(leaf)[nodes], tree.tree.node_state)
    public = np.asarray(jax.jit(jax.vmap(game.observe))(states))
    private = np.eye(game.num_infostates)[tree.row_infostate]
    features = np.concatenate([public, private], axis=1).astype(np.float64)
    return dataclasses.replace(tree.histories, row_features=np.pad(features, ((0, 1), (0, 0))))


def begin_network(key: Array, sizes: tuple[int, ...]) -> Parameters:
    """Weights of both players, with the player as first axis; sizes: of all layers."""
    scale = jax.nn.initializers.lecun_normal(batch_axis=0)
    keys = jax.random.split(key, len(sizes) - 1)
    return [
        {"weight": scale(one, (2, ins, outs), float), "bias": jnp.zeros((2, outs))}
        for one, ins, outs in zip(keys, sizes, sizes[1:], strict=False)
    ]


def apply_network(parameters: Parameters, features: Array) -> Array:
    """[2, row, output]: each player's network applied to features [row, F]."""
    flow = jnp.broadcast_to(features, (2, *features.shape))
    for layer in parameters[:-1]:
        flow = jax.nn.relu(flow @ layer["weight"] + layer["bias"][:, None])
    out: Array = flow @ parameters[-1]["weight"] + parameters[-1]["bias"][:, None]
    return out


def of_mover(histories: Histories, outputs: Array) -> Array:
    """[row + 1, output] from [2, row + 1, output]: those of the player who chooses there."""
    second = jnp.append(jnp.asarray(histories.row_player), 0) == 1
    return jnp.where(second[:, None], outputs[1], outputs[0])
