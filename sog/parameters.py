"""Parameters of games and methods, typed as `NAME(key=value,...)`.

They are the fields of a dataclass that are declared by `param`; other fields are internal. Imports
nothing heavy.
"""

import dataclasses
import difflib
import math
import re
from collections.abc import Callable, Iterable
from typing import Any, Final

_RULES: Final[dict[str, Callable[[Any], bool]]] = {
    ">= 0": lambda value: value >= 0,
    ">= 1": lambda value: value >= 1,
    "an integer >= 0": lambda value: math.isfinite(value) and int(value) == value >= 0,
    "an integer >= 1": lambda value: math.isfinite(value) and int(value) == value >= 1,
    "in [0, 1]": lambda value: 0 <= value <= 1,
    "in (0, 1]": lambda value: 0 < value <= 1,
    "in [0, 1)": lambda value: 0 <= value < 1,
    "in [-1, 0]": lambda value: -1 <= value <= 0,
    "> 0 and finite": lambda value: 0 < value < math.inf,
    ">= 0 and finite": lambda value: 0 <= value < math.inf,
}
_SHORTEST: Final = 3  # shorter prefixes match too many words
_ALIKE: Final = 0.7  # a smaller part in common is chance, as in csv and svg


def param(
    default: Any,
    help: str,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] | None = None,
) -> Any:
    """Declares a parameter: a dataclass field that is checked on construction."""
    rule = {"help": help, "minimum": minimum, "maximum": maximum, "choices": choices}
    return dataclasses.field(default=default, metadata=rule)


def params_of(thing: Any) -> dict[str, Any]:
    """The parameters of a dataclass and their values, in declaration order."""
    fields = dataclasses.fields(thing)
    return {field.name: getattr(thing, field.name) for field in fields if field.metadata}


def check_params(name: str, thing: Any) -> None:
    """Raises ValueError for values that break the rules of `param`. name: of the game or method."""
    for field in dataclasses.fields(thing):
        if field.metadata:
            _check_param(f"{name}: {field.name}", field, getattr(thing, field.name))


def _check_param(where: str, field: dataclasses.Field[Any], value: Any) -> None:
    rule = field.metadata
    wanted = field.type if isinstance(field.type, type) else type(field.default)
    integer_for_float = wanted is float and type(value) is int
    if type(value) is not wanted and not integer_for_float:
        raise ValueError(f"{where} must be of type {wanted.__name__}, got {value!r}.")
    if wanted is float and not math.isfinite(value):
        raise ValueError(f"{where} must be finite, got {value}.")
    if rule["minimum"] is not None and value < rule["minimum"]:
        raise ValueError(f"{where} must be >= {rule['minimum']}, got {value}.")
    if rule["maximum"] is not None and value > rule["maximum"]:
        raise ValueError(f"{where} must be <= {rule['maximum']}, got {value}.")
    if rule["choices"] is not None and value not in rule["choices"]:
        raise ValueError(f"{where} must be one of {', '.join(rule['choices'])}, got {value!r}.")


def check_fields(thing: Any, rule: str, *names: str) -> None:
    """Raises ValueError for a field that breaks a rule, as "in [0, 1]"; None is always valid."""
    for name in names:
        value = getattr(thing, name)
        if value is not None and not _RULES[rule](value):
            raise ValueError(f"{name} must be {rule}, got {value}.")


def written_call(name: str, values: dict[str, Any]) -> str:
    """NAME(key=value,...), for `read_parameters`; only the name without values."""
    inside = ",".join(f"{key}={as_typed(value)}" for key, value in values.items())
    return f"{name}({inside})" if inside else name


def as_typed(value: Any) -> str:
    """A value as a user types it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def split_call(text: str) -> tuple[str, str] | None:
    """The name, or module:Class, and the text in parentheses ("" without); None if malformed."""
    match = re.fullmatch(r"((?:[\w.]+:)?\w+)\s*(?:\((.*)\))?", text, re.DOTALL)
    return None if match is None else (match.group(1), match.group(2) or "")


def read_parameters(cls: type, name: str, text: str) -> dict[str, Any]:
    """The arguments of a dataclass from "key=value,...".

    name: for errors. Raises ValueError that names the parameter and the rule; values are only
    checked on construction.
    """
    fields = {field.name: field for field in dataclasses.fields(cls) if field.metadata}
    values: dict[str, Any] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        key, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise ValueError(f"{name}: write parameters as key=value, got {part!r}.")
        if key not in fields:
            near = near_name(key, fields)
            hint = f"; did you mean {near}?" if near else ""
            known = ", ".join(fields) or "none"
            raise ValueError(
                f"{name}: unknown parameter {key!r}; its parameters: {known}{hint or '.'}"
            )
        if key in values:
            raise ValueError(f"{name}: {key} is given twice.")
        values[key] = read_value(f"{name}: {key}", fields[key].type, value)
    return values


def read_value(where: str, wanted: Any, text: str) -> Any:
    """A value of the type `wanted`; raises ValueError that begins with `where` for other texts."""
    if wanted is bool:
        if text.lower() not in ("true", "false"):
            raise ValueError(f"{where} must be true or false, got {text!r}.")
        return text.lower() == "true"
    if wanted in (int, float):
        try:
            return wanted(text)
        except ValueError:
            kind = "an integer" if wanted is int else "a number"
            raise ValueError(f"{where} must be {kind}, got {text!r}.") from None
    return text


def unknown_name(kind: str, name: str, known: Iterable[str]) -> str:
    """The message for an unknown name, with the most similar known one."""
    names = list(known)
    near = near_name(name, names)
    hint = f"did you mean {near!r}?" if near else f"known: {', '.join(names)}."
    return f"unknown {kind} {name!r}: {hint}"


def near_name(name: str, known: Iterable[str]) -> str | None:
    """The known name that was probably meant: a prefix of `name`, as kuhn of kuhn_poker; else one
    spelled alike; else one that it abbreviates, as "sims" num_simulations or "lr" learning_rate."""
    names = {one.lower().strip("-"): one for one in known}
    wanted = name.lower().strip("-")
    near = [one for one in names if len(one) > _SHORTEST and wanted.startswith(f"{one}_")]
    near += difflib.get_close_matches(wanted, names, n=1, cutoff=_ALIKE)
    near += sorted((one for one in names if _is_short_for(wanted, one)), key=len)
    return names[near[0]] if near else None


def _is_short_for(text: str, name: str) -> bool:
    """Whether the text is a name's initials, or a prefix of one of its words."""
    words, stem = re.split(r"[\W_]", name), text.removesuffix("s")
    if len(words) > 1 and text == "".join(word[:1] for word in words):
        return True
    return len(stem) >= _SHORTEST and any(word.startswith(stem) for word in words)
