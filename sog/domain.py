"""What a domain adds to the core: a family of games with its own players and facts.

A domain is a package, ours or of others, that the core never imports by name. It declares a
`Domain` by an entry point, in its pyproject.toml:

    [project.entry-points."sog.domains"]
    my_cards = "my_cards.domain:DOMAIN"

Without the package its games and players are missing, and nothing else. The module of the `Domain`
imports nothing heavy: it names the parts by path, and a part is imported when it is used.
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
    """An installed package declares a domain that is none."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class PolicyTable:
    """A table of a whole policy by the rules of another program."""

    program: str
    """As users know it."""
    column: str
    """The name of the column that tells it from the tables of the core."""
    reader: str
    """module:function, which takes the path and the `PublicTree` and returns the policy."""
    writer: str
    """module:function, which takes the path, the `PublicTree` and the policy."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Domain:
    """The parts of a domain."""

    package: str
    """The import package; `sog games` lists those games that its `catalog.json` tells of."""
    games: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: the class, as module:Class."""
    records: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the ending of file names, as ".pgn": how games are kept in such files, as module:FORMAT, a
    `sog.play.game_records.RecordFormat`."""
    players: "Mapping[str, Entry]" = dataclasses.field(default_factory=dict)
    """By the word that their text begins with."""
    networks: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the name of the torso: a network with heads of its own, see `networks.cvpn`."""
    commands: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: what help says of it, as module:COMMAND, a `sog.cli.commands.command.Command`."""
    modes: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By a command of the core: what else it can do, as module:MODE, a `Mode` of the same file."""
    policies: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By how the names of files end: module:function (path, tree), which reads the policy [node, S,
    A] of such a file, and raises PolicyFileError."""
    loaders: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By prefix, for games typed as prefix:TEXT: module:function, which takes the text and
    `progress` of `sog.games.make` and returns the game."""
    policy_tables: Mapping[str, PolicyTable] = dataclasses.field(default_factory=dict)
    """By the option of `sog policy` that writes one."""
    without_tree: str = ""
    """module:function, which takes a game too large to enumerate and returns a sentence, with a
    space before it, on which players of the domain play it; or ""."""
    errors: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the module of a RuntimeError: the program that raises it, as users know it."""
    pages: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By the first part of their path: what `sog serve` shows, as module:Class, a
    `sog.web.pages.DomainPages`."""


@functools.cache
def domains() -> tuple[Domain, ...]:
    """The installed domains, by name of their entry points.

    Raises DomainError that names the entry point and its package where it declares no `Domain`.
    """
    entries = importlib.metadata.entry_points(group=GROUP)
    return tuple(_load(entry) for entry in sorted(entries, key=lambda entry: entry.name))


def policy_tables() -> dict[str, PolicyTable]:
    """The tables of policies of all domains, by option."""
    return {name: table for domain in domains() for name, table in domain.policy_tables.items()}


def load_part(path: str) -> Any:
    """What `module:attribute` names; the module is imported."""
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
