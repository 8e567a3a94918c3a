"""`sog rules`: a row for each rule, and the best one."""

from collections.abc import Callable

import pytest

from sog.tabular import RULES
from tests.cli.conftest import RunJson


@pytest.fixture(autouse=True)
def two_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each rule compiles a program of its own."""
    two = {name: RULES[name] for name in ("sog", "pcfr+")}
    monkeypatch.setattr("sog.cli.rules.RULES", two)


def test_the_best_rule_of_kuhn_predicts(sog: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = sog("rules", "kuhn", "--seconds", "0.01")
    rows = [line.split() for line in out.splitlines()]
    assert code == 0
    assert out.startswith("kuhn: the whole game, 0.01 s for each rule")
    assert [row[0] for row in rows[3:5]] == ["sog", "pcfr+"]
    assert "Best: pcfr+ after 100, pcfr+ after 1,000" in out


def test_where_all_rules_are_alike_none_is_best(
    sog: Callable[..., tuple[int, str, str]], sog_json: RunJson
) -> None:
    """Uniform play, with which every rule begins, is the equilibrium of rock, paper, scissors."""
    few = ("rules", "rps", "--seconds", "0.01")
    assert "Best: any after 100, any after 1,000, any in time." in sog(*few)[1]
    assert set(sog_json(*few)["best"].values()) == {None}


def test_a_game_too_large_is_tried_on_subgames(
    sog_json: RunJson, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sog.cli.rules._MOST_NODES", 8)
    found = sog_json("rules", "kuhn", "--seconds", "0.01")
    assert (found["whole_game"], len(found["nodes"])) == (False, 4)
    assert [row["rule"] for row in found["rules"]] == ["sog", "pcfr+"]
    assert found["best"].keys() == {"100", "1000", "in_time"}


def test_a_game_of_many_infostates_is_rejected_at_once(
    sog: Callable[..., tuple[int, str, str]],
) -> None:
    code, _, err = sog("rules", "holdem")
    assert code == 2
    assert "holdem has 1,326 infostates per public state, too many" in err
