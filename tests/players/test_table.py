"""Methods by name: the grammar, the parameters, and what they need."""

import dataclasses
import subprocess
import sys
from typing import Any

import pytest

from sog.games import make
from sog.players.methods import METHODS, make_method, method_class
from sog.players.player import Host
from sog.players.simple import Tabular


def test_a_method_is_a_name_with_parameters_in_brackets_and_a_budget_behind_a_colon() -> None:
    method = make_method(" tabular( rule = dcfr ) : 30 ")
    assert method == Tabular(rule="dcfr", budget=30)
    assert str(method) == "tabular(rule=dcfr):30"
    assert make_method("tabular:30") == Tabular(budget=30)
    assert make_method("tabular") == Tabular(rule="cfr+", budget=1000)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_is_what_the_registry_says_and_reads_what_it_prints(name: str) -> None:
    cls = method_class(name)
    method = cls()
    assert cls.name == name
    assert METHODS[name].form.startswith(name)
    assert make_method(str(method)) == method
    assert dataclasses.is_dataclass(method)
    assert cls.__doc__ != dataclasses.make_dataclass("Plain", []).__doc__


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a method must look like 'name', 'name:budget' or 'name(key=value,...)':budget"),
        ("tabluar:5", "unknown method 'tabluar': did you mean 'tabular'?"),
        ("tabular(rule)", "tabular: write parameters as key=value, got 'rule'."),
        ("tabular(c=1)", "tabular: unknown parameter 'c'; its parameters: rule, budget."),
        ("tabular(budget=5):5", "tabular: budget is given twice."),
        ("tabular:0", "tabular: budget must be >= 1, got 0."),
        ("tabular:", "tabular: budget must be an integer, got ''."),
        ("rollout(games=0)", "rollout: games must be >= 1, got 0."),
    ],
)
def test_a_mistake_in_a_method_is_told_in_one_line(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        make_method(text)
    assert str(caught.value).startswith(message[:60])


def test_a_method_says_what_it_needs_of_a_game() -> None:
    with pytest.raises(ValueError, match=r"^uct needs perfect information, which kuhn"):
        make_method("uct").check(make("kuhn"))


def test_agents_of_the_tabular_method_play_its_average_policy() -> None:
    agent: Any = make_method("tabular:200").agents(make("kuhn"), Host())(0, 7)
    # With the queen player 0 checks in every equilibrium (Kuhn 1950).
    assert agent.policy(1)[1] == pytest.approx(1, abs=0.03)


def test_the_registry_alone_loads_nothing_heavy() -> None:
    code = "import sog.baselines, sys; print(sorted({'jax', 'numpy', 'rich'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
