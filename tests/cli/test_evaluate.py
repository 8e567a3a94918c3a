"""`sog evaluate`, in this process."""

import json

import pytest

from sog.cli.main import main


def test_json_has_the_spread_of_exploitability_over_seeds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    options = ["--evaluator", "uniform", "--search", "20,1", "--seeds", "3", "--json"]
    assert main(["evaluate", "kuhn", *options]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["game"].startswith("kuhn")
    (result,) = printed["results"]
    assert result["search"] == [20, 1.0]
    assert result["checkpoint"] is None
    assert result["seeds"] == 3
    spread = result["exploitability"]
    assert 0 < spread["min"] <= spread["mean"] <= spread["max"] < 0.25


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "many"], "--search must be two numbers s,c"),
        (["--search", "0,1"], "num_simulations must be an integer >= 1"),
        (["--search", "5,2"], "num_simulations must be a multiple"),
        (["--search", "10,-1"], "simulations_per_update must be > 0"),
        (["--evaluator", "perfect"], "--evaluator"),
        (["--seeds", "0"], "--seeds"),
    ],
)
def test_mistakes_are_told_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["evaluate", "kuhn", *options]) == 2
    told = capsys.readouterr().err.strip()
    assert len(told.splitlines()) == 1
    assert message in told
