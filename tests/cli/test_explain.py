"""`sog explain`: shares of the exploitability, and the bad decision first."""

from pathlib import Path

import pytest

from sog.tabular import evaluate_policy, save_policy, uniform_policy
from tests.cli.conftest import Run, RunJson
from tests.tabular import kuhn_histories as kuhn
from tests.tabular.small_games import compiled_game
from tests.tabular.test_best_response import kuhn_equilibrium

JACK = 0


def saved(file: Path, policy: kuhn.Policy) -> str:
    tree = compiled_game("kuhn").tree
    save_policy(file, tree, kuhn.to_tree(tree, policy))
    return str(file)


@pytest.fixture
def calling_jacks(tmp_path: Path) -> str:
    """An equilibrium of Kuhn poker but for one thing: player 1 calls bets with jacks."""
    calls = {(JACK, "b"): {"p": 0.0, "b": 1.0}}
    return saved(tmp_path / "kuhn.npz", kuhn_equilibrium(1 / 3) | calls)


def test_the_bad_decision_comes_first(sog_json: RunJson, calling_jacks: str) -> None:
    found = sog_json("explain", calling_jacks)
    first, second = found["states"]
    assert (first["history"], first["player"]) == (["bet1"], 1)
    (mistake,) = first["infostates"]
    assert (mistake["name"], mistake["best"]) == ("J", "fold")
    assert mistake["policy"] == {"fold": 0, "call": 1}
    # One deal in six is king against jack, and kings always bet: a chip more is lost. Half counts.
    assert [mistake["loss"], first["loss"]] == pytest.approx([1 / 12, 1 / 12])
    # And player 0 should bet queens now, see tests/tabular/test_profile_analysis.py.
    assert second["history"] == []
    assert second["loss"] == pytest.approx(1 / 18)
    assert found["exploitability"] == pytest.approx(1 / 12 + 1 / 18)
    assert found["gains"] == pytest.approx([1 / 9, 1 / 6])
    assert first["share"] == pytest.approx(3 / 5)


@pytest.mark.parametrize("game", ["kuhn", pytest.param("leduc", marks=pytest.mark.slow)])
def test_the_shares_of_all_states_sum_to_one(sog_json: RunJson, tmp_path: Path, game: str) -> None:
    compiled, file = compiled_game(game), tmp_path / "uniform.npz"
    save_policy(file, compiled.tree, uniform_policy(compiled))
    found = sog_json("explain", str(file), "--top", "1000")
    expected = evaluate_policy(compiled, uniform_policy(compiled)).exploitability[0]
    assert found["exploitability"] == pytest.approx(expected)
    assert sum(state["loss"] for state in found["states"]) == pytest.approx(expected)
    assert sum(state["share"] for state in found["states"]) == pytest.approx(1)
    losses = [state["loss"] for state in found["states"]]
    assert losses == sorted(losses, reverse=True)
    for state in found["states"]:
        parts = [infostate["share"] for infostate in state["infostates"]]
        assert sum(parts) == pytest.approx(state["share"])


def test_top_says_how_many_states_are_shown(sog: Run, calling_jacks: str) -> None:
    code, out, _ = sog("explain", calling_jacks, "--top", "1")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0
    assert lines[0] == f"kuhn, policy {calling_jacks}"
    assert "exploitability 138.9 mbb" in lines
    assert "player 0 could win 111.1 mbb more" in lines
    assert "player 1 could win 166.7 mbb more" in lines
    assert "1 83.33 60% player 1 bet1 (stakes 2-1)" in lines
    assert "100% J plays call 1.000; best is fold" in lines
    assert any(line.startswith("1 public state of 9, with 60% of the expl") for line in lines)


def test_shares_are_of_the_whole_also_where_one_state_is_shown(
    sog_json: RunJson, calling_jacks: str
) -> None:
    """1/12 of 1/12 + 1/18, see above, though nothing but that 1/12 is shown."""
    found = sog_json("explain", calling_jacks, "--top", "1")
    (state,) = found["states"]
    assert [state["loss"], state["share"]] == pytest.approx([1 / 12, 3 / 5])
    assert [mistake["share"] for mistake in state["infostates"]] == pytest.approx([3 / 5])
    assert found["exploitability"] == pytest.approx(1 / 12 + 1 / 18)
    assert found["gains"] == pytest.approx([1 / 9, 1 / 6])


def test_infostates_that_err_alike_share_a_line(sog: Run, tmp_path: Path) -> None:
    compiled, file = compiled_game("leduc"), tmp_path / "uniform.npz"
    save_policy(file, compiled.tree, uniform_policy(compiled))
    _, out, _ = sog("explain", str(file), "--top", "1")
    assert "Ks, Kh plays" in out or "Js, Jh plays" in out


def test_no_action_is_both_the_best_and_all_that_is_played(sog: Run, tmp_path: Path) -> None:
    rarely = {(JACK, "b"): {"p": 0.9997, "b": 0.0003}}
    _, out, _ = sog("explain", saved(tmp_path / "kuhn.npz", kuhn_equilibrium(1 / 3) | rarely))
    assert "J plays fold, but for 0.0003" in out


def test_an_equilibrium_loses_nowhere(sog: Run, sog_json: RunJson, tmp_path: Path) -> None:
    file = saved(tmp_path / "kuhn.npz", kuhn_equilibrium(1 / 6))
    assert sog_json("explain", file)["states"] == []
    _, out, _ = sog("explain", file)
    assert out.splitlines()[-1] == "It loses nowhere."


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["no.npz"], "no.npz: no such file."),
        (
            ["kuhn", "--set", "leaf_averaging=0"],
            "--set has no effect on a game, which is solved and not searched.",
        ),
    ],
)
def test_mistakes_are_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    assert sog("explain", *arguments) == (2, "", f"sog: error: {message}\n")
