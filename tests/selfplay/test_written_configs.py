"""Configurations as files: what is written is read back equal."""

import tomllib
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from gtcfr.settings import SearchSettings
from networks.cvpn import NetworkSettings
from selfplay.runs.config import dump_config, flatten, read_config
from selfplay.settings import Config, LearnerSettings, RunSettings, SelfplaySettings, SolverSettings
from sog.tabular.rules import RULES


def keys_of(values: dict[str, Any], prefix: str = "") -> set[str]:
    keys: set[str] = set()
    for name, value in values.items():
        keys |= keys_of(value, f"{prefix}{name}.") if isinstance(value, dict) else {prefix + name}
    return keys


def test_all_values_are_written_and_none_is_a_word() -> None:
    """Of the searches of the solver and of evaluations, those that are not as in [search]."""
    evaluated = RunSettings(evaluate_search=SearchSettings(num_simulations=7))
    config = Config(game="kuhn", search=SearchSettings(alpha=0.25), run=evaluated)
    written = tomllib.loads(dump_config(config))
    others = ("solver.search.", "run.evaluate_search.")
    inherited = {key for key in flatten(config) if key.startswith(others)}
    own = {"run.evaluate_search.num_simulations", "run.evaluate_search.alpha"}
    assert keys_of(written) == set(flatten(config)) - inherited | own
    assert written["search"]["num_children"] == "none"
    assert written["run"]["value_error_states"] == 256
    assert written["run"]["evaluate_search"] == {"num_simulations": 7, "alpha": 0.5}
    parts = {
        *("network", "search", "selfplay", "solver"),
        *("alphazero", "replay", "learner", "run"),
    }
    assert {key for key, value in written.items() if isinstance(value, dict)} == parts


def test_a_rule_without_a_name_is_not_written() -> None:
    config = Config(game="kuhn", search=SearchSettings(rule=RULES["sog"]))
    with pytest.raises(ValueError, match=r"^search\.rule cannot be written as TOML, got Rule\("):
        dump_config(config)


TEXTS = st.text(st.characters(codec="utf-8"))
SEARCHES = st.builds(
    SearchSettings,
    num_simulations=st.integers(1, 2 * 10**9),
    alpha=st.floats(0, 1),
    c_puct=st.floats(0, allow_infinity=False),
    rule=st.sampled_from(sorted(RULES)),
    grow=st.booleans(),
    capacity=st.none() | st.integers(1, 2**63 - 1),
)
CONFIGS = st.builds(
    Config,
    game=TEXTS,
    summary=TEXTS,
    network=st.builds(
        NetworkSettings,
        torso=st.sampled_from(["mlp", "resnet"]),
        policy_heads=st.sampled_from([1, 2]),
    ),
    search=SEARCHES,
    selfplay=st.builds(SelfplaySettings, resign_threshold=st.none() | st.floats(-1, 0)),
    solver=st.builds(SolverSettings, search=SEARCHES),
    learner=st.builds(
        LearnerSettings, learning_rate=st.floats(0, exclude_min=True, allow_infinity=False)
    ),
    run=st.builds(RunSettings, seed=st.integers(0, 2**32 - 1), evaluate_search=SEARCHES),
)


@pytest.mark.thorough
@given(config=CONFIGS)
@example(config=Config(game='\x7f\x00\x9b\r\n"\\\t\u2028\U0001f600'))
def test_what_is_written_is_read_back_equal(
    config: Config, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "round_trip.toml"
    file.write_text(dump_config(config), encoding="utf-8", newline="")
    assert read_config(str(file)) == config
