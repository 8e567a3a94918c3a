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
class Domain:
    """The parts of a domain."""

    package: str
    """The import package; `sog games` lists those games that its `catalog.json` tells of."""
    games: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: the class, as module:Class."""
    players: "Mapping[str, Entry]" = dataclasses.field(default_factory=dict)
    """By the word that their text begins with."""
    commands: Mapping[str, str] = dataclasses.field(default_factory=dict)
    """By name: what help says of it, as module:COMMAND, a `sog.cli.commands.command.Command`."""
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
