"""Histories walked in plain Python: exact values of a policy, as a second opinion on samples."""

import functools
from typing import NamedTuple

import numpy as np

from sog.baselines.histories.arrays import (
    ACTOR,
    FIRST_EDGE,
    NUM_EDGES,
    ROOT,
    ROW,
    HistoryTree,
)
from sog.baselines.histories.layout import lay_out_histories
from sog.games.core import CHANCE, TERMINAL
from tests.tabular.small_games import tree_of

Array = np.ndarray


@functools.cache
def history_tree(text: str) -> HistoryTree:
    """The histories of a game from its name and parameters."""
    return lay_out_histories(tree_of(text))


def random_policy(tree: HistoryTree, seed: int) -> Array:
    """[row + 1, choice], all probabilities above 0."""
    legal = np.asarray(tree.histories.legal)
    weight = np.where(legal, np.random.default_rng(seed).exponential(size=legal.shape) + 0.1, 0)
    return np.asarray(weight / np.maximum(weight.sum(axis=1, keepdims=True), 1e-9))


class Exact(NamedTuple):
    """What a policy is worth, and what CFR would learn from it in one iteration."""

    value: float
    """To player 0."""
    regret: Array
    """[row + 1, choice]: counterfactual regrets."""
    policy_sum: Array
    """[row + 1, choice]: reach of the player and of chance, times the policy."""


def exact(tree: HistoryTree, policy: Array) -> Exact:
    """All of it, by one recursion."""
    histories = tree.histories
    regret, policy_sum = np.zeros_like(policy), np.zeros_like(policy)

    def visit(history: int, reach: tuple[float, float, float]) -> float:
        facts = histories.facts[history].tolist()
        actor, row, first, count = facts[ACTOR], facts[ROW], facts[FIRST_EDGE], facts[NUM_EDGES]
        if actor == TERMINAL:
            return float(histories.utility[history])
        children = histories.child[first : first + count].tolist()
        weights = histories.probability[first : first + count] if actor == CHANCE else policy[row]
        values = []
        for child, weight in zip(children, weights[:count].tolist(), strict=True):
            further = list(reach)
            further[actor] *= weight
            values.append(visit(child, (further[0], further[1], further[2])))
        value = float(np.dot(weights[:count], values))
        if actor < CHANCE:
            sign = 1 if actor == 0 else -1
            others = reach[1 - actor] * reach[CHANCE]
            regret[row, :count] += sign * others * (np.array(values) - value)
            policy_sum[row] += reach[actor] * reach[CHANCE] * policy[row]
        return value

    return Exact(visit(ROOT, (1.0, 1.0, 1.0)), regret, policy_sum)
