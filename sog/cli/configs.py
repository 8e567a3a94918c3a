"""`sog configs`: lists the shipped training configurations, or shows all settings of one.

The list does not import JAX, so it appears at once.
"""

import argparse
import dataclasses
from typing import Final

from selfplay.runs.config_files import list_configs, read_values
from sog.cli import display
from sog.cli.errors import SUCCESS, mistakes

_FOOTER: Final = """\
All settings of one, explained: sog configs NAME. To change them: sog configs NAME > mine.toml."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    if arguments.config is None:
        _list_configs(arguments.json)
    else:
        _show_config(arguments.config, arguments.json)
    return SUCCESS


def _list_configs(as_json: bool) -> None:
    configs = {name: read_values(name) for name in list_configs()}
    facts = [
        {"name": name, "game": values["game"], "summary": values["summary"]}
        for name, values in configs.items()
    ]
    if as_json:
        display.print_json(facts)
        return
    table = display.plain_table("name", "what it is")
    for one in facts:
        table.add_row(one["name"], one["summary"])
    display.print_table(table, footer=_FOOTER)


def _show_config(name: str, as_json: bool) -> None:
    from selfplay.runs.config import dump_config, load_config
    from selfplay.runs.setting_texts import setting_texts

    with mistakes():
        config = load_config(name)
    if as_json:
        display.print_json(dataclasses.asdict(config))
    else:
        print(dump_config(config, setting_texts(config)), end="")
