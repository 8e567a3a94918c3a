"""`sog gtp`: boards that are set up, by handicap, by files, or by moves of one color."""

import json
from pathlib import Path
from typing import Any

import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import SearchSettings
from sog.boards.go import Go
from sog.boards.go_sizes import Go5, Go7
from sog.boards.gtp.session import GtpSession
from sog.boards.gtp.setup import BoardSetup
from sog.boards.hex import Hex
from sog.boards.thinker import AgentThinker
from sog.games import Game
from sog.play.analyst import Analyst
from tests.boards.speaking_games import random_player, said_of
from tests.boards.test_go_notation import HANDICAP

COMMANDS = ("fixed_handicap", "place_free_handicap", "set_free_handicap")


def rows(shown: str) -> list[str]:
    """The points of a board that was shown, from the top."""
    plain = shown.translate(str.maketrans("()+", "  ."))
    lines = [line.split() for line in plain.split("\n")]
    return ["".join(line[1:-1]) for line in lines if line and line[0].isdecimal()]


def test_a_handicap_is_where_the_game_begins_and_white_moves() -> None:
    said = said_of(
        Go7(), "fixed_handicap 3", "undo", "showboard", "play w d4", "clear_board",
        "set_free_handicap A1 b2", "showboard", "play w d4", "undo", "undo",
    )  # fmt: skip
    assert said[:2] == ["= C3 E5 C5", "? cannot undo"]
    assert rows(said[2]) == [
        ".......",
        ".......",
        "..X.X..",
        ".......",
        "..X....",
        ".......",
        ".......",
    ]
    assert said[3:6] == ["="] * 3
    assert rows(said[6])[-2:] == [".X.....", "X......"]
    assert said[7:] == ["=", "=", "? cannot undo"]


def test_it_is_whites_turn_after_a_handicap_and_a_turn_that_is_given_stays_the_same() -> None:
    """The same position, since whoever thinks knows by it that he thought about it."""
    session = GtpSession(Go7(), random_player)
    BoardSetup(session, lambda player: 0).commands["fixed_handicap"](["2"])
    assert session.actor == 1
    given = session.turned_to(0)
    assert session.turned_to(0) is given
    assert session.turned_to(1) is session.position
    session.move(0, 0)
    assert session.position.events_since(given) == (0,)


def test_a_player_places_handicap_stones_beyond_the_fixed_ones() -> None:
    said = said_of(Go7(), "place_free_handicap 6", "showboard", "reg_genmove w", "boardsize 5",
                   "place_free_handicap 24", "showboard")  # fmt: skip
    points = said[0].removeprefix("= ").split()
    assert points[:4] == ["C3", "E5", "C5", "E3"]
    assert (len(set(points)), "".join(rows(said[1])).count("X")) == (6, 6)
    assert said[2].startswith("= ")
    assert "".join(rows(said[5])).count("X") == 24


@pytest.mark.parametrize(
    ("lines", "refusal"),
    [
        (["fixed_handicap 5"], "? invalid number of stones: handicap stones go from 2 to 4 on"),
        (
            ["boardsize 5", "fixed_handicap 2"],
            "? invalid number of stones: handicap stones have no",
        ),
        (["play b a1", "fixed_handicap 2"], "? board not empty"),
        (
            ["place_free_handicap 49"],
            "? invalid number of stones: there must be from 2 to 48 stones",
        ),
        (["set_free_handicap a1 a1"], "? bad vertex list: repeated vertex"),
        (["set_free_handicap a1 pass"], "? bad vertex list: a stone cannot pass"),
        (["set_free_handicap a1 z9"], "? bad vertex list: points of a board of 7 x 7 go from A1"),
    ],
)
def test_a_handicap_that_cannot_be_is_the_answer(lines: list[str], refusal: str) -> None:
    *before, last = said_of(Go7(), *lines)
    assert set(before) <= {"="}
    assert last.startswith(refusal)


