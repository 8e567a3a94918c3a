"""Programs behind the ACPC protocol: what they are told, their bets, and those that misbehave."""

import shlex
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import pytest

from sog.play.arena import play_match
from sog.play.game_in_progress import PlayedGame
from sog.play.match import play_game
from sog.players.seating import seat

PROGRAM = Path(__file__).with_name("poker_program.py")
GAME = "holdem(bets=0.5/1/allin)"
LIMIT = "holdem(bets=100c|100c|200c|200c,caps=3|4|4|4,stack=4800)"


def text(way: str, settings: str = "") -> str:
    command = shlex.join([sys.executable, str(PROGRAM), way])
    return f"acpc:{command}" + (f"?{settings}" if settings else "")


def play(way: str, other: str, *, seat_of_program: int = 0, settings: str = "") -> PlayedGame:
    """One hand; what a program does wrong is raised."""
    players = seat([text(way, settings), other], game=GAME).players
    agents: list[Any] = [None, None]
    agents[seat_of_program] = players[0].make(seat_of_program, 0)
    agents[1 - seat_of_program] = players[1].make(1 - seat_of_program, 0)
    try:
        return play_game(players[0].game, agents, jax.random.key(5))
    finally:
        for agent in agents:
            agent.close()


def read_log(path: Path) -> list[tuple[str, list[int]]]:
    """The betting and the results of each hand."""
    lines = [line.split(":") for line in path.read_text().splitlines()]
    return [(line[2], [int(chips) for chips in line[4].split("|")]) for line in lines]


def test_a_program_plays_whole_hands_from_both_seats_and_pokerkit_reads_the_log(
    tmp_path: Path,
) -> None:
    pokerkit = pytest.importorskip("pokerkit")
    log = tmp_path / "hands.log"
    program, other = seat([text("raise", f"log={log}"), "random"], game=GAME).players
    result = play_match(program.game, program.make, other.make, num_games=20)
    hands = read_log(log)
    assert len(hands) == 20
    # By seat in the log, and the program's in the match.
    lines = log.read_text().splitlines()
    assert [int(line.split(":")[1]) for line in lines] == list(range(20))
    of_program = [
        chips[line.endswith("sog|program")] for line, (_, chips) in zip(lines, hands, strict=True)
    ]
    assert sum(of_program) / 100 == pytest.approx(result.utilities.sum())

    rules = pokerkit.NoLimitTexasHoldem((), True, 0, (50, 100), 100)
    parser = pokerkit.notation.ACPCProtocolParser(rules, 20_000)
    histories = list(parser(log.read_text(), error_status=True))
    assert len(histories) == 20
    for history, (betting, chips) in zip(histories, hands, strict=True):
        *_, last = history
        assert list(last.payoffs) == chips, betting
    assert {len(betting.split("/")) for betting, _ in hands} >= {1, 4}


def test_limit_hands_are_written_without_numbers_and_pokerkit_pays_as_we_do(tmp_path: Path) -> None:
    log = tmp_path / "hands.log"
    program, other = seat([text("call", f"log={log}"), "always_raise"], game=LIMIT).players
    play_match(program.game, program.make, other.make, num_games=2)
    (as_big_blind, chips), (as_small_blind, _) = read_log(log)
    assert as_big_blind == "rc/crc/crc/crc"
    assert as_small_blind == "crc/rc/rc/rc"
    assert abs(chips[0]) in (0, 100 + 100 + 100 + 200 + 200)
    pokerkit = pytest.importorskip("pokerkit")
    rules = pokerkit.FixedLimitTexasHoldem((), True, 0, (50, 100), 100, 200)
    parser = pokerkit.notation.ACPCProtocolParser(rules, 4800)
    paid = [list([*hand][-1].payoffs) for hand in parser(log.read_text(), error_status=True)]
    assert paid == [chips for _, chips in read_log(log)]


def test_a_size_that_chance_draws_is_no_part_of_the_talk(tmp_path: Path) -> None:
    log = tmp_path / "hands.log"
    game = "holdem(bets=drawn,draw_bets=0.5/1,caps=1,draw_stacks=20000)"
    program, other = seat([text("call", f"log={log}"), "always_raise"], game=game).players
    result = play_match(program.game, program.make, other.make, num_games=8, seed=1)
    hands = read_log(log)
    # The pot is 100 and then 200 on each side, or 150 and then half as much again.
    ways = {"r300c/cr900c/cr2700c/cr8100c", "r200c/cr400c/cr800c/cr1600c"}
    of_small_blind = {betting for betting, _ in hands if betting.startswith("r")}
    assert of_small_blind == ways
    assert len(hands) == 8
    assert abs(result.utilities).max() in (81, 16)


def mistake(work: Callable[[], Any]) -> str:
    with pytest.raises(ValueError, match=r".") as caught:
        work()
    (line,) = str(caught.value).splitlines()
    return line


@pytest.mark.parametrize(
    ("way", "told"),
    [
        ("stay away", "did not connect to 127.0.0.1 within 0.5 s."),
        ("hang", "within 0.5 s"),
        ("die", "did not connect to 127.0.0.1: it ended with exit code 1; it said: no licence"),
        ("quit", "did not answer 'MATCHSTATE:1:0::|"),
        ("wrong version", "began with 'HELLO', not with VERSION:2.0.0"),
        ("lie", "'r17' is illegal where r200 to r20000 is possible"),
    ],
)
def test_a_program_that_misbehaves_is_told_in_one_line(way: str, told: str) -> None:
    # Only for who never answers: a busy machine may take longer to start any program.
    seconds = 0.5 if "within" in told else 60
    settings = f"timeout={seconds}"
    line = mistake(lambda: play(way, "always_call", seat_of_program=1, settings=settings))
    assert line.startswith(f"engine {shlex.join([sys.executable, str(PROGRAM), way])!r} ")
    assert told in line


@pytest.mark.parametrize(
    ("player", "game", "told"),
    [
        (text("call", "nodes=3"), GAME, "unknown setting 'nodes'; known: timeout, log."),
        (text("call", "log=nowhere/hands.log"), GAME, "log: nowhere: no such folder."),
        (text("call"), "leduc", "leduc cannot be played by ACPC, which is for holdem."),
        (text("call"), "holdem(board=KsTh7s4d2c,pot=100,stack=100)", "ACPC needs holdem from the"),
    ],
)
def test_what_cannot_be_is_told_before_a_game_begins(player: str, game: str, told: str) -> None:
    assert told in mistake(lambda: seat([player, "random"], game=game))
