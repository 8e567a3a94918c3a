"""Finds and reads configuration files; `config.py` makes settings from them.

Imports next to nothing, so that listing them is fast.
"""

import importlib.resources
import re
import tomllib
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Final

from sog.files import read_text
from sog.parameters import near_name

_SUFFIX: Final = ".toml"
_MOST_BYTES: Final = 2**20
_LONG_KEY: Final = re.compile(
    r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){16}""", re.ASCII
)
"""The time and memory of Python's parser grow with the square of a key's parts."""


def list_configs() -> list[str]:
    """The names of the installed configurations."""
    entries = _folder().iterdir()
    return sorted(e.name.removesuffix(_SUFFIX) for e in entries if e.name.endswith(_SUFFIX))


def is_file_name(name_or_path: str) -> bool:
    """Whether this names a file rather than an installed configuration."""
    return name_or_path.endswith(_SUFFIX)


def read_values(name_or_path: str) -> dict[str, Any]:
    """The values of the configuration with this name, or of this file (its name ends in .toml).

    Raises ValueError, in one line, if there is none, or if it is not valid TOML.
    """
    return parse_toml(name_or_path, _read_text(name_or_path))


def parse_toml(name: str, text: str) -> dict[str, Any]:
    """The values of a text; raises ValueError, in one line with `name`, for invalid TOML."""
    if found := _LONG_KEY.search(text):
        raise ValueError(f"{name}: invalid TOML for us: {found[0][:40]}... has too many parts.")
    try:
        return tomllib.loads(text)
    except ValueError as error:  # also of a number that is too long for Python
        raise ValueError(f"{name}: invalid TOML: {error}.") from None
    except RecursionError:
        raise ValueError(f"{name}: invalid TOML: nested too deeply.") from None


def _folder() -> Traversable:
    try:
        return importlib.resources.files("sog.configs")
    except ModuleNotFoundError:  # in a checkout that is not installed
        return Path(__file__).parents[2] / "configs"


def _read_text(name_or_path: str) -> str:
    if is_file_name(name_or_path):
        try:
            return read_text(name_or_path, _MOST_BYTES)
        except OSError as error:
            raise ValueError(f"{name_or_path}: cannot be read: {error.strerror}.") from None
    names = list_configs()
    if name_or_path not in names:
        own = Path(name_or_path) / "config.toml"
        if own.is_file():
            raise ValueError(
                f"{name_or_path} is a run folder, not a configuration; to resume it: "
                f"`sog train {own} --run {name_or_path}`."
            )
        near = near_name(name_or_path, names)
        known = f"did you mean {near}?" if near else f"there are {', '.join(names)}."
        raise ValueError(
            f"{name_or_path or repr('')} is not a configuration; {known} The name of a file "
            f"ends in {_SUFFIX}."
        )
    file = _folder() / f"{name_or_path}{_SUFFIX}"
    return file.read_text(encoding="utf-8")
