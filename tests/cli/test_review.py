"""`sog review`: a saved game is judged."""

import json
import re
from pathlib import Path

import pytest

from sog.cli.display import Work
from sog.cli.games_file import installed_game
from sog.games import make
from sog.play.game_in_progress import PlayedGame
from sog.play.replay import replay_of
from sog.players.agents import AgentEntry, read_agents
from sog.players.judges import usual_judge
from tests.cli.conftest import Run, output, refusal
from tests.cli.test_replay import SAVED


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(SAVED))
    return path


def test_every_choice_is_told_with_what_it_lost_and_what_was_luck(sog: Run, file: Path) -> None:
    """To fold a jack is right; the bet with a king is worth as much as a check."""
    told = output(sog, "review", str(file))
    assert f"game 1 of {file}, judged by tabular" in told
    assert (
        "you: -1 chip = -1.00 expected at the first choice - 0.00 lost by choices + 0.00 given by "
        "the other one's + 0.00 by luck." in told
    )
    rows = [line.split() for line in told.splitlines() if line.startswith(("1 ", "2 "))]
    assert [row[1] for row in rows] == ["agent", "you"]
    assert rows[1][-1] == "best"


def test_all_of_it_is_there_for_machines_and_as_a_picture(
    sog: Run, file: Path, tmp_path: Path
) -> None:
    picture = tmp_path / "worth.svg"
    told = output(sog, "review", str(file), "--by", "tabular:200", "--json", "--svg", str(picture))
    found = json.loads(told)
    bet, fold = found["choices"]
    assert (fold["move"], fold["player"], fold["grade"], fold["loss"]) == (2, 1, "best", 0.0)
    values = {one["text"]: one["value"] for one in fold["actions"]}
    assert values == pytest.approx({"fold": -1.0, "call": -2.0}, abs=1e-6)
    for player, parts in enumerate(found["players"]):
        by_choices = parts["given"] - parts["lost"]
        utility = parts["expected"] + by_choices + parts["luck"] + parts["revised"]
        assert parts["luck"] == parts["chance"] + parts["hidden"]
        assert utility == pytest.approx(parts["utility"]) == pytest.approx(1 - 2 * player)
    assert "value in chips" in picture.read_text()
    assert bet["infostate"] == 2
    assert (found["interrupted"], found["num_choices"]) == (False, 2)


@pytest.mark.thorough(only=["gardner_chess"])
@pytest.mark.parametrize("entry", read_agents().values(), ids=lambda entry: str(entry.name))
def test_an_agent_of_the_package_judges_the_games_of_its_game(entry: AgentEntry) -> None:
    """A file names all parameters of its game. What is small is judged by its exact solution."""
    game = installed_game(str(make(entry.game)))
    assert game is not None
    is_small = entry.name in ("glasses", "goofspiel4", "kuhn", "leduc", "liars_dice_1x4")
    same_game = [name for name, other in read_agents().items() if other.game == entry.game]
    assert usual_judge(game) == ("tabular" if is_small else f"agent:{same_game[0]}")


def connect_four_file(path: Path) -> Path:
    """X plays the first column and O the second, until X has four."""
    game, columns = make("connect_four"), (0, 1, 0, 1, 0, 1, 0)
    played = PlayedGame(
        utility=1.0, outcomes=columns, actions=columns, infostates=((0, 0),) * (len(columns) + 1)
    )
    saved = {**SAVED, "game": str(game), "games": [replay_of(game, 0, played)]}
    path.write_text(json.dumps(saved))
    return path


@pytest.mark.thorough
def test_in_a_game_without_luck_there_is_none(sog: Run, tmp_path: Path) -> None:
    file = connect_four_file(tmp_path / "saved.json")
    told = output(sog, "review", str(file), "--search", "20,1")
    assert "judged by agent:connect_four" in told
    assert " luck" not in told
    assert "re-evaluated" in told
    lost = [line.split()[-2] for line in told.splitlines() if line.endswith("mistake")]
    assert lost
    assert all(re.fullmatch(r"\d\.\d\d", one) for one in lost)


@pytest.mark.thorough
def test_an_interrupted_review_tells_what_is_judged(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = connect_four_file(tmp_path / "saved.json")
    update = Work.update

    def interrupt(self: Work, detail: str, completed: int | None = None) -> None:
        update(self, detail, completed)
        if detail == "3 of 7 choices":
            raise KeyboardInterrupt

    monkeypatch.setattr("sog.cli.display.Work.update", interrupt)
    search = ("--search", "20,1")
    code, told, problem = sog("review", str(file), *search)
    assert code == 130
    assert "interrupted: these are 3 of 7 choices." in problem
    assert [line.split()[0] for line in told.splitlines() if "to move" in line] == ["1", "2", "3"]
    assert "lost so far" in told
    code, told, _ = sog("review", str(file), *search, "--json")
    found = json.loads(told)
    assert (code, found["interrupted"], len(found["choices"])) == (130, True, 3)
    assert found["players"][0]["revised"] is None


def test_who_plays_another_game_is_told_so_by_the_file(sog: Run, file: Path) -> None:
    problem = refusal(sog, "review", str(file), "--by", "agent:leduc", notes=True)
    assert "agent:leduc plays leduc(ranks=3" in problem
    assert f"the game of {file} is kuhn(ranks=3)." in problem
    assert "--game" not in problem


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--number", "2"], "--number must be from 1 to 1, the games in {file}, got 2."),
        (["--by", "nobody"], "'nobody' is not a player: "),
        (
            ["--by", "random"],
            "--by must be tabular, or a player that searches by SoG or AlphaZero, got random: ",
        ),
        (
            ["--search", "20,1"],
            "--search 20,1 has no effect: tabular takes no search settings.",
        ),
        (["--svg", "worth.png"], "--svg"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(
    sog: Run, file: Path, options: list[str], says: str
) -> None:
    assert says.format(file=file) in refusal(sog, "review", str(file), *options, notes=True)


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        ({"games": []}, "{file} has no finished game."),
        ({"game": "no_such_game"}, "no_such_game, the game of {file}, is not installed."),
        ({"games": [{**SAVED["games"][0], "utility": 2.0}]}, "{file}: game 1: the file gives"),
        ({"games": [{**SAVED["games"][0], "infostates": []}]}, "{file} is not a file of"),
    ],
)
def test_a_file_that_is_damaged_or_of_another_game_is_told_in_a_line(
    sog: Run, tmp_path: Path, changed: dict[str, object], says: str
) -> None:
    file = tmp_path / "saved.json"
    file.write_text(json.dumps({**SAVED, **changed}))
    assert says.format(file=file) in refusal(sog, "review", str(file), notes=True)
