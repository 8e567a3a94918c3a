"""Chance nodes whose sample grows by visits: where what they are worth is right on average."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import pytest
from jax import Array

from gtcfr.root import known_root
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT
from sog.games.core import CHANCE, PLAYER_0, TERMINAL
from sog.games.perfect_information import PerfectInformationGame
from sog.pytree import pytree
from tests.gtcfr.grown_trees import run_search

pytestmark = pytest.mark.slow  # one search, but it takes long to compile

_OUTCOMES = 12
_SEARCHES = 500
_AT_CHANCE, _BEFORE = slice(0, _SEARCHES), slice(_SEARCHES, None)


@pytree
class Stage:
    """How many events there were, and what was won: 0, or the number of the outcome plus 1."""

    num_events: Array  # int32
    won: Array  # int32


@dataclasses.dataclass(frozen=True, kw_only=True)
class Gamble(PerfectInformationGame[Stage]):
    """Player 0 takes nothing, or what one of twelve outcomes brings: 0.8 or -0.8."""

    name = "gamble"

    num_actions = _OUTCOMES
    num_decision_outcomes = 2
    max_depth = 2
    has_chance = True

    def root(self) -> Stage:
        return Stage(num_events=jnp.int32(0), won=jnp.int32(0))

    def actor(self, state: Stage) -> Array:
        return jnp.array([PLAYER_0, CHANCE, TERMINAL], jnp.int32)[state.num_events]

    def legal_outcomes(self, state: Stage) -> Array:
        return jnp.arange(_OUTCOMES) < jnp.array([2, _OUTCOMES, 0])[state.num_events]

    def legal_actions(self, state: Stage) -> Array:
        return jnp.arange(_OUTCOMES)[None] < jnp.array([2, 1, 0])[state.num_events]

    def apply(self, state: Stage, outcome: Array) -> Stage:
        is_over = (state.num_events == 1) | (outcome == 0)
        won = jnp.where(state.num_events == 1, outcome + 1, 0).astype(jnp.int32)
        return Stage(num_events=jnp.where(is_over, 2, 1).astype(jnp.int32), won=won)

    def result(self, state: Stage) -> Array:
        return jnp.where(state.won == 0, 0, jnp.where(state.won % 2 == 0, 0.8, -0.8))

    def compatible_reach(self, state: Stage, reach: Array) -> Array:
        return reach[::-1] * jnp.where(state.won == 0, 1, 1 / _OUTCOMES)

    def utilities(self, state: Stage, reach: Array) -> Array:
        signed = jnp.array([[1], [-1]]) * self.result(state)
        return (signed * self.compatible_reach(state, reach)).astype(reach.dtype)

    def transition(
        self, key: Array, state: Stage, infostates: Array, action: Array
    ) -> tuple[Array, Array]:
        outcome = jax.random.randint(key, (), 0, _OUTCOMES)
        return jnp.where(state.num_events == 1, outcome, action).astype(jnp.int32), infostates

    def observe(self, state: Stage) -> Array:
        return jnp.zeros(1)

    def describe_state(self, state: Stage) -> str:
        return f"{int(state.won)}"

    def describe_action(self, state: Stage, infostate: int, action: int) -> str:
        return f"{action}"


@functools.cache
def searched() -> SearchResult:
    """Searches that begin with two outcomes, half of them at the chance node, half before it."""
    settings = SearchSettings(num_simulations=20, first_outcomes=2)
    stages = jnp.repeat(jnp.array([1, 0], jnp.int32), _SEARCHES)
    root = known_root(
        Stage(num_events=stages, won=jnp.zeros_like(stages)), jnp.ones((len(stages), 2, 1))
    )
    return run_search(Gamble(), settings, root=root)


def mean_at_chance(which: slice) -> tuple[float, float]:
    """What the chance node was worth to player 0 in the last update, and the standard error."""
    tree: Any = searched().tree
    is_chance = (tree.interior.actor == CHANCE) & (tree.interior.edge != NO_PARENT)
    assert (is_chance.sum(axis=1) == 1).all()
    cfvs = tree.cfvs[:, : is_chance.shape[1], 0, 0][is_chance][which]
    return float(cfvs.mean()), float(cfvs.std() / len(cfvs) ** 0.5)


def test_a_sample_that_grows_whatever_it_holds_is_right_on_average() -> None:
    """Every simulation comes to the root."""
    mean, error = mean_at_chance(_AT_CHANCE)
    assert abs(mean) < 4 * error


def test_a_sample_that_grows_only_if_it_looks_good_is_worth_too_little() -> None:
    """What `SearchSettings.first_outcomes` warns of: bad samples of a gamble are not looked into,
    and what is chosen seems better than it is."""
    mean, error = mean_at_chance(_BEFORE)
    assert -0.25 < mean < -8 * error
    assert 0.02 < searched().values[_BEFORE, 0, 0].mean() < 0.2
