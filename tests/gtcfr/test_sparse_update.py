"""Passes over the children that exist find what passes over all actions do."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import gtcfr
from gtcfr.layout import Layout, layout_of
from gtcfr.search import SearchResult
from sog.games import Game, make
from tests.gtcfr.gamble import Gamble

CASES: list[tuple[str, dict[str, Any]]] = [
    ("tic_tac_toe", {"num_simulations": 60, "rule": "pcfr+"}),  # to the end of the game
    # Tables end within a step.
    ("hex(size=6)", {"num_simulations": 8, "capacity": 40, "simulations_per_update": 0.5}),
    ("connect_four", {"num_simulations": 30, "rule": "dcfr", "simulations_per_update": 2}),
    ("gardner_chess", {"num_simulations": 20, "max_actions": 8}),
]


@pytest.mark.thorough(only=["connect_four", "gardner_chess"])
@pytest.mark.parametrize(("text", "options"), CASES)
def test_as_passes_over_all_actions(
    text: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    game, settings = make(text), gtcfr.SearchSettings(**options)

    def search(layout: Callable[..., Layout]) -> SearchResult:
        monkeypatch.setattr("gtcfr.shape.layout_of", layout)
        run = jax.jit(functools.partial(gtcfr.search, game, settings=settings))
        root, key = gtcfr.start_of_game(game, batch_size=3), jax.random.key(0)
        evaluator = gtcfr.RolloutEvaluator(num_rollouts=1)
        found: SearchResult = run(evaluator=evaluator, root=root, key=key)
        return found

    def dense(*arguments: Any, **options: Any) -> Layout:
        return dataclasses.replace(layout_of(*arguments, **options), is_sparse=False)

    sparse, expected = search(layout_of), search(dense)
    assert sparse.tree.shape.layout.is_sparse
    assert not expected.tree.shape.layout.is_sparse
    np.testing.assert_array_equal(sparse.tree.interior.edge, expected.tree.interior.edge)
    np.testing.assert_allclose(sparse.policy, expected.policy, atol=1e-5)
    np.testing.assert_allclose(sparse.values, expected.values, atol=1e-5)
    for name in ("reach", "action_cfv", "cumulative_regret"):
        found, wanted = (
            getattr(result.tree.interior_statistics, name) for result in (sparse, expected)
        )
        assert np.any(wanted)
        np.testing.assert_allclose(found, wanted, atol=1e-5, err_msg=name)


@pytest.mark.parametrize(
    ("game", "options"),
    [
        (make("leduc"), {}),
        (make("tic_tac_toe"), {"num_children": 9}),
        (Gamble(won=(1.0, -1.0)), {"max_outcomes": 2}),
    ],
    ids=["hidden information", "all children at once", "chance"],
)
def test_other_trees_are_not_sparse(game: Game[Any], options: dict[str, Any]) -> None:
    settings = gtcfr.SearchSettings(num_simulations=4, **options)
    run = functools.partial(gtcfr.search, game, evaluator=gtcfr.ZeroEvaluator(), settings=settings)
    shapes = jax.eval_shape(run, root=gtcfr.start_of_game(game), key=jax.random.key(0))
    assert not shapes.tree.shape.layout.is_sparse
