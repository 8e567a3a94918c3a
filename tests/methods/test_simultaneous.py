"""SM-MCTS against its algorithm in plain Python, and what the paper finds on Goofspiel."""

import functools
import math
import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import CHANCE, TERMINAL
from sog.methods.histories import ACTOR, FIRST_EDGE, NUM_EDGES, ROOT, ROW
from sog.methods.learning import Learner, RowEvaluator
from sog.methods.online import on_device
from sog.methods.simultaneous import MatrixTables, SimultaneousMcts
from tests.methods import matrix_updates as by_hand
from tests.methods.plain_histories import history_tree

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
        count = len(n)
        if method.selection.startswith("duct"):
            scores = [
                x[a] / n[a] + method.c * math.sqrt(math.log(sum(n)) / n[a]) if n[a] else math.inf
                for a in range(count)
            ]
            return [float(score == max(scores)) for score in scores]
        if method.selection == "exp3":
            weight = [math.exp(method.gamma / count * (value - max(x))) for value in x]
            matched = [w / sum(weight) for w in weight]
        else:
            matched = self.matched(row)
        if method.selection == "oos_plus" and player != self.explorer:
            return matched
        return [(1 - method.gamma) * p + method.gamma / count for p in matched]


@pytest.mark.parametrize("selection", ["duct_mix", "exp3", "rm", "oos_plus"])
def test_tables_are_those_of_the_algorithm_in_plain_python(selection: str) -> None:
    method = SimultaneousMcts(selection=selection, gamma=0.3, c=0.8)
    iterations, plain_runs, runs = 150, 200, 1000
    learner = Learner(method, history_tree(GAME), runs=runs)
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


# One update, see `matrix_updates.py`.


def rows_and_children(history: int) -> tuple[tuple[int, int], np.ndarray]:
    """The rows of both players in a round, and what follows their bids [first, second]."""
    histories = history_tree(by_hand.GAME).histories

    def children(number: int) -> np.ndarray:
        first, count = histories.facts[number, [FIRST_EDGE, NUM_EDGES]]
        return np.asarray(histories.child[first : first + count])

    answers = children(history)
    rows = (int(histories.facts[history, ROW]), int(histories.facts[answers[0], ROW]))
    return rows, np.stack([children(answer) for answer in answers])


def tables_by_hand(explorer: int) -> MatrixTables:
    """`matrix_updates.BEFORE` in every round."""
    histories = history_tree(by_hand.GAME).histories
    shape = (histories.num_rows + 1, histories.max_choices)
    of_rows = {name: np.zeros(shape, np.float32) for name in ("visits", "total", "policy")}
    visits = np.zeros(len(histories.facts), np.int32)
    reward = np.zeros(len(histories.facts), np.float32)
    _, later = rows_and_children(ROOT)
    for number, history in enumerate([ROOT, *later.ravel().tolist()]):
        before = by_hand.BEFORE[min(number, 1)]
        rows, children = rows_and_children(history)
        for name, table in of_rows.items():
            for row, line in zip(rows, getattr(before, name), strict=True):
                table[row, : len(line)] = line
        visits[children] = before.mean_n
        reward[children] = np.multiply(before.mean, before.mean_n)
    return MatrixTables(
        visits=jnp.asarray(visits),
        reward=jnp.asarray(reward),
        row_visits=jnp.asarray(of_rows["visits"]),
        row_sum=jnp.asarray(of_rows["total"]),
        policy_sum=jnp.asarray(of_rows["policy"]),
        scale=jnp.float32(4),
        explorer=jnp.int32(explorer),
    )


SIMULATIONS = 2000


@functools.cache
def program(selection: str) -> Any:
    """Jitted: (tables, keys) -> the tables after one simulation with each of them."""
    method = SimultaneousMcts(selection=selection, gamma=by_hand.GAMMA, c=by_hand.C)
    histories = on_device(history_tree(by_hand.GAME).histories)
    return jax.jit(jax.vmap(functools.partial(method.iterate, histories), (None, 0)))


@functools.cache
def simulate_by_hand(selection: str, explorer: int) -> Any:
    """What one simulation adds to every table, with many keys."""
    before = tables_by_hand(explorer)
    after = program(selection)(before, jax.random.split(jax.random.key(1), SIMULATIONS))
    assert (after.explorer == 1 - explorer).all()
    return jax.tree.map(lambda new, old: np.asarray(new) - np.asarray(old), after, before)


def simulations_of(change: Any, path: tuple[tuple[int, int], ...]) -> np.ndarray:
    """The numbers of the simulations in which these cards were bid."""
    later = rows_and_children(ROOT)[1][path[0]]
    return np.flatnonzero(change.visits[:, rows_and_children(later)[1][path[1]]])


