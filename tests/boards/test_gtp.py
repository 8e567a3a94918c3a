"""`sog gtp`: a regression of the Go Text Protocol, command by command."""

import math
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from sog.boards.go_sizes import Go5
from sog.boards.gtp.analysis import AnalysisRequest, analysis_line, read_request
from sog.boards.gtp.server import GtpServer
from sog.boards.hex import Hex
from sog.boards.othello import Othello
from sog.boards.protocol_server import LineInput
from sog.boards.thinker import AgentThinker
from sog.play.game_in_progress import Position
from sog.play.match import Resignation
from sog.play.principal_variation import Lines
from sog.play.simple_agents import RandomAgent
from tests.boards.speaking_games import CLOCK, GAME, Patient, analyst, random_player, said_of

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.boards.gtp.server.time", CLOCK)


def answers(*lines: str | float, searches: bool = True) -> list[str]:
    """What is answered to each command, in order."""
    found: list[str] = []
    make_thinker = (lambda game: analyst()) if searches else random_player
    for one in said_of(GAME, *lines, make_thinker=make_thinker):
        if one.startswith(("=", "?")):
            found.append(one)
        elif one:
            found[-1] += f"\n{one}"
    return found


@pytest.mark.thorough
def test_a_session_of_administration() -> None:
    assert answers(
        "1 protocol_version", "name", "# a comment", "", "3 known_command genmove",
        "known_command tsumego", "5 tsumego", "\t6   name # again", "7 quit", "8 name",
    ) == ["=1 2", "= sog", "=3 true", "= false", "?5 unknown command", "=6 sog", "=7"]  # fmt: skip


@pytest.mark.thorough
def test_it_ends_where_nothing_more_comes() -> None:
    assert answers("name") == ["= sog"]
    assert answers() == []


@pytest.mark.thorough
def test_every_command_that_is_listed_is_known() -> None:
    (listed,) = answers("list_commands")
    names = listed.removeprefix("= ").split("\n")
    assert {"boardsize", "komi", "play", "genmove", "undo", "final_score", "loadsgf"} <= set(names)
    assert answers(*(f"known_command {name}" for name in names)) == ["= true"] * len(names)


def test_moves_are_played_and_taken_back() -> None:
    said = answers("play b a1", "play WHITE B2", "showboard", "undo", "undo", "undo", "showboard")
    empty = "= \n  a b c\n3 . . .\n2 . . .\n1 . . ."
    board = empty.replace("1 .", "1 X").replace("2 . .", "2 . O")
    assert said == ["=", "=", board, "=", "=", "? cannot undo", empty]


@pytest.mark.parametrize(
    ("lines", "refusal"),
    [
        (["play b a1", "play b a2"], "? illegal move: it is white's turn"),
        (["play b a1", "play w a1"], "? illegal move: there is no such move at '.../"),
        (["play b z9"], "? illegal move: 'z9' is no cell"),
        (["play b"], "? syntax error: play needs more arguments"),
        (["play green a1"], "? syntax error: a color must be black or white, got 'green'"),
        (["genmove w"], "? it is black's turn"),
        (["time_settings 300 5 inf"], "? cannot convert float infinity to integer"),
        (["lz-analyze " + "9" * 400], "? int"),
        (["komi many"], "? syntax error: a number is needed, got 'many'"),
        (["boardsize x"], "? syntax error: an integer is needed, got 'x'"),
        (["boardsize 19"], "? unacceptable size: "),
        (["komi 7.5"], "? unacceptable komi: "),
        (["loadsgf /no/such.sgf"], "? cannot load file: No such file or directory"),
        (["loadsgf ~nobody-here/such.sgf"], "? cannot load file: No such file or directory"),
        (["final_score"], "? cannot score: tic_tac_toe has no points, and is not over"),
    ],
)
def test_what_is_wrong_is_the_answer(lines: list[str], refusal: str) -> None:
    *before, last = answers(*lines)
    assert set(before) <= {"="}
    assert last.startswith(refusal)


def test_a_player_makes_the_winning_move_and_it_is_on_the_board() -> None:
    moves = ["play b a1", "play w b2", "play b a2", "play w c1"]
    said = answers(*moves, "reg_genmove b", "genmove b", "genmove w", "undo", "genmove b")
    assert said[4:] == ["= A3", "= A3", "? the game is over", "=", "= A3"]


