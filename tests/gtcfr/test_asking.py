"""How often an evaluator is asked: if ranges do not matter, once about a leaf, many at a time."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import Evaluator, LeafEvaluation, LeafQueries, ZeroEvaluator
from gtcfr.root import start_of_game
from gtcfr.search import advance, begin
from gtcfr.search_state import SearchState
from gtcfr.settings import SearchSettings
from sog.games import Game, make
from sog.pytree import pytree
from tests.gtcfr.grown_trees import run_search

GAME = make("tic_tac_toe")
BATCH = 2


@pytree
class Counter(ZeroEvaluator):
    """Values are 0; the memory counts calls, and leaves of each search."""

    looks_at_ranges: bool = dataclasses.field(default=False, metadata={"static": True})

    def start(self, game: Game[Any], batch_size: int) -> tuple[Array, Array]:
        return jnp.zeros(batch_size, jnp.int32), jnp.zeros(batch_size, jnp.int32)

    def evaluate(
        self, game: Game[Any], memory: tuple[Array, Array], queries: LeafQueries
    ) -> LeafEvaluation:
        calls, leaves = memory
        leaves += jnp.sum(queries.is_valid, axis=1, dtype=jnp.int32)
        return super().evaluate(game, (calls + 1, leaves), queries)


def begun(leaves_per_call: int | None, settings: SearchSettings) -> SearchState:
    start = jax.jit(functools.partial(begin, GAME, settings=settings))
    state: SearchState = start(
        evaluator=Counter(leaves_per_call=leaves_per_call),
        root=start_of_game(GAME, batch_size=BATCH),
        key=jax.random.key(0),
    )
    return state


@pytest.mark.thorough(but=["4-3"])
@pytest.mark.parametrize(("leaves_per_call", "calls"), [(None, 1), (16, 1), (4, 3)])
def test_the_children_of_the_searched_state_are_asked_about_together(
    leaves_per_call: int | None, calls: int
) -> None:
    """Nine of them, after a call about the state itself."""
    state = begun(leaves_per_call, SearchSettings(num_simulations=10))
    assert state.memory[0].tolist() == [1 + calls] * BATCH
    assert state.memory[1].tolist() == [1 + 9] * BATCH


@pytest.mark.thorough
def test_the_simulations_of_a_phase_are_asked_about_together() -> None:
    settings = SearchSettings(num_simulations=20, simulations_per_update=10)
    before = begun(16, settings)
    go_on = jax.jit(functools.partial(advance, GAME, settings=settings))
    after = go_on(evaluator=Counter(leaves_per_call=16), state=before, count=1)
    assert (after.memory[0] - before.memory[0]).tolist() == [1] * BATCH
    added = np.asarray(after.memory[1] - before.memory[1])
    assert ((added > 1) & (added <= 10)).all()
    tree = after.tree
    np.testing.assert_array_equal(after.memory[1], tree.num_interior + tree.num_leaves)


@pytree
class OfTheState(Evaluator):
    """Values and policies by what is public, whatever the ranges."""

    looks_at_ranges: bool = dataclasses.field(default=True, metadata={"static": True})

    leaves_per_call = 3

    def encode(self, game: Game[Any], state: Any) -> Array:
        return jnp.sin(jnp.dot(game.observe(state), jnp.arange(1.0, 1 + game.observe(state).size)))

    def evaluate(self, game: Game[Any], memory: Any, queries: LeafQueries) -> LeafEvaluation:
        value = queries.encoded[..., None, None]
        shape = (*queries.is_valid.shape, game.num_infostates, game.num_actions)
        logits = value * jnp.arange(game.num_actions, dtype=jnp.float32).reshape(1, 1, 1, -1)
        return LeafEvaluation(
            values=value
            * jnp.array([1.0, -1.0]).reshape(1, 1, 2, 1)
            * jnp.ones_like(queries.ranges),
            policy_logits=jnp.broadcast_to(logits, shape),
            memory=(),
        )


@pytest.mark.thorough
def test_an_evaluator_that_looks_at_no_ranges_is_asked_once_and_finds_the_same() -> None:
    """In poker, where another one is asked about every leaf in every update."""
    leduc = make("leduc")
    settings = SearchSettings(num_simulations=12, simulations_per_update=2)
    found = [
        run_search(leduc, settings, evaluator=OfTheState(looks_at_ranges=looks), seeds=(0, 1))
        for looks in (True, False)
    ]
    np.testing.assert_allclose(found[0].policy, found[1].policy, atol=1e-5)
    np.testing.assert_allclose(found[0].values, found[1].values, atol=1e-5)
    once = found[1].tree
    np.testing.assert_array_equal(found[1].queries.num_seen, once.num_interior + once.num_leaves)
    assert (found[0].queries.num_seen > found[1].queries.num_seen).all()


@pytest.mark.thorough(but=["None-dcfr-2"])
@pytest.mark.parametrize(
    ("rule", "interval", "asked"),
    # By update: four to a simulation. DCFR goes through the tree twice.
    [
        ("sog", 1, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("sog", 3, [1, 0, 0, 1, 1, 0, 0, 1]),
        ("dcfr", 1, [2, 2, 2, 2, 2, 2, 2, 2]),
        ("dcfr", 2, [1, 1, 1, 1, 1, 1, 1, 1]),
        ("dcfr", 3, [1, 1, 0, 1, 1, 1, 0, 1]),
        ("dcfr", 8, [1, 0, 0, 0, 1, 0, 0, 0]),
    ],
)
@pytest.mark.parametrize("leaves_per_call", [None, 64])
def test_a_longer_interval_leaves_passes_out(
    leaves_per_call: int | None, rule: str, interval: int, asked: list[int]
) -> None:
    game = make("kuhn")
    evaluator = Counter(leaves_per_call=leaves_per_call, looks_at_ranges=True)
    settings = SearchSettings(
        num_simulations=2, simulations_per_update=0.25, rule=rule, leaf_interval=interval
    )
    root = start_of_game(game)
    run = functools.partial(begin, game, settings=settings)
    state = jax.jit(run)(evaluator=evaluator, root=root, key=jax.random.key(0))
    go_on = jax.jit(functools.partial(advance, game, settings=settings))
    calls, seen = [int(state.memory[0][0])], [int(state.queries.num_seen[0])]
    for _ in asked:
        state = go_on(evaluator=evaluator, state=state, count=1)
        calls.append(int(state.memory[0][0]))
        seen.append(int(state.queries.num_seen[0]))
    assert np.diff(calls).tolist() == asked
    assert ((np.diff(seen) > 0) == np.array(asked, bool)).all()
