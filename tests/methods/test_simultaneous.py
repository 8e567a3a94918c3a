"""SM-MCTS against its algorithm in plain Python, and what the paper finds on Goofspiel."""

import math
import random
from typing import Any

import numpy as np
import pytest

from sog.games.core import CHANCE, TERMINAL
from sog.methods.histories import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW
from sog.methods.learning import Learner, RowEvaluator
from sog.methods.simultaneous import SimultaneousMcts
from tests.methods.plain_histories import history_tree

GAME = "goofspiel(cards=3,order=random)"


class PlainSmMcts:
    """Algorithm 1 of Lanctot, Lisy, Winands 2013 and sections 3.1 to 3.3, on dictionaries."""

    def __init__(self, method: SimultaneousMcts, seed: int) -> None:
        self.method, self.random = method, random.Random(seed)
        self.histories = history_tree(GAME).histories
        self.n: dict[int, int] = {}
        self.x: dict[int, float] = {}
        self.row_n: dict[int, list[int]] = {}
        self.row_x: dict[int, list[float]] = {}

    def children(self, history: int) -> list[int]:
        facts = self.histories.facts[history]
        first = facts[FIRST_EDGE]
        found: list[int] = self.histories.child[first : first + facts[NUM_EDGES]].tolist()
        return found

    def actor(self, history: int) -> int:
        return int(self.histories.facts[history, ACTOR])

    def reward(self, history: int) -> float:
        return (float(self.histories.utility[history]) / self.scale + 1) / 2

    @property
    def scale(self) -> float:
        return float(np.abs(self.histories.utility).max())

    def rollout(self, history: int) -> float:
        while self.actor(history) != TERMINAL:
            history = self.random.choice(self.children(history))
        return self.reward(history)

    def simulate(self, s: int = ROOT) -> float:
        if self.actor(s) == TERMINAL:
            return self.reward(s)
        if self.actor(s) == CHANCE:  # all events are as likely
            return self.simulate(self.random.choice(self.children(s)))
        answers = self.children(s)
        matrix = [self.children(answer) for answer in answers]
        rows = (int(self.histories.facts[s, ROW]), int(self.histories.facts[answers[0], ROW]))
        counts = (len(matrix), len(matrix[0]))
        for row, count in zip(rows, counts, strict=True):
            self.row_n.setdefault(row, [0] * count)
            self.row_x.setdefault(row, [0.0] * count)
        untried = [
            (i, j) for i in range(counts[0]) for j in range(counts[1]) if matrix[i][j] not in self.n
        ]
        odds = [self.odds(row) for row in rows]
        if untried:
            joint = self.random.choice(untried)
            u = self.rollout(matrix[joint[0]][joint[1]])
        else:
            first, second = (self.random.choices(range(len(p)), p)[0] for p in odds)
            joint = (first, second)
            u = self.simulate(matrix[first][second])
        for player, (row, a, gain) in enumerate(zip(rows, joint, (u, 1 - u), strict=True)):
            self.row_n[row][a] += 1
            if self.method.selection == "duct":
                self.row_x[row][a] += gain
            elif self.method.selection == "exp3":
                self.row_x[row][a] += gain / odds[player][a]
            else:
                for b in range(counts[player]):
                    i, j = (b, joint[1]) if player == 0 else (joint[0], b)
                    child = matrix[i][j]
                    if b != a and child in self.n:
                        mean = self.x[child] / self.n[child]
                        self.row_x[row][b] += (mean if player == 0 else 1 - mean) - gain
        child = matrix[joint[0]][joint[1]]
        self.n[child] = self.n.get(child, 0) + 1
        self.x[child] = self.x.get(child, 0.0) + u
        return u

    def odds(self, row: int) -> list[float]:
        n, x, method = self.row_n[row], self.row_x[row], self.method
        count = len(n)
        if method.selection == "duct":
            scores = [
                x[a] / n[a] + method.c * math.sqrt(math.log(sum(n)) / n[a]) if n[a] else math.inf
                for a in range(count)
            ]
            return [float(score == max(scores)) for score in scores]
        if method.selection == "exp3":
            weight = [math.exp(method.gamma / count * (value - max(x))) for value in x]
        else:
            weight = [max(value, 0.0) for value in x]
        total = sum(weight)
        matched = [w / total if total > 0 else 1 / count for w in weight]
        return [(1 - method.gamma) * p + method.gamma / count for p in matched]


@pytest.mark.parametrize("selection", ["duct", "exp3", "rm"])
def test_tables_are_those_of_the_algorithm_in_plain_python(selection: str) -> None:
    method = SimultaneousMcts(selection=selection, gamma=0.3, c=0.8)
    iterations, plain_runs, runs = 150, 200, 1000
    learner = Learner(method, history_tree(GAME), runs=runs)
    learner.run(iterations)
    shape = (plain_runs, *learner.state.row_visits.shape[1:])
    plain_visits, plain_sums = np.zeros(shape), np.zeros(shape)
    for run in range(plain_runs):
        plain = PlainSmMcts(method, seed=run)
        for _ in range(iterations):
            plain.simulate()
        for row, counts in plain.row_n.items():
            plain_visits[run, row, : len(counts)] = counts
            plain_sums[run, row, : len(counts)] = plain.row_x[row]
    visits, sums = np.asarray(learner.state.row_visits), np.asarray(learner.state.row_sum)
    pairs: tuple[Any, ...] = (
        (visits, plain_visits),
        (visits**2, plain_visits**2),
        (sums, plain_sums),
    )
    for ours, theirs in pairs:
        error = np.hypot(ours.std(axis=0) / runs**0.5, theirs.std(axis=0) / plain_runs**0.5)
        deviations = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / np.maximum(error, 1e-3)
        assert deviations[:-1].max() < 5
    assert plain_visits.max() > 20


def test_regret_matching_and_exp3_converge_on_goofspiel_where_duct_does_not() -> None:
    """As in Figure 4 of the paper, on the same game with one card less."""
    found = {}
    for selection in ("duct", "exp3", "rm"):
        method = SimultaneousMcts(selection=selection)
        learner = Learner(method, history_tree("goofspiel(cards=3)"), runs=16)
        learner.run(20_000)
        evaluation = RowEvaluator(learner.tree).evaluate(learner.policies())
        found[selection] = float(evaluation.exploitability.mean())
    assert found["rm"] < 0.05
    assert found["exp3"] < 0.3 * found["duct"]
    assert found["duct"] > 0.1


@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(dice=1,faces=2)"])
def test_other_games_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^a game is needed in which both players always move at"):
        Learner(SimultaneousMcts(), history_tree(text))
