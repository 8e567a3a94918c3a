"""Configurations of training runs as TOML: read, checked, changed by overrides, and written.

The keys and their types are the fields of `Config` and its parts.
"""

import contextlib
import dataclasses
import json
import types
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, Union, get_args, get_origin, get_type_hints

from gtcfr.settings import SearchSettings
from selfplay.runs.config_files import is_file_name, parse_toml, read_values
from selfplay.settings import Config
from sog.games.foreign import check_named_by_file
from sog.parameters import near_name

_NONE: Final = "none"
"""How None is written, which TOML lacks."""
_OF_SELFPLAY: Final = ("safe", "search_everywhere")
"""Keys of [search] that evaluations do not inherit."""
_OF_CHAINS: Final = (*_OF_SELFPLAY, "resolve_from", "grow_from", "alpha")
"""Keys of [search] that a solve, which has no chain, does not inherit."""
_INHERITED: Final = (("solver", "search", _OF_CHAINS), ("run", "evaluate_search", _OF_SELFPLAY))
"""The searches that inherit the values of [search], except those of these keys."""
_REMOVED: Final = {
    "virtual_loss": 1.0,
    "dirichlet_fraction": 0.25,
    "pb_c_init": 1.25,
    "first_outcomes": "none",
}
"""Settings of version 0.1, and the only values that they may have now."""
_INTEGERS: Final = range(-(2**63), 2**63)
_KINDS: Final = {bool: "true or false", int: "an integer", float: "a number", str: "text"}


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Override:
    """`search.alpha=1` of a command line."""

    text: str
    key: str
    value: Any

    def covers(self, key: str) -> bool:
        """Whether it sets this key, or a table that contains it."""
        return f"{key}.".startswith(f"{self.key}.")


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Source:
    """The source of a configuration's values, for messages."""

    name: str
    overrides: tuple[_Override, ...]

    def error(self, key: str, problem: str) -> ValueError:
        """An error about the value of a key, in one line."""
        found = [override for override in self.overrides if override.covers(key)]
        where = f"override {found[-1].text!r}" if found else self.name
        # A quoted key may contain any character.
        return ValueError(f"{where}: {' '.join(key.split())} {problem}")

    def refused(self, table: str, error: ValueError) -> ValueError:
        """A dataclass's error about its values taken together."""
        inside = [o.text for o in self.overrides if f"{o.key}.".startswith(f"{table}.")]
        where = f"{self.name} with {' '.join(inside)}" if inside else self.name
        return ValueError(f"{where}: {f'{table}: ' if table else ''}{error}")


def load_config(name_or_path: str, overrides: Sequence[str] = ()) -> Config:
    """Loads the configuration with this name, or from this file (its name ends in .toml).

    overrides: `search.num_simulations=50`, where the value is TOML or a bare word; later ones win.
    Raises ValueError, in one line, for an invalid file, key or value, and if a file names a game
    that the user has not allowed, see `sog.games.foreign`.
    """
    config = read_config(name_or_path, overrides)
    is_typed = any(_parse_override(text).key == "game" for text in overrides)
    if is_file_name(name_or_path) and not is_typed:
        check_named_by_file(config.game, name_or_path)
    return config


def read_config(name_or_path: str, overrides: Sequence[str] = ()) -> Config:
    """As `load_config`, but only for comparison: the caller must not construct its game."""
    values = read_values(name_or_path)
    source = _Source(name=name_or_path, overrides=tuple(map(_parse_override, overrides)))
    for override in source.overrides:
        _apply(values, override, name_or_path)
    config: Config = _build(Config, _with_inherited(values), "", source)
    return config


def read_changes_of(table: str, overrides: Sequence[str]) -> dict[str, Any]:
    """The values that overrides such as `search.c_puct=2` set in one table, by name.

    Raises ValueError, in one line, as `load_config` does, and for a key of another table.
    """
    source = _Source(name=table, overrides=tuple(map(_parse_override, overrides)))
    hints, changes = get_type_hints(get_type_hints(Config)[table]), {}
    for override in source.overrides:
        name = override.key.removeprefix(f"{table}.")
        if name not in hints:
            raise source.error(override.key, f"is not in [{table}], which alone can change here.")
        changes[name] = _convert(hints[name], override.value, override.key, source)
    return changes


def _with_inherited(values: dict[str, Any]) -> dict[str, Any]:
    """The values, where other searches inherit from [search] what they do not set themselves."""
    for part, name, others in _INHERITED:
        table, search = values.get(part, {}), values.get("search", {})
        own = table.get(name, {}) if isinstance(table, dict) else None
        if not (isinstance(own, dict) and isinstance(search, dict)):
            return values  # an error, which is reported later
        inherited = {key: value for key, value in search.items() if key not in others}
        # After `search`, whose errors are reported first.
        rest = {key: value for key, value in values.items() if key != part}
        values = {**rest, part: {**table, name: {**inherited, **own}}}
    return values


def _written(config: Config) -> dict[str, Any]:
    """The values of a configuration by key, without inherited ones."""
    flat = flatten(config)
    usual = flatten(SearchSettings(), "search.")
    for part, name, others in _INHERITED:
        for key in usual:
            own = key.removeprefix("search.")
            inherited = usual[key] if own in others else flat[key]
            if flat[f"{part}.{name}.{own}"] == inherited:
                del flat[f"{part}.{name}.{own}"]
    return flat


