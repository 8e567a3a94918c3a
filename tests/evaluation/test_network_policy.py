"""The policy of a network alone agrees with its answers for the ranges that it leads to."""

import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import NetworkEvaluator
from sog.evaluation import network_policy as module
from sog.evaluation.network_policy import network_policy
from sog.games.core import CHANCE
from tests.tabular.small_games import compiled_game, push_reach


def partial_to_ranges(params: Array, features: Array, ranges: Array) -> tuple[Array, Array]:
    """A network whose policies depend on the public state and both ranges. params: [S, A]."""
    seen = jnp.sin(7 * ranges[:, 0] + 3 * ranges[:, 1] + features.sum(axis=1)[:, None])
    return ranges, seen[:, :, None] * params[None]


@pytest.mark.thorough(only=["glasses"])
@pytest.mark.parametrize("text", ["kuhn", "leduc(suit_isomorphism=true)", "glasses"])
def test_every_decision_is_the_answer_for_the_ranges_there(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "_CHUNK", 7)
    compiled = compiled_game(text)
    tree, told = compiled.tree, list[tuple[int, int]]()
    shape = (tree.game.num_infostates, tree.game.num_actions)
    params = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    evaluator = NetworkEvaluator(apply_fn=partial_to_ranges, params=jnp.asarray(params))
    policy = network_policy(compiled, evaluator, progress=lambda *of: told.append(of))
    reach = push_reach(tree, policy)
    nodes = np.flatnonzero((tree.node_actor < CHANCE) & tree.has_choice.any(axis=1))
    assert told[-1] == (len(nodes), len(nodes))
    for node in nodes.tolist():
        mask, total = tree.node_mask[node], reach[node].sum(axis=1, keepdims=True)
        even = mask / mask.sum(axis=1, keepdims=True)
        ranges = np.where(total > 0, reach[node] / np.where(total > 0, total, 1), even)
        features = tree.game.observe(tree.state(node))[None]
        _, (logits,) = partial_to_ranges(jnp.asarray(params), features, jnp.asarray(ranges[None]))
        weight = np.exp(logits) * tree.node_legal[node]
        expected = weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9)
        np.testing.assert_allclose(policy[node], expected, atol=1e-4)
