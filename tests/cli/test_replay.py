"""`sog replay`: a saved game is told as it was played."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Run, output, refusal

SAVED: dict[str, Any] = {
    "game": "kuhn(ranks=3)",
    "unit": "chips",
    "agent": {"name": "agent:kuhn at step 6,000"},
    "games": [
        {
            "human": 1,
            "utility": 1.0,
            "moves": [
                {
                    "state": "start",
                    "actor": 0,
                    "action": 2,
                    "text": "bet1",
                    "outcome": 2,
                    "event": "bet1",
                },
                {
                    "state": "bet1",
                    "actor": 1,
                    "action": 0,
                    "text": "fold",
                    "outcome": 0,
                    "event": "fold",
                },
            ],
            "infostates": [[2, 0]] * 3,
            "names": [["K", "J"]] * 3,
        }
    ],
}
TOLD = """\
kuhn(ranks=3) against agent:kuhn at step 6,000

Game 1: you were player 1.
    [Agent: K]
    [You: J]
  start
    Agent: bet1
  bet1
    You: fold
  You lost 1 chip.
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "saved.json"
    path.write_text(json.dumps(SAVED))
    return path


def test_a_saved_game_is_told_with_what_both_knew(sog: Run, file: Path) -> None:
    assert sog("replay", str(file)) == (0, TOLD, "")
    assert sog("replay", str(file), "--number", "1") == (0, TOLD, "")


@pytest.mark.parametrize(
    ("changed", "says"),
    [
        (
            {"utility": 2.0},
            "game 1: the file gives 2 chips to player 0, but by the rules of kuhn(ranks=3) it is "
            "1.",
        ),
        ({"infostates": [[2, -1]] * 3}, "game 1: move 1 is not possible in kuhn(ranks=3)."),
        (
            {"moves": [{**move, "action": None} for move in SAVED["games"][0]["moves"]]},
            "game 1: move 1 is not possible in kuhn(ranks=3).",
        ),
        ({"infostates": 7}, "is not a file of `sog play --save`."),
        (
            {"moves": SAVED["games"][0]["moves"][:1]},
            "game 1: the game is not over by the rules of kuhn(ranks=3).",
        ),
    ],
)
def test_what_the_rules_deny_is_not_told(
    sog: Run, tmp_path: Path, changed: dict[str, Any], says: str
) -> None:
    path = tmp_path / "forged.json"
    path.write_text(json.dumps({**SAVED, "games": [{**SAVED["games"][0], **changed}]}))
    error = refusal(sog, "replay", str(path), notes=True)
    assert error.startswith(str(path))
    assert error.endswith(says)


def test_a_game_that_is_not_installed_is_told_without_its_rules(sog: Run, tmp_path: Path) -> None:
    path = tmp_path / "foreign.json"
    for game in ("mine:Kuhn(ranks=3)", "glasses(map=/dev/zero)", "openspiel:kuhn_poker"):
        path.write_text(json.dumps({**SAVED, "game": game}))
        note = f"sog: {game} is not installed, so its rules are not checked.\n"
        assert sog("replay", str(path)) == (0, TOLD.replace("kuhn(ranks=3)", game), note)


def test_a_game_that_was_played_is_told(sog: Run, run_play: Run, tmp_path: Path) -> None:
    path = tmp_path / "played.json"
    options = ("--game", "kuhn", "--games", "1", "--seed", "1", "--save", str(path))
    output(run_play, "1\n" * 20, "random", *options)
    code, out, err = sog("replay", str(path))
    assert (code, err) == (0, "")
    assert out.startswith("kuhn(ranks=3) against random\n\nGame 1: you were player 0.\n")
    assert " chip" in out


@pytest.mark.parametrize("text", ["", "[]", "{", '{"games": [1], "game": "kuhn", "unit": "x"}'])
def test_another_file_is_refused_in_a_line(sog: Run, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    wanted = f"sog: error: {path} is not a file of `sog play --save`.\n"
    assert sog("replay", str(path)) == (2, "", wanted)


def test_a_game_that_is_not_there_is_told(sog: Run, file: Path, tmp_path: Path) -> None:
    assert "--number must be from 1 to 1" in refusal(sog, "replay", str(file), "--number", "2")
    assert sog("replay", str(tmp_path / "none.json"))[0] == 2


def test_a_game_that_was_given_up_is_over_at_the_turn_of_who_did(sog: Run, tmp_path: Path) -> None:
    """In tic-tac-toe O gives up after X's first stone: X wins."""
    move = {"state": "s", "actor": 0, "action": 4, "text": "b2", "outcome": 4, "event": "b2"}
    game = {
        "human": 0,
        "utility": 1.0,
        "resigned": 1,
        "moves": [move],
        "infostates": [[0, 0]] * 2,
        "names": [["", ""]] * 2,
    }
    path = tmp_path / "given_up.json"
    saved = {**SAVED, "game": "tic_tac_toe", "games": [game]}
    path.write_text(json.dumps(saved))
    code, out, _ = sog("replay", str(path))
    assert (code, "You won 1 chip: Agent gave up." in out) == (0, True)
    for wrong in ({"utility": -1.0}, {"resigned": 0}, {"resigned": None}):
        path.write_text(json.dumps({**saved, "games": [{**game, **wrong}]}))
        assert sog("replay", str(path))[0] == 2