def flatten(part: Any, prefix: str = "") -> dict[str, Any]:
    """All values of a configuration by key: {"game": "leduc", "network.torso": "mlp", ...}."""
    flat: dict[str, Any] = {}
    for name, hint in get_type_hints(type(part)).items():
        value = getattr(part, name)
        if _is_part(hint):
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def dump_config(config: Config, comments: Mapping[str, str] | None = None) -> str:
    """All values as TOML, from which `load_config` makes an equal configuration; other searches are
    written only where they differ from [search].

    comments: text after the value of a key, or after a table's name. Raises ValueError if a value
    cannot be written, such as a `Rule` that was not given by name.
    """

    def commented(line: str, key: str) -> str:
        comment = (comments or {}).get(key, "")
        return f"{line:<31} # {comment}" if comment else line

    tables: dict[str, list[str]] = {}
    for key, value in _written(config).items():
        table, _, name = key.rpartition(".")
        # Not in the order of `flatten`, where a table's own values may follow its sub-tables.
        header = ["", commented(f"[{table}]", table)] if table else []
        line = commented(f"{name} = {_as_toml(key, value)}", key)
        tables.setdefault(table, header).append(line)
    return "".join(f"{line}\n" for lines in tables.values() for line in lines)


def _as_toml(key: str, value: Any) -> str:
    if value is None:
        return f'"{_NONE}"'
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, str):
        # JSON strings are TOML strings, except for control characters.
        text = json.dumps(value, ensure_ascii=False)
        return "".join(one if one.isprintable() else f"\\U{ord(one):08x}" for one in text)
    raise ValueError(f"{key} cannot be written as TOML, got {value!r}.")


def _parse_override(text: str) -> _Override:
    where = f"override {text!r}"
    key, equals, value = (part.strip() for part in text.partition("="))
    if not (key and equals):
        raise ValueError(f"{where}: must be KEY=VALUE, such as search.num_simulations=50.")
    if key not in _known_keys(Config):
        raise ValueError(f"{where}: {key} {_unknown(key)}")
    try:
        parsed = parse_toml(where, f"value = {value}")
    except ValueError:
        if value[:1] in ("'", '"', "[", "{"):
            raise
        parsed = {"value": value}
    if len(parsed) > 1:
        raise ValueError(f"{where}: must be one value.")
    return _Override(text=text, key=key, value=parsed["value"])


def _apply(values: dict[str, Any], override: _Override, name: str) -> None:
    """Sets the override's value in the nested tables."""
    *tables, last = override.key.split(".")
    for depth, table in enumerate(tables, 1):
        values = values.setdefault(table, {})
        if not isinstance(values, dict):
            key = ".".join(tables[:depth])
            raise ValueError(f"{name}: {key} must be a table, got {values!r}.")
    values[last] = override.value


def _build(kind: type[Any], values: dict[str, Any], table: str, source: _Source) -> Any:
    """A dataclass from the values of its table."""
    prefix = f"{table}." if table else ""
    hints = get_type_hints(kind)
    for name in values:
        if name not in hints and values[name] != _REMOVED.get(name):
            raise source.error(prefix + name, _unknown(prefix + name))
    for field in dataclasses.fields(kind):
        if field.name not in values and field.default is dataclasses.MISSING:
            raise source.error(f"{prefix}{field.name}", "is missing.")
    known = {name: value for name, value in values.items() if name in hints}
    made = {n: _convert(hints[n], v, f"{prefix}{n}", source) for n, v in known.items()}
    try:
        return kind(**made)
    except ValueError as error:
        raise source.refused(table, error) from None


def _convert(hint: Any, value: Any, key: str, source: _Source) -> Any:
    """The value of a field with this annotation."""
    if _is_part(hint):
        if not isinstance(value, dict):
            raise source.error(key, f"must be a table, got {value!r}.")
        return _build(hint, value, key, source)
    options = _options(hint)
    if value == _NONE and types.NoneType in options:
        return None
    if type(value) is int and int in options and value not in _INTEGERS:
        bits = value.bit_length()
        raise source.error(key, f"must be an integer of 64 bits, got one of {bits:,} bits.")
    if type(value) in options:
        return value
    if type(value) is int and float in options:
        with contextlib.suppress(OverflowError):
            return float(value)
    names = [text for kind, text in _KINDS.items() if kind in options]
    names += [_NONE] if types.NoneType in options else []
    raise source.error(key, f"must be {' or '.join(names)}, got {value!r}.")


def _options(hint: Any) -> tuple[Any, ...]:
    """(int, NoneType) of `int | None`."""
    return get_args(hint) if get_origin(hint) in (Union, types.UnionType) else (hint,)


def _is_part(hint: Any) -> bool:
    return isinstance(hint, type) and dataclasses.is_dataclass(hint)


def _unknown(key: str) -> str:
    keys, (table, _, name) = list(_known_keys(Config)), key.rpartition(".")
    if name in _REMOVED:
        return f"is always {_REMOVED[name]} now; leave it out."
    inside = [known for known in keys if known.rpartition(".")[0] == table]
    near = _near_key(name, inside) if inside else near_name(key, keys)
    near = near or _near_key(name, keys)
    hint = f"did you mean {near}?" if near else "`sog configs leduc` shows all."
    if table and inside and near not in inside:
        hint += f" {table} has {', '.join(known.rpartition('.')[2] for known in inside)}."
    return f"is not a configuration key; {hint}"


def _near_key(name: str, keys: Sequence[str]) -> str | None:
    """The key whose last part is most similar."""
    names = {key.rpartition(".")[2]: key for key in reversed(keys)}
    near = near_name(name, names)
    return names[near] if near else None


def _known_keys(kind: Any, prefix: str = "") -> Iterator[str]:
    """Yields the keys of all tables and values."""
    for name, hint in get_type_hints(kind).items():
        yield f"{prefix}{name}"
        if _is_part(hint):
            yield from _known_keys(hint, f"{prefix}{name}.")
