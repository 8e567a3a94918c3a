"""How a command is declared, and what argparse makes of it."""

import argparse
import importlib
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sog.cli.lines import Formatter
from sog.cli.options import OPTIONS
from sog.domain import load_part

OptionSpec = str | tuple[str, Mapping[str, Any]]
"""A name of `OPTIONS`, perhaps with what is different of it here; one that no other
command has, with all of it; or, with a colon at its end, the title of a group that begins."""


class Mode(NamedTuple):
    """Something that a command of the core does only with a domain."""

    epilog: str
    """What help says of it, behind the rest."""
    options: Sequence[OptionSpec]
    """Those of the command may be among them, for what is different."""
    takes: str
    """Whether it runs the command for some arguments, as module:function; raises CommandError for
    options that have no effect without it."""
    run: str
    """As of `Command`."""


class Command(NamedTuple):
    """What help says of a command, and the options that it has."""

    summary: str
    epilog: str
    options: Sequence[OptionSpec]
    run: str = ""
    """Who runs it, as module:function; of one of the core, the module `sog.cli.NAME`."""
    modes: Sequence[Mode] = ()

    def with_mode(self, mode: Mode) -> "Command":
        """The same command, which can do that, too."""
        options = dict(map(_named, self.options))
        for name, changes in map(_named, mode.options):
            options[name] = {**options.get(name, {}), **changes}
        return self._replace(
            epilog=f"{self.epilog}\n{mode.epilog}",
            options=tuple(options.items()),
            modes=(*self.modes, mode),
        )

    def add_to(self, commands: Any, name: str) -> None:
        """Makes it known to a parser. commands: its subparsers."""
        texts = texts_of(None, self.summary, self.epilog)
        add_options(commands.add_parser(name, help=self.summary, **texts), self.options)

    def execute(self, arguments: argparse.Namespace) -> int:
        """Runs it; returns the exit code."""
        run = self.run
        for mode in self.modes:
            if load_part(mode.takes)(arguments):
                run = mode.run
        name = f"sog.cli.{arguments.command}"
        if not run and hasattr(importlib.import_module(name), "__path__"):
            name += ".command"  # a larger one, in a folder of its own
        code: int = load_part(run or f"{name}:run")(arguments)
        return code


def _named(option: OptionSpec) -> tuple[str, Mapping[str, Any]]:
    return (option, {}) if isinstance(option, str) else option


def add_options(parser: argparse.ArgumentParser, options: Sequence[OptionSpec]) -> None:
    """Adds options to a parser, those behind a title to a group of their own."""
    group: Any = parser
    for option in options:
        name, changes = _named(option)
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
