"""The expansion phase: which nodes are added, and what a search does not depend on."""

import dataclasses
import functools
from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import NetworkEvaluator
from gtcfr.root import SearchRoot, known_root, start_of_game
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT, ROOT
from networks.cvpn import NetworkSettings, make_network
from sog.boards.tic_tac_toe import TicTacToe
from sog.games import Game
from sog.games.registry import make
from sog.tabular.enumerated_game import EnumeratedState
from tests.games.random_plays import state_after
from tests.gtcfr.growing_cases import CASES, EVERY_SEARCH, node_now, roots_of, searched
from tests.gtcfr.grown_trees import (
    LATE_TIC_TAC_TOE,
    NOT_THERE,
    assert_is_a_tree,
    children_of,
    enumerated,
    public_tree,
    rows_by_path,
    rows_of_nodes,
    run_search,
    sums_of,
    table_evaluator,
    tree_number,
)

_LEAVES_PER_CALL = 7


@pytest.mark.thorough(but=["poker, SoG(s, 1)"])
@pytest.mark.parametrize(("name", "number"), EVERY_SEARCH)
def test_a_node_gets_all_its_children_at_once_and_each_of_them_once(name: str, number: int) -> None:
    """Trap 14; with several simulations per phase, duplicates add nothing."""
    tree = tree_number(searched(name), number)
    assert_is_a_tree(tree)
    game = enumerated(CASES[name].text)
    rows = rows_of_nodes(game.tree, tree)
    for node in np.flatnonzero((rows != NOT_THERE) & (rows < tree.shape.leaf_row)):
        assert (
            sorted(children_of(tree, rows[node])) == np.flatnonzero(game.node_child[node]).tolist()
        )


@pytest.mark.thorough(only=["DCFR"])
@pytest.mark.parametrize(("name", "number"), EVERY_SEARCH)
def test_only_what_is_below_where_growth_starts_grows(name: str, number: int) -> None:
    public, now = public_tree(CASES[name].text), node_now(name, number)
    tree = tree_number(searched(name), number)
    rows, shape = rows_of_nodes(public, tree), tree.shape
    interior = np.flatnonzero((rows != NOT_THERE) & (rows < shape.leaf_row)).tolist()
    above, node = [], now
    while node:
        node = int(public.node_parent[node])
        above.append(node)
    begin = 0 if CASES[name].settings.grow_from == "root" else now
    for node in interior:
        ancestor = node
        while ancestor > begin:
            ancestor = int(public.node_parent[ancestor])
        assert node in above or ancestor == begin
    assert len(interior) > len(above) + 1
    assert rows[now] == searched(name).slot[number]


@pytest.mark.parametrize(
    "name",
    [
        "poker, SoG(s, 1)",
        pytest.param("perfect information, SoG(s, 2)", marks=pytest.mark.slow),
    ],
)
def test_as_many_visits_start_at_the_searched_state_as_there_are_simulations(name: str) -> None:
    result, expected = searched(name), CASES[name].settings.num_simulations
    for number, slot in enumerate(result.slot):
        assert result.tree.interior.visits[number, slot].sum() == expected


# What a search does not depend on.


@functools.cache
def cramped(name: str) -> SearchResult:
    """Two of the four searches of poker, the other way around, in trees with no room to spare."""
    case, roomy = CASES[name], searched(name).tree
    needed = int(max(roomy.leaf_limit.max(), roomy.num_terminals.max(), roomy.num_interior.max()))
    settings = replace(case.settings, capacity=needed, chunk_size=5)
    root: SearchRoot = jax.tree.map(lambda leaf: leaf[jnp.array([3, 1])], roots_of(case))
    return run_search(
        enumerated(case.text),
        settings,
        root=root,
        evaluator=table_evaluator(case.text, _LEAVES_PER_CALL),
        seeds=(3, 1),
    )


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "in_cramped"), [(3, 0), (1, 1)])
@pytest.mark.parametrize(
    "name", ["poker, SoG(s, 1)", "poker, DCFR, leaves asked in every fourth pass, and smoothed"]
)
def test_batch_capacity_chunks_and_leaves_per_call_change_nothing(
    name: str, number: int, in_cramped: int
) -> None:
    """The batch law. Trap 13: nothing of a search is shared with others of its batch."""
    public = public_tree(CASES[name].text)
    mine = sums_of(public, tree_number(searched(name), number))
    other = sums_of(public, tree_number(cramped(name), in_cramped))
    assert not cramped(name).is_full.any()
    for field in dataclasses.fields(mine):
        wanted, found = getattr(mine, field.name), getattr(other, field.name)
        np.testing.assert_allclose(
            found, wanted, rtol=1e-4, atol=1e-5 * np.abs(wanted).max(), err_msg=field.name
        )
    np.testing.assert_allclose(
        cramped(name).policy[in_cramped], searched(name).policy[number], atol=1e-5
    )
    visits = [
        cramped(name).tree.interior.visits[in_cramped],
        searched(name).tree.interior.visits[number],
    ]
    assert visits[0].sum() == visits[1].sum()


