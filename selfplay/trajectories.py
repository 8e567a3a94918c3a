"""The decisions of self-play games, stored until the outcome is known (TD(1) targets).

Student of Games, Algorithm 2: each belief state that a game visits becomes, with probability p_td1,
an example whose values are the outcome, known only for the infostates that the players really had.
"""

from dataclasses import replace
from typing import Any

import jax
import numpy as np

from selfplay.actor import Decisions
from selfplay.examples import StoredExample, take


class Trajectories:
    """The decisions of games in progress, on the host."""

    def __init__(self, num_games: int, td1: float, search_targets: float = 0.0) -> None:
        """td1, search_targets: shares of the decisions, see `SelfplaySettings`."""
        self._td1, self._search_targets = td1, search_targets
        self._decisions: list[list[tuple[StoredExample, np.ndarray]]] = [
            [] for _ in range(num_games)
        ]

    def add(
        self, decisions: Decisions, max_utility: float, random: np.random.Generator
    ) -> StoredExample | None:
        """Adds a step; returns the examples that it completes, if any.

        They are from the games that ended with it, and from the searches of the step if those are
        targets too. Games that ended by resignation have no outcome, and give none, as in Algorithm
        2.
        """
        rows: list[Any] = []
        if self._search_targets > 0:
            chosen = random.random(len(self._decisions)) < self._search_targets
            numbers = np.flatnonzero(chosen).tolist()
            rows += [take(decisions.visited, np.asarray(number)) for number in numbers]
        if self._td1 > 0:
            rows += self._ended(decisions, max_utility, random)
        if not rows:
            return None
        examples: StoredExample = jax.tree.map(lambda *leaves: np.stack(leaves), *rows)
        return examples

    def _ended(
        self, decisions: Decisions, max_utility: float, random: np.random.Generator
    ) -> list[StoredExample]:
        """Examples of the games that ended with a step."""
        rows: list[StoredExample] = []
        for number, trajectory in enumerate(self._decisions):
            visited = take(decisions.visited, np.asarray(number))
            trajectory.append((visited, np.asarray(decisions.infostates)[number]))
            if decisions.is_over[number]:
                outcome = float(decisions.utility[number]) / max_utility
                chosen = random.random(len(trajectory)) < self._td1
                rows += [
                    _with_outcome(*step, outcome)
                    for step, is_chosen in zip(trajectory, chosen, strict=True)
                    if is_chosen
                ]
            if decisions.is_over[number] or decisions.is_resigned[number]:
                trajectory.clear()
        return rows


def _with_outcome(visited: StoredExample, infostates: np.ndarray, outcome: float) -> StoredExample:
    """An example whose values are the outcome, as a fraction of the largest utility."""
    values: Any = np.zeros(visited.values.shape, np.float32)
    value_mask: Any = np.zeros(visited.values.shape, bool)
    values[np.arange(2), infostates] = (outcome, -outcome)
    value_mask[np.arange(2), infostates] = True
    return replace(visited, values=values, value_mask=value_mask)
