"""Go: the rules, against a plain program and by hand, and what is shown to networks and people."""

import dataclasses
import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import packed_width
from sog.games import make
from sog.games.boards import go_rules
from sog.games.boards.go import Go
from sog.games.boards.go_rules import GoState, color_of
from sog.games.boards.go_sizes import Go5, Go9, Go19
from sog.games.core import TERMINAL
from tests.games.plain_go import PASS, PlainGo

BLACK, WHITE = 0, 1


@dataclasses.dataclass(frozen=True)
class Played:
    """Random games: arrays [move, game, ...], of the state before each move."""

    states: GoState
    actors: np.ndarray
    legal: np.ndarray
    actions: np.ndarray
    scores: np.ndarray


@functools.cache
def played(game: Go, num_games: int, seed: int = 0) -> Played:
    """Games of random moves, few passes among them, each to its end and on."""

    def step(state: GoState, key: jax.Array) -> Any:
        legal = game.legal_outcomes(state)
        rarely = jnp.where(jnp.arange(game.num_actions) == game.pass_action, -4.0, 0.0)
        action = jax.random.categorical(key, jnp.where(legal, rarely, -jnp.inf)).astype(jnp.int32)
        seen = (state, game.actor(state), legal, action, game.score(state))
        return game.apply(state, action), seen

    def one(key: jax.Array) -> Any:
        return jax.lax.scan(step, game.root(), jax.random.split(key, game.max_depth + 1))[1]

    keys = jax.random.split(jax.random.key(seed), num_games)
    seen = jax.device_get(jax.jit(jax.vmap(one, out_axes=1))(keys))
    return Played(*seen)


def point_of(action: int, size: int) -> tuple[int, int] | None:
    return PASS if action == size * size else divmod(action, size)


def follow(game: Go, found: Played, number: int) -> int:
    """Compares one game with the plain program, move by move; returns how many were forbidden for
    repetition alone."""
    simple = game.superko == "simple"
    plain = PlainGo(game.size, game.num_remembered, simple_ko=simple)
    points = [divmod(point, game.size) for point in range(game.size**2)]
    num_repeating = 0
    for move in range(game.max_depth + 1):
        state = jax.tree.map(lambda leaf, move=move: leaf[move, number], found.states)
        color = np.asarray(state.shown) & 3
        assert color.tolist() == [plain.board.get(point, -1) + 1 for point in points]
        assert state.captured.tolist() == plain.captured
        assert found.scores[move, number] == plain.lead() - game.komi
        is_over = plain.passes == 2 or move == game.max_depth
        assert found.actors[move, number] == (TERMINAL if is_over else plain.player)
        if is_over:
            assert not found.legal[move, number].any()
            return num_repeating
        boards = [plain.after(point) for point in points]
        legal = [board is not None and board not in plain.earlier for board in boards]
        assert found.legal[move, number].tolist() == [*legal, True]
        num_repeating += sum(board is not None for board in boards) - sum(legal)
        plain.play(point_of(int(found.actions[move, number]), game.size))
    raise AssertionError("the game did not end")


@pytest.mark.parametrize(
    ("game", "num_games", "least_repeating"),
    [
        (Go(size=2, move_limit=24), 60, 100),
        (Go(size=3, move_limit=40, komi=0.5), 60, 40),
        (Go(size=4, superko="simple", move_limit=60), 40, 10),
        (Go5(move_limit=150), 24, 20),
        (Go9(), 2, 1),
    ],
    ids=str,
)
def test_random_games_go_as_a_plain_program_has_them(
    game: Go, num_games: int, least_repeating: int
) -> None:
    found = played(game, num_games)
    assert sum(follow(game, found, number) for number in range(num_games)) >= least_repeating


@pytest.mark.slow
@pytest.mark.parametrize("size", [5, 6, 7, 9, 13, 19])
def test_many_random_games_go_as_a_plain_program_has_them(size: int) -> None:
    game, num_games = Go(size=size, move_limit=3 * size**2), 2000 // size**2
    found = played(game, num_games, seed=size)
    for number in range(num_games):
        follow(game, found, number)
