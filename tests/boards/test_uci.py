"""`sog uci`: compliance with the Universal Chess Interface, command by command."""

import dataclasses
import re
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sog.boards.clock import seconds_for_move
from sog.boards.thinker import AgentThinker, Thinker
from sog.boards.uci.limits import Limits, read_limits
from sog.boards.uci.server import UciServer, centipawns
from sog.games import Game, make
from sog.play.analyst import NextSlice
from sog.play.game_in_progress import Position
from sog.play.principal_variation import Lines
from sog.play.simple_agents import RandomAgent
from tests.boards.speaking_games import CLOCK, GAME, Patient, analyst, random_player, script

Run = Callable[..., tuple[int, str, str]]
WON = "position fen X../XO./..O"
"""X wins with a1."""


class Deepening(AgentThinker):
    """Its line from a1 is always one move long, that from c3 a move longer after each look."""

    def __init__(self) -> None:
        super().__init__(GAME, lambda player, seed: RandomAgent(GAME, player=player, seed=seed))
        self.depth = 1

    def think(self, position: Position, simulations: int | None, next_slice: NextSlice) -> None:
        super().think(position, simulations, next_slice)
        while self.depth < 4 and next_slice() > 0:
            self.depth += 1

    def lines(self) -> Any:
        a1, b1, c3 = (GAME.read_action(GAME.root(), text) for text in ("a1", "b1", "c3"))
        pairs = np.array([1.0, 0.0])
        events = np.full((2, 4), -1)
        events[0, 0] = a1
        events[1, : self.depth] = [c3, b1, a1, GAME.read_action(GAME.root(), "b3")][: self.depth]
        return Lines(
            actions=np.array([a1, c3]),
            policy=pairs,
            visits=pairs.astype(int),
            prior=pairs,
            values=pairs,
            events=events,
            value=1.0,
        )


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.boards.uci.server.time", CLOCK)
    monkeypatch.setattr("sog.boards.protocol_server._SECONDS_BETWEEN_COMMENTS", 600)


def said(*lines: str | float, thinker: Thinker | None = None, game: Game[Any] = GAME) -> list[str]:
    """All that is said, in order, but comments on compiling, of which there may be any number; a
    number among the lines is a pause, in seconds by `CLOCK`."""
    told: list[str] = []
    UciServer(
        game,
        thinker or analyst(),
        name="some player",
        line_input=script(lines),
        say=told.append,
    ).run()
    return [line for line in told if not line.startswith("info string compiling")]


def best_moves(lines: list[str]) -> list[str]:
    return [line.split()[1] for line in lines if line.startswith("bestmove")]


def test_it_introduces_itself_and_its_options() -> None:
    first, author, *options, last = said("uci", "quit", "isready")
    assert re.fullmatch(r"id name sog \S+ some player", first)
    assert (author, last) == ("id author the sog authors", "uciok")
    assert options == [
        "option name MultiPV type spin default 1 min 1 max 64",
        "option name Ponder type check default false",
        "option name Move Overhead type spin default 100 min 0 max 10000",
        "option name Simulations type spin default 60 min 1 max 400",
        "option name UCI_Variant type combo default tictactoe var tictactoe",
    ]


@pytest.mark.thorough
def test_it_comments_while_it_compiles_and_where_that_has_not_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sog.boards.protocol_server._SECONDS_BETWEEN_COMMENTS", 0.001)
    told, is_heard = list[str](), threading.Event()

    def say(line: str) -> None:
        told.append(line)
        is_heard.set()

    thinker = random_player(GAME)
    monkeypatch.setattr(thinker, "prepare", is_heard.wait)
    monkeypatch.setattr(thinker, "is_draft", True)
    lines = script(["isready", WON, "go"])
    UciServer(GAME, thinker, name="some player", line_input=lines, say=say).run()
    number = told.index("readyok")
    assert re.fullmatch(r"info string compiling, \d+ s", told[0])
    assert told[number + 1].startswith("info string a faster search is still being compiled")
    assert told[-1].startswith("bestmove ")


def test_it_is_ready_when_it_says_so_and_passes_over_what_it_does_not_know() -> None:
    assert said("isready", "joho", "debug on", "register later", "joho isready", "") == [
        "readyok",
        "readyok",
    ]


