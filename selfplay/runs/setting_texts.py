"""A line about each value of a configuration, from the docstrings of the settings."""

import ast
import dataclasses
import inspect
import itertools
import textwrap
from typing import Any, Final, get_type_hints

from gtcfr.settings import SearchSettings
from selfplay.settings import Config

_SEARCH: Final = "search."
"""The only table of a search whose values are explained; other searches have the same."""


def setting_texts(config: Config) -> dict[str, str]:
    """The meaning of each key or table, with the default where a value differs from it."""
    return _texts(config, "")


def _texts(part: Any, prefix: str) -> dict[str, str]:
    found: dict[str, str] = {}
    kinds = [kind for kind in type(part).__mro__ if dataclasses.is_dataclass(kind)]
    docstrings = {name: text for kind in kinds for name, text in _docstrings(kind).items()}
    hints = get_type_hints(type(part))
    for field in dataclasses.fields(part):
        key, value = f"{prefix}{field.name}", getattr(part, field.name)
        if dataclasses.is_dataclass(hints[field.name]):
            found |= {key: _first_sentence(docstrings.get(field.name, ""))} | _texts(
                value, f"{key}."
            )
            continue
        is_repeated = isinstance(part, SearchSettings) and prefix != _SEARCH
        texts = [] if is_repeated else [_first_sentence(docstrings[field.name])]
        if field.default is not dataclasses.MISSING and value != field.default and prefix:
            texts.append(f"(default: {'none' if field.default is None else field.default})")
        found[key] = " ".join(texts)
    return found


def _docstrings(kind: type[Any]) -> dict[str, str]:
    """The string below each field of a dataclass."""
    tree = ast.parse(textwrap.dedent(inspect.getsource(kind)))
    body = tree.body[0].body if isinstance(tree.body[0], ast.ClassDef) else []
    found: dict[str, str] = {}
    for field, below in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
            text = below.value if isinstance(below, ast.Expr) else None
            found[field.target.id] = str(text.value) if isinstance(text, ast.Constant) else ""
    return found


def _first_sentence(text: str) -> str:
    """The text up to its first full stop or semicolon."""
    line = " ".join(text.replace("`", "").split())
    ends = [end for mark in (". ", "; ") if (end := line.find(mark)) > 0]
    return line[: min(ends, default=len(line))].rstrip(".")
