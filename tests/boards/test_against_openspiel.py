"""Random games on boards go as in OpenSpiel: who moves, what is legal, and who wins."""

import random
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.games import make
from sog.games.core import PLAYER_0, PLAYER_1, TERMINAL

pyspiel = pytest.importorskip("pyspiel")


@pytest.mark.thorough(only=["hex11"])
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        ("connect_four", "connect_four"),
        ("othello", "othello"),
        ("hex(size=3)", "hex(board_size=3)"),
        pytest.param("hex(size=11)", "hex(board_size=11)", id="hex11"),
    ],
)
def test_random_games_go_as_in_openspiel(name: str, other: str) -> None:
    game: Any = make(name)
    theirs, rng = pyspiel.load_game(other), random.Random(0)
    look = jax.jit(lambda state: (game.actor(state), game.legal_outcomes(state)))
    apply, utilities = jax.jit(game.apply), jax.jit(game.utilities)
    for _ in range(20):
        state, its = game.root(), theirs.new_initial_state()
        while not its.is_terminal():
            actor, legal = look(state)
            assert np.flatnonzero(legal).tolist() == its.legal_actions()
            assert int(actor) == its.current_player() in (PLAYER_0, PLAYER_1)
            action = rng.choice(its.legal_actions())
            state = apply(state, jnp.int32(action))
            its.apply_action(action)
        actor, legal = look(state)
        assert int(actor) == TERMINAL
        assert not legal.any()
        assert utilities(state, jnp.ones((2, 1)))[:, 0].tolist() == its.returns()
