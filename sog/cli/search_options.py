"""Search settings on the command line: --search, --rule and the other search options."""

import argparse
import contextlib
from collections.abc import Iterator
from typing import Any

from gtcfr.settings import SearchSettings
from selfplay.runs.config import read_changes_of
from sog.cli.errors import CommandError, mistakes
from sog.cli.options import SETTINGS
from sog.players.searching import changed, read_simulations
from sog.tabular.solver import find_rule


def read_changes(arguments: argparse.Namespace) -> dict[str, Any]:
    """Settings that --search, the options of single settings and --set change, as far as given.

    A command with a repeatable --search reads that one itself.
    """
    given = {setting: getattr(arguments, name, None) for name, setting in SETTINGS.items()}
    changes = {setting: value for setting, value in given.items() if value is not None}
    if "rule" in changes:
        with mistakes("--rule: "):
            find_rule(changes["rule"])
    search = getattr(arguments, "search", None)
    with mistakes():
        if isinstance(search, str):
            changes |= read_simulations(search, "--search")
        return changes | read_changes_of("search", getattr(arguments, "set", ()))


@contextlib.contextmanager
def naming_options(arguments: argparse.Namespace) -> Iterator[None]:
    """As `mistakes`, but messages name the given options instead of their settings."""
    given = {**SETTINGS, "children": "num_children"}.items()
    options = {
        setting: f"--{name.replace('_', '-')}"
        for name, setting in given
        if getattr(arguments, name, None) is not None
    }
    try:
        yield
    except ValueError as error:
        raise CommandError(" ".join(options.get(w, w) for w in str(error).split(" "))) from None


def read_settings(arguments: argparse.Namespace, base: SearchSettings) -> SearchSettings:
    """`base` with the changes of `read_changes`."""
    changes = read_changes(arguments)
    with naming_options(arguments):
        return changed(base, changes)


def name_of(search: SearchSettings) -> str:
    """The paper's notation: SoG(100, 1)."""
    return f"SoG({search.num_simulations}, {search.simulations_per_update:g})"


def describe_search(search: SearchSettings) -> str:
    """The name of a search, with its differences from the default."""
    return ", ".join([name_of(search), *method_words(search)])


def method_words(search: SearchSettings) -> list[str]:
    """The settings of updates and of re-solving that differ from the default."""
    words = []
    if search.leaf_averaging:
        words.append(f"leaf averaging {search.leaf_averaging:g}")
    if search.leaf_interval > 1:
        words.append(f"leaf interval {search.leaf_interval}")
    if search.rule != SearchSettings().rule:
        words.append(f"rule {search.rule}")
    if search.resolve_from != SearchSettings().resolve_from:
        words.append(f"re-solved from {search.resolve_from}")
    return words
