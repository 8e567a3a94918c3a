"""A tree that is gone on with after a public event: what is below it stays, as it was."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.layout import NOT_LISTED
from gtcfr.root import start_of_game
from gtcfr.search import advance, begin, read
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from gtcfr.tree import ROOT, SearchTree
from gtcfr.tree_reuse import can_reuse, reuse_subtree
from gtcfr.update import push_ranges
from sog.games import make
from tests.gtcfr.gamble import GAMBLE, Gamble
from tests.gtcfr.grown_trees import Path, assert_is_a_tree, rows_by_path
from tests.gtcfr.test_growth import with_priors_that_differ

GAME = make("tic_tac_toe")
SIMULATIONS = 24
SETTINGS = {
    "all actions": SearchSettings(num_simulations=SIMULATIONS, kept_simulations=SIMULATIONS),
    "the best four": SearchSettings(
        num_simulations=SIMULATIONS, kept_simulations=SIMULATIONS, max_actions=4
    ),
}
EVERY = pytest.mark.parametrize(
    "name",
    [
        pytest.param("all actions", marks=pytest.mark.thorough),
        pytest.param("the best four", marks=pytest.mark.slow),
    ],
)
KEY = jax.random.key(5)


@functools.cache
def programs(name: str) -> tuple[Any, Any, Any]:
    """To begin, to go on, and to keep what is below an event; of a batch of two."""
    settings = SETTINGS[name]
    evaluator = with_priors_that_differ(GAME)
    start = jax.jit(functools.partial(begin, GAME, evaluator=evaluator, settings=settings))
    go_on = jax.jit(functools.partial(advance, GAME, evaluator=evaluator, settings=settings))
    keep = jax.jit(functools.partial(reuse_subtree, GAME, evaluator, settings))
    return start, go_on, keep


def test_after_an_event_chance_has_the_outcomes_that_it_can_have_and_its_worth() -> None:
    game, key = Gamble(won=(-1.0, 0.0, 1.0, 1.0)), jax.random.key(0)
    settings = SearchSettings(num_simulations=20, kept_simulations=20)
    how: dict[str, Any] = {"evaluator": ZeroEvaluator(), "settings": settings}
    go_on: Any = jax.jit(functools.partial(advance, game, count=20, **how))
    begun = jax.jit(functools.partial(begin, game, **how))(root=start_of_game(game), key=key)
    before = go_on(state=begun)
    assert read(game, before).policy[0, 0, GAMBLE] > 0.8
    keep: Any = jax.jit(functools.partial(reuse_subtree, game, how["evaluator"], settings))
    after = go_on(state=keep(before, jnp.array([GAMBLE], jnp.int32), key))
    assert jnp.sum(after.tree.interior.child[0, ROOT] != after.tree.shape.nothing) == 4
    # Not exactly: before it was expanded it was thought to be worth 0.
    assert float(read(game, after).values[0, 0, 0]) == pytest.approx(0.25, abs=0.01)


@functools.cache
def searched(name: str) -> SearchState:
    start, go_on, _ = programs(name)
    begun = start(root=start_of_game(GAME, batch_size=2), key=KEY)
    state: SearchState = go_on(state=begun, count=SIMULATIONS)
    return state


@functools.cache
def kept(name: str) -> tuple[list[int], SearchState]:
    """What was played in each search, its most visited action, and the searches after it."""
    state = searched(name)
    events = [most_visited(tree_of(state, number)) for number in (0, 1)]
    outcomes = jnp.array(events, jnp.int32)
    assert np.asarray(can_reuse(state, outcomes)).all()
    return events, programs(name)[2](state, outcomes, jax.random.key(6))


def tree_of(state: SearchState, number: int) -> SearchTree:
    tree: SearchTree = jax.tree.map(lambda leaf: np.asarray(leaf[number]), state.tree)
    return tree


def most_visited(tree: SearchTree) -> int:
    number = int(tree.interior.visits[ROOT, :, 0].argmax())
    layout = tree.shape.layout
    return int(layout.action(jnp.asarray(tree.interior.listed[ROOT]), jnp.int32(number)))


def said_of(tree: SearchTree) -> dict[Path, list[Any]]:
    """What is known of each node, by the events that lead to it."""
    shape, inner, outer = tree.shape, tree.interior_statistics, tree.leaf_statistics
    said: dict[Path, list[Any]] = {}
    for path, row in rows_by_path(tree).items():
        if row < shape.leaf_row:
            tables: list[Any] = [*jax.tree.leaves(inner), tree.interior.visits, tree.interior.prior]
            said[path] = [table[row] for table in [*tables, tree.interior.state]]
        elif row < shape.terminal_row:
            place = row - shape.leaf_row
            tables = [*jax.tree.leaves(outer), tree.leaf.state, tree.leaf.since]
            said[path] = [table[place] for table in tables]
        else:
            said[path] = [tree.terminal.worth[row - shape.terminal_row]]
    return said


@EVERY
def test_what_was_known_below_an_event_stays_and_nothing_else(name: str) -> None:
    before = searched(name)
    events, after = kept(name)
    for number, event in enumerate(events):
        old, new = said_of(tree_of(before, number)), said_of(tree_of(after, number))
        stayed = {path[1:]: said for path, said in old.items() if path[:1] == (event,)}
        assert len(stayed) > 3
        for path, said in stayed.items():
            if path == ():
                continue  # its policy is over more actions now
            for one, other in zip(said, new.pop(path), strict=True):
                np.testing.assert_array_equal(one, other)
        assert {len(path) for path in new} <= {0, 1}  # the root, and children that it lacked


@EVERY
def test_it_is_a_tree_whose_root_has_all_its_children(name: str) -> None:
    events, after = kept(name)
    for number, event in enumerate(events):
        tree = tree_of(after, number)
        assert_is_a_tree(tree)
        legal = set(range(9)) - {event}
        listed = set(tree.interior.listed[ROOT].tolist()) - {NOT_LISTED}
        considered = listed & legal if tree.shape.layout.num_best else legal
        assert {path[0] for path in rows_by_path(tree) if len(path) == 1} == considered


@EVERY
def test_reach_flows_as_the_kept_policies_say(name: str) -> None:
    _, after = kept(name)
    pushed = jax.jit(push_ranges, static_argnums=(0, 2))(GAME, after, 0.5)
    for number in (0, 1):
        tree = tree_of(pushed, number)
        rows, policy = rows_by_path(tree), tree.interior_statistics.policy[..., 0]
        for path, row in rows.items():
            if row >= tree.shape.leaf_row:
                continue
            expected = np.ones(2)
            for depth, event in enumerate(path):
                parent = rows[path[:depth]]
                listed = jnp.asarray(tree.interior.listed[parent])
                action = int(tree.shape.layout.number_of(listed, jnp.int32(event)))
                expected[tree.interior.actor[parent]] *= policy[parent, action]
            found = tree.interior_statistics.reach[row, :, 0]
            np.testing.assert_allclose(found, expected, atol=1e-6)


@EVERY
def test_it_is_searched_further(name: str) -> None:
    _, after = kept(name)
    further = programs(name)[1](state=after, count=SIMULATIONS)
    assert further.num_before.tolist() == [SIMULATIONS] * 2
    assert further.num_updates.tolist() == [SIMULATIONS] * 2
    for number in (0, 1):
        old, new = tree_of(after, number), tree_of(further, number)
        assert_is_a_tree(new)
        assert not new.is_full
        assert new.num_nodes > old.num_nodes
        visits = new.interior.visits[ROOT].sum() - old.interior.visits[ROOT].sum()
        assert visits == SIMULATIONS
        steps = np.arange(SIMULATIONS + 1, 2 * SIMULATIONS + 1)
        assert new.total_weight == old.total_weight + steps.sum()


@pytest.mark.thorough
def test_an_event_to_what_was_not_expanded_is_known_as_such() -> None:
    state = searched("all actions")
    tree = tree_of(state, 0)
    leaf = next(
        path[0]
        for path, row in rows_by_path(tree).items()
        if len(path) == 1 and row >= tree.shape.leaf_row
    )
    assert np.asarray(can_reuse(state, jnp.full(2, leaf, jnp.int32))).tolist()[0] is False


def test_with_hidden_information_a_tree_is_not_kept() -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=2)
    run = functools.partial(begin, game, evaluator=ZeroEvaluator(), settings=settings)
    state = jax.eval_shape(run, root=start_of_game(game), key=KEY)
    with pytest.raises(ValueError, match=r"^a tree can be kept in games of perfect information"):
        reuse_subtree(game, ZeroEvaluator(), settings, state, jnp.zeros(1, jnp.int32), KEY)
