"""Chess: texts of positions and moves, what a state takes, and chess on smaller boards."""

import re
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from gtcfr.packing import packed_width
from sog.boards import chess_rules as rules
from sog.boards.chess import Chess, GardnerChess
from sog.games.core import TERMINAL
from tests.games.random_plays import play_randomly

START: Final = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
CHESS: Final = Chess()
GARDNER: Final = GardnerChess()


def played(game: Any, text: str) -> Any:
    """The state after moves from the beginning, or a FEN, in a game of ours."""
    fen, _, moves = text.rpartition(" moves ")
    state = game.from_fen(fen) if fen else game.root()
    for word in moves.split():
        state = game.apply(state, jnp.int32(game.read_action(state, word)))
    return state


def end_of(game: Any, text: str) -> Any:
    """Likewise, where it is over."""
    state = played(game, text)
    assert int(game.actor(state)) == TERMINAL
    assert not game.legal_outcomes(state).any()
    return state


def test_a_position_takes_less_than_600_bytes_with_its_history() -> None:
    assert packed_width(CHESS) * 4 <= 600


@pytest.mark.thorough
def test_moves_may_be_written_in_any_way() -> None:
    words = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6", "e1g1"]
    san = ["e4", "e5", "Nf3", "Nc6", "Bb5", "a6", "O-O"]
    played = CHESS.parse(" ".join(words))
    assert CHESS.parse(" ".join(san)) == played
    assert CHESS.parse(" ".join(map(str, played))) == played
    assert CHESS.parse("e2-e4 e5 Ng1f3 Nb8-c6 Bb5! a6?? 0-0") == played
    assert CHESS.parse("e4± e5= Nf3+/- Nc6 Bb5 a6 e1h1") == played
    assert CHESS.fen(CHESS.start(" ".join(words))).startswith("r1bqkbnr/1ppp1ppp/p1n5/1B2p3")


