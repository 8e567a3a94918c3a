"""A search with policies that are held: tabular CFR with the same ones held, the rest optimal."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.locks import HeldPolicies, held_policies, hold_rows
from gtcfr.root import SearchRoot, start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from sog.games.registry import make
from sog.tabular import Solver, solve_lp
from sog.tabular.locks import Lock, lock_game, read_locks
from tests.gtcfr.grown_trees import run_search, tree_number, uneven_root, whole_game
from tests.tabular.small_games import compiled_game

LEDUC = "leduc(suit_isomorphism=true)"
LOCKED = (
    ("kuhn", "bet1: J fold=1; Q fold=0.5 call=0.5"),
    (LEDUC, "check: bet2=0.3 check=0.7; K bet2=1"),
)


def locks_of(text: str, *locks: str) -> tuple[Lock, ...]:
    return read_locks(make(text), locks)


def hold(root: SearchRoot, text: str, locks: tuple[Lock, ...]) -> SearchRoot:
    policies = [(lock.state, lock.is_held, lock.policy) for lock in locks]
    return replace(root, held=held_policies(make(text), policies))


def searched(text: str, root: SearchRoot, settings: SearchSettings) -> SearchResult:
    return run_search(make(text), settings, root=root)


@pytest.mark.thorough
@pytest.mark.parametrize(("text", "lock"), LOCKED)
def test_with_the_whole_game_in_the_tree_it_is_tabular_cfr_under_the_same_lock(
    text: str, lock: str
) -> None:
    updates, compiled = 20, compiled_game(text)
    locks = locks_of(text, lock)
    root = hold(uneven_root(text), text, locks)
    found = searched(text, root, whole_game(updates, compiled.tree.num_nodes))
    ranges = np.asarray(root.ranges[0], np.float64)[:, :, None]
    solver = Solver(lock_game(compiled, locks), "sog", root_reach=ranges, precision="float64")
    solver.run(updates)
    np.testing.assert_allclose(found.policy[0], solver.average_policy()[0, ..., 0], atol=1e-3)
    free = Solver(compiled, "sog", root_reach=ranges, precision="float64")
    free.run(updates)
    assert np.abs(free.average_policy()[0] - solver.average_policy()[0]).max() > 0.01


@pytest.mark.thorough
def test_a_search_that_grows_finds_the_best_answer_to_a_lock() -> None:
    """To who folds to every bet, in Kuhn poker, a bet of any card wins 1."""
    text = "kuhn"
    locks = locks_of(text, "bet1: fold=1")
    root = hold(start_of_game(make(text)), text, locks)
    found = searched(text, root, SearchSettings(num_simulations=200))
    value = float((found.ranges[0, 0] * found.values[0, 0]).sum())
    assert value == pytest.approx(solve_lp(lock_game(compiled_game(text), locks)).value, abs=0.05)
    jack, queen, _ = found.policy[0, :, 2]  # a king wins 1 by a check, too
    assert min(jack, queen) > 0.9


@pytest.mark.thorough
def test_what_is_held_where_the_search_is_comes_back_as_it_was_given() -> None:
    text = "kuhn"
    locks = locks_of(text, ": J bet1=1; K check=0.25 bet1=0.75")
    found = searched(text, hold(uneven_root(text), text, locks), SearchSettings(num_simulations=10))
    jack, _, king = found.policy[0]
    np.testing.assert_allclose((jack[2], king[1], king[2]), (1, 0.25, 0.75), atol=1e-6)


@pytest.mark.thorough
def test_a_search_that_holds_nothing_is_the_same_search() -> None:
    text, settings = "kuhn", SearchSettings(num_simulations=10)
    (lock,) = locks_of(text, "check: check=1")
    nothing = replace(lock, is_held=np.zeros_like(lock.is_held))
    expected = searched(text, uneven_root(text), settings)
    for locks in ((), (nothing,)):
        found = searched(text, hold(uneven_root(text), text, locks), settings)
        np.testing.assert_array_equal(found.policy, expected.policy)
        np.testing.assert_array_equal(found.values, expected.values)


@pytest.mark.thorough
def test_simulations_follow_what_is_held() -> None:
    """So a tree grows where the lock leads, also to children that it did not have."""
    text = "connect_four(rows=3,columns=3,run_length=3)"
    root = hold(start_of_game(make(text)), text, locks_of(text, "1: 1=0.25 2=0.75"))
    found = searched(text, root, SearchSettings(num_simulations=200))
    tree = tree_number(found)
    slot = int(tree.interior.child[found.slot[0], 0])
    visits = tree.interior.visits[slot, :, 0]
    assert visits.sum() > 20
    assert visits[0] == 0
    assert visits[2] > visits[1] > 0


def test_actions_that_a_tree_has_share_what_is_held_of_one_that_it_has_not() -> None:
    held = HeldPolicies(
        state=jnp.zeros((1, 1), jnp.int32),
        is_held=jnp.array([[True, False]]),
        policy=jnp.array([[[0.5, 0.5], [0.25, 0.25], [0.25, 0.25]]]),
    )
    nodes: Any = SimpleNamespace(
        state=jnp.zeros((1, 1), jnp.int32),
        takeable=jnp.array([[[False, True], [True, True], [True, True]]]),
    )
    layout: Any = SimpleNamespace(decisions=None)
    found = hold_rows(layout, held, nodes, jnp.full((1, 3, 2), 1 / 3))
    np.testing.assert_allclose(found[0], [[0, 1 / 3], [0.5, 1 / 3], [0.5, 1 / 3]], rtol=1e-6)
