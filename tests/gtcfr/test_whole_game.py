"""With the whole game in the tree, search is tabular CFR, regret by regret (DESIGN: soundness)."""

import functools
from typing import Any

import jax
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.root import SearchRoot, known_root, start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import WHOLE_GAME, SearchSettings
from gtcfr.shape import tree_shape
from gtcfr.tree import ROOT
from sog.games.registry import make
from sog.tabular import Solver
from tests.tabular.small_games import compiled_game

_UPDATES = 6


def _root(text: str) -> SearchRoot:
    """The start of a game with uneven ranges: exact ties would be broken by rounding alone."""
    root = start_of_game(make(text))
    mask = compiled_game(text).tree.node_mask[0]
    weight = np.where(mask, np.random.default_rng(1).uniform(0.5, 1.5, mask.shape), 0)
    ranges = weight / weight.sum(axis=1, keepdims=True)
    return known_root(root.state, jax.numpy.asarray(ranges[None], "float32"))


@functools.cache
def _searched(text: str, rule: str) -> SearchResult:
    game = make(text)
    settings = SearchSettings(
        num_simulations=_UPDATES,
        lookahead=WHOLE_GAME,
        grow=False,
        capacity=compiled_game(text).tree.num_nodes,
        rule=rule,
    )
    run = jax.jit(functools.partial(search, game, evaluator=ZeroEvaluator(), settings=settings))
    result: SearchResult = jax.tree.map(np.asarray, run(root=_root(text), key=jax.random.key(0)))
    return result


def _slots_of_nodes(text: str, result: SearchResult) -> dict[int, int]:
    """The interior slot of each node of the enumerated tree, by walking down both at once."""
    tree = compiled_game(text).tree
    slots = {0: int(ROOT)}
    outcomes, children = result.tree.outcomes[0], result.tree.interior.child[0]
    for node in range(1, tree.num_nodes):
        above = slots[int(tree.node_parent[node])]
        number = int(np.argmax(outcomes[above] == tree.node_outcome[node]))
        assert outcomes[above, number] == tree.node_outcome[node]
        row = int(children[above, number])
        if row < result.tree.shape.num_interior:
            slots[node] = row
    return slots


def _tabular(text: str, rule: str) -> tuple[np.ndarray, np.ndarray]:
    """Cumulative regrets and average policy of the solver, [node, S, A]."""
    compiled = compiled_game(text)
    ranges = np.asarray(_root(text).ranges[0], np.float64)
    solver = Solver(compiled, rule, root_reach=ranges[:, :, None], precision="float64")
    solver.planned = _UPDATES
    solver.run(_UPDATES)
    first, second = (
        tuple(np.asarray(layer)[..., 0] for layer in player)
        for player in solver.state.cumulative_regret
    )
    return compiled.to_tree((first, second)), solver.average_policy()[..., 0]


@pytest.mark.thorough(but=["leduc"])
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("kuhn", "sog"),
        pytest.param("kuhn", "cfr+", marks=pytest.mark.slow),
        ("kuhn", "dcfr"),
        pytest.param("kuhn", "pcfr+", marks=pytest.mark.slow),
        ("kuhn", "pdcfr+"),
        ("kuhn", "hs-dcfr"),
        ("leduc(suit_isomorphism=true)", "sog"),
        pytest.param("liars_dice(dice=1,faces=3)", "sog", marks=pytest.mark.slow),
        ("ii_goofspiel(cards=3,order=random)", "sog"),
        ("glasses(rounds=2)", "sog"),
        pytest.param("leduc", "sog", marks=pytest.mark.slow),
        pytest.param("liars_dice(dice=1,faces=4)", "sog", marks=pytest.mark.slow),
        pytest.param("ii_goofspiel(cards=4)", "sog", marks=pytest.mark.slow),
        ("connect_four(rows=2,columns=3,run_length=2)", "sog"),
    ],
)
def test_search_with_the_whole_game_in_its_tree_equals_the_tabular_solver(
    text: str, rule: str
) -> None:
    result, tree = _searched(text, rule), compiled_game(text).tree
    regret, policy = _tabular(text, rule)
    statistics = result.tree.interior_statistics
    slots = _slots_of_nodes(text, result)
    assert len(slots) == (tree.node_actor != 3).sum()
    assert not result.is_full.any()
    scale = np.abs(regret[tree.has_choice]).max()
    for node, slot in slots.items():
        if tree.node_actor[node] > 1:
            continue
        for infostate in np.flatnonzero(tree.has_choice[node]):
            found = statistics.cumulative_regret[0, slot, :, infostate]
            np.testing.assert_allclose(found, regret[node, infostate], atol=2e-5 * scale)
            weight = statistics.policy_sum[0, slot, :, infostate].astype(np.float64)
            # Where all regrets are rounding errors, so is what regret matching makes of them.
            is_tie = np.abs(regret[node, infostate]).max() <= 2e-5 * scale
            if weight.sum() > 1e-6 and not is_tie:
                average = weight / weight.sum()
                np.testing.assert_allclose(average, policy[node, infostate], atol=2e-3)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_simulations": 0}, "num_simulations must be"),
        ({"simulations_per_update": 0.0}, "simulations_per_update must be > 0"),
        ({"num_simulations": 5, "simulations_per_update": 2.0}, "must be a multiple"),
        ({"alpha": 1.5}, "alpha must be in"),
        ({"rule": "none"}, "rule must be one of"),
        ({"num_children": 1}, "num_children must be left out"),
        ({"max_actions": 0}, "max_actions must be an integer >= 1"),
        ({"max_actions": 1}, "max_actions must be left out"),
        ({"capacity": 2}, "capacity must be at least"),
        ({"max_outcomes": 1}, "max_outcomes must be at least 3 in kuhn"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree_shape(make("kuhn"), SearchSettings(**changes), 0)
