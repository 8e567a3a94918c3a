"""How searches are told on the command line: --search, --rule and the options beside them."""

import argparse
import dataclasses
from typing import Any

from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.players.searching import changed, read_simulations
from sog.tabular.solver import find_rule


def read_search(
    text: str,
    base: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    option: str = "--search",
) -> SearchSettings:
    """SoG(s, c) from "s,c", the value of `option`; everything else as in `base`."""
    try:
        return changed(base, read_simulations(text, option))
    except ValueError as error:
        raise CommandError(str(error)) from None


def read_method(
    arguments: argparse.Namespace,
    base: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
) -> SearchSettings:
    """`base` with --rule, --leaf-averaging, --resolve-from, --max-outcomes where they are given."""
    return dataclasses.replace(base, **_method_changes(arguments))


def read_changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """What --search and the options beside it change of a search."""
    changes = _method_changes(arguments)
    if arguments.search is not None:
        try:
            changes |= read_simulations(arguments.search, "--search")
        except ValueError as error:
            raise CommandError(str(error)) from None
    return changes


def _method_changes(arguments: argparse.Namespace) -> dict[str, Any]:
    if arguments.rule is not None:
        try:
            find_rule(arguments.rule)
        except ValueError as error:
            raise CommandError(f"--rule: {error}") from None
    names = ("rule", "leaf_averaging", "resolve_from", "max_outcomes")  # not all commands have all
    given = {name: getattr(arguments, name, None) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def name_of(search: SearchSettings) -> str:
    """As the paper writes it: SoG(100, 1)."""
    return f"SoG({search.num_simulations}, {search.simulations_per_update:g})"


def describe_search(search: SearchSettings) -> str:
    """Its name, and in what its updates differ from those of the paper."""
    return ", ".join([name_of(search), *method_words(search)])


def method_words(search: SearchSettings) -> list[str]:
    """In what its updates and where it starts differ from the default."""
    words = []
    if search.leaf_averaging:
        words.append(f"leaf averaging {search.leaf_averaging:g}")
    if search.rule != SearchSettings().rule:
        words.append(f"rule {search.rule}")
    if search.resolve_from != SearchSettings().resolve_from:
        words.append(f"re-solved from {search.resolve_from}")
    return words
