"""Splits a program's result into a structure as JSON, and its arrays.

`jax.export` cannot serialize unknown pytree classes. Here they have names: the JSON names a class,
in an already loaded module, and the values of its static fields.
"""

import dataclasses
import enum
import sys
from collections.abc import Iterator
from typing import Any

import jax


class UnknownStructureError(ValueError):
    """A result has parts other than arrays in tuples, lists, dictionaries and `sog.pytree`s."""


def take_apart(value: Any, leaves: list[Any]) -> Any:
    """The structure of a result as JSON; appends its arrays to `leaves`."""
    if value is None:
        return None
    if type(value) in (tuple, list):
        return [type(value).__name__, [take_apart(part, leaves) for part in value]]
    if type(value) is dict and all(type(name) is str for name in value):
        return ["dict", {name: take_apart(part, leaves) for name, part in value.items()}]
    if dataclasses.is_dataclass(value):
        parts, static = {}, {}
        for field in dataclasses.fields(value):
            part = getattr(value, field.name)
            if field.metadata.get("static"):
                static[field.name] = _constant(part)
            else:
                parts[field.name] = take_apart(part, leaves)
        return [_class_name(type(value)), parts, static]
    if not isinstance(value, jax.Array):
        raise UnknownStructureError
    leaves.append(value)
    return True


def build(structure: Any, leaves: Iterator[Any]) -> Any:
    """Inverts `take_apart`."""
    if structure is None:
        return None
    if structure is True:
        return next(leaves)
    kind, parts, *static = structure
    if kind in ("tuple", "list"):
        built = [build(part, leaves) for part in parts]
        return tuple(built) if kind == "tuple" else built
    arrays = {name: build(part, leaves) for name, part in parts.items()}
    if kind == "dict":
        return arrays
    constants = {name: _read_constant(part) for name, part in static[0].items()}
    return _class_of(kind)(**arrays, **constants)


def _constant(value: Any) -> Any:
    """A static field as JSON: a plain value, one of an enumeration, or a dataclass of some."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if isinstance(value, enum.Enum):
        return [_class_name(type(value)), value.name]
    if not dataclasses.is_dataclass(value):
        raise UnknownStructureError
    names = [field.name for field in dataclasses.fields(value)]
    return [_class_name(type(value)), {name: _constant(getattr(value, name)) for name in names}]


def _read_constant(value: Any) -> Any:
    if not isinstance(value, list):
        return value
    kind, parts = value
    if isinstance(parts, str):
        return _class_of(kind)[parts]
    return _class_of(kind)(**{name: _read_constant(part) for name, part in parts.items()})


def _class_name(kind: type) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if _class_of(name) is not kind:  # for instance, local to a function
        raise UnknownStructureError
    return name


def _class_of(name: str) -> Any:
    """A dataclass or enumeration by name; only in loaded modules, since a file cannot choose
    imports."""
    module, _, path = name.partition(":")
    found: Any = sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, part, None)
    if not isinstance(found, type) or not (
        dataclasses.is_dataclass(found) or issubclass(found, enum.Enum)
    ):
        raise UnknownStructureError
    return found
