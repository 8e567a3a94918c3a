"""`sog match`: results of games, and what is kept of a match that is not played to its end."""

import functools
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.cli import match
from sog.games import make
from sog.play.arena import MatchResult, play_match
from sog.tabular import compile_tree, save_policy
from sog.tabular.policy_table import write_policy_table
from tests.cli.conftest import Run, RunJson, refusal


@pytest.fixture
def run_match(sog: Run) -> Run:
    return functools.partial(sog, "match")


def searching(name: str, rule: str = "cfr+") -> dict[str, Any]:
    """A player with --search 4,1 as JSON."""
    return {
        "name": name,
        "search": [4, 1],
        "growth_share": 1.0,
        "grow_from": "searched",
        "rule": rule,
        "leaf_averaging": 0,
        "leaf_smoothing": 0,
        "leaf_interval": 1,
        "resolve_from": "first_child",
        "seconds": None,
    }


def test_a_match_is_reported_as_json(run_match: Run) -> None:
    code, out, _ = run_match("tabular", "random", "--game", "kuhn", "--games", "60", "--json")
    assert code == 0
    result = json.loads(out)
    assert (result["game"], result["unit"]) == ("kuhn(ranks=3)", "chips")
    usual = dict.fromkeys(searching(""))
    assert result["players"] == [usual | {"name": name} for name in ("tabular", "random")]
    assert (result["games"], result["interrupted"], result["seed"]) == (60, False, 0)
    assert result["wins"] + result["draws"] + result["losses"] == 60
    assert sum(result["mean_as"]) / 2 == pytest.approx(result["mean"])
    assert max(result["won_all_as"]) < 1
    low, high = result["interval"]
    assert (low + high) / 2 == pytest.approx(result["mean"])


@pytest.mark.thorough
@pytest.mark.parametrize("values", ["exact", "network"])
def test_aivat_is_reported_beside_the_plain_result(
    run_match: Run, untrained: Path, values: str
) -> None:
    """The stand-in for a network says 0 everywhere, which is nearer to the truth than luck."""
    arguments = (str(untrained / "kuhn"), "tabular", "--games", "40", "--search", "4,1")
    _, out, _ = run_match(*arguments, "--aivat", values, "--json")
    result = json.loads(out)
    aivat = result["aivat"]
    assert aivat["values"] == values
    assert aivat["standard_error"] < result["standard_error"]
    ratio = (result["standard_error"] / aivat["standard_error"]) ** 2
    assert aivat["variance_ratio"] == pytest.approx(ratio)
    low, high = aivat["interval"]
    assert high - low == pytest.approx(2 * 1.959964 * aivat["standard_error"])
    assert low < aivat["mean"] < high
    _, out, _ = run_match(*arguments, "--aivat", values)
    assert f"AIVAT with {values} values, a variance" in " ".join(out.split())


def test_the_table_has_a_row_per_player_that_mirrors_the_other(run_match: Run) -> None:
    code, out, err = run_match("random", "tabular", "--game", "kuhn", "--games", "40")
    assert code == 0
    lines = out.splitlines()
    assert lines[0] == "kuhn: random against tabular"
    assert "mean (mbb)" in lines[2]
    assert "20 deals, played twice with roles swapped" in out
    first, second = (
        [float(word.replace(",", "")) for word in line.replace("± ", "").split()[1:]]
        for line in lines[3:5]
    )
    assert (lines[3].split()[0], lines[4].split()[0]) == ("random", "tabular")
    assert first[0] == -second[0]
    assert first[1] == second[1]
    assert (first[2], first[3]) == (-second[3], -second[2])
    assert first[4:] == second[:3:-1]
    assert "sog: playing kuhn" in err


def test_two_of_a_name_are_told_apart(run_match: Run) -> None:
    _, out, _ = run_match("random", "random", "--game", "tic_tac_toe", "--games", "2")
    assert "random (A)" in out
    assert "random (B)" in out


@pytest.mark.thorough
def test_a_trained_network_plays_its_own_game(run_match: Run, untrained: Path) -> None:
    kuhn = untrained / "kuhn"
    code, out, err = run_match(str(kuhn), "zero", "--search", "4,1", "--games", "2", "--json")
    assert code == 0
    assert "sog: step 900 is damaged.\n" in err
    assert json.loads(out)["players"] == [searching("kuhn at step 700"), searching("zero", "sog")]


