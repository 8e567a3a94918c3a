"""Games of chess as PGN."""

import io
import random
import re
from typing import Any, Final

import jax.numpy as jnp
import pytest

from sog.boards.chess import Chess, GardnerChess
from sog.boards.pgn import read_game, read_head, split_games, write_game

CHESS: Final = Chess()

OPERA = """\
[Event "Paris"]
[White "Morphy \\"the pride\\""]
[Black "Duke of Brunswick; Count Isouard"]
[Result "1-0"]

1. e4 e5 {the first (of many)} 2. Nf3 d6 3. d4 Bg4?! ; a rest of a line 4. a4
4. dxe5 (4. h3 Bxf3 (4... Bh5) 5. Qxf3) 4... Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 $1 Qe7
8. Nc3 c6 9. Bg5 b5? 10. Nxb5! cxb5 11. Bxb5+ Nbd7 12. O-O-O Rd8 13. Rxd7
Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+!! Nxb8 17. Rd8# 1-0
"""


def test_comments_variations_and_marks_are_skipped() -> None:
    """Morphy's game at the opera, 1858."""
    record = read_game(CHESS, OPERA)
    assert record.tags["White"] == 'Morphy "the pride"'
    assert (len(record.actions), record.result) == (33, "1-0")
    last = CHESS.start(OPERA)
    assert CHESS.fen(last) == "1n1Rkb1r/p4ppp/4q3/4p1B1/4P3/8/PPP2PPP/2K5 b k - 1 17"
    assert CHESS.ending(last) == "checkmate, White has won"


def test_what_is_written_is_read_again() -> None:
    record = read_game(CHESS, OPERA)
    text = write_game(CHESS, record.actions, tags={"White": 'a "b" \\c'})
    assert text.splitlines()[:7] == [
        '[Event "?"]',
        '[Site "?"]',
        '[Date "????.??.??"]',
        '[Round "?"]',
        '[White "a \\"b\\" \\\\c"]',
        '[Black "?"]',
        '[Result "1-0"]',
    ]
    assert "12. O-O-O Rd8 13. Rxd7 Rxd7" in text.replace("\n", " ")
    assert max(map(len, text.splitlines())) <= 80
    again = read_game(CHESS, text)
    assert again.actions == record.actions
    assert again.tags["White"] == 'a "b" \\c'


def read_games(text: str) -> list[Any]:
    return [read_game(CHESS, one) for one in split_games(text)]


def test_a_file_has_several_games_also_from_positions() -> None:
    fen = "8/P6k/8/8/8/8/8/K7 b - - 3 70"
    first = write_game(CHESS, CHESS.parse("e4 c5"))
    state = CHESS.from_fen(fen)
    second = write_game(CHESS, [CHESS.read_action(state, "Kg7")], start=state)
    assert f'[SetUp "1"]\n[FEN "{fen}"]' in second
    assert "70... Kg7 *" in second
    games = read_games(first + second + OPERA)
    assert [len(game.actions) for game in games] == [2, 1, 33]
    assert CHESS.fen(games[1].start) == fen
    assert read_games("1. e4 * 1. d4 d5 1/2-1/2")[1].result == "1/2-1/2"


def test_python_chess_reads_what_is_written() -> None:
    pgn = pytest.importorskip("chess.pgn")
    record = read_game(CHESS, OPERA)
    game = pgn.read_game(io.StringIO(write_game(CHESS, record.actions)))
    assert game.errors == []
    assert game.end().board().fen() == CHESS.fen(CHESS.start(OPERA))
    assert game.headers["Result"] == "1-0"


