"""Errors of a network's values against exact ones, on belief states it was not trained on.

Usually those of random play: a uniformly drawn nonterminal public state, and each player's range
there under a random policy (each row uniform over all distributions over the legal actions). The
exact values come from a long tabular solve below the state, with both ranges known.
"""

import functools
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, evaluate_beliefs
from gtcfr.evaluators.exact import exact_evaluator
from sog.games.core import CHANCE, TERMINAL
from sog.precision import in_32_bits
from sog.pytree import pytree
from sog.tabular import CompiledGame
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from sog.tabular.public_tree import PublicTree

_ITERATIONS: Final = 1000  # of PCFR+: far more exact than any network
_LOGIT_OF_NOTHING: Final = -1e9


@pytree
class ValueErrors:
    """Means over belief states, and over the infostates for which a value is defined."""

    mean_absolute: Array  # in utility units
    mean_absolute_in_range: Array  # the same over infostates of positive range only
    root_mean_square: Array  # in utility units
    policy_divergence: Array  # KL(exact || network), per infostate of positive range


class HeldOut:
    """Belief states with their exact values."""

    @in_32_bits
    def __init__(self, compiled: CompiledGame, nodes: np.ndarray, ranges: np.ndarray) -> None:
        """Solves the states in one batch; the game must be small enough for that.

        nodes: [state] int32, of the public tree; ranges: [state, player, S].
        """
        self.game = EnumeratedGame(tree=compiled.tree)
        self._nodes, self._ranges = jnp.asarray(nodes), jnp.asarray(ranges)
        solver = exact_evaluator(self.game, iterations=_ITERATIONS, fading=1.0)
        self._exact = self._ask(solver)
        self._program: Any = jax.jit(functools.partial(_compare, self.game))

    def _ask(self, evaluator: Evaluator) -> tuple[Array, Array]:
        program: Any = jax.jit(functools.partial(evaluate_nodes, self.game))
        answer: tuple[Array, Array] = program(evaluator, self._nodes, self._ranges)
        return answer

    @in_32_bits
    def errors(self, evaluator: Evaluator) -> ValueErrors:
        """Compares an evaluator with the exact values."""
        found: ValueErrors = self._program(evaluator, self._nodes, self._ranges, self._exact)
        return found


def random_belief_states(
    tree: PublicTree, num_states: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [state] and ranges [state, player, S] of random play."""
    random = np.random.default_rng(seed)
    nodes = random.choice(np.flatnonzero(tree.node_actor != TERMINAL), num_states)
    ranges = np.stack([_random_ranges(tree, node, random) for node in nodes.tolist()])
    return nodes.astype(np.int32), ranges.astype(np.float32)


def _random_ranges(tree: PublicTree, node: int, random: np.random.Generator) -> np.ndarray:
    """[player, S]: ranges at a node under a random policy of each player."""
    way = [node]
    while way[-1] != 0:
        way.append(int(tree.node_parent[way[-1]]))
    reach = tree.node_mask[0].astype(float)
    for parent, child in zip(way[:0:-1], way[-2::-1], strict=True):
        after = np.zeros_like(reach)
        policy = random.exponential(size=tree.node_legal[parent].shape) * tree.node_legal[parent]
        policy /= np.maximum(policy.sum(axis=1, keepdims=True), 1e-300)
        for player, flow in enumerate(tree.flows):
            first, last = np.searchsorted(flow.node, [child, child + 1])
            rows = slice(first, last)
            weight = reach[player, flow.parent_infostate[rows]]
            if tree.node_actor[parent] == player:
                weight = weight * policy[flow.parent_infostate[rows], flow.action[rows]]
            np.add.at(after[player], flow.infostate[rows], weight)
        reach = after
    ranges: np.ndarray = reach / reach.sum(axis=1, keepdims=True)
    return ranges


def evaluate_nodes(
    game: EnumeratedGame, evaluator: Evaluator, nodes: Array, ranges: Array
) -> tuple[Array, Array]:
    """An evaluator's values [state, player, S], in utility units, and policy logits [state, S, A].

    nodes: [state] int32, of the enumerated game; ranges: [state, player, S].
    """
    answer = evaluate_beliefs(game, evaluator, EnumeratedState(node=nodes), ranges)
    return answer.values, answer.policy_logits


def _compare(
    game: EnumeratedGame,
    evaluator: Evaluator,
    nodes: Array,
    ranges: Array,
    exact: tuple[Array, Array],
) -> ValueErrors:
    states = EnumeratedState(node=nodes)
    values, logits = evaluate_nodes(game, evaluator, nodes, ranges)
    mask = jax.vmap(game.infostate_mask)(states)
    mask &= jax.vmap(game.compatible_reach)(states, ranges) > 0
    error = jnp.where(mask, values - exact[0], 0)
    count = jnp.sum(mask)
    in_range = mask & (ranges > 0)
    legal = jax.vmap(game.legal_actions)(states)
    actor = jax.vmap(game.actor)(states)

    def log_policy(logits: Array) -> Array:
        return jax.nn.log_softmax(jnp.where(legal, logits, _LOGIT_OF_NOTHING), axis=-1)

    target = log_policy(exact[1])
    divergence = jnp.sum(jnp.where(legal, jnp.exp(target) * (target - log_policy(logits)), 0), -1)
    own = jnp.take_along_axis(ranges, jnp.minimum(actor, 1)[:, None, None], axis=1)[:, 0]
    acts = (own > 0) & (actor < CHANCE)[:, None]
    return ValueErrors(
        mean_absolute=jnp.sum(jnp.abs(error)) / count,
        mean_absolute_in_range=jnp.sum(jnp.where(in_range, jnp.abs(error), 0)) / jnp.sum(in_range),
        root_mean_square=jnp.sqrt(jnp.sum(error**2) / count),
        policy_divergence=jnp.sum(jnp.where(acts, divergence, 0)) / jnp.maximum(jnp.sum(acts), 1),
    )
