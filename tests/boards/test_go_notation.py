"""Games of Go as people write them: points, and the Smart Game Format."""

import string

import hypothesis
import hypothesis.strategies as st
import pytest
from sgfmill import sgf, sgf_moves

from sog.boards import go_notation, go_sgf
from sog.boards.go import Go
from sog.boards.go_rules import to_move
from sog.boards.go_sizes import Go5, Go9
from sog.games.core import TERMINAL

# Of the format's page, https://www.red-bean.com/sgf/var.html, made smaller: variations and escapes.
VARIATIONS = r"""(;FF[4]GM[1]SZ[9] PB [Ann\]a \\ 1]
;B[dd]C[a (b;\
c)](;W[dc];B[])(;W[cc];B[aa])) (;GM[1]SZ[19];B[ss])"""


def test_columns_are_letters_without_i_and_rows_count_from_below() -> None:
    names = [go_notation.vertex(action, 19) for action in (0, 7, 8, 18, 360, 361)]
    assert names == ["A19", "H19", "J19", "T19", "T1", "pass"]
    assert [go_notation.read_vertex(name, 19) for name in names] == [0, 7, 8, 18, 360, 361]
    assert go_notation.read_vertex(" j3 ", 9) == 62
    assert go_notation.read_vertex("PASS", 9) == 81


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("I3", "points of a board of 9 x 9 go from A1 to J9 without I, got 'I3'."),
        ("A0", "points of a board of 9 x 9 go from A1 to J9 without I, got 'A0'."),
        ("resign", "a point must look like J9, or be 'pass', got 'resign'."),
        ("", "a point must look like J9, or be 'pass', got ''."),
        ("D\u0664", "a point must look like J9, or be 'pass', got 'D\u0664'."),
    ],
)
def test_what_is_no_point_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared)
        go_notation.read_vertex(text, 9)
    assert str(caught.value) == message


@pytest.mark.thorough
def test_positions_are_read_as_points_numbers_or_sgf() -> None:
    game = Go5()
    wanted = (12, 25, 16)
    assert game.parse("c3 pass B2") == wanted
    assert game.parse("12 25 16") == wanted
    assert game.parse("(;SZ[5];B[cc];W[];B[bd])") == wanted
    assert game.parse("\ufeff\n ( ; SZ[5:5] KM[6.5] ; B[cc] ; W[tt] ; B [bd] )") == wanted
    assert game.parse("(;FF[3]GaMe[1]SiZe[5];Black[cc];White[tt];B[bd]N[x])") == wanted
    assert game.parse("") == ()
    with pytest.raises(ValueError, match="go from 0 to 25, got '26'"):
        game.parse("12 26")
    with pytest.raises(ValueError, match="event 1, 'center', cannot happen"):
        game.parse("center")


def test_the_main_line_of_the_first_game_is_read() -> None:
    assert go_sgf.read_record(VARIATIONS, 9).actions == (30, 21, 81)
    head = go_sgf.read_head(VARIATIONS)
    assert (head["PB"], head["C"]) == ("Ann]a \\ 1", "a (b;c)")


def test_what_stands_around_games_is_passed_over() -> None:
    """As a mail or a page has them; a PGN is no SGF whatever its comments say."""
    mail = "My game (it is (short)):\n\n (;SZ[5];B[cc]) and\n( ;SZ[5];B[dd](;W[aa])(;W[bb])) Bye."
    assert go_sgf.is_sgf(mail)
    assert not go_sgf.is_sgf('[Event "(;SZ[5])"]\n\n1. e4 {(;SZ[5])} *')
    assert go_sgf.split_games(mail) == ["(;SZ[5];B[cc])", "( ;SZ[5];B[dd](;W[aa])(;W[bb]))"]
    assert Go5().read_position(mail)[1] == (12,)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (f"(;SZ[9]{'AB[aa:ii]AE[aa:ii]' * 130})", "SGF: more than 20000 points are set up."),
        ("(;GM[1]SZ[19];B[dd])", "SGF: SZ must be 9, the size of this board, got '19'."),
        ("(;SZ[9:13])", "SGF: SZ must be 9, the size of this board, got '9:13'."),
        ("(;GM[2]SZ[9])", "SGF: GM must be 1, the number of Go, got '2'."),
        (
            "(;SZ[9]HA[2]AB[cc][gg];W[dd])",
            "SGF: stones are set up; here a game must begin with an empty board and Black.",
        ),
        (
            "(;SZ[9];W[dd])",
            "SGF: White moves first; here a game must begin with an empty board and Black.",
        ),
        ("(;SZ[9];B[dd];B[ee])", "SGF: move 2, B[ee], is Black's, but it is White's turn."),
        ("(;SZ[9];B[dj])", "SGF: move 1, B[dj], is not a point from aa to ii, nor empty (a pass)."),
        ("(;SZ[9];B[dd][ee])", "SGF: move 1, B[dd][ee], has more than one point."),
        ("(", "SGF: cannot be parsed: no SGF data found."),
        ("(;SZ[9];B[dd", "SGF: cannot be parsed: unexpected end of SGF data."),
    ],
)
def test_odd_files_are_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared)
        go_sgf.read_record(text, 9).check_begins_as_usual()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("head", "komi"),
    [
        ("KM[ -0.5 ]", -0.5), ("KM[6,5]", 6.5), ("KM[6.5 points]", 6.5),
        ("KM[0]", 0), ("", None), ("KM[]", None),
        # A server writes hundredths: of stones, which come in quarters, or of points, in halves.
        ("KM[375]AP[foxwq]", 7.5), ("AP[GNU Go:3.8]KM[375]AP[foxwq]", 7.5), ("KM[0]AP[foxwq]", 0),
        ("KM[50]AP[foxwq]", 0.5), ("KM[6.5]AP[foxwq]", 6.5), ("KM[3.75]AP[foxwq]", 7.5),
    ],
)  # fmt: skip
def test_komi_is_read_as_programs_write_it(head: str, komi: float | None) -> None:
    rules = Go5().rules_in(f"(;SZ[5]{head};B[cc])")
    assert rules.get("komi") == komi
    assert go_sgf.notice_of(f"(;SZ[5]{head};B[cc])") == ""


