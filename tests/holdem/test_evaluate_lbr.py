"""`sog evaluate RUN --lbr`: what it prints, and what it refuses."""

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]
LITTLE = ("evaluate", "agent:leduc", "--lbr", "--games", "4", "--search", "1,1")


@pytest.mark.thorough
def test_json_has_what_is_won_with_and_without_bets(sog_json: Callable[..., Any]) -> None:
    printed = sog_json(*LITTLE, "--seed", "3")
    assert (printed["unit"], printed["player"], printed["seed"]) == ("chips", "agent:leduc", 3)
    calling, betting = printed["lbr"]
    assert (calling["bets"], betting["bets"]) == ("none", "all")
    for one in (calling, betting):
        assert one["games"] == 4
        low, high = one["interval"]
        assert low < one["mean"] < high
        # Four games of whole chips, 13 at most.
        assert abs(one["without_aivat"]["mean"]) <= 13
        assert abs(one["without_aivat"]["mean"] * 4) % 1 == 0


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["leduc", "--lbr"],
            "--lbr needs a run folder or agent:NAME, got leduc; of other players it is sog match "
            "lbr PLAYER --game leduc --aivat zero.",
        ),
        (["agent:leduc", "--lbr", "--whole-game"], "--whole-game has no effect with --lbr, which"),
        (
            ["agent:leduc", "--games", "20"],
            "--games has no effect without an option that plays them",
        ),
        (["agent:leduc", "--lbr", "--games", "3"], "--games must be even, since every deal is"),
        (
            ["agent:leduc", "--lbr", "--search", "1,1", "--search", "2,1"],
            "--search must be given once with --lbr.",
        ),
    ],
)
def test_what_cannot_be_is_told_in_one_line(sog: Run, options: list[str], message: str) -> None:
    code, out, err = sog("evaluate", *options)
    assert (code, out) == (2, "")
    (line,) = err.splitlines()
    assert line.startswith(f"sog: error: {message}")
