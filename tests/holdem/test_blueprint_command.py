"""`sog blueprint`, and who plays what it wrote."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sog.holdem.blueprint.file import Blueprint, load_blueprint
from sog.holdem.blueprint.public_chance import BOARDS

Run = Callable[..., tuple[int, str, str]]

GAME = "holdem(ranks=3,suits=2,hole_cards=1,deals=1,stack=300,bets=1/allin)"
WANTED = ("--iterations", "400")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("blueprints")


@pytest.fixture
def learned(folder: Path, sog_json: Callable[..., Any]) -> dict[str, Any]:
    """What the command said of a file that is written once."""
    path = folder / "leduc.blueprint"
    found: dict[str, Any] = sog_json("blueprint", GAME, *WANTED, "--save", str(path))
    return found


def test_a_blueprint_is_written_and_gone_on_with(
    learned: dict[str, Any], folder: Path, sog_json: Callable[..., Any]
) -> None:
    path = folder / "leduc.blueprint"
    assert learned["file"] == str(path)
    assert learned["buckets"] == [3, 15]
    assert (learned["boards"], learned["boards_before"]) == (400, 0)
    assert learned["interrupted"] is False
    exact = sog_json("solve", GAME, "--iterations", "200")["value"]
    assert learned["value"] == pytest.approx(exact, abs=0.05)
    further = sog_json(
        *("blueprint", GAME, "--iterations", "3", "--resume", str(path)),
        *("--save", str(folder / "further.blueprint")),
    )
    assert (further["boards"], further["boards_before"]) == (408, 400)
    known = sog_json("exploitability", GAME, str(path))
    assert 0 < known["exploitability"] < 0.1
    assert known["value"] == pytest.approx(exact, abs=0.02)
    result = sog_json("match", f"blueprint:{path}", "random", "--games", "400")
    assert result["interval"][0] > 0
    assert result["game"].startswith("holdem(ranks=3")


def test_an_interrupt_saves_what_was_learned(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train = Blueprint.train

    def pressed_in_the_third_call(blueprint: Blueprint) -> Any:
        if blueprint.num_boards == 16:
            raise KeyboardInterrupt
        return train(blueprint)

    monkeypatch.setattr(Blueprint, "train", pressed_in_the_third_call)
    path = tmp_path / "short.blueprint"
    code, out, err = sog("blueprint", GAME, "--minutes", "60", "--save", str(path), "--json")
    assert (code, json.loads(out)["interrupted"]) == (130, True)
    assert f"interrupted after 16 boards; {path} has them." in err
    assert load_blueprint(path).num_boards == 16


def test_training_ends_with_the_last_board_that_can_be_counted(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("sog.holdem.commands.blueprint", "sog.holdem.blueprint.file"):
        monkeypatch.setattr(f"{module}.MOST_BOARDS", 2 * BOARDS)
    path = tmp_path / "full.blueprint"
    code, _, err = sog("blueprint", GAME, "--minutes", "60", "--save", str(path))
    assert (code, load_blueprint(path).num_boards) == (0, 2 * BOARDS)
    assert f"stopped at board {2 * BOARDS}, the most that can be counted." in err
    code, _, err = sog("blueprint", GAME, "--resume", str(path), "--save", str(path))
    assert code == 2
    assert f"at most {2 * BOARDS} boards, of which 0 are left." in err


@pytest.mark.slow
def test_on_the_whole_deck_a_blueprint_beats_random_play(
    sog_json: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "whole.blueprint"
    found = sog_json(
        *("blueprint", "holdem(stack=1000,bets=1/allin)", "--buckets", "169/100/50/20"),
        *("--iterations", "400", "--save", str(path)),
    )
    assert found["buckets"] == [169, 100, 50, 20]
    result = sog_json("match", f"blueprint:{path}", "random", "--games", "1000")
    assert result["interval"][0] > 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["kuhn"], "a blueprint needs hold'em, got kuhn."),
        ([GAME, "--buckets", "3"], "buckets must be 2 numbers, one for each street"),
        ([GAME, "--buckets", "3/x"], "--buckets must be numbers joined by /"),
        (["holdem(board=KsTh7s,pot=100)"], "a blueprint needs a whole game"),
        (["holdem(stack=100000,bets=0.1/0.2/0.5/1/2)"], "its betting has more than 200,000"),
        (
            [GAME, "--iterations", "16777217"],
            "at most 16,777,216 boards, of which 16,777,216 are left",
        ),
        ([GAME, "--resume", "no.blueprint"], "--resume: no.blueprint: no such file."),
        ([GAME, "--resume", "x", "--seed", "1"], "the file has its own seed; leave --seed out"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    sog: Run, tmp_path: Path, arguments: list[str], message: str
) -> None:
    target = tmp_path / "new.blueprint"
    code, out, err = sog("blueprint", *arguments, "--save", str(target))
    assert (code, out) == (2, "")
    assert message in err.splitlines()[-1]
    assert not target.exists()


@pytest.mark.thorough
def test_a_blueprint_plays_no_other_game(learned: dict[str, Any], folder: Path, sog: Run) -> None:
    path = str(folder / "leduc.blueprint")
    player = f"blueprint:{path}"
    code, _, err = sog("match", player, "random", "--game", "holdem", "--games", "2")
    assert code == 2
    assert "the players must play the same game" in err
    code, _, err = sog("exploitability", "holdem(ranks=3,suits=2,hole_cards=1,deals=1)", path)
    assert (code, "is a blueprint for holdem(ranks=3" in err) == (2, True)
    code, _, err = sog("match", "blueprint:", "random", "--game", "holdem", "--games", "2")
    assert (code, "blueprint: must be followed by a file" in err) == (2, True)


def test_a_blueprint_replaces_no_other_file(sog: Run, tmp_path: Path) -> None:
    other = tmp_path / "notes.blueprint"
    other.write_text("mine")
    code, _, err = sog("blueprint", GAME, "--save", str(other))
    assert code == 2
    assert "is not replaced, since it holds something else" in err
    assert other.read_text() == "mine"
