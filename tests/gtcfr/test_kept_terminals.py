"""What a search keeps of terminal states: the game says it, and what is found stays the same."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.packing import kept_width, pack, packed_width, unpack_kept
from gtcfr.root import start_of_game
from gtcfr.search import SearchResult, search
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.games import Game, make
from sog.holdem.game import Holdem

TEXT = "holdem(ranks=3,suits=2,deals=1,blinds=1/2,stack=3,bets=allin)"


class Forgetful(Holdem):
    """Finds out at every question which hands are better."""

    def keep_terminal(self, state: Any) -> Any:
        return state

    def utilities_of_kept(self, kept: Any, reach: Array) -> Array:
        return super().utilities_of_kept(super().keep_terminal(kept), reach)

    def utilities(self, state: Any, reach: Array) -> Array:
        return self.utilities_of_kept(state, reach)


def whole_game(game: Game[Any]) -> SearchResult:
    settings = SearchSettings(num_simulations=20, lookahead=WHOLE_GAME, grow=False, capacity=200)
    root = start_of_game(game, batch_size=1)
    run = jax.jit(functools.partial(search, game, settings=settings))
    found: SearchResult = run(evaluator=ZeroEvaluator(), root=root, key=jax.random.key(0))
    return found


@pytest.mark.slow
def test_a_game_that_keeps_nothing_is_searched_to_the_same_end() -> None:
    game = make(TEXT)
    forgetful = Forgetful(**game.params())
    assert kept_width(forgetful) == packed_width(game) < kept_width(game)
    found, expected = whole_game(game), whole_game(forgetful)
    np.testing.assert_allclose(found.policy, expected.policy, atol=1e-6)
    np.testing.assert_allclose(found.values, expected.values, atol=1e-6)
    assert np.ptp(np.asarray(found.values)) > 0.5


@pytest.mark.thorough
def test_what_is_kept_is_packed_and_comes_back() -> None:
    game = make(TEXT)
    over = game.start("allin3 call [Ks]")
    kept = game.keep_terminal(over)
    again = unpack_kept(game, pack(kept))
    assert jax.tree.all(jax.tree.map(lambda a, b: bool(jnp.array_equal(a, b)), kept, again))
    reach = game.root_reach()
    np.testing.assert_array_equal(game.utilities_of_kept(again, reach), game.utilities(over, reach))
