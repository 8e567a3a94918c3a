"""Games of pgx, as games of ours."""

import random
import sys
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import packed_width
from sog.games import make
from sog.games.conformance import check_game
from sog.games.core import PLAYER_0, TERMINAL
from sog.games.foreign import check_named_by_file

pytest.importorskip("pgx")


@pytest.mark.parametrize(
    ("name", "ours"),
    [
        ("tic_tac_toe", "tic_tac_toe"),
        pytest.param("connect_four", "connect_four", marks=pytest.mark.slow),
        pytest.param("othello", "othello", marks=pytest.mark.slow),
        pytest.param("hex", "hex(swap=true)", marks=pytest.mark.slow),
    ],
)
def test_random_games_go_as_in_the_game_of_ours(name: str, ours: str) -> None:
    game: Any = make(f"pgx:{name}")
    other: Any = make(ours)
    looks = [
        jax.jit(lambda state, one=one: (one.actor(state), one.legal_outcomes(state)))
        for one in (game, other)
    ]
    steps = [jax.jit(one.apply) for one in (game, other)]
    rng = random.Random(0)
    for _ in range(10):
        states = [game.root(), other.root()]
        while True:
            (actor, legal), (expected, its_legal) = (
                look(state) for look, state in zip(looks, states, strict=True)
            )
            assert int(actor) == int(expected)
            np.testing.assert_array_equal(legal, its_legal)
            if int(actor) == TERMINAL:
                break
            action = jnp.int32(rng.choice(np.flatnonzero(legal).tolist()))
            states = [step(state, action) for step, state in zip(steps, states, strict=True)]
        assert float(game.result(states[0])) == float(other.result(states[1]))


@pytest.mark.thorough
def test_a_game_of_pgx_keeps_the_contract() -> None:
    game = make("pgx:tic_tac_toe")
    assert not check_game(game, num_walks=8, max_states=40, max_worlds=8).exhaustive
    assert make(str(game)) == game


@pytest.mark.slow
@pytest.mark.parametrize("name", ["go_9x9", "animal_shogi", "gardner_chess"])
def test_larger_games_of_pgx_keep_the_contract(name: str) -> None:
    assert not check_game(make(f"pgx:{name}"), num_walks=4, max_states=10, max_worlds=4).exhaustive


def test_player_0_begins_and_the_observation_is_no_part_of_the_state() -> None:
    game = make("pgx:tic_tac_toe")
    assert int(game.actor(game.root())) == PLAYER_0
    assert 4 * packed_width(game) < 89  # the bytes of pgx's own state, observation included
    state = game.start("b2 a3")
    assert game.describe_state(state) == ".../.X./O.. (player 0 to move)"
    planes = np.asarray(game.observe(state)).reshape(3, 3, 3)
    assert np.argwhere(planes[0]).tolist() == [[1, 1]]
    assert np.argwhere(planes[1]).tolist() == [[2, 0]]
    assert planes[2].all()
    assert not np.asarray(game.observe(game.start("b2"))).reshape(3, 3, 3)[2].any()


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("kuhn_poker", r"pgx:kuhn_poker: not supported: its observations are no information state"),
        ("backgammon", r"pgx:backgammon: not supported: chance moves within its steps\."),
        ("2048", r"pgx:2048: not supported: it is for one player\."),
        ("connect_for", r"unknown game 'pgx:connect_for': did you mean pgx:connect_four\?"),
    ],
)
def test_what_cannot_be_searched_here_is_refused_with_the_reason(name: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"^{says}"):
        make(f"pgx:{name}")


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgx", None)
    with pytest.raises(ValueError, match=r"^pgx games need pgx: pip install 'sog\[pgx\]'\.$"):
        make("pgx:tic_tac_toe")


def test_a_file_may_name_a_game_of_pgx() -> None:
    check_named_by_file("pgx:tic_tac_toe", "config.toml")
