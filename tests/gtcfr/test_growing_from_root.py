"""Trees that grow from the root of a re-solve, instead of the searched state."""

import dataclasses
import functools

import numpy as np
import pytest

from gtcfr.root import NO_EVENT, start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import GROW_FROM, SearchSettings
from gtcfr.shape import tree_shape
from sog.games.registry import make
from tests.gtcfr.grown_trees import rows_by_path, run_search, sums_of, tree_number
from tests.tabular.small_games import tree_of

LEDUC = "leduc"
CHECK, RAISE = 1, 2
SEARCHED = ((CHECK, RAISE), (RAISE, RAISE), (CHECK, NO_EVENT))
"""Public events to three searched states: two of one level, and one of the level above."""


@functools.cache
def searched(grow_from: str, simulations: int) -> SearchResult:
    """Searches of these states from the start of the game, with the same random numbers."""
    settings = SearchSettings(
        num_simulations=simulations, grow=simulations > 1, grow_from=grow_from, rule="dcfr"
    )
    root = start_of_game(make(LEDUC), batch_size=len(SEARCHED), path=np.array(SEARCHED, np.int32))
    return run_search(make(LEDUC), settings, root=root, seeds=(0,) * len(SEARCHED))


def levels_held(search: int, grow_from: str) -> list[int]:
    """How many states a tree holds on each level, from the root on."""
    depths = [len(path) for path in rows_by_path(tree_number(searched(grow_from, 1), search))]
    counts: list[int] = np.bincount(depths).tolist()
    return counts


def test_the_tree_holds_all_states_down_to_the_children_of_the_searched_one() -> None:
    public = tree_of(LEDUC)
    whole = np.bincount(public.node_depth).tolist()
    assert levels_held(0, "root") == levels_held(1, "root") == whole[:4]
    assert levels_held(2, "root") == whole[:3]
    # Otherwise only those beside the path, and the children of the searched state.
    assert levels_held(0, "searched") == [1, 2, 2, 3]


@pytest.mark.parametrize("simulations", [1, 20])
def test_searches_of_states_of_one_level_from_one_root_solve_the_same_tree(
    simulations: int,
) -> None:
    """So their policies fit together; trees that grow from the searched states differ."""
    first, second = (
        sums_of(tree_of(LEDUC), tree_number(searched("root", simulations), number))
        for number in (0, 1)
    )
    assert (first.is_interior == second.is_interior).all()
    for name in ("regret", "policy", "cfv", "reach"):
        np.testing.assert_allclose(
            getattr(first, name), getattr(second, name), rtol=1e-4, atol=1e-4, err_msg=name
        )
    apart = [rows_by_path(tree_number(searched("searched", simulations), n)) for n in (0, 1)]
    assert apart[0].keys() != apart[1].keys()


def test_simulations_add_nodes_anywhere_below_the_root() -> None:
    """From the searched state only below it."""
    below = {}
    for grow_from in GROW_FROM:
        before = rows_by_path(tree_number(searched(grow_from, 1)))
        after = rows_by_path(tree_number(searched(grow_from, 20)))
        new = after.keys() - before.keys()
        assert new
        below[grow_from] = {path[:2] == SEARCHED[0] for path in new}
    assert below == {"searched": {True}, "root": {True, False}}


def test_long_paths_do_not_need_room_for_all_that_could_be_beside_them() -> None:
    """As where games are played, whose paths have room for eight events."""
    settings = SearchSettings(num_simulations=64, grow_from="root")
    shape = tree_shape(make("liars_dice(faces=4)"), settings, path_length=8)
    assert shape.num_leaves < 9**4
    looking_ahead = dataclasses.replace(settings, lookahead=5)  # all of these must fit
    assert tree_shape(make("liars_dice(faces=4)"), looking_ahead, path_length=8).num_leaves > 9**5
