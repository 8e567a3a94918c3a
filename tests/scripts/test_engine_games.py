"""The script that plays our servers against engines on clocks."""

import argparse

import engine_games
import pytest

from sog.players.engines.process import EngineError, split_command

GNU_GO = "gnugo --mode gtp --level 1 --chinese-rules --positional-superko --capture-all-dead"
GO5 = "go5(komi=0,payoff=diff,end_from=12)"
GARDNER = "gardner_chess(max_moves=150)"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("10+0.1", [(10.0, True), (0.1, True), (0.11, False)]),
        ("1", [(1.0, True), (0.9, True), (1.01, False)]),
        # Main time, then periods, each of which is lost if it ends before the move.
        ("5+3x1", [(4.0, True), (1.5, True), (2.5, True), (1.0, True), (1.2, False)]),
    ],
)
def test_a_clock_runs_out_when_it_should(text: str, moves: list[tuple[float, bool]]) -> None:
    clocks = engine_games.Clocks(engine_games.read_control(text))
    for seconds, is_in_time in moves:
        assert clocks.has_time_after(1, seconds) == is_in_time
    assert clocks.slowest == [0, max(seconds for seconds, _ in moves)]


@pytest.mark.parametrize("text", ["", "soon", "10+", "5+3x", "-1"])
def test_what_is_no_clock_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="must be 10"):
        engine_games.read_control(text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "player", "game", "opponent", "clock"),
    [
        ("go", "agent:go5", GO5, GNU_GO, "10+0.1"),
        ("go", "agent:go5", GO5, GNU_GO, "2"),
        ("go", "agent:go5", GO5, GNU_GO, "5+3x1"),
        ("chess", "agent:gardner_chess", GARDNER, "fairy-stockfish", "10+0.1"),
        ("chess", "agent:gardner_chess", GARDNER, "fairy-stockfish", "2"),
    ],
)
def test_players_that_search_keep_to_the_rules_and_the_clock(
    kind: str, player: str, game: str, opponent: str, clock: str
) -> None:
    try:
        split_command(opponent)
    except EngineError as error:
        pytest.skip(str(error))
    arguments = argparse.Namespace(
        kind=kind,
        player=[player, "--move-overhead", "300"],
        game=game,
        opponent=opponent,
        clock=engine_games.read_control(clock),
        games=2,
        nodes=50,
    )
    summary = engine_games.play_all(arguments)
    assert (summary["games"], summary["problems"]) == (2, [])