@pytest.mark.parametrize("komi", ["abc", "nan", "1e2", "362", "-361.5", "\u0664"])
def test_a_komi_that_cannot_be_is_left_out_with_a_notice(komi: str) -> None:
    text = f"(;SZ[5]KM[{komi}];B[cc])"
    assert Go5().parse(text) == (12,)
    assert Go5().rules_in(text) == {"size": 5}
    assert go_sgf.notice_of(text) == (
        f"SGF: KM, the komi, is ignored: it must be a number from -361 to 361, got {komi!r}."
    )


def test_a_file_says_which_size_and_komi_its_game_has() -> None:
    game = Go5()
    assert game.rules_in("(;KM[.5]SZ[13:13])") == {"size": 13, "komi": 0.5}
    assert game.rules_in("(;GM[1])") == {"size": 19}
    assert game.rules_in("c3 pass") == {}
    for size in ("9:13", "big", "100", ""):
        with pytest.raises(ValueError, match=f"SGF: SZ must be one number, .* got '{size}'"):
            game.rules_in(f"(;SZ[{size}])")


@hypothesis.given(st.text(alphabet="();[]\\BWSZGM9abdt \n" + string.ascii_letters, max_size=60))
def test_whatever_is_read_gives_moves_or_one_line(text: str) -> None:
    told = ""
    try:
        actions = go_sgf.read_record(f"({text}", 9).actions
    except ValueError as error:
        actions, told = (), str(error)
    assert "\n" not in told
    assert all(0 <= action <= 81 for action in actions)


def test_deep_nesting_and_long_values_are_no_trouble() -> None:
    deep = "(" * 50_000 + ";SZ[9];B[dd]" + ")" * 50_000
    assert go_sgf.read_record(deep, 9).actions == (30,)
    long = f"(;SZ[9]C[{'x' * 200_000}\\]];B[dd])"
    assert go_sgf.read_record(long, 9).actions == (30,)


def test_a_written_game_is_read_by_an_independent_program() -> None:
    game = Go9(komi=6.5)
    actions = game.parse("E5 C3 pass G7 J1 A9")
    names = ("An ] odd \\ name", "two\nlines")
    text = game.sgf(actions, names=names, result="W+R")
    read = sgf.Sgf_game.from_bytes(text.encode())
    assert (read.get_size(), read.get_komi(), read.get_winner()) == (9, 6.5, "w")
    assert read.get_player_name("b") == names[0]
    assert read.get_player_name("w") == "two lines"
    found = [node.get_move() for node in read.get_main_sequence()[1:]]
    # Rows of sgfmill count from below.
    assert found == [
        ("b", (4, 4)), ("w", (2, 2)), ("b", None), ("w", (6, 6)), ("b", (0, 8)), ("w", (8, 0)),
    ]  # fmt: skip
    assert game.parse(text) == actions


def test_the_result_is_that_of_the_board_once_both_have_passed() -> None:
    game = Go(size=3, komi=0.5)
    assert "RE[B+8.5]" in game.sgf(game.parse("B2 pass pass"))
    assert "RE[W+9.5]" in game.sgf(game.parse("pass B2 pass pass"))
    assert "RE[?]" in game.sgf(game.parse("B2 pass"))
    even = Go(size=3, komi=9.0)
    assert "RE[0]" in even.sgf(even.parse("B2 pass pass"))


