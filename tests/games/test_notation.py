"""Positions as people write them: events of any game, columns of Connect Four, boards."""

import re
from typing import Any

import numpy as np
import pytest

from sog.boards.stones import EMPTY
from sog.games import make
from sog.play.history import read_history

LINES = [(0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)]


def has_won(board: str, mark: str) -> bool:
    return any(all(board[cell] == mark for cell in line) for line in LINES)


def boards_of_tic_tac_toe() -> list[str]:
    """All that play leads to, as nine letters."""
    found, new = {"........."}, {"........."}
    while new:
        grown = set()
        for board in new:
            if has_won(board, "X") or has_won(board, "O"):
                continue
            mark = "X" if board.count("X") == board.count("O") else "O"
            grown |= {
                board[:i] + mark + board[i + 1 :] for i, cell in enumerate(board) if cell == "."
            }
        new = grown - found
        found |= new
    return sorted(found)


def test_every_board_of_tic_tac_toe_is_read_as_a_game_that_leads_to_it() -> None:
    """The rules here are those above; a game that was over before its last stone is no game."""
    game, boards = make("tic_tac_toe"), boards_of_tic_tac_toe()
    assert len(boards) == 5478
    for board in boards:
        played = "........."
        for number, cell in enumerate(game.parse("/".join(re.findall("...", board)))):
            assert not has_won(played, "X")
            assert not has_won(played, "O")
            assert played[cell] == "."
            played = played[:cell] + "XO"[number % 2] + played[cell + 1 :]
        assert played == board


@pytest.mark.parametrize("text", ["X.O/.X./...", "x.o .x. ...", "X.O/.X./... (O to move)"])
def test_a_described_board_is_read_back(text: str) -> None:
    game = make("tic_tac_toe")
    assert game.describe_state(game.start(text)) == "X.O/.X./... (O to move)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("XX./.../...", "a board must have as many X as O, or one more, got 2 X and 0 O in"),
        ("O../.../...", "a board must have as many X as O, or one more, got 0 X and 1 O in"),
        ("XXX/OOO/...", "the game was over before the last stone was put in"),
        ("XXX/OO./O..", "the game was over before the last stone was put in"),
    ],
)
def test_a_board_that_no_game_leads_to_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"^{re.escape(message)} '{re.escape(text)}'\.$"):
        make("tic_tac_toe").parse(text)


@pytest.mark.parametrize("text", ["44353", "44 353", "'column 4' 'column 4' 2 4 2"])
def test_columns_of_connect_four_are_read_as_its_players_write_them(text: str) -> None:
    """As on the pages of Pascal Pons: columns from 1, one digit after the other. The stones of the
    first player are in columns 4, 3 and 3, those of the second in 4 and 5. A number among events is
    that of an outcome, from 0."""
    game: Any = make("connect_four")
    assert game.parse(text) == (3, 3, 2, 4, 2)
    board = np.asarray(game.start(text).board).reshape(6, 7)
    assert board[5].tolist() == [EMPTY, EMPTY, 0, 0, 1, EMPTY, EMPTY]
    assert board[4].tolist() == [EMPTY, EMPTY, 0, 1, EMPTY, EMPTY, EMPTY]
    assert (board[:4] == EMPTY).all()


def test_columns_of_a_wide_board_are_words() -> None:
    game = make("connect_four(columns=12)")
    assert game.parse("12 1 10") == (11, 0, 9)
    assert game.parse("11") == (10,)


@pytest.mark.parametrize(
    ("text", "message"),
    [("448", "event 3, 'column 8', cannot"), ("4444444", "event 7, 'column 4', cannot")],
)
def test_a_column_that_is_not_there_or_full_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make("connect_four").parse(text)


@pytest.mark.thorough(but=["leduc", "liars", "kuhn"])
@pytest.mark.parametrize(
    ("game", "text", "outcomes"),
    [
        ("leduc", "check bet2 call '[Qh]'", (1, 2, 1, 3)),  # cards: Js Jh Qs Qh Ks Kh
        ("leduc", "1 2 1 3", (1, 2, 1, 3)),
        ("liars_dice(dice=1,faces=3)", "1-2 2-1 liar", (1, 3, 6)),
        ("glasses", "Mr X takes a taxi", (0,)),
        ("kuhn", "", ()),
    ],
)
def test_events_of_any_game_are_read_by_text_or_number(
    game: str, text: str, outcomes: tuple[int, ...]
) -> None:
    assert make(game).parse(text) == outcomes


def test_a_quotation_mark_alone_is_of_the_word_that_it_stands_at() -> None:
    with pytest.raises(ValueError, match=r"^event 2, \"'bet2\", cannot happen at 'check "):
        make("leduc").parse("check 'bet2")


def test_a_position_to_go_on_from_has_not_ended() -> None:
    with pytest.raises(ValueError, match="the game is over at"):
        read_history(make("tic_tac_toe"), "XXX/OO./...")
    history = read_history(make("tic_tac_toe"), "XX./OO./...")
    assert history.events == ("a3", "a2", "b3", "b2")
