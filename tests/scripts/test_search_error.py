"""Values that a search finds for rivers: of the whole river, what its exact solution says."""

from types import SimpleNamespace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import search_error

from gtcfr.evaluator import ZeroEvaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.games import make
from sog.holdem.game import Holdem
from sog.holdem.spots.value_errors import SpotMeasure

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


def errors(settings: SearchSettings, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> list[float]:
    """Percent of the pot, by interval."""
    agent = SimpleNamespace(game=make(GAME), evaluator=ZeroEvaluator(), settings=settings)
    monkeypatch.setattr(search_error, "load_run", lambda run: agent)
    arguments = [
        "rivers",
        "agent:holdem",
        "--lines",
        "2",
        "--rivers",
        "2",
        "--leaf-intervals",
        "1",
        "4",
    ]
    search_error.main(arguments)
    *_, head, first, second = capsys.readouterr().out.splitlines()
    assert head.split() == ["interval", "error", "seconds"]
    assert [row.split()[0] for row in (first, second)] == ["1", "4"]
    return [float(row.split()[1].rstrip("%")) for row in (first, second)]


@pytest.mark.slow
def test_a_search_of_the_whole_river_finds_its_exact_values(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert max(errors(WHOLE, monkeypatch, capsys)) < 0.5


class Found(NamedTuple):
    """What a search would find."""

    values: jax.Array


@pytest.mark.thorough
def test_every_interval_is_searched_with_and_compared_with_what_is_exact(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    seen = []

    def nothing(game: Any, *, root: Any, settings: SearchSettings, **_: Any) -> Found:
        seen.append(settings.leaf_interval)
        return Found(values=jnp.zeros_like(root.ranges))

    monkeypatch.setattr(search_error, "search", nothing)
    one, other = errors(GROWN, monkeypatch, capsys)
    assert seen == [1, 4]
    game = make(GAME)
    assert isinstance(game, Holdem)
    spots = [SpotMeasure(game, num_rivers=2, seed=seed).spots[0] for seed in range(2)]
    worth = [
        np.abs(line.values)[row][line.mask[row]].mean() / line.pot
        for line in spots
        for row in range(2)
    ]
    assert one == other == pytest.approx(100 * np.mean(worth), abs=0.01)


def test_other_games_are_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = SimpleNamespace(game=make("kuhn"))
    monkeypatch.setattr(search_error, "load_run", lambda run: agent)
    with pytest.raises(SystemExit):
        search_error.main(["rivers", "agent:kuhn"])
    assert "agent:kuhn must play hold'em, got kuhn" in capsys.readouterr().err
