"""Games that begin at a position of its own: played, saved, gone on with, replayed and reviewed."""

import json
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.conftest import Run, RunJson, output, refusal

MATE_IN_1: Final = "2k2/5/2K2/5/R4 w - - 0 1"
BLACK_MATES: Final = "2K2/5/2k2/5/r4 b - - 0 1"
CHESS: Final = ("random", "--game", "gardner_chess")


def saved(path: Path) -> Any:
    return json.loads(path.read_text())


def test_a_game_from_a_position_is_played_saved_and_replayed(typed: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    options = ("--history", MATE_IN_1, "--as", "0", "--games", "1", "--save", str(file))
    out = output(typed, "a1a5\n", "play", *CHESS, *options)
    assert "You win" in out
    (game,) = saved(file)["games"]
    assert game["begins"] == MATE_IN_1
    assert [move["text"] for move in game["moves"]] == ["a1a5"]
    out = output(typed, "", "replay", str(file))
    assert f"{MATE_IN_1}\n    You: a1a5" in out
    assert "You won 1 point." in out


@pytest.mark.thorough
def test_moves_after_the_position_are_made_first(typed: Run) -> None:
    history = f"{MATE_IN_1} moves Ra2 Kd5"
    out = output(typed, "q\n", "play", *CHESS, "--history", history, "--as", "0")
    assert out.index("You:    a1a2") < out.index("Agent:  c5d5") < out.index("5 . . . k .")


def test_a_game_that_was_left_goes_on_from_its_position(typed: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    start = ("--history", MATE_IN_1, "--as", "0", "--save", str(file), "--seed", "3")
    output(typed, "a1a2\nq\n", "play", *CHESS, *start)
    left = saved(file)["unfinished"]
    assert left["begins"] == MATE_IN_1
    assert len(left["moves"]) == 2
    out = output(typed, "undo\na1a5\nn\n", "play", *CHESS, "--as", "0", "--resume", str(file))
    assert "Undone." in out
    assert "You win" in out
    assert saved(file)["games"][0]["begins"] == MATE_IN_1
    assert saved(file)["unfinished"] is None


@pytest.mark.parametrize(
    ("begins", "message"),
    [
        ("2k2/5/2K2/5 w - - 0 1", "game 1: where it begins: "),
        ("", "game 1: where it begins: it must be a later position, got the start of the game."),
        ("2k2/5/2K2/R4/5 w - - 0 1", "game 1: move 1 is not possible in gardner_chess"),
    ],
)
def test_a_forged_position_in_a_file_is_told_in_a_line(
    typed: Run, tmp_path: Path, begins: str, message: str
) -> None:
    file = tmp_path / "games.json"
    options = ("--history", MATE_IN_1, "--as", "0", "--games", "1", "--save", str(file))
    assert typed("a1a5\n", "play", *CHESS, *options)[0] == 0
    content = saved(file)
    content["games"][0]["begins"] = begins
    file.write_text(json.dumps(content))
    assert message in refusal(typed, "", "replay", str(file))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("play", *CHESS, "--history", "2k2/5/2K2/5 w - - 0 1"), "--history: "),
        (
            ("match", "random", *CHESS, "--history", "R1k2/5/2K2/5/5 b - - 0 1"),
            "--history: the game is over",
        ),
        (("play", *CHESS, "--history", "lost.pgn"), "--history: cannot read lost.pgn: No such"),
        (
            ("match", "random", "random", "--game", "leduc", "--history", "check"),
            "leduc is not one: ranges there depend on how both players got there.",
        ),
    ],
)
def test_a_position_that_cannot_be_is_told_in_a_line(
    sog: Run, arguments: tuple[str, ...], message: str
) -> None:
    assert message in refusal(sog, *arguments)


@pytest.mark.parametrize(
    ("komi", "told"),
    [
        ("6.5", ["sog: --history says komi 6.5; go5 has 24.5, which counts here."]),
        ("24.50", []),
        (
            "abc",
            [
                "sog: --history: SGF: KM, the komi, is ignored: it must be a number from -361 to "
                "361, got 'abc'."
            ],
        ),
    ],
)
def test_another_komi_in_a_file_is_told(
    sog: Run, tmp_path: Path, komi: str, told: list[str]
) -> None:
    file = tmp_path / "game.sgf"
    file.write_text(f"(;SZ[5]KM[{komi}]AB[cc]AW[bb])")
    players = ("random", "random", "--game", "go5", "--games", "2")
    code, _, err = sog("match", *players, "--history", str(file))
    assert code == 0
    assert [line for line in err.split("\n") if "komi" in line] == told


@pytest.mark.slow
def test_a_search_mates_and_its_game_is_reviewed(
    typed: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    """The one who searches has the rook and the move."""
    file = tmp_path / "games.json"
    searching = ("rollout", "--game", "gardner_chess", "--search", "60,1")
    options = ("--history", BLACK_MATES, "--as", "0", "--games", "1", "--save", str(file))
    out = output(typed, "", "play", *searching, *options)
    assert "Agent:  a1a5" in out
    assert "You lose" in out
    found = sog_json("review", str(file), "--by", "rollout", "--search", "60,1")
    (choice,) = found["choices"]
    assert (choice["player"], choice["grade"]) == (1, "best")
    assert found["players"][1]["utility"] == 1


@pytest.mark.thorough
def test_positions_of_a_tournament_are_in_its_games(sog: Run, tmp_path: Path) -> None:
    """Black's stone, and White's turn, who is as likely to pass as Black can be to win."""
    openings, sgf, games = (tmp_path / name for name in ("lines.txt", "all.sgf", "all.json"))
    line = "(;SZ[2]AB[aa]PL[W];W[bb])"
    openings.write_text(f"# one\n{line}\n")
    game = "go(size=2,move_limit=4,komi=0.5)"
    for out in (sgf, games):
        options = ("--openings", str(openings), "--games-out", str(out), "--games", "2")
        output(sog, "tournament", "random", "rollout", "--game", game, *options)
    assert sgf.read_text().count("AB[aa]PL[W]\n;W[bb];B[") == 2
    told = saved(games)["games"]
    assert [game["begins"] for game in told] == [line] * 2
    assert [game["events"][0] for game in told] == ["B1"] * 2
