"""Domains: plugins that add families of games, players and commands to the core.

A domain is a package, ours or another's, that the core never imports by name. It declares a
`Domain` by an entry point, in its pyproject.toml:

    [project.entry-points."sog.domains"]
    my_cards = "my_cards.domain:DOMAIN"

Without the package only its games and players are missing. The module of the `Domain` imports
nothing heavy: it names parts by path, and a part is imported on use.
"""

import dataclasses
import functools
import importlib
import importlib.metadata
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from sog.players.entry import Entry

GROUP: Final = "sog.domains"


class DomainError(ValueError):
    """An installed package declares an invalid domain."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PolicyTable:
    """Another program's table format for policies."""

    program: str
    """The program's name for users."""
    column: str
    """The name of a column that the core's tables lack."""
    reader: str
    """module:function (path, `PublicTree`) -> policy."""
    writer: str
    """module:function (path, `PublicTree`, policy), which writes the table."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Domain:
    """The parts of a domain."""

    package: str
    """The import package; `sog games` lists the games in its `catalog.json`."""
    games: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: the class, as module:Class."""
    records: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the suffix of file names, as ".pgn": the format of game records, as module:FORMAT, a
    `sog.play.game_records.RecordFormat`."""
    players: "Mapping[str, Entry]" = dataclasses.field(default_factory=dict)
    """By the first word of their text."""
    networks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the name of the torso: a network with its own heads, see `networks.cvpn`."""
    commands: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: its declaration, as module:COMMAND, a `sog.cli.commands.command.Command`."""
    modes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By a command of the core: an additional mode, as module:MODE, a `Mode` of the same file."""
    policies: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the suffix of file names: module:function (path, tree), which reads the policy [node, S,
    A] of such a file, or raises PolicyFileError."""
    loaders: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By prefix, for games typed as prefix:TEXT: module:function (TEXT, `progress` of
    `sog.games.make`) -> game."""
    policy_tables: Mapping[str, PolicyTable] = dataclasses.field(default_factory=dict)
    """By the option of `sog policy` that writes it."""
    errors: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the module of a RuntimeError: the name, for users, of the program that raises it."""
    pages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the first part of their path: pages of `sog serve`, as module:Class, a
    `sog.web.pages.DomainPages`."""


@functools.cache
def domains() -> tuple[Domain, ...]:
    """The installed domains, by name of their entry points.

    Raises DomainError, with the entry point and its package, if it is not a `Domain`.
    """
    entries = importlib.metadata.entry_points(group=GROUP)
    return tuple(_load(entry) for entry in sorted(entries, key=lambda entry: entry.name))


def with_domains(core: Mapping[str, Any], part: str) -> dict[str, Any]:
    """Entries of the core, then those of domains: by name, the first that has it counts."""
    entries = dict(core)
    for domain in domains():
        for name, entry in getattr(domain, part).items():
            entries.setdefault(name, entry)
    return entries


def policy_tables() -> dict[str, PolicyTable]:
    """The policy tables of all domains, by option."""
    return with_domains({}, "policy_tables")


def load_part(path: str) -> Any:
    """Imports `module:attribute`."""
    module, _, attribute = path.partition(":")
    return getattr(importlib.import_module(module), attribute)


def _load(entry: importlib.metadata.EntryPoint) -> Domain:
    try:
        found = entry.load()
    except (ImportError, AttributeError) as error:
        raise DomainError(f"{_named(entry)} cannot be imported: {error}.") from error
    if not isinstance(found, Domain):
        raise DomainError(f"{_named(entry)} must be a sog.domain.Domain, got {found!r:.100}.")
    return found


def _named(entry: importlib.metadata.EntryPoint) -> str:
    package = "" if entry.dist is None else f" of {entry.dist.name}"
    return f"the domain {entry.name!r}{package} ({entry.value})"
