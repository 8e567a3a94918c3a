"""Chance nodes whose sample grows by visits: where what they are worth is right on average."""

import functools
from typing import Any

import jax.numpy as jnp
import pytest

from gtcfr.root import known_root
from gtcfr.search import SearchResult
from gtcfr.settings import SearchSettings
from gtcfr.tree import NO_PARENT
from sog.games.core import CHANCE
from tests.gtcfr.gamble import Gamble, GambleState
from tests.gtcfr.grown_trees import run_search

pytestmark = pytest.mark.slow  # one search, but it takes long to compile

_OUTCOMES = 12
_SEARCHES = 500
_AT_CHANCE, _BEFORE = slice(0, _SEARCHES), slice(_SEARCHES, None)


GAME = Gamble(won=(-0.8, 0.8) * (_OUTCOMES // 2))
"""Player 0 takes nothing, or what one of twelve outcomes brings."""


@functools.cache
def searched() -> SearchResult:
    """Searches that begin with two outcomes, half of them at the chance node, half before it."""
    settings = SearchSettings(num_simulations=20, first_outcomes=2)
    stages = jnp.repeat(jnp.array([1, 0], jnp.int32), _SEARCHES)
    state = GambleState(stage=stages, gambled=stages == 1, won=jnp.zeros(len(stages)))
    root = known_root(state, jnp.ones((len(stages), 2, 1)))
    return run_search(GAME, settings, root=root)


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
