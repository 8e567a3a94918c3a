"""Boards of Go that are set up: fixed handicaps, and a turn that is given to somebody."""

import dataclasses
import shutil
import subprocess

import numpy as np
import pytest

from sog.boards.go import Go
from sog.boards.go_notation import vertex
from sog.boards.go_setup import handicap_points, most_handicap
from sog.boards.go_sizes import Go5


@pytest.mark.parametrize(
    ("size", "number", "points"),
    [
        (7, 4, "C3 E5 C5 E3"),
        (9, 9, "C3 G7 C7 G3 C5 G5 E3 E7 E5"),
        (12, 4, "D4 J9 D9 J4"),
        (19, 8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
    ],
)
def test_handicap_stones_are_where_gtp_fixes_them(size: int, number: int, points: str) -> None:
    """As in section 4.1.1 of the protocol's second version."""
    assert " ".join(vertex(point, size) for point in handicap_points(number, size)) == points


def test_how_many_handicap_stones_have_points_depends_on_the_size() -> None:
    most = {size: most_handicap(size) for size in (6, 7, 8, 9, 10, 18, 19)}
    assert most == {6: 0, 7: 4, 8: 4, 9: 9, 10: 4, 18: 4, 19: 9}
    with pytest.raises(ValueError, match="handicap stones go from 2 to 4 on 7 x 7, got 5"):
        handicap_points(5, 7)
    with pytest.raises(ValueError, match="handicap stones go from 2 to 9 on 19 x 19, got 1"):
        handicap_points(1, 19)
    with pytest.raises(ValueError, match="handicap stones have no fixed points on 6 x 6, got 2"):
        handicap_points(2, 6)


def test_gnu_go_puts_handicap_stones_on_the_same_points() -> None:
    command = shutil.which("gnugo") or shutil.which("gnugo", path="/usr/games:/usr/local/games")
    if command is None:
        pytest.skip("GNU Go is not installed")
    asked = [(size, number) for size in range(7, 20) for number in range(2, 10)]
    lines = [f"boardsize {size}\nfixed_handicap {number}" for size, number in asked]
    said = subprocess.run(
        [command, "--mode", "gtp"], input="\n".join([*lines, "quit\n"]), capture_output=True,
        text=True, check=True, timeout=60,
    ).stdout  # fmt: skip
    answers = said.split("\n\n")[1::2]
    for (size, number), answer in zip(asked, answers, strict=False):
        if number > most_handicap(size):
            assert answer == "? invalid handicap"
        else:
            points = {vertex(point, size) for point in handicap_points(number, size)}
            assert points == set(answer.removeprefix("= ").split())
    assert len(answers) >= len(asked)


def test_a_turn_that_is_given_is_a_pass_that_brings_no_end_nearer() -> None:
    game = Go5()
    before = game.play(game.parse("c3"))
    given, passed = game.with_turn(before, 0), game.play([game.pass_action], before)
    assert (int(game.actor(given)), int(game.actor(passed))) == (0, 0)
    assert (int(given.num_passes), int(given.num_moves)) == (0, 0)
    for field in dataclasses.fields(given):
        if field.name not in ("num_passes", "num_moves"):
            same = np.array_equal(getattr(given, field.name), getattr(passed, field.name))
            assert same, field.name
    assert game.with_turn(given, 0) is given
    white = game.with_turn(game.root(), 1)
    assert int(game.actor(white)) == 1
    assert int(game.actor(game.play([game.pass_action], white))) == 0
    assert int(game.actor(game.play([game.pass_action], game.with_turn(passed, 1)))) == 0


@pytest.mark.thorough(but=["positional"])
@pytest.mark.parametrize(
    ("superko", "message"), [("positional", "earlier position"), ("simple", "")]
)
def test_positions_before_a_turn_that_was_given_still_count(superko: str, message: str) -> None:
    """Black takes a ko at B3, and gets the turn; were he to pass, White would repeat a position."""
    game = Go(size=4, superko=superko)
    black_takes = game.play(game.parse("a3 b3 b4 c4 b2 c2 pass d3 c3"))
    assert game.describe_state(black_takes).startswith("1XO1/X1XO/1XO1/4")
    later = game.play([game.pass_action], game.with_turn(black_takes, 0))
    again = game.action_of_vertex("b3")
    if message:
        with pytest.raises(ValueError, match=message):
            game.play([again], later)
    else:
        assert game.describe_state(game.play([again], later)).startswith("1XO1/XO1O/1XO1/4")
