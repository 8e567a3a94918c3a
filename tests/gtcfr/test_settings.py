"""SoG(s, c): how many phases, simulations and updates that is; impossible settings."""

from typing import Any

import pytest

from gtcfr.settings import SearchSettings
from gtcfr.shape import tree_shape
from sog.games import make


@pytest.mark.parametrize(
    ("simulations", "per_update", "share", "in_phase", "updates", "phases", "final"),
    [
        (100, 1.0, 1.0, 1, 1, 100, 0),
        (8000, 10.0, 1.0, 10, 1, 800, 0),
        (10, 0.01, 1.0, 1, 100, 10, 0),
        (100, 0.1, 1.0, 1, 10, 100, 0),
        (100, 1.0, 0.25, 4, 1, 25, 75),
        (100, 0.1, 0.25, 1, 3, 100, 700),
        (100, 10.0, 0.25, 50, 1, 2, 8),  # 40 does not divide 100
        (2, 1.0, 0.25, 2, 1, 1, 1),  # fewer simulations than 1 / share
        (30, 10.0, 0.25, 30, 1, 1, 2),
        (100, 1.0, 1e-300, 100, 1, 1, 99),
        (97, 1.0, 0.25, 1, 1, 97, 0),  # a prime number: better no growth early than all at once
        (2_000_000_000, 1.0, 0.25, 4, 1, 500_000_000, 1_500_000_000),  # found quickly
    ],
)
def test_a_tree_that_grows_early_has_as_many_updates_and_simulations(
    simulations: int,
    per_update: float,
    share: float,
    in_phase: int,
    updates: int,
    phases: int,
    final: int,
) -> None:
    settings = SearchSettings(
        num_simulations=simulations, simulations_per_update=per_update, growth_share=share
    )
    assert settings.simulations_per_phase == in_phase
    assert settings.updates_per_phase == updates
    assert settings.num_phases == phases
    assert settings.num_phases * in_phase == simulations
    assert settings.num_final_updates == final
    assert settings.num_updates == phases * updates + final


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"num_simulations": 0}, "num_simulations must be"),
        ({"simulations_per_update": 0.0}, "simulations_per_update must be > 0"),
        ({"num_simulations": 5, "simulations_per_update": 2.0}, "must be a multiple"),
        ({"alpha": 1.5}, "alpha must be in"),
        ({"rule": "none"}, "rule must be one of"),
        ({"rule": "hs-pcfr+", "kept_simulations": 10}, "kept_simulations must be 0 with rule hs-"),
        (
            {"rule": "pdcfr+", "num_simulations": 4_000_000},
            r"rule pdcfr\+ must make at most 1\d{6} updates.*4000000",
        ),
        ({"growth_share": 0}, "growth_share must be in"),
        ({"num_children": 1}, "num_children must be left out"),
        ({"max_actions": 0}, "max_actions must be an integer >= 1"),
        ({"max_actions": 1}, "max_actions must be left out"),
        ({"capacity": 2}, "capacity must be at least"),
        ({"max_outcomes": 1}, "max_outcomes must be at least 3 in kuhn"),
    ],
)
def test_impossible_settings_are_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tree_shape(make("kuhn"), SearchSettings(**changes), 0)