def test_all_who_search_update_as_they_are_told(
    run_match: Run, untrained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unplayed(game: Any, *_: Any, **__: Any) -> MatchResult:
        return MatchResult(game=game, utilities=np.zeros((1, 2)), seconds=1.0, interrupted=False)

    monkeypatch.setattr(match, "play_match", unplayed)
    players = (str(untrained / "kuhn"), "zero", "--games", "2", "--search", "4,1")
    how = [f"--set={one}" for one in ("rule=dcfr", "leaf_averaging=0.5", "search.leaf_interval=2")]
    _, out, _ = run_match(*players, *how)
    for player in ("kuhn at step 700", "zero"):
        words = "SoG(4, 1), leaf averaging 0.5, leaf interval 2, rule dcfr"
        assert f"{player} searches with {words}" in out.replace("\n", " ")


@pytest.mark.thorough
def test_two_checkpoints_of_a_run_meet(run_match: Run, untrained: Path) -> None:
    first, second = f"{untrained / 'kuhn'}@100", f"{untrained / 'kuhn'}@200"
    _, out, _ = run_match(first, second, "--games", "2", "--search", "4,1", "--json")
    steps = ("kuhn at step 100", "kuhn at step 200")
    assert json.loads(out)["players"] == [*map(searching, steps)]


@pytest.mark.parametrize(
    ("stop", "code", "why"),
    [
        (KeyboardInterrupt(), 130, "interrupted"),
        (ValueError("acpc:bot did not answer."), 2, "stopped by an error, see below"),
    ],
    ids=["Ctrl-C", "a bot that hangs"],
)
def test_what_stops_a_match_takes_no_finished_game_away(
    run_match: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    stop: BaseException,
    code: int,
    why: str,
) -> None:
    def stopped(
        game: Any, first: Any, second: Any, num_games: int, seed: int, show: Any, **rest: Any
    ) -> MatchResult:
        def progress(result: MatchResult) -> None:
            show(result)
            if result.num_games == 8:
                raise stop

        return play_match(game, first, second, num_games, seed, progress, **rest)

    monkeypatch.setattr(match, "play_match", stopped)
    written = tmp_path / "games.json"
    rest = ("--game", "kuhn", "--json", "--games-out", str(written))
    exit_code, out, err = run_match("random", "random", *rest)
    result, games = json.loads(out), json.loads(written.read_text())["games"]
    assert exit_code == code
    assert (result["games"], result["interrupted"], len(games)) == (8, True, 8)
    assert [game["players"] for game in games[:2]] == [
        ["random (A)", "random (B)"],
        ["random (B)", "random (A)"],
    ]
    assert sum(game["utility"] for game in games[::2]) / 4 == result["mean_as"][0]
    assert [len(game["events"]) > 1 for game in games] == [True] * 8
    assert f"sog: {why}: this is the result of 8 of 100 games." in err
    assert code == 130 or err.endswith("sog: error: acpc:bot did not answer.\n")


def test_games_with_hidden_cards_are_replayed_and_reviewed(
    sog: Run, sog_json: RunJson, tmp_path: Path
) -> None:
    path = tmp_path / "games.json"
    players = ("always_call", "random", "--game", "kuhn", "--games", "2")
    sog_json("match", *players, "--games-out", str(path))
    second = json.loads(path.read_text())["games"][1]
    code, out, err = sog("replay", str(path), "--number", "2")
    assert code == 0, err
    assert out.splitlines()[0] == "Game 2, kuhn(ranks=3): random against always_call."
    choices = sog_json("review", str(path), "--number", "2")["choices"]
    assert [choice["action"] for choice in choices] == [move["action"] for move in second["moves"]]
    cards, seats = second["infostates"][0], [choice["player"] for choice in choices]
    assert [choice["infostate"] for choice in choices] == [cards[seat] for seat in seats]
    assert refusal(sog, "play", "kuhn", "--resume", str(path), notes=True).endswith(
        f"{path} is not a file of `sog play --save`."
    )


def test_ctrl_c_before_the_first_games_are_finished_is_told(
    run_match: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*arguments: Any, **_: Any) -> MatchResult:
        raise KeyboardInterrupt

    monkeypatch.setattr(match, "play_match", interrupted)
    code, out, err = run_match("random", "random", "--game", "kuhn")
    assert (code, out) == (130, "")
    assert err.endswith("sog: interrupted while playing kuhn: there is nothing to keep yet.\n")


def test_a_policy_file_and_a_table_are_players(run_match: Run, tmp_path: Path) -> None:
    """They always fold or check: player 0 then wins 0, and nothing is bet."""
    tree = compile_tree(make("kuhn")).tree
    first = np.argmax(tree.node_legal, axis=-1)
    policy = np.eye(tree.game.num_actions)[first] * tree.node_legal
    save_policy(tmp_path / "kuhn.npz", tree, policy)
    write_policy_table(tmp_path / "kuhn.csv", tree, policy)
    texts = [f"policy:{tmp_path / name}" for name in ("kuhn.npz", "kuhn.csv")]
    code, out, err = run_match(*texts, "--games", "200", "--json")
    assert code == 0, err
    assert json.loads(out)["game"] == "kuhn(ranks=3)"
    code, out, err = run_match(texts[1], texts[1], "--game", "kuhn", "--games", "2", "--json")
    assert code == 0, err