@pytest.mark.thorough
def test_a_tree_that_is_full_says_so_and_stays_a_tree() -> None:
    game = make("kuhn")
    result = run_search(game, SearchSettings(num_simulations=12, capacity=4), seeds=(0, 1, 2))
    assert result.is_full.all()
    for number in range(3):
        tree = tree_number(result, number)
        assert_is_a_tree(tree)
        assert max(tree.num_leaves, tree.num_terminals, tree.num_interior) <= 4
        for slot in rows_by_path(tree).values():
            if slot < tree.shape.leaf_row:  # all children or none
                assert len(children_of(tree, slot)) == 2
    np.testing.assert_allclose(result.policy.sum(axis=-1), 1, atol=1e-5)
    assert not run_search(game, SearchSettings(num_simulations=12, c_puct=0.23)).is_full.any()


@pytest.mark.thorough
def test_a_branch_without_room_is_no_answer_and_says_so() -> None:
    game = enumerated(LATE_TIC_TAC_TOE)
    ranges = jnp.ones((1, 2, 1))
    root = known_root(game_root(), ranges, path=jnp.array([[1]], jnp.int32))
    result = run_search(
        game, SearchSettings(num_simulations=2, num_children=9, capacity=6), root=root
    )
    assert result.is_full.all()
    assert np.isfinite(result.policy).all()


def game_root(batch_size: int = 1) -> EnumeratedState:
    return EnumeratedState(node=jnp.zeros(batch_size, jnp.int32))


# Some children only: games of perfect information.


@functools.cache
def narrow(num_children: int) -> SearchResult:
    settings = SearchSettings(num_simulations=40, num_children=num_children)
    root = known_root(game_root(3), jnp.ones((3, 2, 1)))
    evaluator = table_evaluator(LATE_TIC_TAC_TOE)
    return run_search(enumerated(LATE_TIC_TAC_TOE), settings, root=root, evaluator=evaluator)


