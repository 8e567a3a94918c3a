"""`sog run`: convergence of methods that learn by sampling."""

import json
import statistics
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sog.baselines.commands import LEARNERS
from sog.baselines.learners.learning import LearningRuns
from sog.baselines.run.command import checkpoint_iterations

Run = Callable[..., tuple[int, str, str]]


def test_a_run_is_reported_as_json(sog_json: Callable[..., Any]) -> None:
    result = sog_json("run", "outcome_sampling(epsilon=0.5)", "kuhn", "--iterations", "300")
    assert result["game"] == "kuhn(ranks=3)"
    assert result["method"] == "outcome_sampling(epsilon=0.5,updates=alternating,values=game):300"
    assert (result["seeds"], result["iterations"], result["interrupted"]) == (16, 300, False)
    last = result["checkpoints"][-1]
    assert (last["iteration"], last["episodes"]) == (300, 600)  # a game for each player
    found = result["exploitability"]
    assert len(found) == 16
    assert sum(found) / 16 == pytest.approx(last["exploitability"])
    assert last["min"] == min(found) < max(found) == last["max"]
    assert last["standard_error"] == pytest.approx(statistics.stdev(found) / 16**0.5)
    # Uniform play, which the first iterations are close to, is exploitable by 458 mbb.
    assert 0.02 < last["exploitability"] < 0.7 * result["checkpoints"][0]["exploitability"]


def test_one_seed_has_no_standard_error(sog: Run, sog_json: Callable[..., Any]) -> None:
    options = ("run", "outcome_sampling:4", "kuhn", "--seeds", "1")
    assert sog_json(*options)["checkpoints"][-1]["standard_error"] is None
    _, out, _ = sog(*options)
    assert out.splitlines()[-3].split()[:3:2] == ["4", "-"]


def test_the_table_ends_with_the_last_iteration_and_a_picture_is_drawn(
    sog: Run, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    picture = tmp_path / "kuhn.png"
    code, out, err = sog("run", "smooth_uct:40", "kuhn", "--seeds", "2", "--plot", str(picture))
    assert code == 0
    lines = out.splitlines()
    assert lines[0].startswith("kuhn by smooth_uct(c=1.0,gamma=0.1,eta=0.9,d=0.002):40, 2 seeds")
    assert lines[-3].split()[0] == "40"
    assert picture.read_bytes().startswith(b"\x89PNG")
    assert "sog: learning kuhn by smooth_uct" in err


def test_evaluations_are_spread_evenly_over_orders_of_magnitude() -> None:
    assert list(checkpoint_iterations(12)) == [1, 2, 3, 4, 6, 7, 10, 12]
    assert list(checkpoint_iterations(1)) == [1]
    assert list(checkpoint_iterations(10**6))[-9:] == [
        100_000, 133_352, 177_828, 237_137, 316_228, 421_697, 562_341, 749_894, 1_000_000,
    ]  # fmt: skip


def test_ctrl_c_prints_what_was_reached(sog: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run = LearningRuns.run

    def interrupted(self: LearningRuns, iterations: int) -> None:
        if self.iteration >= 10:
            raise KeyboardInterrupt
        run(self, iterations)

    monkeypatch.setattr(LearningRuns, "run", interrupted)
    code, out, err = sog("run", "outcome_sampling", "kuhn", "--json")
    assert code == 130
    result = json.loads(out)
    assert (result["interrupted"], result["iterations"]) == (True, 10)
    assert "sog: interrupted: this is the result of 10 iterations." in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["tabular", "kuhn"],
            "tabular does not learn by sampling; these do: outcome_sampling, external_sampling, ",
        ),
        (
            ["outcome_sampling(epsilon=2)", "kuhn"],
            "outcome_sampling: epsilon must be <= 1, got 2.0.",
        ),
        (
            ["outcome_sampling(updates=both)", "kuhn"],
            "outcome_sampling: updates must be one of alternating, parallel, got 'both'.",
        ),
        (["smooth_uct:0", "kuhn"], "smooth_uct: budget must be >= 1, got 0."),
        (
            ["CFR+:9", "leduc(ranks=4)"],
            "CFR+ does not sample, it traverses the whole game: sog solve "
            "'leduc(ranks=4)' --rule cfr+.",
        ),
        (["foo", "kuhn"], f"unknown method 'foo': known: {', '.join(LEARNERS)}."),
        (["kuhn", "dqn"], "kuhn is a game: the method comes first, sog run METHOD GAME."),
        (["outcome_smapling", "kuhn"], "unknown method 'outcome_smapling': did you mean 'outcome_"),
        (
            ["smooth_uct", "london"],
            "smooth_uct: london is made for search, too large to enumerate.",
        ),
        (["smooth_uct", "kuhn", "--seeds", "2000000000"], "smooth_uct: 2000000000 runs of smooth_"),
    ],
)
def test_a_mistake_is_told_in_one_line(sog: Run, arguments: list[str], message: str) -> None:
    code, out, err = sog("run", *arguments)
    assert (code, out) == (2, "")
    assert err.splitlines()[-1].startswith(f"sog: error: {message}")


@pytest.mark.thorough
def test_backward_induction_prints_the_value_and_what_it_took(
    sog: Run, sog_json: Callable[..., Any]
) -> None:
    result = sog_json("run", "backward_induction(pruning=none)", "pursuit_evasion")
    assert result["value"] == pytest.approx(-2 / 3)  # see test_simultaneous_moves.py
    assert abs(result["exploitability"]) < 1e-9
    assert result["counts"]["states"] == result["counts"]["programs"] == 9
    code, out, _ = sog("run", "backward_induction", "pursuit_evasion")
    assert code == 0
    assert "value to player 0  -666.7 milli-points" in out
    for option, value in (("--seeds", "9"), ("--seed", "0"), ("--precision", "float64")):
        assert (
            f"{option} has no effect" in sog("run", "backward_induction", "rps", option, value)[2]
        )
    code, _, err = sog("run", "backward_induction", "rps", "--iterations", "4")
    assert code == 2
    assert "--iterations has no effect: backward_induction solves in one go." in err
    code, _, err = sog("run", "backward_induction", "kuhn")
    assert code == 2
    assert "backward_induction: the game must hide nothing but simultaneous moves" in err
