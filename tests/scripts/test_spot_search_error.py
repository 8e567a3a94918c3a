"""Values that a search finds for rivers: of the whole river, what its exact solution says."""

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.extent import WHOLE_GAME
from gtcfr.settings import SearchSettings
from sog.games import make

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
GAME = "holdem(ranks=5,suits=3,blinds=50/100,stack=600,bets=1/allin,caps=1)"
WHOLE = SearchSettings(
    num_simulations=1,
    simulations_per_update=0.005,
    rule="dcfr",
    lookahead=WHOLE_GAME,
    grow=False,
    capacity=40,
)
GROWN = SearchSettings(num_simulations=2, simulations_per_update=0.1)

with pytest.MonkeyPatch.context() as patch:
    patch.syspath_prepend(str(SCRIPTS))
    import spot_search_error


def errors(settings: SearchSettings, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> list[float]:
    """Percent of the pot, by interval."""
    agent = SimpleNamespace(game=make(GAME), evaluator=ZeroEvaluator(), settings=settings)
    monkeypatch.setattr(spot_search_error, "load_run", lambda run: agent)
    arguments = ["agent:holdem", "--lines", "2", "--rivers", "2", "--leaf-intervals", "1", "4"]
    spot_search_error.main(arguments)
    *_, head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["interval", "error", "seconds"]
    assert [row.split()[0] for row in (first, second)] == ["1", "4"]
    return [float(row.split()[1].rstrip("%")) for row in (first, second)]


@pytest.mark.slow
def test_a_search_of_the_whole_river_finds_its_exact_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert max(errors(WHOLE, monkeypatch, capsys)) < 0.5


@pytest.mark.slow
def test_one_whose_leaves_are_worth_nothing_does_not(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert min(errors(GROWN, monkeypatch, capsys)) > 5


def test_other_games_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = SimpleNamespace(game=make("kuhn"))
    monkeypatch.setattr(spot_search_error, "load_run", lambda run: agent)
    with pytest.raises(SystemExit):
        spot_search_error.main(["agent:kuhn"])
    assert "agent:kuhn must play hold'em, got kuhn" in capsys.readouterr().err
