"""A game of simultaneous moves as a tree of matrices, for solvers that walk through it in Python.

A *stage* is what is decided at once: by both players in a matrix of children, by one of them in a
matrix of one row or one column, or by chance.
"""

import dataclasses
from typing import Final

import numpy as np

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROW, Histories
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1

NO_ROW: Final = -1


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Stage:
    """Where something is decided."""

    children: tuple[tuple[int, ...], ...]
    """[choice of player 0][choice of player 1]: histories; chance's are one row."""
    odds: tuple[float, ...]
    """Of the children of chance; empty where players choose."""
    rows: tuple[int, int]
    """The infostate of each player among the rows of the histories; NO_ROW where he is forced."""

    def lines(self, player: int) -> tuple[tuple[int, ...], ...]:
        """[choice of the player][choice of the other]."""
        return self.children if player == PLAYER_0 else tuple(zip(*self.children, strict=True))


class Stages:
    """The stages of a game, by the history that each begins with."""

    def __init__(self, histories: Histories) -> None:
        """histories: on the host. Raises ValueError for a game that hides more than the moves that
        are made at the same time."""
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
        """[history]; None at an end, and in the midst of a simultaneous move."""
        pending: set[int] = set()
        # Parents come before children, so an answer is known to be one when its turn comes.
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
                raise ValueError(
                    "a game is needed in which nothing is hidden but moves that are made at the "
                    "same time, such as goofspiel."
                )
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