@pytest.mark.thorough
@pytest.mark.parametrize(
    "go",
    ["go", "go nodes 40", "go movetime 200", "go depth 1", "go wtime 1000 btime 1000 movestogo 2",
     "go wtime 500 btime 9 winc 10 binc 10", "go mate 1 nodes 30"],
)  # fmt: skip
def test_every_way_to_limit_a_move_ends_and_finds_the_winning_one(go: str) -> None:
    *info, best = said(WON, go)
    assert best == "bestmove a1"
    pattern = r"info depth 1 multipv 1 score cp (\d+) nodes (\d+) nps \d+ time (\d+) pv a1"
    match = re.fullmatch(pattern, info[-1])
    assert match is not None
    assert int(match[1]) > 1000


def test_as_many_nodes_are_searched_as_were_asked_for() -> None:
    counts = [
        int(re.findall(r" nodes (\d+)", said("ucinewgame", "position startpos", go)[-2])[0])
        for go in ("go nodes 40", "go nodes 90", "go")
    ]
    assert counts == [40, 90, 60]
    changed = said("ucinewgame", "setoption name Simulations value 70", "position startpos", "go")
    assert " nodes 70 " in changed[-2]


def test_an_infinite_search_waits_for_stop_and_answers_isready_meanwhile() -> None:
    lines = said(WON, "go infinite", 0.3, "isready", 0.3, "stop", "isready")
    ready, best = lines.index("readyok"), lines.index("bestmove a1")
    assert ready < best
    assert lines[-1] == "readyok"


def test_quit_and_the_end_of_the_input_end_an_infinite_search_too() -> None:
    assert best_moves(said(WON, "go infinite", 0.6, "quit", "uci")) == ["a1"]
    assert best_moves(said(WON, "go infinite", 0.6)) == ["a1"]


@pytest.mark.thorough
def test_a_pondering_search_ends_some_time_after_ponderhit() -> None:
    lines = said(WON, "go ponder movetime 300", 0.6, "isready", "ponderhit", 5.0)
    assert best_moves(lines[lines.index("readyok") :]) == ["a1"]
    assert said(WON, "go ponder wtime 600 btime 600", 0.6, "stop")[-1] == "bestmove a1"


def test_what_has_to_wait_comes_after_the_move() -> None:
    lines = said(WON, "go nodes 40", "position startpos moves b2", "go nodes 40", "uci")
    assert [line.split()[0] for line in lines if not line.startswith(("info", "option"))] == [
        "bestmove",
        "bestmove",
        "id",
        "id",
        "uciok",
    ]


def test_moves_lead_to_the_position() -> None:
    """X has a1 and a2 and wins with a3, though O has b2 and c1."""
    assert best_moves(said("position startpos moves a1 b2 a2 c1", "go nodes 60")) == ["a3"]
    assert best_moves(said("position fen .../.../... moves a1 b2 a2 c1", "go nodes 60")) == ["a3"]


def test_what_is_expected_is_told_as_line_and_ponder_move() -> None:
    *_, info, best = said("position startpos moves a1", "go nodes 200")
    line = info.split(" pv ")[1].split()
    assert best == f"bestmove {line[0]} ponder {line[1]}"


def test_as_many_lines_are_told_as_were_asked_for() -> None:
    lines = said("setoption name multipv value 3", WON, "go nodes 60")
    told = [re.findall(r"multipv (\d) .* pv (\w\d)", line)[0] for line in lines[:-1]]
    assert [number for number, _ in told] == ["1", "2", "3"]
    assert told[0][1] == "a1"
    assert len({move for _, move in told}) == 3


def test_only_the_moves_that_may_be_searched_are_played() -> None:
    assert best_moves(said(WON, "go nodes 60 searchmoves c3 b1")) != ["a1"]
    assert set(best_moves(said(WON, "go searchmoves c3 b1 nodes 60"))) <= {"c3", "b1"}


def test_lines_begin_with_moves_that_may_be_searched() -> None:
    lines = said("setoption name multipv value 3", WON, "go searchmoves c3 b1 nodes 60")
    told = [re.findall(r"multipv (\d) .* pv (\w\d)", line)[0] for line in lines[:-1]]
    assert [number for number, _ in told] == ["1", "2"]
    assert {move for _, move in told} == {"c3", "b1"}
    assert best_moves(lines) == [told[0][1]]


