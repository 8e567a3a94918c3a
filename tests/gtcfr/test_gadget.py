"""The re-solving gadget: by hand, and against the oracle over many updates."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.gadget import NOBODY, make_gadget, root_reach, update_gadget
from gtcfr.root import start_of_game
from gtcfr.search import begin
from gtcfr.settings import SearchSettings
from gtcfr.update import _one_pass
from sog.games import make
from sog.tabular.rules import Step
from sog.tabular.solver import find_rule
from tests.gtcfr import plain_search

MASK = np.array([[True, True, True], [True, True, False]])
RANGES = np.array([[0.5, 0.3, 0.2], [0.9, 0.1, 0.0]], np.float32)


def test_alpha_is_the_share_of_the_gadgets_own_range_in_the_opponents() -> None:
    gadget = make_gadget(jnp.int32(1), jnp.zeros(3))  # who follows half of the time, with any card
    found = root_reach(gadget, jnp.asarray(RANGES), jnp.asarray(MASK), alpha=0.25)
    # A quarter of half of (1/2, 1/2, 0) and three quarters of (0.9, 0.1, 0).
    expected = [[0.5, 0.3, 0.2], [0.7375, 0.1375, 0]]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


@pytest.mark.parametrize("alpha", [0.0, 0.25, 1.0])
def test_without_a_gadget_ranges_are_those_given(alpha: float) -> None:
    gadget = make_gadget(jnp.int32(NOBODY), jnp.zeros(3))
    found = root_reach(gadget, jnp.asarray(RANGES), jnp.asarray(MASK), alpha)
    np.testing.assert_array_equal(found, RANGES)


@pytest.mark.parametrize("opponent", [0, 1])
@pytest.mark.parametrize("alpha", [0.0, 0.25, 0.8, 1.0])
def test_the_opponent_comes_with_the_range_that_the_oracle_gives_him(
    opponent: int, alpha: float
) -> None:
    rng = np.random.default_rng(3)
    pays = rng.uniform(-1, 1, 3)
    gadget = make_gadget(jnp.int32(opponent), jnp.asarray(pays, jnp.float32))
    oracle = plain_search.Gadget(
        opponent=opponent, prior=RANGES[opponent], terminate_cfvs=pays, alpha=alpha
    )
    seen = []
    for step in range(1, 13):
        reach = root_reach(gadget, jnp.asarray(RANGES), jnp.asarray(MASK), alpha)
        seen.append(np.asarray(reach[opponent]))
        np.testing.assert_allclose(seen[-1], oracle.root_range(MASK[opponent]), atol=1e-6)
        np.testing.assert_array_equal(reach[1 - opponent], RANGES[1 - opponent])
        follows = rng.uniform(-1, 1, (2, 3))
        root_cfvs = jnp.asarray(follows, jnp.float32)
        gadget = update_gadget(gadget, root_cfvs, find_rule("sog"), Step(jnp.float32(step), 12))
        oracle.update(follows[opponent])
    assert (np.ptp(seen, axis=0).max() > 0.05) == (alpha > 0)  # the gadget's choice is heard


@pytest.mark.thorough
def test_where_players_alternate_the_choice_changes_with_the_opponents_regrets() -> None:
    game, settings = make("kuhn"), SearchSettings(num_simulations=1, rule="cfr+")
    root, evaluator, one = start_of_game(game, batch_size=2), ZeroEvaluator(), jnp.float32(1)
    pays = jnp.full(root.terminate_cfvs.shape, 0.3)
    root = dataclasses.replace(root, opponent=jnp.array([0, 1]), terminate_cfvs=pays)

    @jax.jit
    def regrets(updated: jax.Array) -> jax.Array:
        state = begin(
            game, settings=settings, evaluator=evaluator, root=root, key=jax.random.key(0)
        )
        after = _one_pass(game, evaluator, settings, state, one, one, updated, True)
        return after.gadget.cumulative_regret

    for player in (0, 1):
        has_changed = regrets(jnp.arange(2) == player).any(axis=(1, 2))
        np.testing.assert_array_equal(has_changed, [player == 0, player == 1])
