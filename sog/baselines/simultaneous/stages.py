"""A game of simultaneous moves as a tree of matrices, for solvers in plain Python.

A *stage* is a simultaneous decision: of both players in a matrix of children, of one of them in a
matrix with one row or column, or of chance.
"""

import dataclasses
from typing import Final

import numpy as np

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROW, Histories
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1

NO_ROW: Final = -1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Stage:
    """A decision of both players, one player, or chance."""

    children: tuple[tuple[int, ...], ...]
    """[choice of player 0][choice of player 1]: histories; chance's are one row."""
    odds: tuple[float, ...]
    """Probabilities of chance's children; empty where players choose."""
    rows: tuple[int, int]
    """The row of each player; NO_ROW if its move is forced."""

    def lines(self, player: int) -> tuple[tuple[int, ...], ...]:
        """[choice of the player][choice of the other]."""
        return self.children if player == PLAYER_0 else tuple(zip(*self.children, strict=True))


class Stages:
    """The stages of a game, by their first history."""

    def __init__(self, histories: Histories) -> None:
        """histories: on the host. Raises ValueError if more than simultaneous moves is hidden."""
        facts = histories.facts
        by_player = facts[:, ACTOR] < CHANCE
        members = np.bincount(facts[by_player, ROW], minlength=histories.num_rows)
        edge = histories.child.tolist()
        probability = histories.probability.tolist()
        self.utility: list[float] = histories.utility.tolist()
        """[history]: to player 0, at the end of the game."""
        self.scale = max(abs(utility) for utility in self.utility)
        """The largest utility."""
        self.stage: list[Stage | None] = [None] * len(facts)
        """[history]; None at an end, and within a simultaneous move."""
        pending: set[int] = set()
        # Parents precede children, so the second half of a simultaneous move is already marked.
        for history, (actor, row, first, count) in enumerate(facts.tolist()):
            if count == 0 or history in pending:
                continue
            children = edge[first : first + count]
            if actor == CHANCE:
                odds = tuple(probability[first : first + count])
                self.stage[history] = Stage(
                    children=(tuple(children),), odds=odds, rows=(NO_ROW, NO_ROW)
                )
                continue
            if members[row] != 1:
                raise ValueError("the game must hide nothing but simultaneous moves, as goofspiel.")
            answers = facts[children]
            together = actor == PLAYER_0 and bool((answers[:, ACTOR] == PLAYER_1).all())
            if together and len(set(answers[:, ROW])) == 1 and members[answers[0, ROW]] == count:
                matrix = tuple(
                    tuple(edge[start : start + size])
                    for start, size in answers[:, [FIRST_EDGE, NUM_EDGES]].tolist()
                )
                rows = (row, int(answers[0, ROW]))
                pending.update(children)
            elif actor == PLAYER_0:
                matrix, rows = tuple((child,) for child in children), (row, NO_ROW)
            else:
                matrix, rows = (tuple(children),), (NO_ROW, row)
            self.stage[history] = Stage(children=matrix, odds=(), rows=rows)
