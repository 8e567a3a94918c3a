"""The target of a search of online outcome sampling: a part of the game, and the way to it.

A target is the part of the game below some histories. On the way there, players and chance only
choose what leads to it; `Target` has chance's probabilities under that condition.
"""

from typing import Any

import numpy as np
from jax import Array

from sog.baselines.histories.alias import alias_tables
from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW, HistoryTree
from sog.games.core import CHANCE
from sog.pytree import pytree
from sog.tabular import PublicTree


@pytree
class Target:
    """Arrays for one target; numpy on the host."""

    leads: Any
    """[edge] bool: whether it leads to the target, or is inside it."""
    probability: Any
    """[edge] float: chance's probabilities given that the target is reached; those of `Histories`
    where it cannot be."""
    threshold: Any
    """[2 edge] float: thresholds as in `Histories`, of all events and under that condition."""
    alias: Any
    """[2 edge] int32: aliases, likewise."""
    weight: Any
    """float: w_T, see `make_target`."""


def public_subgame(tree: PublicTree, node: int) -> np.ndarray:
    """[node] bool: a public state and all its descendants."""
    inside = np.zeros(tree.num_nodes, bool)
    inside[node] = True
    for depth in range(int(tree.node_depth[node]) + 1, int(tree.node_depth[-1]) + 1):
        level = np.flatnonzero(tree.node_depth == depth)
        inside[level] = inside[tree.node_parent[level]]
    return inside


def make_target(
    tree: HistoryTree, inside: np.ndarray, mean_policy: np.ndarray, delta: float
) -> Target:
    """Makes a target.

    inside: [history] bool; their descendants are included. mean_policy: [row + 1, choice].

    w_T makes updates at the target weigh as much as those of untargeted simulations: it is how much
    more often targeting reaches it, (1 - delta) + delta / p, where p is the probability of reaching
    it by the mean policy. (This is the text of section 3.3 of the paper; its formula, whose
    denominator is the target's own probability, would be 1 for an information set.)
    """
    histories = tree.histories
    facts = histories.facts
    parent = np.repeat(np.arange(len(facts)), facts[:, NUM_EDGES])
    child = histories.child
    inside = inside.copy()
    for _ in range(histories.depth):
        inside[child[inside[parent]]] = True
    reaches = inside.copy()
    for _ in range(histories.depth):
        reaches[parent[reaches[child]]] = True
    leads = reaches[child]

    chance = facts[:, ACTOR] == CHANCE
    possible = np.where(leads, histories.probability, 0)
    total = np.bincount(parent, possible, minlength=len(facts))
    probability = np.where(
        chance[parent] & (total[parent] > 0),
        possible / np.where(total > 0, total, 1)[parent],
        histories.probability,
    )
    partly = np.flatnonzero(chance & (total > 0) & (total < 1 - 1e-9))
    threshold, alias = alias_tables(
        facts[partly, FIRST_EDGE], facts[partly, NUM_EDGES], probability
    )
    is_partly = np.zeros(len(facts), bool)
    is_partly[partly] = True
    threshold = np.where(is_partly[parent], threshold, histories.threshold)
    alias = np.where(is_partly[parent], alias, histories.alias)

    choice = np.arange(len(parent)) - facts[parent, FIRST_EDGE]
    chosen = mean_policy[facts[parent, ROW], np.minimum(choice, histories.max_choices - 1)]
    odds = np.where(chance[parent], histories.probability, chosen)
    return Target(
        leads=leads,
        probability=probability,
        threshold=np.concatenate([histories.threshold, threshold]),
        alias=np.concatenate([histories.alias, alias]).astype(np.int32),
        weight=np.float64(1 - delta + delta / _probability(inside, parent, child, odds)),
    )


def _probability(
    inside: np.ndarray, parent: np.ndarray, child: np.ndarray, odds: np.ndarray
) -> float:
    """The probability that a game gets inside; a tiny number instead of 0."""
    here: np.ndarray = np.zeros(len(inside))
    here[ROOT] = 1.0
    arrived = float(inside[ROOT])
    while here.any() and not inside[ROOT]:
        here = np.bincount(child, here[parent] * odds, minlength=len(inside))
        arrived += float(here[inside].sum())
        here[inside] = 0
    return max(arrived, 1e-6)


def leads_of(target: Target, first_edge: Array, choices: Array) -> Array:
    """[choice] bool: the choices at a decision that lead to the target."""
    found: Array = target.leads.at[first_edge + choices].get(mode="clip")
    return found
