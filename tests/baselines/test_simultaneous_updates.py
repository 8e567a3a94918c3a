"""One update of SM-MCTS for every selection, as worked by hand in `matrix_updates.py`."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.baselines.histories.arrays import FIRST_EDGE, NUM_EDGES, ROOT, ROW
from sog.baselines.learners.learning import convert
from sog.baselines.simultaneous.learner import MatrixTables, SimultaneousMcts
from tests.baselines import matrix_updates as by_hand
from tests.baselines.plain_histories import history_tree

SELECTIONS = ["duct_max", "duct_mix", "exp3", "rm", "oos_plus"]
SIMULATIONS = 2000


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


@functools.cache
def program(selection: str) -> Any:
    """Jitted: (tables, keys) -> the tables after one simulation with each of them."""
    method = SimultaneousMcts(selection=selection, gamma=by_hand.GAMMA, c=by_hand.C)
    histories = jax.tree.map(
        functools.partial(convert, "float32"), history_tree(by_hand.GAME).histories
    )
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
@pytest.mark.parametrize("selection", SELECTIONS)
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
@pytest.mark.parametrize("selection", SELECTIONS)
def test_players_select_with_the_odds_worked_by_hand(selection: str, explorer: int) -> None:
    change = simulate_by_hand(selection, explorer)
    _, later = rows_and_children(ROOT)
    first = change.visits[:, later]
    second = sum(change.visits[:, rows_and_children(history)[1]] for history in later.ravel())
    shares = [
        bids.sum(axis=2 - player)[:, bid].mean()  # over the other's bids
        for bids, chosen in zip((first, second), by_hand.PATH, strict=True)
        for player, bid in enumerate(chosen)
    ]
    for share, odds in zip(shares, by_hand.odds_of_choices(selection, explorer), strict=True):
        assert share == pytest.approx(odds, abs=by_hand.error_of(odds, SIMULATIONS))


@pytest.mark.parametrize("selection", SELECTIONS)
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
