"""Options are declared once; commands list theirs."""

import argparse
import dataclasses
from collections.abc import Sequence

import pytest

from gtcfr.settings import SearchSettings
from sog.cli.arguments import COMMANDS, make_parser
from sog.cli.commands.command import OptionSpec
from sog.cli.options import OPTIONS, SEARCH_FIELDS
from sog.cli.players import read_settings
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


def test_the_help_of_set_lists_all_settings_of_a_search() -> None:
    only_for_training = "num_queries"
    fields = {field.name for field in dataclasses.fields(SearchSettings)}
    assert {*SEARCH_FIELDS, only_for_training} == fields
    assert all(name in OPTIONS["--set"]["help"] for name in SEARCH_FIELDS)


@pytest.mark.parametrize("command", [name for name in COMMANDS if "--search" in names_of(name)])
def test_a_setting_of_a_search_has_no_option_of_its_own(command: str) -> None:
    assert "--set" in names_of(command)
    own = {f"--{name.replace('_', '-')}" for name in SEARCH_FIELDS}
    assert not own & set(names_of(command))


def read(*arguments: str) -> SearchSettings:
    parsed: argparse.Namespace = make_parser().parse_args(["match", "zero", "zero", *arguments])
    return read_settings(parsed, SearchSettings(alpha=0.25))


def test_a_setting_is_named_with_or_without_its_table_and_counts_after_search() -> None:
    short, long = read("--set", "rule=dcfr"), read("--set", "search.rule=dcfr")
    assert short == long == SearchSettings(alpha=0.25, rule="dcfr")
    both = read("--search", "10,1", "--set", "num_simulations=20", "--set", "search.alpha=1")
    assert both == SearchSettings(num_simulations=20, alpha=1.0)
