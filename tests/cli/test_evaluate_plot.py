"""The picture of `sog evaluate`, from made-up figures."""

import errno
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sog.cli.arguments import make_parser
from sog.cli.evaluate import read_plan
from sog.cli.evaluation_report import Finished, plot_evaluation
from sog.evaluation import ComposedPolicies
from sog.games import make
from tests.cli.conftest import Run


def composed(exploitability: list[float]) -> ComposedPolicies:
    return ComposedPolicies(
        policy=np.zeros(0),
        exploitability=np.array(exploitability),
        value=np.zeros(0),
        num_searches=4,
        num_full=0,
        compile_seconds=1.0,
        seconds=1.0,
    )


def draw(path: Path, game: str, *options: str, exploitability: float = 1.0) -> str:
    """The picture of searches with two seeds; their exploitability falls like 1 / T."""
    plan = read_plan(make_parser().parse_args(["evaluate", game, *options]))
    finished = [
        Finished(
            settings=search,
            checkpoint=None,
            composed=composed([exploitability / search.num_updates] * 2),
            tabular=2 * exploitability / search.num_updates,
        )
        for search in plan.searches
    ]
    plot_evaluation(path, make(game), plan, finished)
    return path.read_text(encoding="utf-8")


def test_axes_series_and_reference_are_labelled(tmp_path: Path) -> None:
    searches = ("--search", "100,1", "--search", "10,1", "--search", "10,0.1")
    picture = draw(tmp_path / "k.svg", "kuhn", *searches, "--seeds", "2", "--set", "rule=dcfr")
    for label in (
        "regret updates of each search, T",
        "exploitability (mbb)",
        "SoG(s, 1): mean, min to max of 2 seeds",
        "SoG(s, 0.1): mean, min to max of 2 seeds",
        "CFR over the whole tree (rule dcfr)",
    ):
        assert f"<!-- {label} -->" in picture


def test_what_is_not_exploitable_can_be_drawn(tmp_path: Path) -> None:
    picture = draw(tmp_path / "k.svg", "kuhn", "--search", "10,1", exploitability=0.0)
    assert "<!-- exploitability (mbb) -->" in picture


@pytest.mark.thorough
def test_a_full_disk_costs_the_picture_and_not_the_result(
    sog: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_space(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("sog.cli.evaluate.plot_evaluation", no_space)
    file = tmp_path / "kuhn.png"
    options = (
        "--set",
        "grow=false",
        "--evaluator",
        "uniform",
        "--search",
        "10,1",
        "--plot",
        str(file),
    )
    code, out, err = sog("evaluate", "kuhn", *options, "--json")
    assert code == 2
    assert len(json.loads(out)["results"]) == 1
    assert err.splitlines()[-1] == f"sog: error: cannot write {file}: No space left on device."
