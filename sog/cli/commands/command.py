"""How a command is declared, and what argparse makes of it."""

import argparse
import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from sog.cli.lines import Formatter
from sog.cli.options import OPTIONS
from sog.domain import load_part

Choice = str | tuple[str, Mapping[str, Any]]
"""A name of `OPTIONS`, perhaps with what is different of it here; one that no other
command has, with all of it; or, with a colon at its end, the title of a group that begins."""


class Command(NamedTuple):
    """What help says of a command, and the options that it has."""

    summary: str
    epilog: str
    options: Sequence[Choice]
    run: str = ""
    """Who runs it, as module:function; of one of the core, the module `sog.cli.NAME`."""

    def add_to(self, commands: Any, name: str) -> None:
        """Makes it known to a parser. commands: its subparsers."""
        texts = texts_of(None, self.summary, self.epilog)
        add_options(commands.add_parser(name, help=self.summary, **texts), self.options)

    def load(self, name: str) -> Callable[[argparse.Namespace], int]:
        """The function that runs it and returns its exit code."""
        run: Callable[[argparse.Namespace], int]
        if self.run:
            run = load_part(self.run)
            return run
        module = importlib.import_module(f"sog.cli.{name}")
        if hasattr(module, "__path__"):  # a larger one, in a folder of its own
            module = importlib.import_module(f"{module.__name__}.command")
        run = module.run
        return run


def add_options(parser: argparse.ArgumentParser, options: Sequence[Choice]) -> None:
    """Adds options to a parser, those behind a title to a group of their own."""
    group: Any = parser
    for option in options:
        name, changes = (option, {}) if isinstance(option, str) else option
        if name.endswith(":"):
            group = parser.add_argument_group(name.removesuffix(":"))
        else:
            group.add_argument(name, **{**OPTIONS.get(name, {}), **changes})


def texts_of(prog: str | None, description: str, epilog: str) -> dict[str, Any]:
    """What all parsers are made with."""
    return {
        "prog": prog,
        "description": description,
        "epilog": epilog,
        "formatter_class": Formatter,
        "allow_abbrev": False,
    }
