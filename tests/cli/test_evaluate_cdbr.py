"""`sog evaluate RUN --cdbr`: what it prints, and its errors."""

import json
from typing import Any

import numpy as np
import pytest

from sog.play.arena import MatchResult
from tests.cli.conftest import Run, RunJson, refusal


@pytest.mark.thorough
def test_json_has_what_is_won_at_this_depth(sog_json: RunJson) -> None:
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
    assert refusal(sog, "evaluate", *options, notes=True).startswith(message)


def test_a_tree_too_large_for_memory_is_one_line(sog: Run) -> None:
    line = refusal(sog, "match", "cdbr(depth=20)", "always_call", "--game", "holdem", notes=True)
    assert line.startswith("cdbr(depth=20)")
    assert line.endswith("try a smaller depth.")
