"""`sog tournament`: every method is a player."""

from collections.abc import Callable
from typing import Any

import pytest

Run = Callable[..., tuple[int, str, str]]


def test_the_best_player_comes_first(sog: Run, sog_json: Callable[..., Any]) -> None:
    players = ("random", "tabular:200", "outcome_sampling:2000")
    common = (*players, "--game", "kuhn", "--games", "60")
    result = sog_json("tournament", *common)
    assert [player["name"] for player in result["players"]] == list(players)
    pairs = [(pairing["first"], pairing["second"]) for pairing in result["pairings"]]
    assert pairs == [(0, 1), (0, 2), (1, 2)]
    ranks = result["ranking"]
    assert sum(rank["mean"] for rank in ranks) == pytest.approx(0)
    assert [rank["mean"] for rank in ranks] == sorted((r["mean"] for r in ranks), reverse=True)
    means = {pair: pairing["mean"] for pair, pairing in zip(pairs, result["pairings"], strict=True)}
    of_random = next(rank for rank in ranks if rank["player"] == 0)
    assert of_random["mean"] == pytest.approx((means[0, 1] + means[0, 2]) / 2)
    pairing = result["pairings"][0]
    assert pairing["games"] == pairing["wins"] + pairing["draws"] + pairing["losses"] == 60
    low, high = pairing["win_interval"]
    assert low < pairing["win_rate"] < high

    code, out, err = sog("tournament", *common, "--show", "wins")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "kuhn: each against each"
    assert lines[2].split() == ["player", "1", "2", "3", "all"]
    averages = [float(line.split()[-1]) for line in lines[3:6]]
    assert averages == sorted(averages, reverse=True)
    assert sum(averages) == pytest.approx(150, abs=0.3)
    assert "sog: playing kuhn" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "two or more players are needed, got 1."),
        (["random", "random"], "players must differ, got random more than once."),
        (["random", "tabular", "--games", "3"], "--games must be even, since every deal is played"),
        (["random", "tabular"], "--game is needed: random and tabular can play any game."),
        (["random", "pimbot", "--game", "rps"], "pimbot: a game of Scotland Yard is needed"),
    ],
)
def test_mistakes_are_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    code, out, err = sog("tournament", *arguments)
    assert (code, out) == (2, "")
    assert f"sog: error: {message}" in err