def test_players_who_do_not_search_make_legal_moves_and_no_analysis() -> None:
    said = answers(*("genmove b", "genmove w") * 2, "kata-analyze 1", "undo", searches=False)
    assert len({*said[:4]}) == 4
    assert said[4:] == ["=", "="]


class Resigning(RandomAgent):
    """An engine that gives up at once."""

    def act(self, infostate: int) -> int:
        raise Resignation


def test_only_values_that_are_points_tell_how_far_ahead_a_player_is() -> None:
    lines = Lines(
        actions=np.array([3]), prior=np.array([0.5]), policy=np.array([1.0]),
        visits=np.array([7]), values=np.array([-2.5]), events=np.array([[3, -1]]), value=-2.5,
    )  # fmt: skip

    def told(style: str, *, counts_points: bool) -> str:
        return analysis_line(
            lines, str, max_utility=25.0, style=style, most=1, counts_points=counts_points
        )

    assert " scoreLead -2.500 order 0 " in told("kata", counts_points=True)
    assert "scoreLead" not in told("kata", counts_points=False) + told("lz", counts_points=True)


def test_where_an_engine_that_plays_for_us_gives_up_that_is_the_answer() -> None:
    lines = ["genmove b", "reg_genmove b", "lz-genmove_analyze b", "lz-analyze b", "name"]
    thinker = AgentThinker(GAME, lambda player, seed: Resigning(GAME, player=player, seed=seed))
    said = said_of(GAME, *lines, make_thinker=lambda game: thinker)
    assert said == ["= resign", "= resign", "=", "play resign", "=", "", "= sog"]


def test_an_analysis_goes_on_until_the_next_line_and_tells_moves_as_katago_does() -> None:
    moves = ["play b a1", "play w b2", "play b a2", "play w c1"]
    said = answers(*moves, "9 kata-analyze b 5 maxmoves 2", 0.8, "name")
    first, *lines = said[4].split("\n")
    assert (first, said[5]) == ("=9", "= sog")
    assert len(lines) > 1
    best, other = re.split(r" (?=info move)", lines[-1])
    told = dict(re.findall(r"(\w+) (\S+)", best.removeprefix("info ").partition(" pv ")[0]))
    assert (told["move"], told["order"], best.split(" pv ")[1]) == ("A3", "0", "A3")
    assert float(told["winrate"]) == pytest.approx(1, abs=1e-3)
    assert float(told["utility"]) == pytest.approx(2 * float(told["winrate"]) - 1, abs=1e-5)
    assert int(told["visits"]) > 50
    assert " order 1 " in other


def test_an_order_of_analysis_names_player_centiseconds_and_how_many_moves() -> None:
    assert read_request(["w", "50", "maxmoves", "0"], 0) == AnalysisRequest(
        player=1, interval=0.5, most=1
    )
    assert read_request(["interval", "25", "rootInfo", "true"], 0).interval == 0.25


def test_leela_zero_counts_in_ten_thousandths() -> None:
    moves = ["play b a1", "play w b2", "play b a2", "play w c1"]
    said = answers(*moves, "lz-genmove_analyze b 100")
    first, *_, line, played = said[4].split("\n")
    assert (first, played) == ("=", "play A3")
    assert " winrate 10000 " in line


def test_a_clock_ends_a_move() -> None:
    """One stone in 0.5 s; then a main time of 4 s for White, a third of it for each of 3 moves."""
    thinker = Patient()
    lines = ["time_settings 0 0.5 1", "genmove b", "time_left w 4 0", "genmove w", "genmove b"]
    said = said_of(GAME, *lines, make_thinker=lambda game: thinker)
    assert all(re.fullmatch(r"=|= [ABC][123]", one) for one in said)
    assert thinker.seconds == pytest.approx([0.4, 4 / 3 - 0.1, 0.4], abs=0.02)


def test_without_a_clock_a_move_takes_the_seconds_that_were_asked_for() -> None:
    thinker = Patient()
    said_of(GAME, "genmove b", make_thinker=lambda game: thinker, seconds=0.3)
    assert thinker.seconds == pytest.approx([0.3], abs=0.02)


def test_a_loaded_game_is_on_the_board(tmp_path: Path) -> None:
    (tmp_path / "game").write_text("X.O/.../X..")
    said = answers(f"loadsgf {tmp_path / 'game'}", "showboard", f"loadsgf {tmp_path / 'game'} 2",
                   "showboard", "play w b2")  # fmt: skip
    assert [said[0], said[2], said[4]] == ["="] * 3
    assert said[1].split("\n")[2:] == ["3 X . O", "2 . . .", "1 X . ."]
    assert said[3].split("\n")[2:] == ["3 X . .", "2 . . .", "1 . . ."]


