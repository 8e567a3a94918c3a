"""What an agent that responds to a policy plays at every public state of a game."""

import copy
from typing import Any

import numpy as np

from gtcfr.evaluator import Evaluator
from sog.games.core import CHANCE
from sog.play import TabularAgent
from sog.tabular import PublicTree
from sog.tabular.enumerated_game import EnumeratedGame


def random_policy(tree: PublicTree, seed: int = 0) -> np.ndarray:
    """[node, S, A]."""
    weight = tree.node_legal * np.random.default_rng(seed).uniform(0.1, 1, tree.node_legal.shape)
    return np.asarray(weight / np.maximum(weight.sum(axis=-1, keepdims=True), 1e-9))


def response_to(
    policy: np.ndarray,
    tree: PublicTree,
    agent: Any,
    *,
    game: EnumeratedGame | None = None,
    evaluator: Evaluator | None = None,
) -> np.ndarray:
    """[node, S, A]: the policy, but with the agent's where its player acts.

    game: the opponent's, with its evaluator.
    """
    played, player = np.array(policy), agent.player

    def visit(node: int, responding: Any, other: Any) -> None:
        responding.watch(other)
        if tree.node_actor[node] == player:
            played[node] = responding.policies()
        if tree.node_actor[node] > CHANCE:
            return
        for child in np.flatnonzero(tree.node_parent == node):
            if child == node:  # the root, by itself
                continue
            pair = copy.copy(responding), copy.copy(other)
            pair[0].watch(pair[1])
            for one in pair:
                one.observe(int(tree.node_outcome[child]))
            visit(int(child), *pair)

    other = TabularAgent(game or EnumeratedGame(tree=tree), policy, player=1 - player)
    other.evaluator = evaluator
    visit(0, agent, other)
    return played
