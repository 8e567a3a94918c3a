"""The policy of a network alone, without a search.

A network's policy depends on the ranges of both players, and these on the policy above. So it is
computed level by level from the start of the game, with the ranges that it leads to itself.
"""

import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, evaluate_beliefs
from gtcfr.flow import normalize
from sog.chunks import in_chunks
from sog.games.core import CHANCE, Game
from sog.precision import in_32_bits
from sog.tabular import CompiledGame, uniform_policy
from sog.tabular.profile_analysis import push_reach

_CHUNK: Final = 1024  # public states per call of the network


@in_32_bits
def network_policy(
    compiled: CompiledGame,
    evaluator: Evaluator,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> np.ndarray:
    """[node, S, A] float32: the network's policy at every decision of a game.

    evaluator: for the game's own public states. progress: called with the decisions done and in
    all.
    """
    tree = compiled.tree
    policy = uniform_policy(compiled, np.float32)
    chooses = (tree.node_actor < CHANCE) & tree.has_choice.any(axis=1)
    reach = np.zeros(tree.node_mask.shape, np.float32)
    reach[0] = tree.node_mask[0]
    call = functools.partial(_policies, tree.game, evaluator)
    most, done = max(int(np.bincount(tree.node_depth, chooses).max()), 1), 0
    for level in range(int(tree.node_depth[-1]) + 1):
        if level > 0:
            push_reach(tree, policy, reach, level)
        nodes = np.flatnonzero(chooses & (tree.node_depth == level))
        if nodes.size:
            asked = (tree.node_state, reach, tree.node_mask, tree.node_legal)
            rows = jax.tree.map(lambda leaf, nodes=nodes: leaf[nodes], asked)
            policy[nodes] = in_chunks(call, rows, min(_CHUNK, most))
            done += nodes.size
            if progress is not None:
                progress(done, int(chooses.sum()))
    return policy


@functools.partial(jax.jit, static_argnums=0)
def _policies(game: Game[Any], evaluator: Evaluator, asked: tuple[Any, ...]) -> Array:
    """[node, S, A]. asked: public states, reach and possible infostates [node, 2, S], and legal
    actions [node, S, A]."""
    states, reach, mask, legal = asked
    logits = evaluate_beliefs(game, evaluator, states, normalize(reach, mask)).policy_logits
    return jnp.where(legal, jax.nn.softmax(logits, axis=-1, where=legal), 0)
