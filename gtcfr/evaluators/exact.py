"""Evaluators with exact answers, for games small enough to enumerate (`EnumeratedGame`).

With them a search can be tested without a network: `ExactEvaluator` solves the subgames below the
leaves, `NoisyEvaluator` adds an error of known size to any evaluator, and `PolicyEvaluator` gives
the exact values of following a fixed policy.
"""

import dataclasses
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries
from sog.games.core import Game, zero_sum_cfvs
from sog.pytree import pytree
from sog.tabular.cfr import PlayerLayers, zero_regret
from sog.tabular.compiler import compile_game
from sog.tabular.enumerated_game import EnumeratedGame, EnumeratedState
from sog.tabular.frontier import Frontier, build_frontier, solve_frontier, tree_policy
from sog.tabular.policy import check_policy
from sog.tabular.public_tree import PublicTree
from sog.tabular.rules import RULES

TREMBLE: Final = 1e-7
"""Added to the range of every possible infostate, so that values are defined at all of them: a
search needs the value of an infostate even where its range is 0."""

_RULE: Final = RULES["pcfr+"]
"""Calls count iterations from 1: a rule that discounts by their number would drop kept regrets."""
_LEAST_PROBABILITY: Final = 1e-6  # keeps logits finite


@pytree
class ExactEvaluator(Evaluator):
    """Solves all subgames below the leaves at once, by CFR that continues from call to call.

    Ranges change little from one update of a search to the next, so few iterations per call are
    enough; regrets fade a little with every call, since old ones belong to other ranges.
    """

    frontier: Frontier
    iterations: int = dataclasses.field(metadata={"static": True})
    """Per call."""
    fading: float = dataclasses.field(metadata={"static": True})
    """The factor that scales the last call's regrets."""

    def encode(self, game: Game[Any], state: EnumeratedState) -> Array:
        """The node's number."""
        return state.node

    def start(self, game: Game[Any], batch_size: int) -> PlayerLayers:
        """Zero regrets."""
        return zero_regret(self.frontier.form, batch_size, "float32")

    def evaluate(
        self, game: Game[Any], memory: PlayerLayers, queries: LeafQueries
    ) -> LeafEvaluation:
        """Values and policies of the average profile of this call's iterations."""
        nodes, (batch, _, _, size) = queries.encoded, queries.ranges.shape
        rows = jnp.broadcast_to(jnp.arange(batch)[:, None], nodes.shape)
        num_nodes = len(self.frontier.policy_entry) // (size * game.num_actions)
        dropped = jnp.where(queries.is_valid, nodes, num_nodes)
        given = jnp.zeros((batch, num_nodes, 2, size), queries.ranges.dtype)
        given = given.at[rows, dropped].set(_tremble(game, queries), mode="drop")
        solution = solve_frontier(
            self.frontier,
            given.transpose(2, 1, 3, 0).reshape(2, -1, batch),
            jax.tree.map(lambda regret: self.fading * regret, memory),
            rule=_RULE,
            iterations=self.iterations,
        )
        cfvs = solution.cfvs.reshape(2, -1, size, batch).transpose(3, 1, 0, 2)
        policy = tree_policy(self.frontier, solution.policy)
        policy = policy.reshape(-1, size, game.num_actions, batch).transpose(3, 0, 1, 2)
        trembling = dataclasses.replace(queries, ranges=_tremble(game, queries))
        values = _values(game, trembling, cfvs[rows, nodes])
        return LeafEvaluation(
            values=jnp.where(_compatible_reach(game, queries) > 0, values, 0),
            policy_logits=jnp.log(jnp.maximum(policy[rows, nodes], _LEAST_PROBABILITY)),
            memory=solution.regret,
        )


def exact_evaluator(
    game: EnumeratedGame, *, iterations: int = 30, fading: float = 0.9
) -> ExactEvaluator:
    """The exact evaluator of a game; see `ExactEvaluator` for the arguments."""
    return ExactEvaluator(
        frontier=build_frontier(compile_game(game.tree)),
        iterations=iterations,
        fading=fading,
    )


@pytree
class NoisyEvaluator(Evaluator):
    """Another evaluator's values, each with an error of its own that never changes."""

    inner: Evaluator
    node_noise: Array
    """[node, player, infostate]."""

    @property
    def leaves_per_call(self) -> int | None:
        """As the wrapped evaluator."""
        return self.inner.leaves_per_call

    def encode(self, game: Game[Any], state: EnumeratedState) -> Any:
        """The wrapped evaluator's encoding, and the node's number."""
        return self.inner.encode(game, state), state.node

    def start(self, game: Game[Any], batch_size: int) -> Any:
        """The wrapped evaluator's memory."""
        return self.inner.start(game, batch_size)

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """The wrapped evaluator's answer, with the errors added to the values."""
        encoded, nodes = queries.encoded
        answer = self.inner.evaluate(game, memory, dataclasses.replace(queries, encoded=encoded))
        noise = jnp.asarray(self.node_noise, answer.values.dtype)[nodes]
        return dataclasses.replace(answer, values=answer.values + noise)


