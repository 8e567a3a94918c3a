"""`sog methods`."""

from sog.players.methods import METHODS
from tests.cli.conftest import Run, RunJson


def test_the_list_has_a_line_per_method(sog_json: RunJson) -> None:
    listed = sog_json("methods")
    assert [method["name"] for method in listed] == list(METHODS)
    tabular = next(method for method in listed if method["name"] == "tabular")
    assert [parameter["name"] for parameter in tabular["parameters"]] == ["rule", "budget"]
    assert sog_json("methods", "tabular") == tabular


def test_a_method_is_told_as_it_is_typed_for_other_commands(sog: Run, sog_json: RunJson) -> None:
    rule, budget = sog_json("methods", "tabular(rule=dcfr):500")["parameters"]
    assert (rule["value"], rule["default"], budget["value"]) == ("dcfr", "cfr+", 500)
    _, out, _ = sog("methods", "tabular(rule=dcfr):500")
    assert "  parameter  value  default  type     range\n  rule       dcfr   cfr+     text " in out
    assert "value" not in sog("methods", "tabular")[1]


def test_a_method_is_told_with_its_paper_and_parameters(sog: Run) -> None:
    code, out, err = sog("methods", "tabular")
    assert (code, err) == (0, "")
    assert "Tammelin 2014" in out
    assert "1 to 2147483647" in out
