"""How a command is declared, and what argparse makes of it."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sog.cli.lines import Formatter
from sog.cli.options import OPTIONS

Choice = str | tuple[str, Mapping[str, Any]]
"""A name of `OPTIONS`, perhaps with what is different of it here; or, with a colon at its end, the
title of a group of options that begins."""


class Command(NamedTuple):
    """What help says of a command, and the options that it has."""

    summary: str
    epilog: str
    options: Sequence[Choice]

    def add_to(self, commands: Any, name: str) -> None:
        """Makes it known to a parser. commands: its subparsers."""
        texts = texts_of(None, self.summary, self.epilog)
        add_options(commands.add_parser(name, help=self.summary, **texts), self.options)


def add_options(parser: argparse.ArgumentParser, options: Sequence[Choice]) -> None:
    """Adds options to a parser, those behind a title to a group of their own."""
    group: Any = parser
    for option in options:
        name, changes = (option, {}) if isinstance(option, str) else option
        if name.endswith(":"):
            group = parser.add_argument_group(name.removesuffix(":"))
        else:
            group.add_argument(name, **{**OPTIONS[name], **changes})


def texts_of(prog: str | None, description: str, epilog: str) -> dict[str, Any]:
    """What all parsers are made with."""
    return {
        "prog": prog,
        "description": description,
        "epilog": epilog,
        "formatter_class": Formatter,
        "allow_abbrev": False,
    }
