"""Prints the parameters of games and of methods."""

import dataclasses
from typing import Any, Final

from rich.table import Table

from sog.cli import display
from sog.parameters import as_typed

_KINDS: Final = {bool: "true/false", int: "integer", float: "number", str: "text"}


def parameter_facts(thing: Any) -> list[dict[str, Any]]:
    """The parameters of a game or a method as JSON."""
    return [
        {
            "name": field.name,
            "type": type(field.default).__name__,
            "default": field.default,
            "value": getattr(thing, field.name),
            **{key: field.metadata[key] for key in ("minimum", "maximum", "choices", "help")},
        }
        for field in dataclasses.fields(thing)
        if field.metadata
    ]


def print_parameters(parameters: list[dict[str, Any]]) -> None:
    """Prints a line per parameter, with values if any differs from its default."""
    given = any(parameter["value"] != parameter["default"] for parameter in parameters)
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for column in ("  parameter", *(["value"] if given else []), "default", "type", "range", ""):
        table.add_column(column, no_wrap=column == "  parameter")
    for parameter in parameters:
        table.add_row(
            f"  {parameter['name']}",
            *([as_typed(parameter["value"])] if given else []),
            as_typed(parameter["default"]),
            _KINDS[type(parameter["default"])],
            _range(parameter),
            parameter["help"],
        )
    if parameters:
        display.print_table(table)


def _range(parameter: dict[str, Any]) -> str:
    """The allowed values of a parameter."""
    low, high, choices = parameter["minimum"], parameter["maximum"], parameter["choices"]
    if choices is not None:
        return ", ".join(choices)
    if low is not None and high is not None:
        return f"{low} to {high}"
    if low is not None:
        return f"{low} or more"
    return "" if high is None else f"{high} or less"