def test_a_position_is_set_up_its_stones_are_alive_and_the_last_move_is_known() -> None:
    said = said_of(
        Go5(), "set_position b a1 w c3 B a2", "last_move", "final_status_list alive", "undo",
        "final_status_list dead", "play b e5", "last_move", "play w pass", "last_move", "undo",
        "last_move", "set_position", "final_status_list alive", "set_position b a1 w",
        "set_position b a1 w a1", "set_position b a1 w a2 w b1", "final_status_list odd",
        "set_position b pass",
    )  # fmt: skip
    assert said[:5] == ["=", "? no previous move known", "= C3 A2 A1", "? cannot undo", "="]
    assert said[5:11] == ["=", "= black E5", "=", "= white pass", "=", "= black E5"]
    assert said[11:13] == ["=", "="]
    assert said[13:] == [
        "? syntax error: set_position needs pairs of a color and a vertex",
        "? invalid position: repeated vertex",
        "? invalid position: the stones at A1 have no liberty",
        "? syntax error: the status must be one of alive, seki, dead",
        "? invalid position: a stone cannot pass",
    ]


def test_rules_are_set_and_told_as_katago_does() -> None:
    """By simple ko White may take back after a move elsewhere; handicap stones cost nothing."""
    said = said_of(Go5(), "kata-get-rules", "kata-set-rules chinese", "kata-get-rules",
                   "kata-set-rules Tromp-Taylor", "kata-get-rules", "kata-set-rules japanese",
                   "komi 0", "boardsize 7", "fixed_handicap 2", "final_score")  # fmt: skip
    rules = [json.loads(said[number].removeprefix("= ")) for number in (0, 2, 4)]
    assert [one["ko"] for one in rules] == ["POSITIONAL", "SIMPLE", "POSITIONAL"]
    assert {key: rules[0][key] for key in ("scoring", "suicide", "whiteHandicapBonus")} == {
        "scoring": "AREA", "suicide": False, "whiteHandicapBonus": "0",
    }  # fmt: skip
    assert said[5].startswith("? unsupported rules: they must be one of tromp-taylor, chinese-ogs")
    assert said[-1] == "= B+49"


def test_what_gogui_may_ask_is_known_here() -> None:
    for game in (Go5(), Hex(size=3)):
        (told,) = said_of(game, "gogui-analyze_commands")
        commands = [line.split("/")[2] for line in told.removeprefix("= ").split("\n")]
        assert "final_score" in commands
        assert ("final_status_list alive" in commands) == isinstance(game, Go5)
    assert float(said_of(Hex(size=3), "cputime")[0].removeprefix("= ")) > 0


def test_handicaps_are_for_go_alone() -> None:
    assert set(COMMANDS) <= set(said_of(Go5(), "list_commands")[0].removeprefix("= ").split())
    assert not set(COMMANDS) & set(said_of(Hex(size=3), "list_commands")[0].split())
    assert said_of(Hex(size=3), "fixed_handicap 2") == ["? unknown command"]
    assert said_of(Hex(size=3), "play b a1", "play b b1")[1] == "? illegal move: it is white's turn"


def test_one_color_may_play_several_times_and_each_move_is_taken_back_alone() -> None:
    said = said_of(Go5(), "play b a1", "play b b1", "play w c1", "play w c2", "showboard", "undo",
                   "undo", "showboard", "undo", "undo", "undo", "genmove w", "genmove w",
                   "genmove b", "undo", "undo", "undo", "showboard")  # fmt: skip
    assert rows(said[4])[-2:] == ["..O..", "XXO.."]
    assert rows(said[7])[-2:] == [".....", "XX..."]
    assert said[8:11] == ["=", "=", "? cannot undo"]
    assert all(answer.startswith("= ") for answer in said[11:14])
    assert said[14:17] == ["="] * 3
    assert set("".join(rows(said[17]))) == {"."}


def test_stones_of_one_color_after_the_other_capture() -> None:
    """White in the corner has its liberties taken by two moves of Black in a row."""
    said = said_of(Go5(), "play w a1", "play b a2", "play b b1", "showboard", "undo", "showboard")
    assert rows(said[3])[-2:] == ["X....", ".X..."]
    assert rows(said[5])[-2:] == ["X....", "O...."]


def test_passes_of_one_color_end_no_game() -> None:
    said = said_of(Go5(), "play b pass", "play b pass", "genmove b", "undo")
    assert said[:2] == ["="] * 2
    assert said[2].startswith("= ")
    assert said[3:] == ["="]


