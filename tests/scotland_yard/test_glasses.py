"""Glasses against known numbers, from an enumeration and a linear program outside this project."""

import functools
from collections import Counter

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL
from sog.scotland_yard.game import Glasses
from sog.tabular import evaluate_policy, uniform_policy
from tests.tabular.small_games import compiled_game, push_reach


def test_what_flows_back_is_gathered_and_not_scattered() -> None:
    """One entry after the other, on CPUs; it would be most of the time of a search."""
    game = Glasses()

    @jax.jit
    def pull(cfvs: jax.Array) -> list[jax.Array]:
        """Cfvs [S, A] and [S] of the one to act and the other, from [2, S] after an outcome."""
        advance = functools.partial(game.advance, game.root(), jnp.int32(0))
        zeros = jnp.zeros((game.num_infostates, game.num_actions)), jnp.zeros(game.num_infostates)
        found: list[jax.Array] = jax.linear_transpose(advance, *zeros)(cfvs)
        return found

    program = pull.lower(jnp.zeros((2, game.num_infostates))).as_text()
    assert "gather" in program
    assert "scatter" not in program


def test_glasses_has_the_known_numbers_of_histories_and_infostates() -> None:
    tree = compiled_game("glasses").tree
    # Actions of weight 1 make Mr X's reach at a station the number of his ways there.
    ways = push_reach(tree, tree.node_legal.astype(float))[:, 0]
    stuck = tree.node_legal[:, :, -1] & (tree.node_actor == PLAYER_0)[:, None]
    histories = Counter[int]()
    for actor in (PLAYER_0, PLAYER_1, TERMINAL):
        histories[actor] = int((ways * ~stuck)[tree.node_actor == actor].sum())
    assert histories == {PLAYER_0: 2541, PLAYER_1: 14671 - 2541, TERMINAL: 12280}
    assert np.sum(tree.node_actor == PLAYER_1) == 748


def test_uniform_play_on_glasses_and_best_responses_to_it_have_the_known_values() -> None:
    compiled = compiled_game("glasses")
    found = evaluate_policy(compiled, uniform_policy(compiled))
    assert found.value[0] == pytest.approx(-0.634431, abs=1e-6)
    assert found.best_response_value[:, 0] == pytest.approx([-1 / 81, 17 / 18], abs=1e-6)
