"""SM-MCTS against its algorithm in plain Python, and what the paper finds on Goofspiel."""

import math
import random
from typing import Any

import numpy as np
import pytest

from sog.baselines.histories.arrays import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW
from sog.baselines.learners.learning import LearningRuns, RowEvaluator
from sog.baselines.simultaneous.learner import SimultaneousMcts
from sog.games.core import CHANCE, TERMINAL
from tests.baselines.plain_histories import history_tree

GAME = "goofspiel(cards=3,order=random)"


class PlainSmMcts:
    """Algorithm 1 of Lanctot, Lisy, Winands 2013 and sections 3.1 to 3.4, on dictionaries."""

    def __init__(self, method: SimultaneousMcts, seed: int) -> None:
        self.method, self.random = method, random.Random(seed)
        self.histories = history_tree(GAME).histories
        self.n: dict[int, int] = {}
        self.x: dict[int, float] = {}
        self.row_n: dict[int, list[int]] = {}
        self.row_x: dict[int, list[float]] = {}
        self.row_policy: dict[int, list[float]] = {}
        self.explorer = 1

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

    def run(self, iterations: int) -> None:
        for _ in range(iterations):
            self.explorer = 1 - self.explorer
            self.simulate(ROOT, 1.0)

    def simulate(self, s: int, reach: float) -> float:
        """reach: of the explorer's samples."""
        if self.actor(s) == TERMINAL:
            return self.reward(s)
        if self.actor(s) == CHANCE:  # all events are as likely
            return self.simulate(self.random.choice(self.children(s)), reach)
        answers = self.children(s)
        matrix = [self.children(answer) for answer in answers]
        rows = (int(self.histories.facts[s, ROW]), int(self.histories.facts[answers[0], ROW]))
        counts = (len(matrix), len(matrix[0]))
        for row, count in zip(rows, counts, strict=True):
            self.row_n.setdefault(row, [0] * count)
            self.row_x.setdefault(row, [0.0] * count)
            self.row_policy.setdefault(row, [0.0] * count)
        untried = [
            (i, j) for i in range(counts[0]) for j in range(counts[1]) if matrix[i][j] not in self.n
        ]
        odds = [self.odds(row, player) for player, row in enumerate(rows)]
        if untried:
            joint = self.random.choice(untried)
            u = self.rollout(matrix[joint[0]][joint[1]])
        else:
            first, second = (self.random.choices(range(len(p)), p)[0] for p in odds)
            joint = (first, second)
            u = self.simulate(
                matrix[first][second], reach * odds[self.explorer][joint[self.explorer]]
            )
        for player, (row, a, gain) in enumerate(zip(rows, joint, (u, 1 - u), strict=True)):
            self.row_n[row][a] += 1
            if self.method.selection.startswith("duct"):
                self.row_x[row][a] += gain
            elif self.method.selection == "oos_plus":
                if not untried and player == self.explorer:
                    self.learn_plus(rows, matrix, joint, u, reach)
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

    def learn_plus(
        self,
        rows: tuple[int, int],
        matrix: list[list[int]],
        joint: tuple[int, int],
        u: float,
        reach: float,
    ) -> None:
        """Section 3.4: the explorer's regrets, the other's mean policy."""
        own, other = self.explorer, 1 - self.explorer
        policies = [self.matched(row) for row in rows]
        values = []
        for a in range(len(policies[own])):
            value = 0.0
            for b in range(len(policies[other])):
                i, j = (a, b) if own == 0 else (b, a)
                child = matrix[i][j]
                x = u if (i, j) == joint else self.x[child] / self.n[child]
                value += policies[other][b] * (x if own == 0 else 1 - x)
            values.append(value)
        expected = sum(p * v for p, v in zip(policies[own], values, strict=True))
        for a, value in enumerate(values):
            self.row_x[rows[own]][a] += (value - expected) / reach
        for b, p in enumerate(policies[other]):
            self.row_policy[rows[other]][b] += p / reach

    def matched(self, row: int) -> list[float]:
        weight = [max(value, 0.0) for value in self.row_x[row]]
        total = sum(weight)
        return [w / total if total > 0 else 1 / len(weight) for w in weight]

    def odds(self, row: int, player: int) -> list[float]:
        n, x, method = self.row_n[row], self.row_x[row], self.method
        count, (c, gamma, eta) = len(n), method.constants
        if method.selection.startswith("duct"):
            scores = [
                x[a] / n[a] + c * math.sqrt(math.log(sum(n)) / n[a]) if n[a] else math.inf
                for a in range(count)
            ]
            return [float(score == max(scores)) for score in scores]
        if method.selection == "exp3":
            weight = [math.exp(eta / count * (value - max(x))) for value in x]
            matched = [w / sum(weight) for w in weight]
        else:
            matched = self.matched(row)
        if method.selection == "oos_plus" and player != self.explorer:
            return matched
        return [(1 - gamma) * p + gamma / count for p in matched]


