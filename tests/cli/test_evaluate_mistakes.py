"""What `sog evaluate` refuses, before the work begins."""

from pathlib import Path

import pytest

from tests.cli.conftest import Run, refusal

SEE_HELP = " (see sog evaluate --help)"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--search", "0,1"], "--search 0,1: num_simulations must be an integer >= 1, got 0."),
        (
            ["--search", "5,2"],
            "--search 5,2: num_simulations must be a multiple of ceil(simulations_per_update) = "
            "2, got 5.",
        ),
        (
            ["--search", "10,1e-320"],
            "--search 10,1e-320: num_simulations and the updates must be at most 2000000000, "
            "got inf updates.",
        ),
        (
            ["--search", "3,1", "--search", "5,1", "--set", "num_simulations=4"],
            "--set num_simulations has no effect with several --search, which say it.",
        ),
        (["--set", "alpha=2"], "alpha must be in [0, 1], got 2.0."),
        (
            ["--set", "alpha=x"],
            "override 'search.alpha=x': search.alpha must be a number, got 'x'.",
        ),
        (
            ["--noise", "-1"],
            f"argument --noise: must be a finite number >= 0, got -1{SEE_HELP}",
        ),
        (["--seeds", "0"], f"argument --seeds: must be from 1 to 2000000000, got 0{SEE_HELP}"),
        (
            ["--seed", "4294967290"],
            "--seed must be at most 4294967286 for 10 seeds, got 4294967290.",
        ),
        (
            ["--whole-game", "--set", "lookahead=2"],
            "--set lookahead has no effect with --whole-game, which holds all levels.",
        ),
        (
            ["--whole-game", "--evaluator", "zero"],
            "--evaluator has no effect with --whole-game, which leaves no leaf to evaluate.",
        ),
        (
            ["--set", "safe=false", "--set", "alpha=0.5"],
            "--set alpha has no effect with safe=false, which has no gadget.",
        ),
    ],
)
def test_a_mistake_is_told_in_one_line(
    sog: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert sog("evaluate", "kuhn", *options) == (2, "", f"sog: error: {message}\n")
    assert list(tmp_path.iterdir()) == []


def test_policies_that_would_not_fit_into_memory_are_refused(sog: Run) -> None:
    """81 numbers of 32 bits each, and 128 bytes for each of 9 public states."""
    message = refusal(sog, "evaluate", "kuhn", "--seeds", "2000000000", notes=True)
    assert message.startswith(
        "policies and searches of 2,000,000,000 seeds would take 2.95 TB of memory; there are "
    )