def noisy_evaluator(
    inner: Evaluator, game: EnumeratedGame, *, epsilon: float, seed: int
) -> NoisyEvaluator:
    """Errors in utility units, uniform in [-epsilon, epsilon], for every infostate everywhere."""
    shape = game.tree.node_mask.shape
    noise: Any = np.random.default_rng(seed).uniform(-epsilon, epsilon, shape).astype(np.float32)
    return NoisyEvaluator(inner=inner, node_noise=noise)


@pytree
class PolicyEvaluator(Evaluator):
    """Values of the leaves if both players follow a fixed policy from there on."""

    node_payoff: Array
    """[node, infostate of player 0, infostate of player 1]: w(s0, s1) times player 0's utility."""

    def encode(self, game: Game[Any], state: EnumeratedState) -> Array:
        """The node's number."""
        return state.node

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        """Values by matrix products."""
        payoff = jnp.asarray(self.node_payoff, queries.ranges.dtype)[queries.encoded]
        values = _values(game, queries, jax.vmap(jax.vmap(zero_sum_cfvs))(payoff, queries.ranges))
        logits = jnp.zeros((*values.shape[:2], game.num_infostates, game.num_actions), values.dtype)
        return LeafEvaluation(values=values, policy_logits=logits, memory=memory)


def uniform_play_evaluator(game: EnumeratedGame) -> PolicyEvaluator:
    """Evaluates the policy that is uniform over legal actions."""
    legal = game.tree.node_legal
    return policy_evaluator(game, legal / np.maximum(legal.sum(axis=-1, keepdims=True), 1))


def policy_evaluator(game: EnumeratedGame, policy: np.ndarray) -> PolicyEvaluator:
    """Backs the payoffs under a policy [node, S, A] up the tree, on the host.

    Raises ValueError for an invalid policy, see `check_policy`.
    """
    policy = check_policy(game.tree, policy)
    payoff: Any = _back_up_payoff(game.tree, policy).astype(np.float32)
    return PolicyEvaluator(node_payoff=payoff)


def _back_up_payoff(tree: PublicTree, policy: np.ndarray) -> np.ndarray:
    """[node, S, S] float64: w times the utility to player 0 under the policy from there on."""
    size = tree.game.num_infostates
    payoff = np.zeros((tree.num_nodes, size, size))
    payoff[tree.payoff_node, tree.payoff_infostates[:, 0], tree.payoff_infostates[:, 1]] = (
        tree.payoff
    )
    step = np.zeros((2, tree.num_nodes, size, size))  # [player, node, infostate, parent's]
    for player, flow in enumerate(tree.flows):
        parent = tree.node_parent[flow.node]
        acts = tree.node_actor[parent] == player
        chosen = policy[parent, flow.parent_infostate, np.where(acts, flow.action, 0)]
        weight = np.where(acts, chosen, 1)
        np.add.at(step[player], (flow.node, flow.infostate, flow.parent_infostate), weight)
    for depth in range(int(tree.node_depth[-1]), 0, -1):
        nodes = np.flatnonzero(tree.node_depth == depth)
        backed_up = step[0, nodes].swapaxes(1, 2) @ payoff[nodes] @ step[1, nodes]
        np.add.at(payoff, tree.node_parent[nodes], backed_up)
    return payoff


def _tremble(game: Game[Any], queries: LeafQueries) -> Array:
    """The ranges, with a small probability added to every possible infostate."""
    mask = jax.vmap(jax.vmap(game.infostate_mask))(EnumeratedState(node=queries.encoded))
    return jnp.where(mask, queries.ranges + TREMBLE, 0)


def _compatible_reach(game: Game[Any], queries: LeafQueries) -> Array:
    states = EnumeratedState(node=queries.encoded)
    reach: Array = jax.vmap(jax.vmap(game.compatible_reach))(states, queries.ranges)
    return reach


def _values(game: Game[Any], queries: LeafQueries, cfvs: Array) -> Array:
    """Values from cfvs: 0 where no infostate of the opponent is compatible."""
    compatible = _compatible_reach(game, queries)
    return jnp.where(compatible > 0, cfvs / jnp.where(compatible > 0, compatible, 1), 0)