def test_after_the_end_a_player_passes_and_the_other_side_may_resume_the_game() -> None:
    """Servers do after a dispute; every move, the passes after the end too, is taken back alone."""
    said = said_of(Go5(), "play b c3", "play w pass", "play b pass", "play w pass", "genmove b",
                   "genmove b", "play w d4", "showboard", "play b pass", "play w pass",
                   "genmove b", *["undo"] * 10, "undo")  # fmt: skip
    assert said[4:7] == ["= pass", "= pass", "="]
    assert rows(said[7])[1] == "...O."
    assert said[10] == "= pass"
    assert said[11:] == [*["="] * 10, "? cannot undo"]


@pytest.mark.thorough
def test_a_search_goes_on_where_the_turn_was_given() -> None:
    """White is ahead by the komi: did a pass that nobody made count, his own would end the game."""
    game = Go(size=3, komi=0.5)
    thinker = Analyst(game, ZeroEvaluator(), SearchSettings(num_simulations=40), most=80)
    lines = ["genmove w", "kata-genmove_analyze w 100", "undo", "undo", "undo", "genmove b"]
    said = said_of(game, *lines, make_thinker=lambda _: thinker)
    assert said[0].startswith("= ")
    assert said[0] != "= pass"
    assert said[1] == "="
    assert said[-5].startswith("play ")
    assert said[-4:-1] == ["=", "=", "? cannot undo"]
    assert said[-1].startswith("= ")


def test_each_board_is_prepared_for_once_before_a_clock_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared: list[Any] = []
    monkeypatch.setattr(AgentThinker, "prepare", lambda self: prepared.append(self.game))
    said_of(Go7(), "clear_board", "clear_board", "boardsize 5", "clear_board")
    assert [game.size for game in prepared] == [7, 5]


def test_a_loaded_file_brings_its_stones_its_size_and_its_komi(tmp_path: Path) -> None:
    """A lone stone has all of 5 x 5, 25 points, and of 7 x 7 nobody any: White has 0.5 more."""
    file = tmp_path / "a game.sgf"
    file.write_text(HANDICAP)
    (tmp_path / "lone.sgf").write_text("(;SZ[5]KM[0.5]AB[cc])")
    said = said_of(
        Go7(), f"loadsgf {file}", "showboard", "undo", "undo", "undo", f"loadsgf {file} 2",
        "showboard", f"loadsgf {file} 1", "showboard", "genmove w",
        f"loadsgf {tmp_path / 'lone.sgf'}", "final_score", "boardsize 7", "final_score",
    )  # fmt: skip
    assert said[:1] + said[2:6] == ["=", "=", "=", "? cannot undo", "="]
    assert rows(said[1]) == [".....", "..XX.", "..O..", ".X...", "....."]
    assert rows(said[6]) == [".....", "...X.", "..O..", ".X...", "....."]
    assert rows(said[8]) == [".....", "...X.", ".....", ".X...", "....."]
    assert said[9].startswith("= ")
    assert said[10:] == ["=", "= B+24.5", "=", "= W+0.5"]


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("(;SZ[5]KM[6.5];B[aa])", "komi must be 24.5, got 6.5"),
        ("(;SZ[9:13];B[aa])", "SGF: SZ must be one number, the size of a square board, got '9:13'"),
        ("(;SZ[5]AB[ab][ba]AW[aa])", "the stones at A5 have no liberty"),
        ("(;SZ[5];B[aa];AW[bb])", "SGF: AW sets up a position after move 1"),
    ],
)
def test_a_file_that_cannot_be_loaded_changes_nothing(
    tmp_path: Path, text: str, refusal: str
) -> None:
    (tmp_path / "game.sgf").write_text(text)
    lines = ("play b c3", f"loadsgf {tmp_path / 'game.sgf'}", "showboard", "final_score")

    def seat(game: Game[Any]) -> AgentThinker:
        if getattr(game, "komi", 0) != 24.5:
            raise ValueError(f"komi must be 24.5, got {getattr(game, 'komi', 0)}.")
        return random_player(game)

    said = said_of(Go5(), *lines, make_thinker=seat)
    assert said[1] == f"? cannot load file: {refusal}"
    assert rows(said[2])[2] == "..X.."
    assert said[3] == "= B+0.5"
