"""Go beside programs of others: GNU Go, OpenSpiel and pgx; slow."""

import shutil
import subprocess
from collections.abc import Iterator
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.go import Go
from sog.boards.go_sizes import Go5, Go7, Go9
from sog.games.core import TERMINAL
from tests.boards.plain_go import PlainGo
from tests.boards.test_go import played, point_of

pytestmark = pytest.mark.slow

GNU_GO = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games")


class GnuGo:
    """GNU Go by GTP; it keeps to positional superko and counts by area."""

    def __init__(self, size: int, komi: float) -> None:
        rules = ["--chinese-rules", "--positional-superko", "--forbid-suicide"]
        assert GNU_GO is not None
        self.process = subprocess.Popen(
            [GNU_GO, "--mode", "gtp", *rules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.ask(f"boardsize {size}")
        self.ask(f"komi {komi}")

    def ask(self, command: str) -> str:
        """The answer; its first letter says whether the command was carried out."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(f"{command}\n")
        self.process.stdin.flush()
        lines: list[str] = []
        while not lines or lines[-1] != "\n":
            lines.append(self.process.stdout.readline())
        return "".join(lines).strip()


@pytest.fixture
def gnu_go() -> Iterator[Any]:
    opened: list[GnuGo] = []

    def start(size: int, komi: float) -> GnuGo:
        opened.append(GnuGo(size, komi))
        return opened[-1]

    yield start
    for program in opened:
        program.process.kill()
        program.process.communicate()


@pytest.mark.skipif(GNU_GO is None, reason="GNU Go is not installed")
@pytest.mark.parametrize("game", [Go5(), Go7(), Go9()], ids=str)
def test_gnu_go_has_the_same_legal_moves_and_captures(game: Go, gnu_go: Any) -> None:
    program, num_games = gnu_go(game.size, game.komi), 6
    found = played(game, num_games, seed=3)
    for number in range(num_games):
        program.ask("clear_board")
        plain = PlainGo(game.size, game.max_depth)  # remembers all positions, as GNU Go
        for move in range(game.max_depth):
            if found.actors[move, number] == TERMINAL:
                break
            color = ("black", "white")[move % 2]
            listed = program.ask(f"all_legal {color}").removeprefix("=").split()
            legal = np.flatnonzero(found.legal[move, number])[:-1].tolist()
            never = {
                point for point in legal if plain.after(divmod(point, game.size)) in plain.earlier
            }
            assert {game.action_of_vertex(vertex) for vertex in listed} == set(legal) - never
            action = int(found.actions[move, number])
            if action in never:
                break
            plain.play(point_of(action, game.size))
            vertex = game.vertex_of_action(action)
            assert program.ask(f"play {color} {vertex}").startswith("=")
            taken = found.states.captured[move + 1, number]
            assert program.ask("captures black") == f"= {taken[0]}"
            assert program.ask("captures white") == f"= {taken[1]}"


@pytest.mark.parametrize("size", [5, 9])
def test_open_spiel_has_the_same_legal_moves_and_results(size: int) -> None:
    pyspiel = pytest.importorskip("pyspiel")
    game = Go(size=size, komi=0.5, superko="simple", move_limit=2 * size**2)
    theirs = pyspiel.load_game(f"go(board_size={size},komi=0.5,max_game_length={game.max_depth})")
    found, num_games, num_ended = played(game, 12, seed=4), 12, 0
    for number in range(num_games):
        state = theirs.new_initial_state()
        for move in range(game.max_depth + 1):
            # It ends a game, as a draw, where a position comes again, which simple ko lets happen.
            repeats = state.is_terminal() and found.actors[move, number] != TERMINAL
            if repeats:
                break
            assert state.is_terminal() == (found.actors[move, number] == TERMINAL)
            if state.is_terminal():
                expected = np.sign(found.scores[move, number])
                assert state.returns() == [expected, -expected]
                num_ended += 1
                break
            texts = [state.action_to_string(action).split()[-1] for action in state.legal_actions()]
            ours = np.flatnonzero(found.legal[move, number]).tolist()
            assert {_action_of(text, game) for text in texts} == set(ours)
            by_action = dict(zip(texts, state.legal_actions(), strict=True))
            chosen = int(found.actions[move, number])
            (text,) = [text for text in texts if _action_of(text, game) == chosen]
            state.apply_action(by_action[text])
    assert num_ended >= 6


def _action_of(text: str, game: Go) -> int:
    return game.pass_action if text.casefold() == "pass" else game.action_of_vertex(text)


@pytest.mark.parametrize("size", [9, 19])
def test_pgx_has_the_same_moves_where_no_position_comes_again(size: int) -> None:
    pgx = pytest.importorskip("pgx")
    with jax.numpy_rank_promotion("allow"):  # it promotes
        _follow_pgx(pgx, size)


def _follow_pgx(pgx: Any, size: int) -> None:
    game, num_games = Go(size=size, komi=7.5), 8
    env, found = pgx.make(f"go_{size}x{size}"), played(game, num_games, seed=5)
    step = jax.jit(jax.vmap(env.step))
    state = jax.vmap(env.init)(jax.random.split(jax.random.key(0), num_games))
    black, goes_on = np.asarray(state.current_player), np.ones(num_games, bool)
    for move in range(game.max_depth):
        legal = np.asarray(state.legal_action_mask)
        # It has simple ko only in what is legal: superko forbids a little more here.
        assert (legal >= found.legal[move])[goes_on].all()
        assert (legal != found.legal[move])[goes_on].sum() <= 2
        state = step(state, jnp.asarray(found.actions[move]))
        ends = goes_on & np.asarray(state.terminated)
        assert (ends == (goes_on & (found.actors[move + 1] == TERMINAL))).all()
        for number in np.flatnonzero(ends):
            reward = np.asarray(state.rewards)[number, black[number]]
            assert reward == np.sign(found.scores[move + 1, number])
        goes_on &= ~ends
    assert not goes_on.any()