def test_a_score_is_that_of_the_area() -> None:
    """On 5 x 5 a lone stone has the whole board, 25 points, of which White gets 24.5."""
    lines = ["final_score", "play b c3", "final_score", "komi 3", "final_score", "boardsize 7"]
    said = said_of(Go5(), *lines, "final_score")
    assert said == ["= W+24.5", "=", "= B+0.5", "=", "= B+22", "=", "= W+3"]


def test_hex_is_spoken_as_its_programs_do() -> None:
    """Black joins top and bottom, a1 is at the top left; a swap puts the stone into the mirror."""
    moves = ["play b b1", "play w SWAP-PIECES", "play b b1", "play w b2", "play b c1", "play w c2"]
    said = said_of(Hex(size=11, swap=True), "boardsize 3", *moves, "showboard", "final_score")
    assert said[:7] == ["="] * 7
    assert said[7:] == ["= \n  a b c\n1 . X X\n 2 O O O\n  3 . . .", "= W+"]
    over = said_of(Hex(size=2), "play b b1", "final_score", "play w a2", "play b b2", "final_score")
    assert over == ["=", "? cannot score: hex has no points, and is not over", "=", "=", "= B+"]
    wrong = said_of(Hex(size=3), "play b d1", "play b swap-pieces", "genmove b")
    assert wrong[0] == "? illegal move: cells go from a1 to c3, got 'd1'"
    assert wrong[1].startswith("? illegal move: cells go from a1 to c3, got 'swap-pieces'")
    assert re.fullmatch("= [abc][123]", wrong[2])


def test_othello_is_spoken_as_its_programs_do() -> None:
    """Black has the disks at the top right and bottom left of the middle, and turns one over."""
    said = said_of(Othello(), "boardsize 4", "showboard", "play b A2", "final_score", "genmove w")
    start = "= \n  a b c d\n1 . . . .\n2 . O X .\n3 . X O .\n4 . . . ."
    assert said[:4] == ["=", start, "=", "= B+3"]
    assert re.fullmatch("= [abcd][1234]", said[4])
    assert said_of(Othello(), "play b pass")[0].startswith("? illegal move: there is no such move")
    assert said_of(Othello(), "boardsize 7")[0].startswith("? unacceptable size: othello: size")


def test_what_is_sent_as_a_program_sends_it_is_understood() -> None:
    """Ends of lines of Windows, control characters, bytes that are no text."""

    def stream() -> Iterator[bytes]:
        yield b"1 protocol_version\r\n"
        yield b"2 na\x07me\n"
        yield b"3 \xff\xfe\n"

    said: list[str] = []
    GtpServer(GAME, lambda game: analyst(), line_input=LineInput(stream()), say=said.append).run()
    assert said == ["=1 2\n", "=2 sog\n", "?3 unknown command\n"]


def test_a_follower_begins_anew_where_moves_were_taken_back() -> None:
    thinker, start = random_player(GAME), Position.of(GAME)
    first = start.after(GAME, 0)
    for position in (first, start.after(GAME, 4), start.after(GAME, 8)):
        thinker.think(position, None, lambda: math.inf)
        assert position.after(GAME, thinker.best())


def test_the_command_speaks_until_its_input_ends(
    start: "Callable[..., subprocess.Popen[str]]",
) -> None:
    process = start("gtp", "random", "--game", "go5", stdin=subprocess.PIPE)
    out, err = process.communicate(
        "boardsize 5\nclear_board\ngenmove b\nfinal_score\n", timeout=120
    )
    assert process.returncode == 0, err
    assert re.fullmatch(r"=\n\n=\n\n= ([A-E][1-5]|pass)\n\n= [BW]\+[\d.]+\n\n", out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "--game is needed: random can play any game."),
        (["random", "--game", "kuhn"], "kuhn cannot be played by GTP"),
        (["random", "--game", "go5", "--search", "5,1"], "--search 5,1 has no effect"),
    ],
)
def test_mistakes_are_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    code, out, err = sog("gtp", *arguments)
    assert (code, out) == (2, "")
    assert f"sog: error: {message}" in err
