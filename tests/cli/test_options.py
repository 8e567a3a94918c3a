"""Options are declared once; commands list theirs."""

import argparse
import dataclasses
from collections.abc import Sequence

import pytest

from gtcfr.settings import SearchSettings
from sog.cli.arguments import COMMANDS, make_parser
from sog.cli.commands.command import OptionSpec
from sog.cli.options import OPTIONS, SETTINGS
from sog.cli.search_options import read_settings
from sog.domain import domains, load_part


def names(options: Sequence[OptionSpec]) -> list[str]:
    found = (one if isinstance(one, str) else one[0] for one in options)
    return [name for name in found if not name.endswith(":")]


def names_of(command: str) -> list[str]:
    return names(COMMANDS[command].options)


def test_every_option_that_is_declared_belongs_to_a_command() -> None:
    of_domains = {
        path for one in domains() for path in (*one.commands.values(), *one.modes.values())
    }
    parts = [load_part(path) for path in of_domains]
    known = set(OPTIONS) | {name for part in parts for name in names(part.options)}
    assert {name for command in COMMANDS for name in names_of(command)} == known


def test_options_for_settings_are_named_after_fields_of_a_search() -> None:
    fields = {field.name for field in dataclasses.fields(SearchSettings)}
    assert set(SETTINGS.values()) <= fields
    assert {f"--{name.replace('_', '-')}" for name in SETTINGS} <= set(OPTIONS)


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--rule" in names_of(name)])
def test_what_searches_takes_any_setting_of_a_search(command: str) -> None:
    assert ("--set" in names_of(command)) == (command != "solve")


def read(*arguments: str) -> SearchSettings:
    parsed: argparse.Namespace = make_parser().parse_args(["match", "zero", "zero", *arguments])
    return read_settings(parsed, SearchSettings(alpha=0.25))


def test_a_set_value_counts_as_one_of_its_own_option_and_comes_last() -> None:
    by_option, by_set = read("--rule", "dcfr"), read("--set", "search.rule=dcfr")
    assert by_option == by_set == SearchSettings(alpha=0.25, rule="dcfr")
    both = read("--search", "10,1", "--set", "search.num_simulations=20", "--set", "search.alpha=1")
    assert both == SearchSettings(num_simulations=20, alpha=1.0)
