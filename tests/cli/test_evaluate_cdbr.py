"""`sog evaluate RUN --cdbr`: what it prints, and its errors."""

import json
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sog.play.arena import MatchResult

Run = Callable[..., tuple[int, str, str]]


@pytest.mark.thorough
def test_json_has_what_is_won_at_this_depth(sog_json: Callable[..., Any]) -> None:
    little = ("--depth", "3", "--games", "4", "--search", "1,1")
    printed = sog_json("evaluate", "agent:kuhn", "--cdbr", *little)
    assert (printed["unit"], printed["player"], printed["seed"]) == ("chips", "agent:kuhn", 0)
    (one,) = printed["cdbr"]
    assert (one["depth"], one["games"], one["interrupted"]) == (3, 4, False)
    low, high = one["interval"]
    assert low <= one["mean"] <= high
    assert abs(one["without_aivat"]["mean"] * 4) % 1 == 0  # of whole chips


def test_an_interrupted_match_says_so(sog: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def play(
        game: Any, first: Any, second: Any, games: int, seed: int, show: Any, **named: Any
    ) -> Any:
        none = np.zeros((1, 2))
        assert named["batch_size"] == 2
        show(MatchResult(game=game, utilities=none, corrected=none, seconds=1.0, interrupted=False))
        raise KeyboardInterrupt

    monkeypatch.setattr("sog.cli.responding.play_match", play)
    few = ("--games", "4", "--batch-size", "2")
    code, out, _ = sog("evaluate", "agent:kuhn", "--cdbr", *few, "--json")
    (one,) = json.loads(out)["cdbr"]
    assert (code, one["games"], one["interrupted"]) == (130, 2, True)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            ["leduc", "--cdbr"],
            "--cdbr needs a run folder or agent:NAME, got leduc; of other players it is sog match "
            "cdbr PLAYER --game leduc --aivat zero.",
        ),
        (["agent:leduc", "--cdbr", "--lbr"], "--cdbr has no effect with --lbr."),
        (["agent:leduc", "--depth", "3"], "--depth has no effect without --cdbr."),
        (["agent:leduc", "--cdbr", "--depth", "0"], "argument --depth: must be from 1 to"),
        (["agent:leduc", "--cdbr", "--seeds", "3"], "--seeds has no effect with --cdbr, which"),
        (["agent:leduc", "--cdbr", "--games", "3"], "--games must be even, since every deal is"),
        (["agent:nobody", "--cdbr"], "there is no agent 'nobody'"),
    ],
)
def test_a_mistake_is_one_line(sog: Run, options: list[str], message: str) -> None:
    code, out, err = sog("evaluate", *options)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"sog: error: {message}")


def test_a_tree_too_large_for_memory_is_one_line(sog: Run) -> None:
    code, out, err = sog("match", "cdbr(depth=20)", "always_call", "--game", "holdem")
    assert (code, out) == (2, "")
    (line,) = (line for line in err.splitlines() if "error" in line)
    assert line.startswith("sog: error: cdbr(depth=20)")
    assert line.endswith("try a smaller depth.")
