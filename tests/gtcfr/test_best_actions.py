"""A bound on the actions that are considered, where fewer are legal, and on the way to a state."""

import dataclasses
import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.layout import NOT_LISTED
from gtcfr.packing import unpack
from gtcfr.root import known_root
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import SearchTree
from sog.boards.tic_tac_toe import TicTacToe
from sog.games import Game
from sog.pytree import pytree
from tests.games.random_plays import state_after
from tests.gtcfr.grown_trees import children_of, rows_by_path, run_search, tree_number


@pytree
class LikingEvaluator(ZeroEvaluator):
    """Likes an action the better, the larger its number is."""

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        answer = super().evaluate(game, memory, queries)
        liked = jnp.broadcast_to(jnp.arange(game.num_actions) / 2, answer.policy_logits.shape)
        return dataclasses.replace(answer, policy_logits=liked)


WAY = (0, 4, 8, 2)
UNLOVED = (1, 3)


@functools.cache
def of_the_best_three() -> SearchResult:
    """Tic-tac-toe after WAY, where 1, 3, 5, 6 and 7 are free, and UNLOVED, never among the best."""
    game = TicTacToe()
    state = jax.tree.map(lambda leaf: leaf[None], state_after(game, *WAY))
    root = known_root(state, jnp.ones((1, 2, 1)), path=jnp.array([UNLOVED], jnp.int32))
    settings = SearchSettings(num_simulations=8, num_children=9, max_actions=3)
    return run_search(game, settings, root=root, evaluator=LikingEvaluator())


def prior_of(tree: SearchTree, slot: int) -> dict[int, float]:
    """The prior of the actions that a node considers; of what is no action it is 0."""
    assert tree.interior.listed.size
    actions, prior = tree.interior.listed[slot], tree.interior.prior[slot, :, 0]
    assert (prior[actions == NOT_LISTED] == 0).all()
    return {int(a): float(p) for a, p in zip(actions, prior, strict=True) if a != NOT_LISTED}


@pytest.mark.thorough
def test_the_prior_is_over_the_legal_actions_where_they_are_fewer_than_may_be_considered() -> None:
    tree, seen = tree_number(of_the_best_three()), set()
    for path, row in rows_by_path(tree).items():
        if row >= tree.shape.leaf_row or len(path) < 2:
            continue
        free = {5, 6, 7} - set(path)
        weight = {action: math.exp(action / 2) for action in free}
        expected = {action: w / sum(weight.values()) for action, w in weight.items()}
        assert prior_of(tree, row) == pytest.approx(expected, abs=1e-3)  # half precision
        assert children_of(tree, row).keys() == free
        seen.add(len(free))
    assert seen >= {2, 3}
    policy = of_the_best_three().policy[0, 0]
    assert policy[5:8].sum() == pytest.approx(1, abs=1e-5) == policy.sum()


@pytest.mark.thorough
def test_the_way_to_the_searched_state_may_be_by_actions_outside_the_best() -> None:
    """Each takes the place of the last of the best."""
    result = of_the_best_three()
    tree = tree_number(result)
    rows = rows_by_path(tree)
    assert rows[UNLOVED] == result.slot[0]
    state = unpack(TicTacToe(), tree.interior.state[result.slot[0]])
    jax.tree.map(np.testing.assert_array_equal, state, state_after(TicTacToe(), *WAY, *UNLOVED))
    for number, path in enumerate(((), UNLOVED[:1])):
        prior = prior_of(tree, rows[path])
        assert prior.keys() == {7, 6, UNLOVED[number]}
        assert sum(prior.values()) == pytest.approx(1, abs=1e-3)
        assert children_of(tree, rows[path]).keys() == {7, 6, UNLOVED[number]}
    assert tree.is_pruned


def test_an_expansion_adds_a_child_also_where_fewer_actions_are_legal_than_may_be_considered() -> (
    None
):
    """Padding of the list of actions is none of the best."""
    settings = SearchSettings(num_simulations=12, max_actions=8)
    tree = tree_number(run_search(TicTacToe(), settings))
    interior = [row for row in rows_by_path(tree).values() if row < tree.shape.leaf_row]
    assert len(interior) > 3
    assert all(children_of(tree, row) for row in interior)
