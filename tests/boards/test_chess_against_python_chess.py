"""Chess as python-chess plays it, move by move: legal moves, FEN, planes, texts, endings."""

from collections import Counter
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sog.boards import chess_rules as rules
from sog.boards.chess import AnyChess
from sog.boards.chess_notation import write_san
from sog.games import make
from sog.games.core import TERMINAL

chess = pytest.importorskip("chess")

Choose = Callable[[Any, np.random.Generator], Any]
GAME: Final[Any] = make("chess")
MOST: Final = GAME.max_moves


@jax.jit
def look(state: Any) -> Any:
    return GAME.actor(state), GAME.legal_outcomes(state), GAME.result(state)


apply = jax.jit(GAME.apply)


def any_move(board: Any, rng: np.random.Generator) -> Any:
    moves = list(board.legal_moves)
    return moves[rng.integers(len(moves))]


def hungry(board: Any, rng: np.random.Generator) -> Any:
    """Often takes, promotes and castles, so that few pieces are left soon."""
    moves = list(board.legal_moves)
    rare = [m for m in moves if board.is_capture(m) or m.promotion or board.is_castling(m)]
    some = rare if rare and rng.random() < 0.6 else moves
    return some[rng.integers(len(some))]


def restless(board: Any, rng: np.random.Generator) -> Any:
    """Often takes its last move back, so that positions come again."""
    if len(board.move_stack) > 1 and rng.random() < 0.7:
        last = board.move_stack[-2]
        back = chess.Move(last.to_square, last.from_square)
        if back in board.legal_moves:
            return back
    return any_move(board, rng)


def quiet(board: Any, rng: np.random.Generator) -> Any:
    moves = [move for move in board.legal_moves if not board.is_zeroing(move)]
    return moves[rng.integers(len(moves))]


def ending_of(board: Any) -> int:
    """As python-chess has it, with the draws that can be claimed as soon as they can."""
    if board.is_checkmate():
        return rules.CHECKMATE
    if board.is_stalemate():
        return rules.STALEMATE
    if board.is_insufficient_material():
        return rules.TOO_FEW_PIECES
    if board.is_fivefold_repetition():
        return rules.FIFTH_TIME
    if board.is_seventyfive_moves():
        return rules.SEVENTY_FIVE_MOVES
    if board.is_repetition(3):
        return rules.REPETITION
    if board.halfmove_clock == 100:
        return rules.QUIET_MOVES
    return rules.LENGTH if len(board.move_stack) >= MOST else rules.GOES_ON


def check_state(game: AnyChess, state: Any, board: Any) -> dict[str, int]:
    """The legal actions by UCI, after comparing all that the position says."""
    actor, legal, result = look(state)
    ending = ending_of(board)
    assert int(state.ending) == ending, f"{board.fen()}: {game.ending(state)}"
    assert game.fen(state) == board.fen()
    found = {game.uci_of_action(state, a): a for a in np.flatnonzero(legal).tolist()}
    if ending != rules.GOES_ON:
        assert int(actor) == TERMINAL
        assert found == {}
        won = {"1-0": 1.0, "0-1": -1.0}.get(board.result(), 0.0)
        assert float(result) == (won if ending == rules.CHECKMATE else 0.0)
        return {}
    assert int(actor) == (0 if board.turn else 1)
    assert set(found) == {move.uci() for move in board.legal_moves}, board.fen()
    return found


def play(choose: Choose, seed: int, num_moves: int) -> Counter[int]:
    """Games one after the other, num_moves in all; how they ended."""
    rng, endings = np.random.default_rng(seed), Counter[int]()
    board, state = chess.Board(), GAME.root()
    for _ in range(num_moves):
        found = check_state(GAME, state, board)
        if not found:
            endings[int(state.ending)] += 1
            board, state = chess.Board(), GAME.root()
            continue
        move = choose(board, rng)
        board.push(move)
        state = apply(state, jnp.int32(found[move.uci()]))
    return endings


@pytest.mark.thorough(but=["hungry"])
@pytest.mark.parametrize("choose", [any_move, hungry, restless])
def test_random_moves_are_those_of_python_chess(choose: Choose) -> None:
    play(choose, seed=1, num_moves=120)


@pytest.mark.slow
def test_twenty_thousand_random_moves_are_those_of_python_chess() -> None:
    endings = sum((play(c, 2, 7_000) for c in (any_move, hungry, restless)), Counter[int]())
    assert sum(endings.values()) > 60
    seen = {rules.CHECKMATE, rules.TOO_FEW_PIECES, rules.REPETITION, rules.QUIET_MOVES}
    assert seen <= set(endings)