@pytest.mark.thorough
@pytest.mark.parametrize("selection", ["duct_mix", "exp3", "rm", "oos_plus"])
def test_tables_are_those_of_the_algorithm_in_plain_python(selection: str) -> None:
    method = SimultaneousMcts(selection=selection, gamma=0.3, c=0.8)
    iterations, plain_runs, runs = 150, 200, 1000
    learner = LearningRuns(method, history_tree(GAME), runs=runs)
    learner.run(iterations)
    shape = (plain_runs, *learner.state.row_visits.shape[1:])
    plain_visits, plain_sums, plain_policies = (np.zeros(shape) for _ in range(3))
    for run in range(plain_runs):
        plain = PlainSmMcts(method, seed=run)
        plain.run(iterations)
        for row, counts in plain.row_n.items():
            plain_visits[run, row, : len(counts)] = counts
            plain_sums[run, row, : len(counts)] = plain.row_x[row]
            plain_policies[run, row, : len(counts)] = plain.row_policy[row]
    visits, sums = np.asarray(learner.state.row_visits), np.asarray(learner.state.row_sum)
    pairs: tuple[Any, ...] = (
        (visits, plain_visits),
        (visits**2, plain_visits**2),
        (sums, plain_sums),
    )
    if selection == "oos_plus":
        pairs += ((np.asarray(learner.state.policy_sum), plain_policies),)
    for ours, theirs in pairs:
        error = np.hypot(ours.std(axis=0) / runs**0.5, theirs.std(axis=0) / plain_runs**0.5)
        deviations = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / np.maximum(error, 1e-3)
        assert deviations[:-1].max() < 5
    assert plain_visits.max() > 20


@pytest.mark.slow
def test_regret_matching_and_exp3_converge_on_goofspiel_where_duct_does_not() -> None:
    """As in Figure 4 of the paper, on the same game with one card less."""
    found = {}
    for selection in ("duct_mix", "exp3", "rm", "oos_plus"):
        method = SimultaneousMcts(selection=selection, gamma=0.1)
        learner = LearningRuns(method, history_tree("goofspiel(cards=3)"), runs=16)
        learner.run(20_000)
        evaluation = RowEvaluator(learner.tree).evaluate(learner.policies())
        found[selection] = float(evaluation.exploitability.mean())
    assert found["rm"] < 0.05
    assert found["oos_plus"] < 0.05
    assert found["exp3"] < 0.3 * found["duct_mix"]
    assert found["duct_mix"] > 0.1


@pytest.mark.thorough
def test_duct_max_plays_one_action_where_duct_mix_mixes() -> None:
    """At rock, paper, scissors any action loses 1 to its answer; any mixture loses less."""
    found = {}
    for selection in ("duct_max", "duct_mix"):
        method = SimultaneousMcts(selection=selection)
        learner = LearningRuns(method, history_tree("rps"), runs=4)
        learner.run(500)
        found[selection] = RowEvaluator(learner.tree).evaluate(learner.policies()).exploitability
    assert found["duct_max"] == pytest.approx(1)
    assert (found["duct_mix"] < 0.5).all()


@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(dice=1,faces=2)"])
def test_other_games_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^the game must have only simultaneous moves"):
        LearningRuns(SimultaneousMcts(), history_tree(text))
