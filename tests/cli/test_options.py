"""Options are declared once; commands list theirs."""

import argparse
import dataclasses

import pytest

from gtcfr.settings import SearchSettings
from sog.cli.arguments import COMMANDS, make_parser
from sog.cli.options import OPTIONS, SETTINGS
from sog.cli.search_numbers import read_settings


def names_of(command: str) -> list[str]:
    options = (one if isinstance(one, str) else one[0] for one in COMMANDS[command].options)
    return [name for name in options if not name.endswith(":")]


def test_every_option_that_is_declared_belongs_to_a_command() -> None:
    """A domain declares others with its commands."""
    named = {name for command in COMMANDS for name in names_of(command)}
    elsewhere = {
        one[0]
        for command in COMMANDS.values()
        for one in command.options
        if not isinstance(one, str) and "help" in one[1]
    }
    assert set(OPTIONS) <= named <= {*OPTIONS, *elsewhere}


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
