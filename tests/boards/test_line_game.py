"""Rules of tic-tac-toe and connect four."""

import dataclasses
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards.connect_four import ConnectFour
from sog.boards.line_game import DIRECTIONS, LineGame, LineState
from sog.boards.stones import EMPTY
from sog.boards.tic_tac_toe import TicTacToe
from sog.games.core import TERMINAL
from tests.boards.levels import levels


def play(game: LineGame, actions: str) -> LineState:
    """The state after some actions, a digit each; they must be legal."""
    state, apply = game.root(), jax.jit(game.apply)
    for action in actions:
        assert game.legal_outcomes(state)[int(action)], f"{action} in {actions} is not legal"
        state = apply(state, jnp.int32(int(action)))
    return state


def boards_of(states: LineState) -> np.ndarray:
    return np.asarray(states.board)


def test_tic_tac_toe_has_5478_boards_and_255168_games() -> None:
    # 131184 are won by X, 77904 by O: https://en.wikipedia.org/wiki/Tic-tac-toe#Combinatorics
    game, num_boards, num_games = TicTacToe(), 0, dict[float, int]()
    for counts, states in levels(game, boards_of):
        num_boards += len(counts)
        is_over = np.asarray(jax.vmap(game.actor)(states)) == TERMINAL
        results = np.asarray(jax.vmap(game.result)(states))
        for value in (1.0, -1.0, 0.0):
            ended = int(counts[is_over & (results == value)].sum())
            num_games[value] = num_games.get(value, 0) + ended
    assert num_boards == 5478
    assert num_games == {1.0: 131184, -1.0: 77904, 0.0: 46080}


def test_connect_four_has_as_many_positions_as_tromp_counted() -> None:
    # Positions of the usual board after n stones: https://oeis.org/A212693.
    published = [1, 7, 49, 238, 1120, 4263, 16422]
    found = itertools.islice(levels(ConnectFour(), boards_of), len(published))
    assert [len(counts) for counts, _ in found] == published


def test_stones_fall_to_the_bottom() -> None:
    game = ConnectFour(rows=3, columns=4)
    assert game.describe_state(play(game, "110")) == "..../.O../XX.. (O to move)"


def test_features_are_seen_from_the_player_to_move() -> None:
    game = TicTacToe()
    planes = np.asarray(game.observe(play(game, "046"))).reshape(5, 9)
    own, other, first, own_wins, other_wins = planes
    assert own.tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
    assert other.tolist() == [1, 0, 0, 0, 0, 0, 1, 0, 0]
    assert not first.any()
    assert not own_wins.any()
    assert other_wins.tolist() == [0, 0, 0, 1, 0, 0, 0, 0, 0]
    assert np.asarray(game.observe(play(game, "04"))).reshape(5, 9)[2].all()


@pytest.mark.parametrize(
    "game",
    [ConnectFour(rows=4, columns=5, run_length=3), TicTacToe()],
    ids=str,
)
def test_features_show_where_a_stone_would_complete_a_line(game: LineGame) -> None:
    """Against trying every empty cell, on boards with any number of stones anywhere."""
    rows, columns = game.shape

    def has_line(stones: np.ndarray) -> bool:
        starts = itertools.product(range(rows), range(columns), DIRECTIONS)
        lines = (
            [(r + step * down, c + step * right) for step in range(game.stones_in_line)]
            for r, c, (down, right) in starts
        )
        return any(
            all(0 <= r < rows and 0 <= c < columns and stones[r, c] for r, c in line)
            for line in lines
        )

    rng = np.random.default_rng(0)
    seen = 0
    for _ in range(60):
        board = rng.choice([0, 1, EMPTY], (rows, columns), p=[0.25, 0.25, 0.5]).astype(np.int8)
        if has_line(board == 0) or has_line(board == 1):
            continue
        state = dataclasses.replace(game.root(), board=jnp.asarray(board.ravel()))
        wins = np.asarray(game.observe(state)).reshape(5, rows, columns)[3:]
        for player, cell in itertools.product((0, 1), np.ndindex(rows, columns)):
            stones = board == player
            stones[cell] = True
            completes = board[cell] == EMPTY and has_line(stones)
            assert wins[player][cell] == completes
            seen += completes
    assert seen > 20


def test_cells_are_named_as_on_a_chess_board() -> None:
    game = TicTacToe()
    names = [game.describe_action(game.root(), 0, action) for action in range(9)]
    assert names == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]


def test_a_run_longer_than_the_board_is_refused() -> None:
    with pytest.raises(ValueError, match=r"connect_four: run_length must be <= 3, .*, got 4\."):
        ConnectFour(rows=3, columns=2)