@pytest.mark.thorough
@pytest.mark.parametrize("num_children", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_an_expansion_adds_the_few_children_that_the_prior_likes_best(num_children: int) -> None:
    """The logits of the test's evaluator grow with the number of the action."""
    game, result = enumerated(LATE_TIC_TAC_TOE), narrow(num_children)
    widened = 0
    for number in range(3):
        tree = tree_number(result, number)
        assert_is_a_tree(tree)
        rows = rows_of_nodes(game.tree, tree)
        for node in np.flatnonzero((rows > ROOT) & (rows < tree.shape.leaf_row)):
            legal = np.flatnonzero(game.node_child[node]).tolist()
            children = sorted(children_of(tree, rows[node]))
            assert set(legal[-num_children:]) <= set(children) <= set(legal)
            widened += len(children) > num_children
    assert widened > 5


@pytest.mark.thorough
@pytest.mark.parametrize("num_children", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_policy_of_a_node_is_over_actions_that_lead_to_a_child(num_children: int) -> None:
    tree = tree_number(narrow(num_children))
    for slot in rows_by_path(tree).values():
        if slot >= tree.shape.leaf_row:
            continue
        policy = np.asarray(tree.interior_statistics.policy)[slot, :, 0]
        assert set(np.flatnonzero(policy)) <= set(children_of(tree, slot))
        assert policy.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize("num_children", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_the_tree_and_its_evaluations_grow_by_no_more_than_a_few_nodes_per_simulation(
    num_children: int,
) -> None:
    """With perfect information a node is evaluated once, however many updates follow."""
    result = narrow(num_children)
    legal = enumerated(LATE_TIC_TAC_TOE).num_outcomes  # the state that is searched has them all
    assert (result.tree.num_nodes <= 1 + legal + num_children * 40).all()
    asked = result.tree.num_interior + result.tree.num_leaves
    np.testing.assert_array_equal(result.queries.num_seen, asked)
    assert (asked > 20).all()


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("simulations", "per_update"),
    [
        (20, 1),
        (20, 10),
        pytest.param(1, 1, marks=pytest.mark.slow),
        pytest.param(20, 20, marks=pytest.mark.slow),
    ],
)
def test_every_simulation_adds_a_node_that_no_other_of_its_phase_has(
    simulations: int, per_update: int
) -> None:
    """To all children of the state that is searched; nobody can have won so early."""
    game = make("tic_tac_toe")
    settings = SearchSettings(num_simulations=simulations, simulations_per_update=per_update)
    result = run_search(game, settings, root=start_of_game(game, batch_size=2))
    added = result.tree.num_nodes - (1 + 9)
    assert (added <= simulations).all()
    # The nine children are all the leaves that the first phase can come to.
    least = simulations // per_update * min(per_update, 9)
    assert (added >= (least if per_update == 1 else 0.7 * least)).all()
    for number in range(2):
        assert children_of(tree_number(result, number), ROOT).keys() == set(range(9))


def with_priors_that_differ(game: Game[Any]) -> NetworkEvaluator:
    apply_fn, params = make_network(game, NetworkSettings(width=8, depth=1))
    params = jax.tree.map(lambda leaf: 20 * leaf, params)
    return NetworkEvaluator(apply_fn=apply_fn, params=params, encode_fn=apply_fn.encode)


@pytest.mark.slow
def test_a_tree_without_room_for_illegal_actions_finds_the_same() -> None:
    """Six of nine fields are free, and at most six actions are considered. Without simulations:
    their random numbers would fall on actions in another order."""
    game, found = TicTacToe(), []
    state = jax.tree.map(lambda leaf: leaf[None], state_after(game, 4, 0, 1))
    for max_actions in (None, 6):
        settings = SearchSettings(
            num_simulations=30, grow=False, lookahead=3, capacity=200, max_actions=max_actions
        )
        root = known_root(state, jnp.ones((1, 2, 1)))
        evaluator = with_priors_that_differ(game)
        found.append(run_search(game, settings, root=root, evaluator=evaluator))
    assert found[1].tree.shape.layout.num_actions == 6
    np.testing.assert_allclose(found[1].policy, found[0].policy, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(found[1].values, found[0].values, rtol=1e-4, atol=1e-5)
    paths = [set(rows_by_path(tree_number(result))) for result in found]
    assert paths[0] == paths[1]
    assert not found[1].tree.is_pruned.any()


def test_with_hidden_information_every_leaf_is_evaluated_in_every_update() -> None:
    """Trap 9. One leaf query per leaf and update, and one of the root before there is a tree."""
    name = "poker, SoG(s, 1)"
    for number, start in enumerate(CASES[name].starts):
        if not start.path:
            tree, updates = tree_number(searched(name), number), CASES[name].settings.num_updates
            since = np.asarray(tree.leaf.since)[tree.leaf.edge != NO_PARENT]
            first = np.round((np.sqrt(8 * since + 1) - 1) / 2)
            still_there = (updates - first).sum()
            assert searched(name).queries.num_seen[number] > still_there > updates


# Where it matters.


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("num_children", "num_simulations"), [pytest.param(9, 80, marks=pytest.mark.slow), (1, 400)]
)
def test_growth_goes_where_it_matters(num_children: int, num_simulations: int) -> None:
    """X has two corners of the top row. O must block between them; anything else loses at once."""
    game = make("tic_tac_toe")
    state = jax.tree.map(lambda leaf: leaf[None], state_after(game, 0, 4, 2))
    settings = SearchSettings(num_simulations=num_simulations, num_children=num_children)
    result = run_search(game, settings, root=known_root(state, jnp.ones((1, 2, 1))))
    first_moves = [path[0] for path in rows_by_path(tree_number(result)) if path]
    block = 1
    assert first_moves.count(block) > 0.6 * len(first_moves)
    assert result.policy[0, 0, block] > 0.8


class _PerhapsChance(TicTacToe):
    """Tic-tac-toe that does not say that it has no chance nodes."""

    has_chance = True


@pytest.mark.slow
@pytest.mark.parametrize("num_children", [1, 2])
def test_a_search_that_knows_there_is_no_chance_finds_the_same(num_children: int) -> None:
    settings = SearchSettings(num_simulations=20, num_children=num_children)
    evaluator = with_priors_that_differ(TicTacToe())
    found = [
        run_search(game, settings, evaluator=evaluator, seeds=(0, 1))
        for game in (TicTacToe(), _PerhapsChance())
    ]
    np.testing.assert_allclose(found[0].policy, found[1].policy, rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(found[0].tree.num_nodes, found[1].tree.num_nodes)