def test_depth_is_that_of_the_best_line_of_the_moves_that_may_be_searched() -> None:
    """The line that wins with a1 is always one move long."""
    thinker = Deepening()
    lines = said(WON, "go depth 2 searchmoves c3", thinker=thinker)
    assert [line.split()[2] for line in lines[:-1]] == ["1", "2", "2"]
    assert lines[-1] == "bestmove c3 ponder b1"


def test_a_move_that_no_line_begins_with_is_played_if_no_other_may_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As after a search that considers few children."""
    thinker = analyst()
    all_lines = thinker.lines

    def first_line() -> Any:
        lines = all_lines()
        assert lines is not None
        return dataclasses.replace(lines, actions=lines.actions[:1])

    monkeypatch.setattr(thinker, "lines", first_line)
    assert best_moves(said(WON, "go searchmoves c3 nodes 60", thinker=thinker)) == ["c3"]


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["position fen X/O"], "error: a position must be rows of XO., got 'X/O'."),
        (["position startpos moves a1 a1"], "error: move 2, 'a1': 'a1' is no move here."),
        (["position here"], "error: position must be startpos or fen, got 'here'."),
        (["setoption name Hush value 3"], "error: there is no option 'Hush'."),
        (["setoption name MultiPV value x"], "error: option MultiPV must be an integer, got 'x'."),
        (["setoption name UCI_Variant value chess"], "error: the variant is tictactoe, got 'che"),
    ],
)
def test_mistakes_are_told_as_information(lines: list[str], told: str) -> None:
    (line,) = said(*lines)
    assert line.startswith(f"info string {told}")


def test_no_move_is_played_where_there_is_no_position_or_the_game_is_over() -> None:
    assert said("position fen nonsense", "go")[-1] == "bestmove 0000"
    over = said("position startpos moves a1 b1 a2 b2 a3", "go")
    assert over == [
        "info string error: the game is over at 'X../XO./XO. (X has won)'.",
        "bestmove (none)",
    ]


def test_a_draw_that_has_to_be_claimed_ends_no_game_of_chess() -> None:
    """At the third time of a position, after it, and with more than 50 moves and 256 moves."""
    third = "position startpos moves e2e4 e7e5 g1f3 g8f6 f3g1 f6g8 g1f3 g8f6 f3g1 f6g8"
    positions = [
        third,
        f"{third} b1c3",
        f"{third} g1f3 g8f6 f3g1 f6g8",
        "position fen 4k3/8/8/8/8/8/3R4/4K3 w - - 101 90 moves d2d3 e8e7",
        "position fen 4k3/8/8/8/8/8/3R4/4K3 b - - 0 300 moves e8e7",
        "position fen r3k2r/8/8/8/8/8/8/R3K2R w HAha - 0 1 moves e1h1 e8a8",
        "position fen 4k3/8/8/8/8/8/3R4/4K3 w - - 149 90 moves d2d3",
    ]
    game = make("chess")
    lines = said(
        *(line for position in positions for line in (position, "go")),
        thinker=random_player(game),
        game=game,
    )
    assert len(lines) == len(positions) + 1
    assert all(re.fullmatch("bestmove ([a-h][1-8]){2}", line) for line in lines[:-2])
    assert lines[-2].startswith("info string error: the game is over at '4k3/8/8/8/8/3R4/8/4K3 b")
    assert "seventy-five moves" in lines[-2]
    assert lines[-1] == "bestmove (none)"


def test_speed_counts_what_this_search_did() -> None:
    """Not the visits of the search before, which are among the nodes."""
    lines = said("ucinewgame", "position startpos", "go nodes 300", "go nodes 20")
    found = [re.findall(r" nodes (\d+) nps (\d+)", line) for line in lines]
    assert found[-2] == [("300", "0")]


def test_players_who_do_not_search_play_legal_moves() -> None:
    asked = ["uci", "isready", "position startpos moves a1", "go infinite", "stop", "go nodes 5"]
    lines = said(*asked, thinker=random_player(GAME))
    assert not any("Simulations" in line for line in lines)
    moves = best_moves(lines)
    assert len(moves) == 2
    assert all(re.fullmatch(r"[abc][123]", move) and move != "a1" for move in moves)


def test_limits_are_read_wherever_they_stand() -> None:
    text = "searchmoves a1 b1 wtime 60000 btime 30000 winc 1000 movestogo 10 ponder x"
    assert read_limits(text.split(), 1, 0.5) == Limits(
        seconds=seconds_for_move(30, 0, 10, overhead=0.5),
        waits=True,
        ponders=True,
        moves=("a1", "b1"),
    )
    assert read_limits(["movetime", "900"], 0, 0.1).seconds == pytest.approx(0.8)
    assert read_limits(["infinite"], 0, 0.1) == Limits(waits=True)


@pytest.mark.parametrize("word", ["movetime", "wtime", "winc", "movestogo", "nodes", "depth"])
def test_limits_may_be_any_number(word: str) -> None:
    for sign in ("", "-"):
        read_limits(["wtime", "1000", word, sign + 400 * "9"], 0, 0.0)


def test_time_is_shared_among_the_moves_to_come() -> None:
    """By hand: each move loses the overhead; 0.8 of the increment is added; half at most."""
    assert seconds_for_move(10, overhead=0.1) == pytest.approx(10 / 30 - 0.1)
    assert seconds_for_move(10, 1, overhead=0.1) == pytest.approx(10 / 30 - 0.1 + 0.8)
    assert seconds_for_move(10, 0, 4, overhead=0.1) == pytest.approx(2.4)
    assert seconds_for_move(10, 0, 1, overhead=0.1) == pytest.approx(9.9)
    assert seconds_for_move(1, 5, overhead=0.1) == pytest.approx(0.45)
    assert 0 < seconds_for_move(0.01, overhead=0.1) < 0.05


def test_centipawns_are_those_that_win_as_often() -> None:
    """A pawn wins 64% by the formula: 1 / (1 + 10 ** -0.25)."""
    assert centipawns(2 / (1 + 10**-0.25) - 1) == 100
    assert centipawns(0) == 0
    assert centipawns(-0.5) == -centipawns(0.5) == -191
    assert centipawns(1) == -centipawns(-1) == 10_000


def test_the_command_needs_a_game_of_uci(sog: Run) -> None:
    code, out, err = sog("uci", "random", "--game", "tic_tac_toe")
    assert (code, out) == (2, "")
    assert "sog: error: tic_tac_toe cannot be played by UCI" in err


def test_time_is_kept() -> None:
    """2 s for two moves, less what is lost with each: half of 1.8 s; then the time of a move."""
    thinker = Patient()
    said("go wtime 2000 btime 1 movestogo 2", 0.2, "ponderhit", "go movetime 500", thinker=thinker)
    said("go ponder movetime 300", 0.5, "ponderhit", thinker=thinker)
    assert thinker.seconds == pytest.approx([0.9, 0.4, 0.7], abs=0.03)


def test_a_game_that_is_sent_anew_with_every_move_is_read_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    read: list[str] = []

    def note(game: object, state: object, text: str) -> int:
        read.append(text)
        return original(GAME, state, text)

    original = type(GAME).read_action
    monkeypatch.setattr(type(GAME), "read_action", note)
    lines = said(
        "position startpos moves a1 b2",
        "position startpos moves a1 b2 a2 c1",
        "position startpos moves a1 b3",
        "position startpos moves a1 b3 a1",
        "position startpos moves a1 b3 a2",
        thinker=random_player(GAME),
    )
    assert read == ["a1", "b2", "a2", "c1", "b3", "a1", "a2"]
    assert lines == ["info string error: move 3, 'a1': 'a1' is no move here."]


@pytest.mark.slow
def test_python_chess_plays_against_our_server_on_a_clock() -> None:
    """It refuses options, moves and positions that are not as the protocol has them."""
    chess_engine = pytest.importorskip("chess.engine")
    chess = pytest.importorskip("chess")
    command = [sys.executable, "-m", "sog", "uci", "random", "--game", "chess"]
    with chess_engine.SimpleEngine.popen_uci(command, timeout=300) as engine:
        assert engine.id["name"].startswith("sog ")
        assert {"MultiPV", "Ponder", "Move Overhead"} <= set(engine.options)
        board, left = chess.Board(), [60.0, 60.0]
        while not board.is_game_over(claim_draw=True) and board.ply() < 60:
            limit = chess_engine.Limit(white_clock=left[0], black_clock=left[1])
            began = time.monotonic()
            board.push(engine.play(board, limit).move)
            left[board.ply() % 2 - 1] -= time.monotonic() - began
        assert min(left) > 0
