"""How searches are told on the command line: --search, --rule and the options beside them."""

import argparse
import dataclasses
from typing import Any

from gtcfr.settings import SearchSettings
from sog.cli.errors import CommandError
from sog.cli.evaluate.options import DEFAULT_SEARCH
from sog.tabular.solver import find_rule


def read_search(
    text: str,
    base: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
    option: str = "--search",
) -> SearchSettings:
    """SoG(s, c) from "s,c", the value of `option`; everything else as in `base`."""
    first, _, second = text.partition(",")
    try:
        simulations, per_update = int(first), float(second)
    except ValueError:
        raise CommandError(
            f"{option} must be two numbers s,c such as {DEFAULT_SEARCH}, got {text!r}."
        ) from None
    try:
        search = dataclasses.replace(
            base, num_simulations=simulations, simulations_per_update=per_update
        )
    except ValueError as error:
        raise CommandError(f"{option} {text}: {error}") from None
    return search


def read_method(
    arguments: argparse.Namespace,
    base: SearchSettings = SearchSettings(),  # noqa: B008 (frozen)
) -> SearchSettings:
    """`base` with --rule, --leaf-averaging, --resolve-from, --max-outcomes where they are given."""
    given: dict[str, Any] = {}
    if arguments.rule is not None:
        try:
            find_rule(arguments.rule)
        except ValueError as error:
            raise CommandError(f"--rule: {error}") from None
        given["rule"] = arguments.rule
    if arguments.leaf_averaging is not None:
        given["leaf_averaging"] = arguments.leaf_averaging
    for name in ("resolve_from", "max_outcomes"):  # not all commands have them
        if getattr(arguments, name, None) is not None:
            given[name] = getattr(arguments, name)
    return dataclasses.replace(base, **given)


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
