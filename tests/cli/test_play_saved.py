"""Games that `sog play` saves: what is in the file, and how they are resumed."""

import json
from pathlib import Path
from typing import Any

import jax.numpy as jnp
import pytest

from sog.games import make
from tests.cli.conftest import Run, output, refusal


def test_ctrl_c_shows_the_score_and_saves_the_games(
    run_play: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    file, asked = tmp_path / "replay.json", []

    def ask(terminal: object, prompt: str) -> str:
        asked.append(prompt)
        if len(asked) == 2:
            raise KeyboardInterrupt
        return "heads"

    monkeypatch.setattr("sog.cli.play_screen.Terminal.ask", ask)
    options = ("random", "--game", "matching_pennies", "--games", "2", "--save", str(file))
    code, out, _ = run_play("", *options)
    assert code == 130
    assert "Score after 1 game: " in out
    assert len(json.loads(file.read_text())["games"]) == 1


def test_an_unfinished_game_is_resumed_and_ends_as_it_would_have(
    run_play: Run, tmp_path: Path
) -> None:
    file, whole = tmp_path / "left.json", tmp_path / "whole.json"
    game = ("random", "--game", "oshi_zumo(coins=4,size=1)", "--games", "1")
    run_play("2\n" * 9, *game, "--seed", "5", "--save", str(whole))
    run_play("2\nq\n", *game, "--seed", "5", "--save", str(file))
    left = json.loads(file.read_text())
    assert left["games"] == []
    assert next(player for player, _ in left["unfinished"]["moves"]) == 0
    out = output(run_play, "2\n" * 9, *game, "--resume", str(file))
    assert "Score after 1 game" in out
    resumed = json.loads(file.read_text())
    assert resumed["unfinished"] is None
    first = left["unfinished"]["moves"]
    moves = [one["action"] for one in resumed["games"][0]["moves"] if one["action"] is not None]
    assert moves[: len(first)] == [action for _, action in first]
    begun = [one["action"] for one in json.loads(whole.read_text())["games"][0]["moves"]]
    assert begun[: len(first)] == moves[: len(first)]


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 2**32},
        {"seed": -1},
        {"games": [{"human": 2, "utility": 1, "moves": [], "names": []}]},
        {"games": [{"human": 0, "utility": float("nan"), "moves": [], "names": []}]},
    ],
)
def test_a_file_that_no_session_left_is_not_resumed(
    run_play: Run, tmp_path: Path, change: dict[str, Any]
) -> None:
    file = tmp_path / "saved.json"
    game = ("random", "--game", "matching_pennies", "--games", "1")
    run_play("heads\n", *game, "--save", str(file))
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    error = refusal(run_play, "heads\n", *game, "--resume", str(file))
    assert error.endswith("is not a file of `sog play --save`.")


def test_the_score_goes_on_with_a_resumed_file(run_play: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "matching_pennies", "--games", "2")
    run_play("heads\n" * 2, *game, "--seed", "1", "--save", str(file))
    _, out, _ = run_play("heads\n" * 2, *game, "--resume", str(file))
    assert out.count("Score after 2 games") == 1
    assert out.count("Score after 4 games") == 1
    assert len(json.loads(file.read_text())["games"]) == 4


def test_an_earlier_file_is_not_lost(run_play: Run, tmp_path: Path) -> None:
    file = tmp_path / "games.json"
    game = ("random", "--game", "matching_pennies", "--games", "1")
    run_play("heads\n", *game, "--save", str(file))
    before, resumed = file.read_bytes(), ("--resume", str(file))
    for arguments, message in (
        ((*game, "--save", str(file)), "exists already; --resume continues it"),
        (("random", "--game", "kuhn", *resumed), "are of matching_pennies, not of kuhn"),
        ((*game, "--seed", "3", *resumed), "uses the seed of the file: omit --seed"),
        (("tabular", *game[1:], *resumed), "are against random, not against tabular"),
    ):
        assert message in refusal(run_play, "heads\n", *arguments, notes=True)
    assert file.read_bytes() == before


# The replay.


@pytest.mark.thorough
def test_a_replay_has_all_that_happened(run_play: Run, tmp_path: Path) -> None:
    file = tmp_path / "replay.json"
    options = ("random", "--game", "leduc", "--games", "1", "--seed", "5", "--save", str(file))
    run_play("call\ncheck\n" * 9, *options)
    replay = json.loads(file.read_text())
    assert (replay["game"], replay["seed"]) == (str(make("leduc")), 5)
    how = ("search", "rule", "leaf_averaging", "leaf_interval", "resolve_from", "seconds")
    assert replay["agent"] == {"name": "random", **dict.fromkeys(how)}
    (game,) = replay["games"]
    assert game["human"] == 0
    assert len(game["infostates"]) == len(game["names"]) == len(game["moves"]) + 1
    assert game["moves"][0]["actor"] == 0
    assert game["moves"][0]["text"] == game["moves"][0]["event"]
    assert replayed_utility(game) == pytest.approx(game["utility"])


def replayed_utility(replay: Any) -> float:
    """What player 0 gets in Leduc poker, from the events alone."""
    game = make("leduc")
    state = game.root()
    for move in replay["moves"]:
        state = game.apply(state, jnp.int32(move["outcome"]))
    first, second = replay["infostates"][-1]
    reach = jnp.zeros((2, 6)).at[0, first].set(1.0).at[1, second].set(1.0)
    cfv = float(game.utilities(state, reach)[0, first])
    return cfv / float(game.compatible_reach(state, reach)[0, first])
