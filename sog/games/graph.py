"""What a game on a map declares of it, for networks that share their weights over its nodes."""

import dataclasses
from typing import Final

import numpy as np

MOVER: Final = 0
"""A channel of the nodes, see `GameGraph`."""


@dataclasses.dataclass(frozen=True, eq=False, kw_only=True)
class GameGraph:
    """A map of N nodes on which player 0 hides: his infostate n is his pawn at node n, S = N.

    Player 1 has the one infostate 0, and meets any of player 0's with the same weight. A game with
    a map has this as its property `graph`, as a game on a board has `planes`, and a method

        observe_graph(state) -> (float32[channel, N], float32[feature])

    for what is public at each node, and of the whole state; roughly in [-1, 1]. Channel `MOVER` is
    1 where the pawn of player 1 stands that is to move, and 0 everywhere where it is not his turn.
    """

    roads: np.ndarray  # bool[N, N]: whether a road joins two nodes, the same both ways
    action_end: np.ndarray  # int32[N, A]: where an action leads a pawn at a node; N if nowhere
    action_kind: np.ndarray  # int32[A]: what else tells actions apart, as the ticket; from 0 up

    @property
    def num_kinds(self) -> int:
        """Kinds of actions."""
        return int(self.action_kind.max()) + 1


def within(roads: np.ndarray, most: int) -> np.ndarray:
    """bool[most, N, N]: the nodes at most 1, 2, ..., `most` moves apart. roads: bool[N, N]."""
    step = roads | np.eye(len(roads), dtype=bool)
    reached = [step]
    while len(reached) < most:
        reached.append(reached[-1] @ step)
    return np.stack(reached)