@pytest.mark.parametrize("explorer", [0, 1])
@pytest.mark.parametrize("selection", ["duct_max", "duct_mix", "exp3", "rm", "oos_plus"])
def test_one_update_is_that_worked_by_hand(selection: str, explorer: int) -> None:
    change = simulate_by_hand(selection, explorer)
    number = simulations_of(change, by_hand.PATH)[0]
    name = selection.removesuffix("_max").removesuffix("_mix")
    expected = {part: np.zeros_like(change.row_sum[0]) for part in ("visits", "total", "policy")}
    history, passed = ROOT, []
    for of_round, bids in zip(by_hand.change(name, explorer), by_hand.PATH, strict=True):
        rows, children = rows_and_children(history)
        for player, (row, bid) in enumerate(zip(rows, bids, strict=True)):
            expected["visits"][row, bid] = 1
            for part in ("total", "policy"):
                line = getattr(of_round, part)[player]
                expected[part][row, : len(line)] = line
        history = int(children[bids])
        passed.append(history)
    nowhere = -1  # the last line belongs to no row
    np.testing.assert_array_equal(change.row_visits[number][:nowhere], expected["visits"][:nowhere])
    np.testing.assert_allclose(
        change.row_sum[number][:nowhere], expected["total"][:nowhere], rtol=1e-5, atol=1e-6
    )
    if name in ("rm", "oos_plus"):  # the others make no use of it
        np.testing.assert_allclose(
            change.policy_sum[number][:nowhere], expected["policy"][:nowhere], rtol=1e-5, atol=1e-6
        )
    assert np.flatnonzero(change.visits[number]).tolist() == sorted(passed)
    assert change.visits[number][passed].tolist() == [1, 1]
    assert change.reward[number][passed].tolist() == [0.75, 0.75]


@pytest.mark.parametrize("explorer", [0, 1])
@pytest.mark.parametrize("selection", ["duct_max", "duct_mix", "exp3", "rm", "oos_plus"])
def test_players_select_with_the_odds_worked_by_hand(selection: str, explorer: int) -> None:
    change = simulate_by_hand(selection, explorer)
    odds = by_hand.odds_of_path(selection, explorer)
    error = 5 * (odds * (1 - odds) / SIMULATIONS) ** 0.5
    found = len(simulations_of(change, by_hand.PATH)) / SIMULATIONS
    assert found == pytest.approx(odds, abs=error)


@pytest.mark.parametrize("selection", ["duct_max", "duct_mix", "exp3", "rm", "oos_plus"])
def test_what_is_played_in_the_end_is_that_worked_by_hand(selection: str) -> None:
    method = SimultaneousMcts(selection=selection, gamma=by_hand.GAMMA)
    found = np.asarray(
        method.average_policy(history_tree(by_hand.GAME).histories, tables_by_hand(0))
    )
    history = ROOT
    for strategies, bids in zip(by_hand.STRATEGIES[selection], by_hand.PATH, strict=True):
        rows, children = rows_and_children(history)
        for row, line in zip(rows, strategies, strict=True):
            np.testing.assert_allclose(found[row, : len(line)], line, rtol=1e-5)
        history = int(children[bids])


def test_regret_matching_and_exp3_converge_on_goofspiel_where_duct_does_not() -> None:
    """As in Figure 4 of the paper, on the same game with one card less."""
    found = {}
    for selection in ("duct_mix", "exp3", "rm", "oos_plus"):
        method = SimultaneousMcts(selection=selection)
        learner = Learner(method, history_tree("goofspiel(cards=3)"), runs=16)
        learner.run(20_000)
        evaluation = RowEvaluator(learner.tree).evaluate(learner.policies())
        found[selection] = float(evaluation.exploitability.mean())
    assert found["rm"] < 0.05
    assert found["oos_plus"] < 0.05
    assert found["exp3"] < 0.3 * found["duct_mix"]
    assert found["duct_mix"] > 0.1


def test_duct_max_plays_one_action_where_duct_mix_mixes() -> None:
    """At rock, paper, scissors any action loses 1 to its answer; any mixture loses less."""
    found = {}
    for selection in ("duct_max", "duct_mix"):
        method = SimultaneousMcts(selection=selection)
        learner = Learner(method, history_tree("rps"), runs=4)
        learner.run(500)
        found[selection] = RowEvaluator(learner.tree).evaluate(learner.policies()).exploitability
    assert found["duct_max"] == pytest.approx(1)
    assert (found["duct_mix"] < 0.5).all()


@pytest.mark.parametrize("text", ["kuhn", "ii_goofspiel(cards=3)", "liars_dice(dice=1,faces=2)"])
def test_other_games_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"^a game is needed in which both players always move at"):
        Learner(SimultaneousMcts(), history_tree(text))
