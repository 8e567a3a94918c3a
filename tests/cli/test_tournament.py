"""`sog tournament`: every method is a player."""

import contextlib
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.cli.saved_tournament import SavedTournament, write_games
from sog.cli.tournament_report import _rated
from sog.games import make
from sog.play.arena import MatchResult
from sog.play.elo import Ratings, fit_elo
from sog.play.game_in_progress import PlayedGame
from sog.play.tournament import Pairing
from tests.cli.conftest import Run, RunJson, output, refusal

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


@pytest.mark.parametrize(
    ("show", "rows"),
    [
        (
            "mean",
            [
                ["1 tabular:20", "-", "-250 ± 1,470", "1,000 ± 980", "375"],
                ["2 tabular:10", "250 ± 1,470", "-", "-500 ± 1,960", "-125"],
                ["3 random", "-1,000 ± 980", "500 ± 1,960", "-", "-250"],
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
    out = output(sog, "tournament", *PLAYERS, "--game", "kuhn", "--games", "4", "--show", show)
    assert rows_of(out) == rows
    what = {"mean": "mbb per game,", "wins": "percent of games won, draws counted as half,"}[show]
    told = f"{what} of the row against the column, with the 95% interval.\n12 games, 1 of them "
    assert f"{told}drawn, in 3 s;" in out


@pytest.mark.parametrize(("show", "order"), [("mean", [2, 1, 0]), ("wins", [1, 2, 0])])
def test_the_json_has_the_same_numbers(
    sog_json: RunJson, as_played: Play, show: str, order: list[int]
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
        ["1 tabular:20", "-", "1,500", "-", "1,500"],  # one pair tells no interval
        ["2 random", "-1,500", "-", "500 ± 1,960", "-500"],
        ["3 tabular:10", "-", "-500 ± 1,960", "-", "-500"],
    ]


@pytest.mark.thorough(only=["arguments9-"])
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random"], "two or more players are needed, got 1."),
        (["random", "random"], "players must differ, got random more than once."),
        (["random", "uct", "--openings", "random:0"], "--openings: random:PLIES needs a number of"),
        (["random", "uct", "--openings", "none.txt"], "--openings: cannot read none.txt: No such"),
        (["random", "uct", "--games-out", "x.txt"], "--games-out: the name must end in one of .js"),
        (["random", "uct", "--save", "x.json"], "--save: the name must end in .jsonl, got x.json."),
        (
            ["random", "zero", "--game", "kuhn", "--openings", "random:1"],
            "--openings: only a game of perfect information can begin at a later state",
        ),
        (
            ["random", "uct:5", "--game", "tic_tac_toe", "--openings", "random:9", "--games=2"],
            "--openings: every game of tic_tac_toe that was tried ended within 9 random moves.",
        ),
        (
            ["random", "uct:5", "--game", "tic_tac_toe", "--games-out", "x.sgf"],
            "--games-out: games of tic_tac_toe have no SGF format; .json takes any game.",
        ),
        (["random", "pimbot", "--game", "rps"], "pimbot: a game of Scotland Yard is needed"),
    ],
)
def test_mistakes_are_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    assert message in refusal(sog, "tournament", *arguments, notes=True)


TIC_TAC_TOE = ("uct:3", "random", "--game", "tic_tac_toe")


def test_openings_of_a_file_are_played_with_either_player_first(
    sog: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    """In the second one X has won already, wherever the first free cell is taken from."""
    lines, out = tmp_path / "openings.txt", tmp_path / "games.json"
    lines.write_text("# two of them\n\na1 b1\nX../.O./...\n")
    found = sog_json("tournament", *TIC_TAC_TOE, "--openings", str(lines), "--games-out", str(out))
    assert (found["games"], found["openings"]) == (4, str(lines))
    games = json.loads(out.read_text())["games"]
    assert [game["events"][:2] for game in games] == [["a1", "b1"]] * 2 + [["a3", "b2"]] * 2
    assert [game["players"] for game in games] == [["uct:3", "random"], ["random", "uct:3"]] * 2
    lines.write_text("a1 b1\nX../X../...\n")
    code, _, err = sog("tournament", *TIC_TAC_TOE, "--openings", str(lines))
    assert (code, f"sog: error: {lines}: line 2: a board must have as many X" in err) == (2, True)
    code, _, err = sog("tournament", *TIC_TAC_TOE, "--openings", str(lines), "--history", "a1")
    assert (code, "are whole positions; omit one option." in err) == (2, True)


def test_random_openings_are_the_same_in_all_pairings_and_come_after_the_history(
    sog_json: RunJson, tmp_path: Path
) -> None:
    out = tmp_path / "games.json"
    players = ("random", "uct:2", "uct:3", "--game", "tic_tac_toe", "--games", "6")
    rest = ("--history", "a1", "--openings", "random:2", "--games-out", str(out))
    assert sog_json("tournament", *players, *rest)["history"] == "a1"
    begins = [tuple(game["events"][:3]) for game in json.loads(out.read_text())["games"]]
    assert begins[:6] == begins[6:12] == begins[12:]
    assert begins[0:6:2] == begins[1:6:2]
    assert len(set(begins)) == 3
    assert {events[0] for events in begins} == {"a1"}


def test_a_tournament_that_was_killed_goes_on_as_if_nothing_had_been(
    sog: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    whole, cut = tmp_path / "whole.jsonl", tmp_path / "cut.jsonl"
    players = ("random", "uct:2", "uct:3", "--game", "tic_tac_toe", "--openings", "random:1")
    asked = ("tournament", *players, "--games", "6")
    told = sog_json(*asked, "--save", str(whole))
    lines = whole.read_bytes().split(b"\n")
    assert len(lines) == 1 + 9 + 1  # the setup, the pairs of games, and nothing after the last
    cut.write_bytes(b"\n".join(lines[:6]) + b"\n" + lines[6][:20])  # torn in the sixth pair
    code, out, err = sog(*asked, "--save", str(cut), "--json")
    assert code == 0
    assert f"sog: continuing {cut} with 10 games." in err
    again = json.loads(out)
    for result in (told, again):
        result["seconds"] = 0
        for pairing in result["pairings"]:
            pairing["seconds"] = 0
    assert again == told
    assert cut.read_bytes() == whole.read_bytes()


def test_two_tournaments_do_not_write_one_file(sog: Run, tmp_path: Path) -> None:
    path = tmp_path / "saved.jsonl"
    with contextlib.closing(SavedTournament(path, {}, make("tic_tac_toe"), [])):
        code, _, err = sog("tournament", *TIC_TAC_TOE, "--games", "2", "--save", str(path))
        assert (code, f"--save: {path} is in use by another process." in err) == (2, True)
    path.unlink()
    assert sog("tournament", *TIC_TAC_TOE, "--games", "2", "--save", str(path))[0] == 0


def test_more_games_may_be_asked_for_later_but_no_other_tournament(
    sog: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    path = tmp_path / "saved.jsonl"
    rest = ("--save", str(path))
    sog_json("tournament", *TIC_TAC_TOE, "--games", "2", *rest)
    assert sog_json("tournament", *TIC_TAC_TOE, "--games", "6", *rest)["pairings"][0]["games"] == 6
    assert len(path.read_text().splitlines()) == 4
    code, _, err = sog("tournament", *TIC_TAC_TOE, "--games", "6", "--seed", "1", *rest)
    assert (code, "are of another tournament: seed was 0, not 1." in err) == (2, True)
    path.write_text(path.read_text().replace('"pair": 1', '"pair": 5'))
    code, _, err = sog("tournament", *TIC_TAC_TOE, *rest)
    assert (code, f"--save: line 3 of {path} is damaged." in err) == (2, True)
    header = path.read_text().splitlines()[0]
    for pairing in ("[]", "[1e999, 0]", "[1, 0]", "[0, 2]"):
        path.write_text(f'{header}\n{{"pairing": {pairing}}}\n')
        code, _, err = sog("tournament", *TIC_TAC_TOE, *rest)
        assert (code, f"--save: line 2 of {path} is damaged." in err) == (2, True)
    path.write_text('{"game": 1}\n')
    code, _, err = sog("tournament", *TIC_TAC_TOE, *rest)
    assert (code, "is not replaced, since it holds something else" in err) == (2, True)


def test_games_of_another_search_are_those_of_another_tournament(
    sog: Run, as_played: Play, tmp_path: Path
) -> None:
    as_played({(0, 1): [[1, 0]]})
    path = str(tmp_path / "saved.jsonl")
    asked = ("tournament", "zero", "random", "--game", "kuhn", "--search", "4,1", "--save", path)
    assert sog(*asked, "--set", "max_outcomes=3")[0] == 0
    code, _, err = sog(*asked, "--set", "max_outcomes=4")
    assert (code, "are of another tournament: max_outcomes of zero was 3, not 4." in err) == (
        2,
        True,
    )


def _public(*outcomes: int) -> dict[str, Any]:
    """A game of perfect information, whose actions are the events."""
    moves = [{"outcome": outcome, "action": outcome} for outcome in outcomes]
    return {"moves": moves, "infostates": [[0, 0]] * (len(outcomes) + 1)}


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"utility": 1e9},
            "the file gives 1e+09 points to player 0, but by the rules of tic_tac_toe",
        ),
        ({"utility": float("nan")}, "the file gives nan points"),
        (_public(99, -1), "move 1 is not possible in tic_tac_toe"),
        (_public(0, -1), "move 2 is not possible"),
        (_public(0, 1), "the game is not over"),
        ({"moves": None}, ""),
        ({"infostates": []}, ""),
        ({"resigned": 7}, "resigned must be player 0 or 1"),
        ({"resigned": True, **_public(0)}, "resigned must be player 0 or 1"),
        ({"resigned": 1, **_public(0), "utility": 1.0}, None),
        ({"begins": "xx"}, "where it begins: "),
        ({}, None),
    ],
    ids=str,
)
def test_every_saved_game_is_held_against_the_rules(
    sog: Run, as_played: Play, tmp_path: Path, change: dict[str, Any], reason: str | None
) -> None:
    as_played({(0, 1): [[1, 0]]})
    path = tmp_path / "saved.jsonl"
    asked = ("tournament", *TIC_TAC_TOE, "--save", str(path))
    assert sog(*asked)[0] == 0
    won = {"utility": 1.0, **_public(0, 3, 1, 4, 2), "resigned": None, "begins": None}
    line = {"pairing": [0, 1], "pair": 0, "games": [won, won | change]}
    path.write_text(path.read_text() + json.dumps(line) + "\n")
    code, _, err = sog(*asked)
    assert code == (0 if reason is None else 2)
    if reason is not None:
        assert f"sog: error: --save: line 2 of {path} is damaged{reason and ': '}" in err
        assert reason in err


def test_a_saved_game_begins_by_its_opening(sog: Run, as_played: Play, tmp_path: Path) -> None:
    as_played({(0, 1): [[1, 0]]})
    path, openings = tmp_path / "saved.jsonl", tmp_path / "openings.txt"
    openings.write_text("b3\n")
    asked = ("tournament", *TIC_TAC_TOE, "--openings", str(openings), "--save", str(path))
    assert sog(*asked)[0] == 0
    header = path.read_text()
    for first, code in ((1, 0), (2, 2)):
        won = {"utility": 1.0, **_public(first, 3, 0, 4, 3 - first), "resigned": None}
        line = {"pairing": [0, 1], "pair": 0, "games": [won] * 2}
        path.write_text(header + json.dumps(line) + "\n")
        found, _, err = sog(*asked)
        assert (found, "it has another opening" in err) == (code, code == 2)


def test_a_saved_game_with_hidden_cards_pays_what_they_say(
    sog: Run, as_played: Play, tmp_path: Path
) -> None:
    """A bet is called: jack against king."""
    as_played({(0, 1): [[1, 0]]})
    path = tmp_path / "saved.jsonl"
    asked = ("tournament", "random", "tabular:1", "--game", "kuhn", "--save", str(path))
    for utility, code in ((-2.0, 0), (2.0, 2)):
        path.unlink(missing_ok=True)
        sog(*asked)
        called = {"utility": utility, **_public(2, 1), "resigned": None, "begins": None}
        called["infostates"] = [[0, 2]] * 3
        line = {"pairing": [0, 1], "pair": 0, "games": [called] * 2}
        path.write_text(path.read_text() + json.dumps(line) + "\n")
        assert sog(*asked)[0] == code


def test_games_of_go_are_written_as_players_read_them(tmp_path: Path) -> None:
    """Black has all of 3 x 3, 9 points, or White gives up; then colors are swapped."""
    game, out = make("go(size=3,komi=2)"), tmp_path / "games.sgf"
    saved = SavedTournament(None, {}, game, [])
    center, passed = 4, 9
    games = [(1.0, (center, passed, passed), None), (1.0, (center,), 1)]
    first, second = (
        PlayedGame(utility=won, outcomes=moves, actions=(), infostates=(), resigned=resigned)
        for won, moves, resigned in games
    )
    saved.add((0, 1), 0, first, second)
    write_games(out, game, ["one", "other"], saved)
    head = "(;GM[1]FF[4]CA[UTF-8]SZ[3]KM[2]"
    assert out.read_text() == (
        f"{head}PB[one]PW[other]RE[B+7]\n;B[bb];W[];B[])\n\n"
        f"{head}PB[other]PW[one]RE[B+R]\n;B[bb])\n"
    )


def test_ratings_are_shown_with_how_likely_each_is_better_than_the_next(
    sog: Run, sog_json: RunJson, as_played: Play
) -> None:
    """Points of the first against the second 2.5 of 4, of the others 1 of 4 and 3 of 4."""
    as_played(UTILITIES)
    asked = ("tournament", *PLAYERS, "--game", "kuhn", "--games", "4")
    found = sog_json(*asked)
    expected = fit_elo(np.array([[0, 2.5, 1], [1.5, 0, 3], [3, 1, 0]]))
    assert [one["elo"] for one in found["elo"]] == pytest.approx(expected.elo.tolist())
    assert found["elo"][0]["interval"][1] == pytest.approx(expected.elo[0] + expected.half_width[0])
    assert found["elo"][1]["superiority"]["2"] == pytest.approx(expected.superiority[1, 2])
    out = output(sog, *asked, "--show", "elo")
    table = [re.split(r" {2,}", line) for line in out.splitlines()[2:6]]
    assert table[0] == ["player", "1", "2", "3", "all", "Elo", "95%", "better"]
    assert [row[0] for row in table[1:]] == ["1 tabular:10", "2 tabular:20", "3 random"]
    assert [row[5] for row in table[1:]] == [f"{expected.elo[n]:+.0f}" for n in (1, 2, 0)]
    assert table[1][-1] == f"{100 * expected.superiority[1, 2]:.1f}%"


def test_a_rating_of_almost_zero_has_no_minus_sign() -> None:
    ratings = Ratings(elo=np.array([-0.2, 0.2]), covariance=np.eye(2), added_draws=0.0)
    assert [_rated(ratings, [1, 0], place)[0] for place in (0, 1)] == ["+0", "+0"]
