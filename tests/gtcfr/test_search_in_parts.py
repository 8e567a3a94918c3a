"""A search that is stopped and goes on: `begin`, `advance` and `read` are `search` in parts."""

import dataclasses
import functools
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.mesh import batch_mesh, on_all, split_batch
from gtcfr.root import SearchRoot, start_of_game
from gtcfr.search import SearchResult, advance, begin, read, search
from gtcfr.settings import SearchSettings
from sog.games import Game, make

KEY = jax.random.key(3)
SETTINGS = {
    "SoG(4, 0.5) by DCFR": SearchSettings(
        num_simulations=4,
        simulations_per_update=0.5,
        rule="dcfr",
        leaf_averaging=0.5,
        leaf_interval=3,
        num_queries=2,
    ),
    "SoG(8, 1), growing early": SearchSettings(num_simulations=8, growth_share=0.5),
}


@functools.cache
def programs(game: Game[Any], settings: SearchSettings) -> tuple[Any, Any, Any]:
    start = jax.jit(functools.partial(begin, game, settings=settings))
    go_on = jax.jit(functools.partial(advance, game, settings=settings))
    return start, go_on, jax.jit(functools.partial(read, game))


def in_parts(
    game: Game[Any], evaluator: Any, settings: SearchSettings, root: SearchRoot, parts: list[int]
) -> list[SearchResult]:
    """What is found after each part."""
    start, go_on, look = programs(game, settings)
    state, found = start(evaluator=evaluator, root=root, key=KEY), []
    for count in parts:
        state = go_on(evaluator=evaluator, state=state, count=count)
        found.append(look(state))
    return found


def at_once(
    game: Game[Any], evaluator: Any, settings: SearchSettings, root: SearchRoot
) -> SearchResult:
    run = jax.jit(functools.partial(search, game, settings=settings))
    result: SearchResult = run(evaluator=evaluator, root=root, key=KEY)
    return result


def assert_same(found: SearchResult, expected: SearchResult) -> None:
    """Equal in whole numbers, and in real ones up to the rounding of another program."""

    def compare(one: Any, other: Any) -> None:
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)

    jax.tree.map(compare, found, expected)


@pytest.mark.thorough
@pytest.mark.parametrize("name", SETTINGS)
def test_a_search_in_parts_finds_what_it_finds_at_once(name: str) -> None:
    game, settings = make("kuhn"), SETTINGS[name]
    root = start_of_game(game, batch_size=2)
    *_, found = in_parts(game, ZeroEvaluator(), settings, root, [1, 2, 100])
    assert_same(found, at_once(game, ZeroEvaluator(), settings, root))


def test_a_tree_that_grows_early_stays_as_it_is_afterwards() -> None:
    game, settings = make("kuhn"), SETTINGS["SoG(8, 1), growing early"]
    root = start_of_game(game, batch_size=2)
    grown, later = in_parts(game, ZeroEvaluator(), settings, root, [4, 100])
    assert (grown.num_updates == 4).all()
    assert (later.num_updates == settings.num_updates).all()
    assert settings.num_updates == 4 + 4
    assert grown.tree.interior.visits.sum() > 0
    assert (later.tree.num_nodes == grown.tree.num_nodes).all()
    assert (later.tree.interior.visits == grown.tree.interior.visits).all()
    assert not np.array_equal(later.policy, grown.policy)


LONG = SearchSettings(num_simulations=6, capacity=40)


@pytest.mark.thorough
def test_a_search_that_is_stopped_is_a_shorter_search() -> None:
    """Read in between, it is a search of as many simulations with as much room."""
    game = make("kuhn")
    root = start_of_game(game)
    (found,) = in_parts(game, ZeroEvaluator(), LONG, root, [2])
    short = at_once(game, ZeroEvaluator(), dataclasses.replace(LONG, num_simulations=2), root)
    assert found.tree.num_nodes == short.tree.num_nodes
    np.testing.assert_allclose(found.policy, short.policy, atol=1e-6)
    np.testing.assert_allclose(found.values, short.values, atol=1e-6)


def test_it_ends_after_all_its_updates() -> None:
    game = make("kuhn")
    done, after = in_parts(game, ZeroEvaluator(), LONG, start_of_game(game), [6, 5])
    assert_same(after, done)
    assert int(done.tree.total_weight[0]) == 1 + 2 + 3 + 4 + 5 + 6


@pytest.mark.slow
def test_devices_share_the_parts_too() -> None:
    game, settings, mesh = make("kuhn"), SearchSettings(num_simulations=4), batch_mesh(2)
    root, evaluator = start_of_game(game, batch_size=4), ZeroEvaluator()
    with_mesh: dict[str, Any] = {"settings": settings, "mesh": mesh}
    evaluator = jax.device_put(evaluator, on_all(mesh))
    split = jax.device_put(root, split_batch(mesh))
    start = jax.jit(functools.partial(begin, game, **with_mesh))
    go_on = jax.jit(functools.partial(advance, game, **with_mesh))
    state = start(evaluator=evaluator, root=split, key=KEY)
    for count in (1, 3):
        state = go_on(evaluator=evaluator, state=state, count=count)
    found = read(game, jax.device_get(state))
    expected = at_once(game, ZeroEvaluator(), settings, root)
    np.testing.assert_allclose(found.policy, expected.policy, atol=1e-6)


def test_steps_over_slots_may_overlap(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last step over a table begins early enough to fit, in slots that were done already."""
    game = make("leduc")
    settings = SearchSettings(num_simulations=20, chunk_size=1, rule="dcfr", leaf_averaging=0.5)
    found = []
    for size in (8, 1000):
        monkeypatch.setattr("gtcfr.shape._ENDS_PER_STEP", size)
        tree = at_once(game, ZeroEvaluator(), settings, start_of_game(game, batch_size=1)).tree
        found.append(tree)
        assert tree.shape.num_interior % 8 > 0
        assert tree.shape.num_leaves % 8 > 0
    some, whole = (jax.tree.map(np.asarray, tree.interior_statistics) for tree in found)
    for name in ("policy_sum", "reach_sum", "cfv_sum", "cumulative_regret"):
        np.testing.assert_allclose(
            getattr(some, name), getattr(whole, name), atol=2e-4, err_msg=name
        )
