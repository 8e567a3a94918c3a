"""`sog methods`: lists the methods that play or learn, with their parameters and papers."""

import argparse
import inspect
from typing import Any, Final

from sog.cli import display
from sog.cli.errors import SUCCESS, mistakes
from sog.players.method import Method
from sog.players.methods import METHODS, make_method, method_class

_FOOTER: Final = "Parameters of one method: sog methods NAME."


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if arguments.method is not None:
        with mistakes():
            facts = _facts(make_method(arguments.method))
        if arguments.json:
            display.print_json(facts)
        else:
            _print_one(facts)
        return SUCCESS
    methods = [_facts(method_class(name)()) for name in METHODS]
    if arguments.json:
        display.print_json(methods)
        return SUCCESS
    table = display.plain_table("method", "what it is", "paper")
    for method in methods:
        table.add_row(method["form"], method["summary"], method["paper"])
    display.print_table(table, footer=_FOOTER)
    return SUCCESS


def _facts(method: Method) -> dict[str, Any]:
    """A method as JSON."""
    name, cls, entry = method.name, type(method), METHODS[method.name]
    return {
        "name": name,
        "form": entry.form,
        "summary": entry.summary,
        "description": inspect.cleandoc(cls.__doc__ or ""),
        "paper": cls.paper,
        "parameters": display.parameter_facts(method),
    }


def _print_one(method: dict[str, Any]) -> None:
    title = f"{method['form']}: {method['summary']}"
    display.print_facts(title, [("paper", method["paper"] or "-")])
    display.print_text(f"\n{method['description']}\n")
    display.print_parameters(method["parameters"])
