"""`sog evaluate`, in this process: what it prints, and that every option has its effect."""

import contextlib
import functools
import io
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sog.cli.main import main
from sog.evaluation import ComposedPolicies
from tests.cli.conftest import Run, RunJson, composed_of_nothing

# Batches of one size, so that different numbers of seeds share a compiled program.
SEARCH = ("--batch-size", "2", "--search", "10,1")
GROWING = ("--evaluator", "uniform", *SEARCH)
FIXED_TREES = ("--set", "grow=false", *GROWING)
WHOLE_GAME = ("--whole-game", *SEARCH)
EXACT = ("--set", "grow=false", *SEARCH)


@functools.cache  # many tests compare with the same searches
def evaluate(*options: str) -> Any:
    """The only result of `sog evaluate kuhn ...`."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["evaluate", "kuhn", *options, "--json"])
    assert code == 0, err.getvalue()
    (result,) = json.loads(out.getvalue())["results"]
    return result


@pytest.mark.thorough
def test_json_has_the_spread_of_exploitability_over_seeds(sog_json: RunJson) -> None:
    printed = sog_json("evaluate", "kuhn", *GROWING, "--seeds", "3")
    assert sorted(printed) == ["game", "results", "unit"]
    assert (printed["game"], printed["unit"]) == ("kuhn(ranks=3)", "chips")
    (result,) = printed["results"]
    assert (result["search"], result["checkpoint"], result["seeds"]) == ([10, 1], None, 3)
    spread = result["exploitability"]
    assert 0 < spread["min"] < spread["mean"] < spread["max"] < 0.5
    assert result["searches"] == 3 * 4  # Kuhn poker has four public states with a decision
    assert result["seconds"] > 0


@pytest.mark.parametrize("rule", ["cfr+", "hs-dcfr"])  # the second plans for them
def test_beside_a_search_stands_cfr_with_as_many_updates(
    sog_json: RunJson, monkeypatch: pytest.MonkeyPatch, rule: str
) -> None:
    monkeypatch.setattr("sog.cli.evaluate.compose", composed_of_nothing)
    searches = ("--search", "2,0.2", "--search", "9,2.5", "--set", f"rule={rule}")
    results = sog_json("evaluate", "kuhn", *searches)["results"]
    assert [result["search"] for result in results] == [[2, 0.2], [9, 2.5]]
    assert [result["updates"] for result in results] == [2 * 5, 9 // 3]
    for result in results:
        iterations = ("--iterations", str(result["updates"]))
        solved = sog_json("solve", "kuhn", "--rule", rule, *iterations)
        assert result["tabular"] == pytest.approx(solved["exploitability"], rel=1e-5)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("base", "option"),
    [
        pytest.param(FIXED_TREES, ("--set", "lookahead=2"), marks=pytest.mark.slow),
        pytest.param(EXACT, ("--noise", "0.1"), marks=pytest.mark.slow),
        pytest.param(FIXED_TREES, ("--set", "rule=dcfr"), marks=pytest.mark.slow),
        (WHOLE_GAME, ("--set", "safe=false")),
        pytest.param(WHOLE_GAME, ("--set", "alpha=1"), marks=pytest.mark.slow),
        pytest.param(WHOLE_GAME, ("--set", "search_everywhere=true"), marks=pytest.mark.slow),
        pytest.param(EXACT, ("--evaluator", "zero"), marks=pytest.mark.slow),
        pytest.param(EXACT, ("--set", "leaf_averaging=0.5"), marks=pytest.mark.slow),
    ],
)
def test_an_option_has_an_effect(base: tuple[str, ...], option: tuple[str, ...]) -> None:
    plain, told = (evaluate(*base, *more)["exploitability"]["mean"] for more in ((), option))
    assert abs(told - plain) > 1e-4


@pytest.mark.thorough
def test_a_lookahead_to_the_end_is_the_whole_game() -> None:
    whole = evaluate(*WHOLE_GAME)
    deep = evaluate(*FIXED_TREES, "--set", "lookahead=3")
    assert deep["exploitability"]["mean"] == pytest.approx(whole["exploitability"]["mean"])
    assert (whole["lookahead"], whole["evaluator"], whole["growth"]) == (None, None, False)


@pytest.mark.thorough
@pytest.mark.parametrize(
    "base",
    [
        pytest.param((*EXACT, "--noise", "0.1"), id="noise", marks=pytest.mark.slow),
        pytest.param(GROWING, id="growth"),
    ],
)
def test_policy_n_depends_on_seed_n_alone(base: tuple[str, ...]) -> None:
    both = evaluate(*base, "--seed", "7", "--seeds", "2")["exploitability"]
    alone = [
        evaluate(*base, "--seed", seed, "--seeds", "1")["exploitability"]["mean"]
        for seed in ("7", "8")
    ]
    assert alone[0] != alone[1]
    assert [both["min"], both["max"]] == pytest.approx(sorted(alone), rel=1e-5)


@pytest.mark.thorough
def test_without_growth_and_noise_one_policy_is_composed(sog: Run) -> None:
    code, out, err = sog("evaluate", "kuhn", *FIXED_TREES, "--seeds", "50", "--json")
    assert code == 0
    assert json.loads(out)["results"][0]["seeds"] == 1
    assert err.splitlines()[0] == (
        "sog: nothing is random without growth, noise and max_outcomes: one policy is composed."
    )


def test_a_sample_of_chance_is_random_so_several_policies_are_composed(
    sog_json: RunJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.cli.evaluate.compose", composed_of_nothing)
    options = ("leduc", "--whole-game", "--set", "max_outcomes=4", "--search", "1,1")
    (result,) = sog_json("evaluate", *options, "--seeds", "3")["results"]
    assert result["seeds"] == 3


def test_the_table_has_a_row_per_search(sog: Run) -> None:
    code, out, err = sog("evaluate", "kuhn", *FIXED_TREES, "--search", "1,0.1")
    lines = [" ".join(line.split()) for line in out.splitlines()]
    assert code == 0, err
    assert lines[0] == (
        "kuhn by continual re-solving, lookahead 1, no growth, uniform evaluator, 1 seed"
    )
    assert lines[2] == (
        "search updates min (mbb) mean (mbb) max (mbb) tabular (mbb) searches seconds"
    )
    mean = f"{1000 * evaluate(*FIXED_TREES)['exploitability']['mean']:.4g}"
    assert [line.rsplit(maxsplit=1)[0].split() for line in lines[3:5]] == [
        ["SoG(10,", "1)", "10", *[mean] * 3, "71.24", "4"],
        ["SoG(1,", "0.1)", "10", *[mean] * 3, "71.24", "4"],
    ]


def test_progress_tells_how_long_it_may_take(sog: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sog.cli.display._SECONDS_BETWEEN_LINES", 0.0)
    _, _, err = sog("evaluate", "kuhn", *FIXED_TREES)
    lines = err.splitlines()
    assert "sog: compiling SoG(10, 1)" in lines
    assert any(
        line.startswith("sog: searching with SoG(10, 1): 1 of 3 batches, ") for line in lines
    )
    assert any(line.endswith(" s left") for line in lines)


def interrupt_second(number: int) -> Callable[..., ComposedPolicies]:
    """`compose`, which is interrupted when it is called again."""
    calls: list[int] = []

    def run(*_: Any, **__: Any) -> ComposedPolicies:
        calls.append(1)
        if len(calls) > 1:
            signal.raise_signal(number)
        return composed_of_nothing()

    return run


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupt_keeps_the_searches_that_are_finished(
    sog: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, number: int, code: int
) -> None:
    monkeypatch.setattr("sog.cli.evaluate.compose", interrupt_second(number))
    plot = tmp_path / "kuhn.png"
    options = (*FIXED_TREES, "--search", "20,1", "--plot", str(plot), "--json")
    exit_code, out, err = sog("evaluate", "kuhn", *options)
    assert exit_code == code
    assert [result["search"] for result in json.loads(out)["results"]] == [[10, 1]]
    assert err.splitlines()[-2:] == [
        "sog: interrupted while compiling SoG(20, 1): 1 of 2 searches are finished.",
        f"sog: wrote the plot to {plot}.",
    ]
    assert plot.exists()


def test_a_failure_keeps_the_searches_that_are_finished(
    sog: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def then_refuse(*_: Any, **__: Any) -> ComposedPolicies:
        monkeypatch.setattr("sog.cli.evaluate.compose", refuse)
        return composed_of_nothing()

    def refuse(*_: Any, **__: Any) -> ComposedPolicies:
        raise ValueError("no.")

    monkeypatch.setattr("sog.cli.evaluate.compose", then_refuse)
    code, out, err = sog("evaluate", "kuhn", *FIXED_TREES, "--search", "20,1", "--json")
    assert code == 2
    assert len(json.loads(out)["results"]) == 1
    assert err.splitlines()[-1] == "sog: error: no."