@pytest.mark.thorough
def test_a_game_may_begin_with_a_position() -> None:
    fen = "8/P6k/8/8/8/8/8/K7 w - - 3 70"
    assert CHESS.fen(CHESS.start(fen)) == fen
    after = "N7/7k/8/8/8/8/8/K7 b - - 0 70"
    assert CHESS.fen(CHESS.start(f"{fen} moves a8=N")) == after
    assert CHESS.fen(CHESS.start(f"{fen} moves a7a8n")) == after
    assert CHESS.fen(CHESS.start(f"{fen} moves a8=n")) == after
    assert CHESS.start("8/8/8/4k3/8/8/4R3/4K3 b").num_moves == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("e2e5", "move 1. 'e2e5' is not a legal move; possible: a2a3, a2a4, b2b3,"),
        ("f3 e5 g4 Qh4 a3", "move 3. 'a3' comes after the end of the game."),
        (
            "7k/8/8/1N3N2/8/8/8/K7 w moves Nd4",
            "move 1. 'Nd4' is ambiguous: it may be any of b5d4, f5d4.",
        ),
        ("4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1 moves a1h1", "move 1. 'a1h1' is not a legal move"),
        ("rnbqkbnr/ppppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "row 7 must have 8 squares, got 9"),
        ("rnbqkbnr/pppxpppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "row 7 has 'x', which is not a piece"),
        ("rnbq1bnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w", "Black must have one king, got 0"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR", "a FEN has 2 to 6 fields, got 1"),
        (START.replace(" w ", " x "), "who is to move must be w or b, got 'x'"),
        (START.replace("KQkq", "KQkx"), "castling must be - or letters of KQkq or HAha, got 'KQkx"),
        (START.replace("RNBQKBNR", "RNBQKBN1"), "castling K needs king and rook"),
        (START.replace("- 0", "e3 0"), "no pawn can just have passed over e3"),
        (START.replace("- 0", "x9 0"), "the en passant square must be - or on the board"),
        (START.replace("0 1", "0 10000"), "the number of the move must be a number up to 9999"),
        ("4k3/8/8/8/8/8/8/P3K3 w", "a pawn stands on the first or last rank"),
        ("4k3/8/8/8/QQ6/8/PPPPPPPP/4K3 w", "White has 8 pawns and 1 pieces more than at the"),
        ("4k3/8/8/8/8/8/4R3/4K3 w", "the player who is not to move is in check"),
    ],
)
def test_what_cannot_be_is_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        CHESS.start(text)
    assert "\n" not in str(caught.value)


def test_a_smaller_board_refuses_what_only_the_usual_one_has() -> None:
    with pytest.raises(ValueError, match="castling must be -, since this variant has none"):
        GARDNER.from_fen("rnbqk/ppppp/5/PPPPP/RNBQK w K")
    with pytest.raises(ValueError, match="there must be 5 rows of pieces, got 8"):
        GARDNER.from_fen(START)


def test_a_position_is_another_one_after_the_right_to_castle_is_lost() -> None:
    """The rook's first move, not the board, makes the difference."""
    begin, around = "a3 a6 h3 h6", "Ra2 Ra7 Ra1 Ra8"
    twice = played(CHESS, f"{begin} {around} {around}")
    assert int(twice.ending) == rules.GOES_ON
    assert int(end_of(CHESS, f"{begin} {around} {around} Ra2 Ra7").ending) == rules.REPETITION


def test_a_position_is_another_one_where_a_pawn_may_be_taken_en_passant() -> None:
    begin, around = "8/8/8/8/k2p4/8/4P3/K7 w - - 0 1 moves e2e4", "Kb4 Kb1 Ka4 Ka1"
    twice = played(CHESS, f"{begin} {around} {around}")
    assert int(twice.ending) == rules.GOES_ON
    assert int(end_of(CHESS, f"{begin} {around} {around} Kb4").ending) == rules.REPETITION


def test_a_position_is_known_again_after_more_than_seventy_moves() -> None:
    """A king goes around a ring of 4 squares, the other around one of 18: 36 moves of each."""
    small = ["a1", "a2", "b2", "b1"]
    files = "abcdefgh"
    ring = [f"{file}8" for file in files] + ["h7"] + [f"{file}6" for file in files[::-1]] + ["a7"]
    state = CHESS.from_fen("k7/8/8/8/8/7p/7P/K7 w - - 0 1")
    apply, repeats = jax.jit(CHESS.apply), []
    for number in range(1, 101):
        player, turn = (number - 1) % 2, (number - 1) // 2
        squares = (small, ring)[player]
        start, end = (squares[(turn + step) % len(squares)] for step in (0, 1))
        state = apply(state, jnp.int32(CHESS.read_action(state, start + end)))
        repeats.append(int(state.repeats[0]))
    assert repeats == [0] * 71 + [1] * 29
    assert int(state.ending) == rules.QUIET_MOVES


def test_what_white_saw_and_black_sees_now_is_no_repetition() -> None:
    state = CHESS.start("8/p3k3/8/8/8/8/P7/4K3 w - - 0 1 moves e1d1 e7e8 d1e2")
    np.testing.assert_array_equal(state.boards[0], state.boards[3])
    assert state.repeats[0] == 0


@pytest.mark.parametrize(("bishops", "ending"), [("1B6/B", rules.TOO_FEW_PIECES), ("B7/B", 0)])
def test_bishops_on_squares_of_one_color_cannot_mate(bishops: str, ending: int) -> None:
    assert CHESS.start(f"4k3/8/8/8/8/8/{bishops}3K3 w - - 0 1").ending == ending


@pytest.mark.parametrize(
    ("text", "fen"),
    [
        ("8/8/8/8/k7/8/8/K6R w - - 0 300", "8/8/8/8/k7/8/8/K6R w - - 0 300"),
        (START.replace("KQkq", "HAha"), START),
        (START.replace("KQkq", "AKh"), START.replace("KQkq", "KQk")),
        (START.replace("0 1", 'hmvc 3; c0 "x"; fmvn 7;'), START.replace("0 1", "3 7")),
        (START.replace("0 1", "3 7 bm e4;"), START.replace("0 1", "3 7")),
    ],
)
def test_positions_of_other_programs_are_read(text: str, fen: str) -> None:
    state = CHESS.start(text)
    assert (CHESS.fen(state), CHESS.ending(state)) == (fen, "")


def test_games_are_over_after_max_moves_from_their_beginning() -> None:
    game = GardnerChess(max_moves=3)
    state = end_of(game, "2k2/5/5/5/1K1R1 w - - 0 300 moves Re1 Kb5 Rd1")
    assert game.ending(state) == "draw, 3 half-moves played"


AROUND: Final = "Nf3 Nf6 Ng1 Ng8"


@pytest.mark.parametrize(
    ("text", "num_moves", "ending"),
    [
        (f"e4 e5 {AROUND} {AROUND} Nc3", 11, ""),
        (
            "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 1/2-1/2",
            8,
            "threefold repetition",
        ),
        (f"{AROUND} {AROUND} {AROUND} {AROUND}", 16, "fivefold repetition"),
        ("8/8/8/8/k7/8/8/K6R w - - 147 90 moves Rh2 Kb4 Rh1", 3, "seventy-five moves without a"),
    ],
)
def test_a_game_goes_on_where_nobody_claims_a_draw(text: str, num_moves: int, ending: str) -> None:
    """FIDE Laws 9.2, 9.3 and 9.6. Every move is one of the rules from where the game begins."""
    state, actions = CHESS.read_position(text)
    assert len(actions) == num_moves
    for action in actions:
        assert CHESS.legal_outcomes(state)[action]
        state = CHESS.apply(state, jnp.int32(action))
    assert ending in CHESS.ending(state)
    assert bool(CHESS.ending(state)) == bool(ending)
    assert bool(CHESS.legal_outcomes(state).any()) == (not ending)


def test_no_move_follows_the_fifth_time_of_a_position() -> None:
    with pytest.raises(ValueError, match=r"move 9\. 'e4' comes after the end of the game"):
        CHESS.parse(f"{AROUND} {AROUND} {AROUND} {AROUND} e4")


def test_a_game_that_is_longer_than_max_moves_is_read() -> None:
    """Where its last position is one that ends games of ours, too."""
    game = GardnerChess(max_moves=3)
    state, actions = game.read_position("b3 axb3 axb3 Ra2 Rxa2 Nc3")
    assert (len(actions), game.ending(game.start("b3 axb3 axb3 Ra2 Rxa2 Nc3"))) == (6, "")
    assert game.ending(game.play_on(state)) == game.ending(state) == ""


def test_a_board_is_drawn_as_white_sees_it() -> None:
    assert GARDNER.draw(GARDNER.start("Nc3")).splitlines() == [
        "5 r n b q k",
        "4 p p p p p",
        "3 . . N . .",
        "2 P P P P P",
        "1 R . B Q K",
        "  a b c d e",
        "Black to move",
    ]


def test_rights_to_castle_go_with_king_and_rooks() -> None:
    begin = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1 moves "
    for moves, left in (
        ("Ra2", "Kkq"),
        ("Rh2", "Qkq"),
        ("Ke2", "kq"),
        ("Rxa8+", "Kk"),
        ("Rxh8+", "Qq"),
        ("O-O", "kq"),
        ("O-O-O O-O", "-"),
    ):
        assert CHESS.fen(CHESS.start(begin + moves)).split()[2] == left


@pytest.mark.slow
def test_hardly_any_position_has_more_moves_than_a_search_looks_at() -> None:
    """So a search of the 64 moves that its prior likes best is one of all."""
    most = CHESS.num_searched_actions
    plays = play_randomly(CHESS, 64, seed=0)
    moves = [len(step.legal) for play in plays for step in play.steps]
    assert len(moves) > 10_000
    more = sum(count > most for count in moves)
    print(f"{more} of {len(moves)} positions have more than {most} moves, {max(moves)} at most")
    assert more / len(moves) < 0.001
