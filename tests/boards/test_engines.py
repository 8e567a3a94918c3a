"""Engines as players: what they are told, and what becomes of those that do not keep to it."""

import contextlib
import os
import select
import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import pytest

from sog.boards.uci.engine import UciOption, read_option
from sog.play.arena import play_match
from sog.play.game_in_progress import PlayedGame
from sog.play.match import play_game
from sog.players.engines.process import Deadline, EngineError, LineProcess, split_command
from sog.players.seating import Seating, seat
from tests.boards.spoken_games import SpokenTicTacToe, write_engine

GAME = SpokenTicTacToe()
KINDS = pytest.mark.parametrize("kind", ["uci", "gtp"])


def seated(kind: str, command: str, settings: str = "", other: str = "random") -> Seating:
    asked = f"?{settings}" if settings else ""
    return seat([f"{kind}:{command}{asked}", other], game=GAME)


def play(kind: str, command: str, settings: str = "") -> PlayedGame:
    """One game, the engine first; what an engine does wrong is raised."""
    first, second = seated(kind, command, settings).players
    agents = first.make(0, 1), second.make(1, 2)
    try:
        return play_game(GAME, agents, jax.random.key(0))
    finally:
        for agent in agents:
            agent.close()


@pytest.fixture
def hangs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Time is up as soon as an engine says by a file of this name that it hangs."""
    left = property(lambda _: 0.0 if [*tmp_path.glob("*.hangs")] else 0.05)
    monkeypatch.setattr(Deadline, "left", left)


HANG = "open(log.name + '.hangs', 'w'); time.sleep(1e6)"


def mistake(work: Callable[[], Any]) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        work()
    (line,) = str(caught.value).splitlines()
    return line


@KINDS
def test_an_engine_plays_whole_games_from_both_sides(kind: str, tmp_path: Path) -> None:
    command, log = write_engine(tmp_path, kind)
    seating = seated(kind, command)
    result = play_match(GAME, seating.players[0].make, seating.players[1].make, 4, seed=1)
    assert result.num_games == 4
    assert log.read_text().count("boardsize" if kind == "gtp" else "uciok") <= 1  # one process


def test_a_uci_engine_is_told_its_options_each_game_and_all_moves(tmp_path: Path) -> None:
    command, log = write_engine(tmp_path, "uci")
    played = play("uci", command, "skill level=-3&Clear Hash=&movetime=20&style=Very Risky")
    cells = [GAME.uci_of_action(None, outcome) for outcome in played.outcomes]
    assert log.read_text().splitlines()[:12] == [
        "uci",
        "setoption name UCI_Variant value tictactoe",
        "setoption name Skill Level value -3",
        "setoption name Clear Hash",
        "setoption name Style value Very Risky",
        "isready",
        "ucinewgame",
        "isready",
        "position startpos",
        "go movetime 20",
        f"position startpos moves {cells[0]} {cells[1]}",
        "go movetime 20",
    ]
    assert cells[0] == "a3"


def test_a_gtp_engine_is_told_the_board_komi_and_the_moves_it_has_not_seen(tmp_path: Path) -> None:
    command, log = write_engine(tmp_path, "gtp")
    played = play("gtp", command, "seconds=2")
    replies = [GAME.vertex_of_action(outcome) for outcome in played.outcomes[1::2]]
    told = [line.split(maxsplit=1)[1] for line in log.read_text().splitlines()]
    assert told[:10] == [
        *("protocol_version", "name", "version", "list_commands"),
        *("boardsize 3", "time_settings 0 2 1", "clear_board", "komi 0.5"),
        *("clear_board", "komi 0.5"),
    ]
    assert told[10:13] == ["genmove black", f"play white {replies[0]}", "genmove black"]


@KINDS
def test_games_that_go_on_at_once_share_one_process(kind: str, tmp_path: Path) -> None:
    command, log = write_engine(tmp_path, kind)
    player = seated(kind, command).players[0]
    one, other = player.make(0, 0), player.make(0, 1)
    assert one.act(0) == other.act(0) == 0
    for agent, reply in ((one, 1), (other, 2)):
        agent.observe(0)
        agent.observe(reply)
    assert (one.act(0), other.act(0)) == (2, 1)  # the first cell that is free in its game
    one.close()
    assert other.act(0) == 1
    other.close()
    first = "uci" if kind == "uci" else "1 protocol_version"
    assert log.read_text().splitlines().count(first) == 1
    again = player.make(1, 0)  # for the next match of a tournament
    again.close()
    assert log.read_text().splitlines().count(first) == 1
    again = player.make(0, 0)
    assert again.act(0) == 0
    again.close()
    assert log.read_text().splitlines().count(first) == 2


def test_a_game_of_uci_may_begin_anywhere(tmp_path: Path) -> None:
    command, log = write_engine(tmp_path, "uci")
    agent = seated("uci", command).players[0].make(0, 0)
    agent.begin(GAME.from_fen("XO./.../..."))
    assert agent.act(0) == 2
    agent.close()
    assert log.read_text().splitlines()[-2] == "position fen XO./.../..."


def test_an_engine_that_resigns_has_lost(tmp_path: Path) -> None:
    change = "if 'genmove' in line and len(board) > 1: say('=' + word + ' resign', ''); continue"
    command, _ = write_engine(tmp_path, "gtp", change)
    played = play("gtp", command)
    assert (played.utility, played.resigned, len(played.outcomes)) == (-1, 0, 2)


DEEDS = {
    "dies": ("if 'go' in line or 'genmove' in line: os._exit(3)", "ended with exit code 3"),
    "is killed": (
        "if 'go' in line or 'genmove' in line: os.kill(os.getpid(), 9)",
        "was ended by signal 9",
    ),
    "hangs": (f"if 'go' in line or 'genmove' in line: {HANG}", "within 60 s"),
    "floods": (
        "flood = 0\n"
        "while 'go' in line or 'genmove' in line:\n"
        "    flood += 1\n"
        "    if flood == 1000: open(log.name + '.hangs', 'w')\n"
        "    say('=x info depth 1')",
        "",
    ),
    "closes its output": (
        "if 'go' in line or 'genmove' in line: os.close(1); time.sleep(1e6)",
        "closed its output",
    ),
    "writes one endless line": (
        "while 'go' in line or 'genmove' in line: os.write(1, b'x' * 60000)",
        "wrote a line of more than 1,048,576 bytes",
    ),
    "plays rubbish": (
        "if 'go' in line or 'genmove' in line: say('bestmove z9', '=' + word + ' Z9', '')\n"
        "if 'go' in line or 'genmove' in line: continue",
        "which is no ",
    ),
}


@pytest.mark.usefixtures("hangs")
def test_a_move_may_take_the_time_it_was_given_and_our_patience(tmp_path: Path) -> None:
    command, _ = write_engine(tmp_path, "uci", f"if word == 'go': {HANG}")
    line = mistake(lambda: play("uci", command, "timeout=60&movetime=3000"))
    assert "within 63 s" in line


def test_a_program_that_writes_without_end_and_reads_nothing_is_ended(tmp_path: Path) -> None:
    program = tmp_path / "writes.py"
    program.write_text("import os\nwhile True: os.write(1, b'\\n' * 60000)")
    process = LineProcess(shlex.join([sys.executable, str(program)]))
    with (
        contextlib.closing(process),
        pytest.raises(EngineError, match="wrote more than 100,000 unread lines"),
    ):
        process.send("x" * 2**20, Deadline(60))  # more than a pipe takes


@pytest.mark.parametrize(
    ("deed", "kind"),
    [*((deed, "uci") for deed in DEEDS), ("dies", "gtp"), ("plays rubbish", "gtp")],
)
@pytest.mark.usefixtures("hangs")
def test_an_engine_that_fails_ends_in_one_line_that_names_it(
    deed: str, kind: str, tmp_path: Path
) -> None:
    """What a process does is read in one place for both protocols."""
    change, told = DEEDS[deed]
    complaint = "sys.stderr.write('oh no')\nsys.stderr.flush()\n"
    command, _ = write_engine(tmp_path, kind, complaint + change)
    line = mistake(lambda: play(kind, command, "timeout=60"))
    assert line.startswith(f"engine {command!r} ")
    assert told in line
    assert line.endswith("it said: " + "oh no" * line.count("oh no") + ".")


@pytest.mark.usefixtures("hangs")
def test_what_fails_leaves_no_process_behind(tmp_path: Path) -> None:
    change = f"open('pid', 'w').write(str(os.getpid()))\nif word == 'isready': {HANG}"
    command, _ = write_engine(tmp_path, "uci", change.replace("'pid'", repr(str(tmp_path / "pid"))))
    mistake(lambda: seated("uci", command, "timeout=60"))
    with pytest.raises(ProcessLookupError):  # neither there nor waited for
        os.kill(int((tmp_path / "pid").read_text()), 0)


@pytest.mark.parametrize(
    ("settings", "told"),
    [
        ("Skil Level=3", "has no option 'Skil Level'; did you mean skill level?"),
        ("Skill Level=21", "option Skill Level must be an integer from -20 to 20, got '21'."),
        ("Ponder=yes", "option Ponder must be true or false, got 'yes'."),
        ("Style=Wild", "option Style must be one of Solid, Very Risky, Normal, got 'Wild'."),
        ("UCI_Variant=chess", "plays the variant of the game: leave UCI_Variant out."),
    ],
)
def test_options_are_compared_with_what_the_engine_has(
    settings: str, told: str, tmp_path: Path
) -> None:
    command, _ = write_engine(tmp_path, "uci")
    assert told.lower() in mistake(lambda: seated("uci", command, settings)).lower()


@pytest.mark.parametrize(
    ("kind", "change", "told"),
    [
        ("uci", "if word == 'uci': say('uciok'); continue", "cannot play tic_tac_toe, variant"),
        ("uci", f"say('=' + word, ''); {HANG}", "did not answer 'uci' with 'uciok' within 60 s."),
        (
            "gtp",
            "say('id name', '', 'uciok'); continue",
            "answered 'protocol_version' with 'id nam",
        ),
        ("gtp", "say('=99 2', ''); continue", "answered 'protocol_version' with '=99 2', which is"),
        ("gtp", "say('=' + word + ' 3', ''); continue", "speaks version '3' of GTP, not 2."),
        (
            "gtp",
            "if 'komi' in line: say('?' + word + ' no', ''); continue",
            "refused 'komi 0.5': no",
        ),
        (
            "gtp",
            "if 'list' in line: say('=' + word + ' play', ''); continue",
            "know the command 'boa",
        ),
    ],
)
@pytest.mark.usefixtures("hangs")
def test_an_engine_that_speaks_otherwise_is_refused(
    kind: str, change: str, told: str, tmp_path: Path
) -> None:
    command, _ = write_engine(tmp_path, kind, change)
    assert told in mistake(lambda: seated(kind, command, "timeout=60"))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("uci:", "uci: must be followed by the command of an engine"),
        ("uci:no_such_engine --fast", "there is no program 'no_such_engine'; is it installed?"),
        ("gtp:sh 'open", "no closing quotation."),
        ("uci:sh?nodes=0", "uci:sh: nodes must be an integer > 0 and < 2**31, got 0."),
        ("uci:sh?nodes=many", "uci:sh: nodes must be an integer, got 'many'."),
        ("uci:sh?nodes=1&nodes=2", "uci:sh: nodes is given twice."),
        ("uci:sh?nodes=1&depth", "uci:sh: write settings as name=value, got 'depth'."),
        ("gtp:sh?level=3", "gtp:sh: unknown setting 'level'; known: seconds, timeout."),
    ],
)
def test_a_text_that_names_no_engine_is_refused_in_one_line(text: str, told: str) -> None:
    assert told in mistake(lambda: seat([text], game=GAME))


@KINDS
def test_a_game_that_no_engine_can_speak_of_is_refused(kind: str) -> None:
    expected = f"tic_tac_toe cannot be played by {kind.upper()}"
    assert expected in mistake(lambda: seat([f"{kind}:cat"], game="tic_tac_toe"))


def test_options_are_read_with_blanks_in_their_names_and_values() -> None:
    line = "option name Clear Hash min type combo default Very Risky var Very Risky var A"
    assert read_option("option name Hash type spin default 16 min 1 max 33554432") == UciOption(
        name="Hash", kind="spin", default="16", least=1, most=33554432
    )
    assert read_option(line.replace(" min", "")) == UciOption(
        name="Clear Hash", kind="combo", default="Very Risky", choices=("Very Risky", "A")
    )
    assert read_option("option name x") is None


def test_a_program_that_does_not_read_is_not_waited_for_for_ever() -> None:
    process = LineProcess("sleep 1000")
    deadline = Deadline(0.5)
    with pytest.raises(
        EngineError, match=r"^engine 'sleep 1000' did not read 'x+' within 0\.5 s\.$"
    ):
        process.send("x" * 2**20, deadline)
    process.close()
    assert not process.is_running


def test_what_a_program_has_started_ends_with_it(tmp_path: Path) -> None:
    """Its child has our pipe as well, and lives on where the program ends."""
    lives = tmp_path / "lives"
    os.mkfifo(lives)
    process = LineProcess(f"sh -c 'sleep 1000 3>{lives} & echo ready; read end'")
    with lives.open("rb", buffering=0) as file:  # waits for the child
        assert process.read_line(Deadline(60), "did not start") == "ready"
        process.close()
        ended, _, _ = select.select([file], [], [], 20)
        assert ended
        assert file.read() == b""


def test_programs_among_games_are_found_also_where_the_path_does_not_lead(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "some_game"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr("sog.players.engines.process._FOLDERS_OF_GAMES", (str(tmp_path),))
    assert split_command("some_game -v '1 2'") == [str(program), "-v", "1 2"]


def test_our_client_plays_our_server(tmp_path: Path) -> None:
    """Both know the rules: what one plays the other accepts, to the end of the game."""
    server = shlex.join([sys.executable, "-m", "sog", "gtp", "random", "--game", "go(size=3)"])
    first, second = seat([f"gtp:{server}", "random"], game="go(size=3)").players
    result = play_match(first.game, first.make, second.make, 2)
    assert result.num_games == 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "game"),
    [
        ("gtp:gnugo", "go5"),
        ("gtp:gnugo", "go(size=7,superko=simple)"),
        ("uci:stockfish?nodes=100&Hash=1", "chess"),
        ("uci:fairy-stockfish?nodes=100", "gardner_chess"),
        ("uci:fairy-stockfish?movetime=10", "los_alamos_chess"),
    ],
)
def test_engines_that_people_know_win_against_random_play(text: str, game: str) -> None:
    try:
        first, second = seat([text, "random"], game=game).players
    except EngineError as error:
        if "there is no program" not in str(error):
            raise
        pytest.skip(str(error))
    result = play_match(first.game, first.make, second.make, 4)
    assert result.losses == 0
    assert result.wins >= 3


@pytest.mark.slow
def test_an_engine_for_chess_only_is_refused_for_another_variant() -> None:
    try:
        split_command("stockfish")
    except EngineError as error:
        pytest.skip(str(error))
    with pytest.raises(ValueError, match=r"cannot play gardner_chess, variant 'gardner' of UCI"):
        seat(["uci:stockfish"], game="gardner_chess")