@pytest.mark.parametrize(
    ("fen", "choose", "ending"),
    [
        (chess.STARTING_FEN, restless, rules.FIFTH_TIME),
        ("8/8/8/8/k7/8/8/K6R w - - 30 90", quiet, rules.SEVENTY_FIVE_MOVES),
    ],
)
def test_games_that_nobody_claims_drawn_go_on_as_in_python_chess(
    fen: str, choose: Choose, ending: int
) -> None:
    """The moves, read at once, also lead there from where the game is said to begin."""
    rng = np.random.default_rng(3)
    board, state, claimable = chess.Board(fen), GAME.from_fen(fen), 0
    while (known := ending_of(board)) in (rules.GOES_ON, rules.REPETITION, rules.QUIET_MOVES):
        assert int(state.ending) == known
        claimable += known != rules.GOES_ON
        state = rules.played_on(state)
        assert int(state.ending) == rules.GOES_ON
        move = choose(board, rng)
        state = apply(state, jnp.int32(GAME.read_action(state, move.uci())))
        board.push(move)
        assert GAME.fen(state) == board.fen()
    assert (int(state.ending), known) == (ending, ending)
    assert claimable > 0
    text = f"{fen} moves {' '.join(move.uci() for move in board.move_stack)}"
    begins, actions = GAME.read_position(text)
    for action in actions:
        assert look(begins)[1][action]
        begins = apply(begins, jnp.int32(action))
    assert int(begins.ending) == ending


ENDINGS = {
    "fool's mate": ("f3 e5 g4 Qh4", rules.CHECKMATE, -1.0),
    "scholar's mate": ("e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7", rules.CHECKMATE, 1.0),
    "the shortest stalemate": (
        "e3 a5 Qh5 Ra6 Qxa5 h5 h4 Rah6 Qxc7 f6 Qxd7+ Kf7 Qxb7 Qd3 Qxb8 Qh7 Qxc8 Kg6 Qe6",
        rules.STALEMATE,
        0.0,
    ),
    "knights out and home twice": (
        "Nf3 Nf6 Ng1 Ng8 Nf3 Nf6 Ng1 Ng8",
        rules.REPETITION,
        0.0,
    ),
}


@pytest.mark.parametrize("name", ENDINGS)
def test_games_end_as_they_should(name: str) -> None:
    moves, ending, result = ENDINGS[name]
    board, state = chess.Board(), GAME.root()
    for word in moves.split():
        found = check_state(GAME, state, board)
        move = board.push_san(word)
        state = apply(state, jnp.int32(found[move.uci()]))
    assert check_state(GAME, state, board) == {}
    assert (int(state.ending), float(GAME.result(state))) == (ending, result)


@pytest.mark.parametrize(
    ("fen", "move", "ending"),
    [
        ("8/8/4k3/8/8/3pK3/8/8 w - - 0 40", "e3d3", rules.TOO_FEW_PIECES),  # bare kings
        ("8/8/4k3/8/8/3pK3/8/6N1 w - - 0 40", "e3d3", rules.TOO_FEW_PIECES),
        ("8/8/4k3/8/8/3pK3/8/6B1 w - - 0 40", "e3d3", rules.TOO_FEW_PIECES),
        ("5b2/8/4k3/8/8/3pK3/8/6B1 w - - 0 40", "e3d3", rules.TOO_FEW_PIECES),  # one color
        ("2b5/8/4k3/8/8/3pK3/8/6B1 w - - 0 40", "e3d3", rules.GOES_ON),
        ("8/8/4k3/8/8/3pK3/8/5NN1 w - - 0 40", "e3d3", rules.GOES_ON),
        ("8/6n1/4k3/8/8/3pK3/8/6N1 w - - 0 40", "e3d3", rules.GOES_ON),
        ("8/8/4k3/8/8/3RK3/8/8 w - - 99 80", "e3e4", rules.QUIET_MOVES),
        ("8/8/4k3/8/3P4/3RK3/8/8 w - - 99 80", "d4d5", rules.GOES_ON),
        ("k7/8/1K6/8/8/8/8/7R w - - 99 80", "h1h8", rules.CHECKMATE),  # which goes before
        ("4k3/8/8/8/8/8/8/R3K3 b - - 0 256", "e8d8", rules.GOES_ON),
    ],
)
def test_a_move_ends_the_game_or_does_not(fen: str, move: str, ending: int) -> None:
    board, state = chess.Board(fen), GAME.from_fen(fen)
    found = check_state(GAME, state, board)
    board.push_uci(move)
    state = apply(state, jnp.int32(found[move]))
    check_state(GAME, state, board)
    assert int(state.ending) == ending


