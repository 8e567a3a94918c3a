"""`sog tournament`: every method is a player."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from sog.games import make
from sog.play.arena import MatchResult
from sog.play.tournament import Pairing

Run = Callable[..., tuple[int, str, str]]
Play = Callable[[dict[Pairing, list[list[float]]]], None]

PLAYERS = ("random", "tabular:10", "tabular:20")
UTILITIES: dict[Pairing, list[list[float]]] = {
    (0, 1): [[2, 1], [-1, 0]],
    (0, 2): [[-2, -1], [1, -2]],
    (1, 2): [[1, 1], [1, -2]],
}
"""What the first of two players got in two pairs of games. By hand, z being 1.959964:

    pairing  utility of pairs   mean   half width  score of pairs  won    half width
    0, 1     1.5, -0.5          0.5    1    z      1, 0.25         0.625  0.375 z
    0, 2     -1.5, -0.5         -1     0.5  z      0, 0.5          0.25   0.25  z
    1, 2     1, -0.5            0.25   0.75 z      1, 0.5          0.75   0.25  z

The standard error of two pairs is half of their difference. Averages over both opponents: utilities
-1/4, -1/8 and 3/8, shares of games won 7/16, 9/16 and 8/16. So the orders of players differ.
"""


@pytest.fixture
def as_played(monkeypatch: pytest.MonkeyPatch) -> Play:
    """Has tournaments of Kuhn poker end with some utilities."""

    def play(utilities: dict[Pairing, list[list[float]]]) -> None:
        results = {
            pairing: MatchResult(
                game=make("kuhn"), utilities=np.array(rows), seconds=1.0, interrupted=False
            )
            for pairing, rows in utilities.items()
        }
        monkeypatch.setattr("sog.cli.tournament.play_tournament", lambda *_, **__: results)

    return play


def rows_of(out: str) -> list[list[str]]:
    """The cells of the table's rows."""
    lines = out.splitlines()
    assert lines[2].split() == ["player", "1", "2", "3", "all"]
    return [re.split(r" {2,}", line) for line in lines[3:6]]


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
    ("show", "rows"),
    [
        (
            "mean",
            [
                ["1 tabular:20", "-", "-250 ± 1,470.0", "1,000.0 ± 980", "375"],
                ["2 tabular:10", "250 ± 1,470.0", "-", "-500 ± 1,960.0", "-125"],
                ["3 random", "-1,000.0 ± 980", "500 ± 1,960.0", "-", "-250"],
            ],
        ),
        (
            "wins",
            [
                ["1 tabular:10", "-", "75.0 ± 49.0", "37.5 ± 73.5", "56.2"],
                ["2 tabular:20", "25.0 ± 49.0", "-", "75.0 ± 49.0", "50.0"],
                ["3 random", "62.5 ± 73.5", "25.0 ± 49.0", "-", "43.8"],
            ],
        ),
    ],
)
def test_every_cell_is_of_the_row_against_the_column(
    sog: Run, as_played: Play, show: str, rows: list[list[str]]
) -> None:
    as_played(UTILITIES)
    code, out, _ = sog("tournament", *PLAYERS, "--game", "kuhn", "--games", "4", "--show", show)
    assert code == 0
    assert rows_of(out) == rows
    what = {"mean": "mbb per game,", "wins": "percent of games won, draws as half,"}[show]
    assert f"{what} of the row against the column, with the 95% interval.\n12 games in 3 s;" in out


@pytest.mark.parametrize(("show", "order"), [("mean", [2, 1, 0]), ("wins", [1, 2, 0])])
def test_the_json_has_the_same_numbers(
    sog_json: Callable[..., Any], as_played: Play, show: str, order: list[int]
) -> None:
    as_played(UTILITIES)
    found = sog_json("tournament", *PLAYERS, "--game", "kuhn", "--games", "4", "--show", show)
    z = 1.959964
    first, second, third = found["pairings"]
    assert [p["mean"] for p in (first, second, third)] == [0.5, -1, 0.25]
    assert [p["win_rate"] for p in (first, second, third)] == [0.625, 0.25, 0.75]
    assert [p[k] for p in (first, second, third) for k in ("wins", "draws", "losses")] == [
        *(2, 1, 1),
        *(1, 0, 3),
        *(3, 0, 1),
    ]
    assert first["interval"] == pytest.approx([0.5 - z, 0.5 + z])
    assert third["interval"] == pytest.approx([0.25 - 0.75 * z, 0.25 + 0.75 * z])
    assert first["win_interval"] == pytest.approx([0.625 - 0.375 * z, 0.625 + 0.375 * z])
    averages = [(7 / 16, -1 / 4), (9 / 16, -1 / 8), (8 / 16, 3 / 8)]
    assert found["ranking"] == [
        {"player": player, "win_rate": averages[player][0], "mean": averages[player][1]}
        for player in order
    ]


def test_averages_are_over_the_opponents_that_were_met(sog: Run, as_played: Play) -> None:
    as_played({(0, 1): UTILITIES[0, 1], (0, 2): UTILITIES[0, 2][:1]})  # then Ctrl-C
    code, out, err = sog("tournament", *PLAYERS, "--game", "kuhn", "--games", "4")
    assert (code, "sog: interrupted" in err) == (130, True)
    assert rows_of(out) == [
        ["1 tabular:20", "-", "1,500.0", "-", "1,500.0"],  # one pair tells no interval
        ["2 random", "-1,500.0", "-", "500 ± 1,960.0", "-500"],
        ["3 tabular:10", "-", "-500 ± 1,960.0", "-", "-500"],
    ]


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
