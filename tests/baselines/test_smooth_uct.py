"""Extensive-form UCT and Smooth UCT against their algorithm in plain Python, and the paper."""

import math
import random
from typing import Any

import numpy as np
import pytest

from sog.baselines.histories.arrays import ROOT
from sog.baselines.learners.learning import LearningRuns, RowEvaluator
from sog.baselines.learners.smooth_uct import ExtensiveUct, SelfPlayUct, SmoothUct
from sog.games.core import CHANCE, TERMINAL
from sog.players.methods import make_method
from tests.baselines.plain_histories import history_tree


class PlainSmoothUct:
    """Algorithms 1 and 2 of Heinrich and Silver 2015, line by line, on dictionaries."""

    def __init__(self, text: str, *, c: float, eta: Any, seed: int) -> None:
        self.histories = history_tree(text).histories
        self.c, self.eta, self.random = c, eta, random.Random(seed)
        self.visits: dict[int, list[int]] = {}
        self.value: dict[int, list[float]] = {}

    def search(self, episodes: int) -> None:
        for _ in range(episodes):
            self.out_of_tree = [False, False]
            self.simulate(ROOT)

    def simulate(self, history: int) -> float:
        """The utility to player 0."""
        actor, row, first, count = self.histories.facts[history].tolist()
        if actor == TERMINAL:
            return float(self.histories.utility[history])
        edges = list(range(first, first + count))
        if actor == CHANCE:
            edge = self.random.choices(edges, self.histories.probability[edges])[0]
            return self.simulate(int(self.histories.child[edge]))
        is_rollout = self.out_of_tree[actor]
        if is_rollout:
            choice = self.random.randrange(count)
        elif row not in self.visits:
            self.visits[row], self.value[row] = [0] * count, [0.0] * count
            choice = self.random.randrange(count)
            self.out_of_tree[actor] = True
        else:
            choice = self.select(row)
        utility = self.simulate(int(self.histories.child[first + choice]))
        if not is_rollout:
            self.visits[row][choice] += 1
            gain = utility if actor == 0 else -utility
            self.value[row][choice] += (gain - self.value[row][choice]) / self.visits[row][choice]
        return utility

    def select(self, row: int) -> int:
        visits, value = self.visits[row], self.value[row]
        total = sum(visits)
        if self.random.random() >= self.eta(total):
            return self.random.choices(range(len(visits)), visits)[0]
        scores = [
            q + self.c * math.sqrt(math.log(total) / n) if n else math.inf
            for q, n in zip(value, visits, strict=True)
        ]
        return self.random.choice([k for k, score in enumerate(scores) if score == max(scores)])


@pytest.mark.thorough(but=["smooth"])
@pytest.mark.parametrize(
    ("method", "eta"),
    [
        (ExtensiveUct(c=1.0), lambda n: 1.0),
        (SmoothUct(c=1.0, gamma=0.3, eta=0.9, d=0.2), lambda n: max(0.3, 0.9 / (1 + 0.2 * n**0.5))),
    ],
    ids=["uct", "smooth"],
)
def test_trees_are_those_of_the_algorithm_in_plain_python(method: SelfPlayUct, eta: Any) -> None:
    episodes, runs = 150, 200
    learner = LearningRuns(method, history_tree("kuhn"), runs=2000)
    learner.run(episodes)
    visits, value = np.asarray(learner.state.visits), np.asarray(learner.state.value)
    plain_visits = np.zeros((runs, *visits.shape[1:]))
    plain_value = np.zeros_like(plain_visits)
    for run in range(runs):
        plain = PlainSmoothUct("kuhn", c=2.0, eta=eta, seed=run)
        plain.search(episodes)
        for row in plain.visits:
            plain_visits[run, row], plain_value[run, row] = plain.visits[row], plain.value[row]
    for ours, theirs in (
        (visits, plain_visits),
        (visits**2.0, plain_visits**2),
        (value, plain_value),
    ):
        error = np.hypot(ours.std(axis=0) / np.sqrt(2000), theirs.std(axis=0) / np.sqrt(runs))
        deviations = np.abs(ours.mean(axis=0) - theirs.mean(axis=0)) / np.maximum(error, 1e-6)
        assert deviations[:-1].max() < 5
    # Every game visits the first infostate of player 0, and his tree has it at once.
    first = visits[:, :3].sum(axis=(1, 2))
    assert (first == episodes).all()


@pytest.mark.thorough
def test_without_mixing_smooth_uct_is_uct() -> None:
    uct, smooth = (
        LearningRuns(method, history_tree("kuhn"), runs=2)
        for method in (ExtensiveUct(c=0.75), SmoothUct(c=0.75, gamma=1.0))
    )
    uct.run(200)
    smooth.run(200)
    np.testing.assert_array_equal(uct.policies(), smooth.policies())


@pytest.mark.slow
def test_uct_stops_where_smooth_uct_goes_on_towards_the_equilibrium() -> None:
    """Figure 1 of the paper, with NashConv for the distance to the closest equilibrium."""
    found = {}
    for text in ("extensive_uct(c=1)", "smooth_uct(c=0.875,d=0.001)"):
        method: Any = make_method(text)
        learner = LearningRuns(method, history_tree("kuhn"), runs=32)
        evaluator = RowEvaluator(learner.tree)
        for episodes in (100_000, 1_000_000):
            learner.run(episodes - learner.iteration)
            found[method.name, episodes] = evaluator.evaluate(learner.policies()).nash_conv.mean()
    assert found["smooth_uct", 1_000_000] < 0.7 * found["smooth_uct", 100_000]
    assert found["extensive_uct", 1_000_000] > 2 * found["smooth_uct", 1_000_000]
