"""Table S5: policies composed of independent searches, many at once, are measured."""

from types import SimpleNamespace
from typing import Any

import jax
import numpy as np
import pytest
import reproduce_is_mcts
from many_searches import ManySearches, final_policy

from sog.baselines.online.is_mcts import IsMcts
from tests.baselines.plain_histories import history_tree
from tests.baselines.test_oos import game_of, seen_at
from tests.tabular.small_games import node_after

SEARCHES = 500


@pytest.mark.thorough
def test_searches_make_policies_that_are_better_than_uniform_play() -> None:
    found = reproduce_is_mcts.construct("kuhn", 200, 1.0, 3)
    assert set(found) == {"mvd", "mvis", "mval"}
    for exploitability in found.values():
        assert len(exploitability) == 3
        assert all(0 < value < 11 / 24 for value in exploitability)  # 11/24 of uniform play


@pytest.mark.thorough(but=["liars_dice"])
@pytest.mark.parametrize(
    ("text", "events", "storage"),
    [
        pytest.param("liars_dice", [2, 5], "grown", id="liars_dice"),
        ("leduc", [2, 1, 3], "whole"),
    ],
)
def test_searches_at_once_and_one_by_one_are_alike(
    text: str, events: list[int], storage: str
) -> None:
    game, tree = game_of(text, storage), history_tree(text)
    row = int(np.flatnonzero(tree.row_node == node_after(tree.tree, *events))[1])
    method = IsMcts(c=1.0, final="mixed", budget=60)
    seen, size = seen_at(tree, game, row), int(tree.histories.row_choices[row])
    one_by_one = [method.search(game, seed).search(seen, size) for seed in range(SEARCHES)]
    keys = jax.random.split(jax.random.key(0), SEARCHES)
    at_once = ManySearches(method, tree).search(np.full(SEARCHES, row), keys)
    ours, theirs = np.array(one_by_one), final_policy("mixed", at_once)[:, :size]
    error = np.hypot(ours.std(axis=0), theirs.std(axis=0)) / SEARCHES**0.5
    assert np.abs(ours.mean(axis=0) - theirs.mean(axis=0)).max() <= 4.5 * error.max()
    assert np.ptp(ours.mean(axis=0)) > 0.02


def test_an_action_that_was_not_visited_has_no_value_rather_than_0() -> None:
    tables: Any = SimpleNamespace(visits=np.array([[2, 0]]), value=np.array([[-0.5, 0.0]]))
    assert final_policy("value", tables).tolist() == [[1, 0]]