@pytest.mark.parametrize(
    "fen",
    [
        "7k/8/8/K1Pp3r/8/8/8/8 w - d6 0 2",  # both pawns would leave the king's rank
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",  # in check by the pawn that may be taken
        "3k4/8/8/2KPp3/8/8/8/4R3 w - e6 0 1",
        "4k3/8/8/1b1pP3/8/3K4/8/8 w - d6 0 1",  # in check by another piece
        "4k2r/8/8/2pP4/8/6b1/8/K7 w k c6 0 1",
        "7k/b7/8/2pP4/8/4K3/8/8 w - c6 0 1",  # a diagonal that is opened
        "r3k2r/8/8/8/8/8/6n1/R3K2R w KQkq - 0 1",  # a knight gives check
        "r3k2r/8/8/8/4q3/8/8/R3K2R w KQkq - 0 1",
        "4k3/8/8/8/1q6/8/3P4/R3K2R w KQ - 0 1",
        "4kr2/8/8/8/8/8/8/R3K2R w KQ - 0 1",  # over a square that is attacked
        "4kr2/8/8/8/8/8/8/RN2K2R w KQ - 0 1",
        "1r2k3/8/8/8/8/8/8/R3K3 w Q - 0 1",  # over one that only the rook passes
        "4k3/8/8/8/8/5n2/4r3/4K3 w - - 0 1",  # two checks
        "3k4/3r4/8/8/3B4/3K4/8/3q4 w - - 0 1",  # pinned before and in check from behind
    ],
)
def test_special_positions_have_the_moves_of_python_chess(fen: str) -> None:
    board = chess.Board(fen)
    check_state(GAME, GAME.from_fen(fen), board)
    for name, action in check_state(GAME, GAME.from_fen(fen), board).items():
        board.push_uci(name)
        check_state(GAME, apply(GAME.from_fen(fen), jnp.int32(action)), board)
        board.pop()


def planes_of(boards: list[Any]) -> np.ndarray:
    """[119, 8, 8] of a game's boards, the present one last, made piece by piece."""
    now = boards[-1]
    me, planes = now.turn, np.zeros((119, 8, 8), np.float32)
    for age, board in enumerate(boards[::-1][:8]):
        for square, piece in board.piece_map().items():
            rank, file = divmod(square, 8)
            row = 7 - rank if me else rank
            planes[14 * age + (piece.color != me) * 6 + piece.piece_type - 1, row, file] = 1
        for times in (1, 2):
            planes[14 * age + 11 + times] = board.is_repetition(times + 1)
    planes[112] = me == chess.BLACK
    planes[113] = now.ply() / MOST
    rights = [
        (player, right)
        for player in (me, not me)
        for right in (now.has_kingside_castling_rights, now.has_queenside_castling_rights)
    ]
    for plane, (player, right) in enumerate(rights, start=114):
        planes[plane] = right(player)
    planes[118] = now.halfmove_clock / 100
    return planes


@pytest.mark.parametrize(("choose", "seed"), [(restless, 3), (hungry, 5)])
def test_planes_are_those_of_the_positions(choose: Choose, seed: int) -> None:
    observe = jax.jit(GAME.observe)
    rng = np.random.default_rng(seed)
    board, state = chess.Board(), GAME.root()
    boards = [board.copy()]
    for _ in range(25):
        found = np.asarray(observe(state)).reshape(119, 8, 8)
        np.testing.assert_allclose(found, planes_of(boards), rtol=1e-6)
        move = choose(board, rng)
        board.push(move)
        boards.append(board.copy())
        state = apply(state, jnp.int32(GAME.read_action(state, move.uci())))
        if ending_of(board):
            break
    assert len(boards) > 9


@pytest.mark.parametrize(
    "fen",
    [
        chess.STARTING_FEN,
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "3r4/2P1P3/k7/8/8/7K/2p1p3/3R4 w - - 0 1",  # promotions with and without taking
        "3r4/2P1P3/k7/8/8/7K/2p1p3/3R4 b - - 0 1",
        "7k/8/8/1N3N2/8/1N6/8/K7 w - - 0 1",  # knights that share files and ranks
        "k7/8/8/3pP3/8/8/8/K6R w - d6 0 1",
        "6k1/5ppp/8/8/8/8/8/K3R2R w - - 0 1",  # mates
    ],
)
def test_moves_are_written_and_read_as_in_python_chess(fen: str) -> None:
    board, state = chess.Board(fen), GAME.from_fen(fen)
    for name, action in check_state(GAME, state, board).items():
        san = board.san(chess.Move.from_uci(name))
        assert write_san(GAME.variant, GAME.max_moves, state, action) == san
        assert GAME.read_action(state, san) == action
        assert GAME.read_action(state, name) == action