def test_the_chess_of_a_smaller_board_is_written_the_same_way() -> None:
    game = GardnerChess()
    actions = game.parse("Nc3 dxc3 dxc3")
    assert "1. Nc3 dxc3 2. dxc3 *" in write_game(game, actions)
    assert read_game(game, write_game(game, actions)).actions == actions


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1. e4 e5 1-0 1. d4 Nf4", "move 1... 'Nf4' is not a legal move; possible: "),
        ("1. e4 {never closed", "line 1 has '{never closed', not PGN."),
        ("1. e4 (1. d4 d5", "a variation is not closed."),
        ("1. e4\n1. d4) e5", "line 2 has an unmatched ')'."),
        ('[FEN "8/8 w"] 1. e4', "'8/8 w' is not a position: there must be 8 rows"),
        ("1. e4 ] e5", "line 1 has '] e5', not PGN."),
    ],
)
def test_what_is_no_game_is_refused_in_a_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        read_games(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "moves", "result"),
    [
        ("1. e4 1... e5 2. Nf3 2. ... Nc6 *", "e4 e5 Nf3 Nc6", "*"),
        ("1 e4 e5 2 Nf3 1-0", "e4 e5 Nf3", "1-0"),
        ("1.e4 ± 1...e5 ∓ 2.Nf3 ∞ 2...Nc6 +- 3.Bb5 -+ a6", "e4 e5 Nf3 Nc6 Bb5 a6", "*"),
        ("1. e4± e5+/- 2. Nf3!?= Nc6⩲ *", "e4 e5 Nf3 Nc6", "*"),
        ("1. e4 a6 2. e5 d5 3. exd6 e.p. ½-½", "e4 a6 e5 d5 exd6", "1/2-1/2"),
        ("1. e4 a6 2. e5 d5 3. exd6e.p. 1:0", "e4 a6 e5 d5 exd6", "1-0"),
        ("1. e4 e5 1\N{EN DASH}0 N", "e4 e5", "1-0"),
        ('[Result "won"]\n\n1. e4', "e4", "*"),
        ('[Result "\N{VULGAR FRACTION ONE HALF}"]\n[FEN ""]\n\n1. e4', "e4", "1/2-1/2"),
    ],
)
def test_what_is_added_to_a_game_does_not_refuse_it(text: str, moves: str, result: str) -> None:
    (record,) = read_games(text)
    assert (record.actions, record.result) == (CHESS.parse(moves), result)
    assert split_games(text) == [text]


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("[White]\n[Black ]\n\n1. e4 *", {"White": "", "Black": ""}),
        ('[White "the "Rock" X"]\n[Black "[b] "c""]\n*', {"White": 'the "Rock" X'}),
        ('[A "the "Rock" X"]\n[Black "[b] "c""]\n*', {"Black": '[b] "c"'}),
        (
            '[Round"2"] [White-Elo "9"]\n[this is no tag\n[White "b"]\n*',
            {"White": "b", "Round": "2"},
        ),
    ],
)
def test_tags_of_every_kind_are_read(text: str, tags: dict[str, str]) -> None:
    assert tags.items() <= read_head(text).items()


@pytest.mark.parametrize("seed", range(3))
def test_decorated_games_are_those_that_python_chess_reads(seed: int) -> None:
    """Random games with what people and programs write between the moves."""
    chess, pgn = pytest.importorskip("chess"), pytest.importorskip("chess.pgn")
    rng, board, words = random.Random(seed), chess.Board(), list[str]()
    while len(board.move_stack) < 60 and not board.is_game_over():
        move = rng.choice(list(board.legal_moves))
        number = f"{board.fullmove_number}{'.' if board.turn else rng.choice(['...', '. ...'])}"
        numbers = ["", number, f"{number} "] if words else [f"{number} "]
        words.append(f"{rng.choice(numbers)}{board.san(move)}{rng.choice(['', '', '!?', '$14'])}")
        board.push(move)
        words.append(
            rng.choice(["", "{a (comment) [%clk 1:00]}", "($3 (!?) $4)", "; rest\n", "\n"])
        )
        words.append(rng.choice(["", "$1", "?!", "\n% escaped\n"]))
    text = re.sub(r"\s*\n\s*", "\n", " ".join(filter(None, words)))  # an empty line ends a game
    expected = pgn.read_game(io.StringIO(text)).end().board()
    assert expected.move_stack == board.move_stack
    record = read_game(CHESS, text)
    state = record.start
    for action, move in zip(record.actions, board.move_stack, strict=True):
        assert CHESS.uci_of_action(state, action) == move.uci()
        state = CHESS.apply(state, jnp.int32(action))


def test_a_text_of_several_games_names_no_position() -> None:
    with pytest.raises(ValueError, match="the PGN must have exactly one game, got 2"):
        CHESS.start("1. e4 * 1. d4 *")
