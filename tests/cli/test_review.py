"""`sog review`: a saved game is judged."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.test_replay import SAVED

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(SAVED))
    return path


def test_every_choice_is_told_with_what_it_lost_and_what_was_luck(sog: Run, file: Path) -> None:
    """To fold a jack is right; the bet with a king is worth as much as a check."""
    code, told, _ = sog("review", str(file))
    assert code == 0
    assert f"game 1 of {file}, judged by tabular" in told
    assert "you: -1 chip = -1 expected at the first choice + 0 by luck - 0 by choices." in told
    rows = [line.split() for line in told.splitlines() if line.startswith(("1 ", "2 "))]
    assert [row[1] for row in rows] == ["agent", "you"]
    assert rows[1][-1] == "best"


def test_all_of_it_is_there_for_machines_and_as_a_picture(
    sog: Run, file: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "worth.svg"
    code, told, _ = sog("review", str(file), "--by", "tabular:200", "--json", "--svg", str(picture))
    assert code == 0
    found = json.loads(told)
    bet, fold = found["choices"]
    assert (fold["move"], fold["player"], fold["grade"], fold["loss"]) == (2, 1, "best", 0.0)
    values = {one["text"]: one["value"] for one in fold["actions"]}
    assert values == pytest.approx({"fold": -1.0, "call": -2.0}, abs=1e-6)
    for player, parts in enumerate(found["players"]):
        utility = parts["expected"] + parts["luck"] - parts["lost"]
        assert utility == pytest.approx(parts["utility"]) == pytest.approx(1 - 2 * player)
    assert "worth in chips" in picture.read_text()
    assert bet["infostate"] == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--number", "2"], "--number must be from 1 to 1, the games in {file}, got 2."),
        (["--by", "nobody"], "'nobody' is no player: "),
        (
            ["--by", "random"],
            "--by must be tabular, or somebody who searches by SoG or AlphaZero, got random: ",
        ),
        (
            ["--search", "20,1"],
            "--search 20,1 has no effect: tabular cannot be told how to search.",
        ),
        (["--svg", "worth.png"], "--svg"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(
    sog: Run, file: Path, options: list[str], says: str
) -> None:
    code, told, problem = sog("review", str(file), *options)
    assert (code, told) == (2, "")
    assert says.format(file=file) in problem.splitlines()[-1]


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"games": []}, "{file} has no finished game."),
        ({"game": "no_such_game"}, "no_such_game, the game of {file}, is not installed."),
        ({"games": [{**SAVED["games"][0], "utility": 2.0}]}, "{file}: game 1: it is said to give"),
        ({"games": [{**SAVED["games"][0], "infostates": []}]}, "{file} is no file that"),
    ],
)
def test_a_file_that_is_damaged_or_of_another_game_is_told_in_a_line(
    sog: Run, tmp_path: Path, changed: dict[str, object], says: str
) -> None:
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({**SAVED, **changed}))
    code, told, problem = sog("review", str(file))
    assert (code, told) == (2, "")
    assert says.format(file=file) in problem
