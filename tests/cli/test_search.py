"""`sog search`, in this process."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sog.cli.main import main


def test_json_has_the_policy_after_a_history(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "kuhn", "--history", "check bet1", "--simulations", "10", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert printed["search"] == [10, 1.0]
    assert printed["nodes"]


def test_the_tree_is_drawn_as_well_formed_svg(tmp_path: Path) -> None:
    target = tmp_path / "tree.svg"
    assert main(["search", "kuhn", "--simulations", "10", "--svg", str(target)]) == 0
    assert ElementTree.parse(target).getroot().tag.endswith("svg")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--history", "check raise9"], "raise9"),
        (["--history", "check check"], "over"),
        (["--simulations", "0"], "--simulations"),
        (["--per-update", "-1"], "--per-update"),
        (["--evaluator", "perfect"], "--evaluator"),
        (["--evaluator", "rollout"], "perfect information"),
    ],
)
def test_mistakes_are_told_in_one_line(
    options: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["search", "kuhn", *options]) == 2
    told = capsys.readouterr().err.strip()
    assert len(told.splitlines()) == 1
    assert message in told