HANDICAP = "(;GM[1]FF[4]SZ[5]KM[0.5]HA[2]AB[db][bd];W[cc];B[cb])"


def test_stones_that_are_set_up_are_where_a_game_begins() -> None:
    game = Go5()
    start, actions = game.read_position(HANDICAP)
    assert game.describe_state(start).startswith("5/3X1/5/1X3/5")
    assert int(game.actor(start)) == 1
    assert actions == (12, 7)
    assert game.describe_state(game.start(HANDICAP)).startswith("5/2XX1/2O2/1X3/5")
    with pytest.raises(ValueError, match="SGF: stones are set up; here a game must begin"):
        game.parse(HANDICAP)


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("(;SZ[5]HA[2]AB[db][bd])", 1),
        ("(;SZ[5]AB[db]AW[bd])", 0),
        ("(;SZ[5]HA[2]AB[db][bd]PL[B])", 0),
        ("(;SZ[5]PL[W])", 1),
        ("(;SZ[5]HA[2];B[aa])", 0),
        ("(;SZ[5]PL[B];W[aa])", 1),
        ("(;SZ[5]HA[3];B[aa];B[bb];B[cc];W[dd])", 1),
    ],
)
def test_who_moves_first_is_what_the_file_says(text: str, player: int) -> None:
    start, _ = Go5().read_position(text)
    assert int(Go5().actor(start)) == player


def test_a_handicap_may_be_moves_of_black() -> None:
    game = Go5()
    start, actions = game.read_position("(;SZ[5]HA[3]\n;B[aa];B[ee];B[ae];W[cc];B[cb])")
    assert game.stones_of(start) == {0: 0, 24: 0, 20: 0}
    assert actions == (12, 7)


def test_stones_that_were_set_up_are_taken_like_others() -> None:
    """White's two in the corner have one liberty, at A3."""
    game = Go5()
    start, _ = game.read_position("(;SZ[5]AB[ba:bb][ee]AE[ee]AW[aa:ab])")
    assert game.describe_state(start).startswith("OX3/OX3/5/5/5")
    taken = game.play([10], start)
    assert game.describe_state(taken).startswith("1X3/1X3/X4/5/5")
    assert taken.captured.tolist() == [2, 0]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(;SZ[5]AB[ab][ba]AW[aa])", "the stones at A5 have no liberty."),
        ("(;SZ[5]AB[ff])", "SGF: AB[ff] is not a point from aa to ee."),
        ("(;SZ[5];B[aa];AW[bb])", "SGF: AW sets up a position after move 1."),
        ("(;SZ[5]PL[green])", "SGF: PL must be B or W, whose turn it is, got 'green'."),
        ("(;SZ[5]HA[2];B[aa];B[bb];B[cc])", "SGF: move 2, B[bb], is Black's, but it is White's"
         " turn."),
        ("(;SZ[5]AB[cc];W[cc])", "move 1, C3, is on an occupied point."),
    ],
)  # fmt: skip
def test_what_cannot_be_set_up_is_told(text: str, message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared)
        Go5().read_position(text)
    assert str(caught.value) == message


def test_a_written_game_with_stones_set_up_is_read_by_an_independent_program() -> None:
    game = Go5()
    start, actions = game.read_position(HANDICAP)
    text = game.sgf(actions, start=start)
    board, plays = sgf_moves.get_setup_and_moves(sgf.Sgf_game.from_string(text))
    stones = {(color, row, column) for color, (row, column) in board.list_occupied_points()}
    assert stones == {("b", 3, 3), ("b", 1, 1)}
    assert plays == [("w", (2, 2)), ("b", (3, 2))]
    again, same = game.read_position(text)
    assert game.describe_state(again) == game.describe_state(start)
    assert same == actions


@pytest.mark.parametrize(
    ("text", "is_over"),
    [
        ("(;SZ[5];B[cc];W[];B[];W[dd];B[aa])", False),
        ("(;SZ[5]AB[bb][dd];W[cc];B[];W[];B[aa];W[];B[])", True),
        ("C3 pass pass pass pass D4", False),
        (f"(;SZ[5]{';B[];W[]' * 30};B[cc])", False),  # 61 moves, more than our rules allow
    ],
)
def test_a_game_that_is_resumed_after_two_passes_is_read_whole(text: str, is_over: bool) -> None:
    """It may end by two passes after that."""
    game = Go5()
    start, actions = game.read_position(text)
    state = game.play(actions, start)
    assert len(actions) == text.count(";") - 1 or len(actions) == len(text.split())
    assert (int(game.actor(state)) == TERMINAL) == is_over
    assert int(to_move(start)) == int("AB" in text)
    again = game.sgf(actions, start=start)
    assert game.read_position(again)[1] == actions
