"""CFR below a frontier, held against solving each subgame on its own."""

import functools
from typing import Any

import jax
import numpy as np
import pytest

from sog.games.core import TERMINAL
from sog.tabular import RULES, PublicTree, compile_tree, solve_subgame
from sog.tabular.cfr import zero_regret
from sog.tabular.frontier import (
    Frontier,
    FrontierSolution,
    build_frontier,
    solve_frontier,
    tree_policy,
)
from tests.tabular.small_games import compiled_game, is_below, tree_of

LEDUC = "leduc(suit_isomorphism=true)"
GAMES = ("kuhn", LEDUC, "glasses(rounds=2)")  # cards, a public card, hidden moves that merge
BATCH = 2


@functools.cache
def frontier_of(text: str) -> Frontier:
    return build_frontier(compiled_game(text), "float64")


_solve = jax.jit(solve_frontier, static_argnames=("rule", "iterations"))


def solve(
    text: str, given: np.ndarray, rule: str, iterations: int, regret: Any = None
) -> FrontierSolution:
    """given: [2, node, S, batch]."""
    with jax.enable_x64(True):
        frontier = frontier_of(text)
        if regret is None:
            regret = zero_regret(frontier.form, given.shape[-1], "float64")
        flat = given.reshape(2, -1, given.shape[-1])
        solution = _solve(frontier, flat, regret, rule=RULES[rule], iterations=iterations)
        on_host: FrontierSolution = jax.tree.map(np.asarray, solution)
        return on_host


def at_nodes(tree: PublicTree, cfvs: Any) -> np.ndarray:
    """[2, node, S, batch] from [2, node * S, batch]."""
    return np.asarray(cfvs).reshape(2, tree.num_nodes, -1, cfvs.shape[-1])


def random_frontier(tree: PublicTree, seed: int) -> list[int]:
    """Disjoint nodes that are not over: every path down is cut with probability 0.4 per step."""
    rng = np.random.default_rng(seed)
    free, chosen = np.ones(tree.num_nodes, bool), []
    for node in range(1, tree.num_nodes):
        free[node] = free[tree.node_parent[node]]
        if free[node] and tree.node_actor[node] != TERMINAL and rng.random() < 0.4:
            chosen.append(node)
            free[node] = False
    return chosen


def random_reach(tree: PublicTree, nodes: list[int], seed: int) -> np.ndarray:
    """[2, node, S, batch]: random at these nodes, some of it 0; 0 elsewhere."""
    rng = np.random.default_rng(seed)
    given = np.zeros((2, *tree.node_mask[:, 0].shape, BATCH))
    mask = tree.node_mask[nodes].swapaxes(0, 1)[..., None]
    draw = rng.exponential(size=(*mask.shape[:3], BATCH))
    thinned = draw * mask * (rng.random(draw.shape) > 0.2)
    given[:, nodes] = np.where(thinned.any(axis=2, keepdims=True), thinned, draw * mask)
    return given


@pytest.mark.thorough(but=["kuhn"])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("kuhn", "cfr+"),
        ("kuhn", "pcfr+"),
        ("kuhn", "sog"),
        (LEDUC, "sog"),
        ("glasses(rounds=2)", "pcfr+"),
        pytest.param(LEDUC, "cfr+", marks=pytest.mark.slow),
        pytest.param(LEDUC, "pcfr+", marks=pytest.mark.slow),
        pytest.param("glasses(rounds=2)", "cfr+", marks=pytest.mark.slow),
        pytest.param("glasses(rounds=2)", "sog", marks=pytest.mark.slow),
    ],
)
def test_it_does_what_a_solver_of_each_subgame_does(text: str, rule: str) -> None:
    """The same iterations, to all digits, at the first few nodes of a random frontier."""
    tree = tree_of(text)
    nodes = random_frontier(tree, seed=1)
    given = random_reach(tree, nodes, seed=2)
    found = at_nodes(tree, solve(text, given, rule, 10).cfvs)
    for node in nodes[:3]:
        subgame = compile_tree(tree.game, root=tree.state(node))
        wanted = solve_subgame(
            subgame, given[:, node], rule=rule, iterations=10, precision="float64"
        )
        np.testing.assert_allclose(found[:, node], wanted.cfvs, rtol=1e-9, atol=1e-12)


@pytest.mark.thorough
def test_regrets_go_on_from_call_to_call() -> None:
    tree = tree_of(LEDUC)
    given = random_reach(tree, random_frontier(tree, 7), 7)
    half = solve(LEDUC, given, "cfr+", 10)
    resumed = solve(LEDUC, given, "cfr+", 10, half.regret)
    at_once = solve(LEDUC, given, "cfr+", 20)
    for one, other in zip(
        jax.tree.leaves(resumed.regret), jax.tree.leaves(at_once.regret), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-12)


@pytest.mark.thorough(only=["leduc"])
@pytest.mark.parametrize("text", GAMES)
def test_the_policy_is_laid_out_by_node_infostate_and_action(text: str) -> None:
    compiled, tree = compiled_game(text), tree_of(text)
    solution = solve(text, random_reach(tree, random_frontier(tree, 8), 8), "cfr+", 5)
    with jax.enable_x64(True):
        rows = np.asarray(tree_policy(frontier_of(text), solution.policy))
    first, second = (tuple(values[..., 1] for values in player) for player in solution.policy)
    wanted = compiled.to_tree((first, second))
    np.testing.assert_array_equal(rows[:, 1].reshape(wanted.shape), wanted)


@pytest.mark.thorough
def test_regrets_above_the_frontier_do_not_matter() -> None:
    compiled, tree = compiled_game(LEDUC), tree_of(LEDUC)
    nodes = random_frontier(tree, 9)
    given = random_reach(tree, nodes, 9)[..., :1]
    below = np.any([is_below(tree, node) for node in nodes], axis=0)
    stale = np.random.default_rng(0).exponential(size=tree.node_legal.shape)
    stale = stale * (tree.has_choice & ~below[:, None])[:, :, None]
    regret = jax.tree.map(lambda values: values[..., None], compiled.from_tree(stale))
    fresh = at_nodes(tree, solve(LEDUC, given, "cfr+", 5).cfvs)
    found = at_nodes(tree, solve(LEDUC, given, "cfr+", 5, regret).cfvs)
    np.testing.assert_allclose(found[:, nodes], fresh[:, nodes], rtol=1e-9, atol=1e-12)
