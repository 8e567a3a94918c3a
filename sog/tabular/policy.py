"""Checks a policy of a whole game: a row of probabilities for every infostate."""

from typing import Any, Final

import numpy as np

from sog.games.core import CHANCE
from sog.tabular.public_tree import PublicTree

_TOLERANCE: Final = 1e-4  # sums of 32-bit numbers


def check_policy(tree: PublicTree, policy: Any) -> np.ndarray:
    """The policy [node, S, A] in 32 or 64 bits; raises ValueError, in one line, if it is invalid.

    All entries are finite and >= 0, and 0 for illegal actions; rows of the acting player's possible
    infostates sum to 1. Entries of chance nodes are ignored.
    """
    shape = tree.node_legal.shape
    try:
        given = np.asarray(policy)
    except ValueError:
        raise ValueError(f"policy must have shape {shape}, got rows of several lengths.") from None
    if given.shape != shape:
        raise ValueError(f"policy must have shape {shape}, got {given.shape}.")
    if given.dtype.kind not in "fiub":
        raise ValueError(f"policy must be of real numbers, got {given.dtype}.")
    found = given if given.dtype == np.float32 else given.astype(np.float64, copy=False)
    rules = [
        ("must be finite and >= 0", ~(np.isfinite(found) & (found >= 0))),
        ("must be 0 for an illegal action", (found != 0) & ~tree.node_legal),
    ]
    for rule, is_wrong in rules:
        if is_wrong.any():
            node, infostate, action = np.argwhere(is_wrong)[0].tolist()
            number = found[node, infostate, action]
            where = f"action {action} of {name_row(tree, node, infostate)}"
            raise ValueError(f"policy {rule}, got {number:g} for {where}.")
    total = found.sum(axis=-1)
    decides = tree.decisions.any(axis=-1)
    is_wrong = decides & (abs(total - 1) > _TOLERANCE)
    if is_wrong.any():
        node, infostate = np.argwhere(is_wrong)[0].tolist()
        where = name_row(tree, node, infostate)
        raise ValueError(f"policy must sum to 1, got {total[node, infostate]:g} for {where}.")
    return found


def name_row(tree: PublicTree, node: int, infostate: int) -> str:
    """A row of a policy in words, for a message."""
    state, actor = tree.state(node), int(tree.node_actor[node])
    name = f"infostate {infostate}"
    if actor < CHANCE and tree.node_mask[node, actor, infostate]:
        name += f" ('{tree.game.describe_infostate(state, actor, infostate)}')"
    return f"{name} at node {node} ('{tree.game.describe_state(state)}')"
