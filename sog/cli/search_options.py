"""Search settings on the command line: --search and --set, and what distinguishes a search."""

import argparse
from collections.abc import Sequence
from typing import Any

from gtcfr.settings import SearchSettings
from selfplay.runs.config import read_changes_of
from sog.cli.errors import mistakes
from sog.players.searching import changed, read_simulations

_TABLE = "search"


def read_changes(search: str | None, settings: Sequence[str]) -> dict[str, Any]:
    """The settings that --search and --set change; --set counts last.

    Names of settings may be written as in configurations, with their table.
    """
    bare = {text for text in settings if "." not in text.partition("=")[0] and "=" in text}
    with mistakes():
        changes = {} if search is None else read_simulations(search, "--search")
        full = [f"{_TABLE}.{text}" if text in bare else text for text in settings]
        return changes | read_changes_of(_TABLE, full)


def read_settings(arguments: argparse.Namespace, base: SearchSettings) -> SearchSettings:
    """`base` with the changes of `read_changes`."""
    with mistakes():
        return changed(base, read_changes(arguments.search, arguments.set))


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
