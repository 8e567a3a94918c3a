"""Declares commands and builds their argparse parsers."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from sog.cli.lines import Formatter
from sog.cli.options import OPTIONS
from sog.domain import load_part

OptionSpec = str | tuple[str, Mapping[str, Any]]
"""A name of `OPTIONS`, perhaps with changes; an option of this command alone;
or the title of a new group, which ends with a colon."""


def changed(name: str, text: str = "", **changes: Any) -> OptionSpec:
    """An option with another help text and other changes of what `OPTIONS` declares."""
    return name, {"help": text, **changes} if text else changes


class Mode(NamedTuple):
    """A mode of a core command that a domain adds."""

    epilog: str
    """Appended to the command's help."""
    options: Sequence[OptionSpec]
    """Additional options, or changes of the command's."""
    takes: str
    """Whether it handles some arguments, as module:function; raises CommandError for options that
    have no effect without it."""
    run: str
    """See `Command.run`."""


class Command(NamedTuple):
    """A command: its help, options and implementation."""

    summary: str
    epilog: str
    options: Sequence[OptionSpec]
    run: str = ""
    """Its implementation, as module:function; by default of the module `sog.cli.NAME`."""
    modes: Sequence[Mode] = ()

    def with_mode(self, mode: Mode) -> "Command":
        """The same command with an additional mode."""
        options = dict(map(_named, self.options))
        for name, changes in map(_named, mode.options):
            options[name] = {**options.get(name, {}), **changes}
        return self._replace(
            epilog=f"{self.epilog}\n{mode.epilog}",
            options=tuple(options.items()),
            modes=(*self.modes, mode),
        )

    def add_to(self, commands: Any, name: str) -> None:
        """Adds its parser. commands: the subparsers of `sog`."""
        texts = texts_of(None, self.summary, self.epilog)
        add_options(commands.add_parser(name, help=self.summary, **texts), self.options)

    def execute(self, arguments: argparse.Namespace) -> int:
        """Runs the command; returns its exit code."""
        taken = [mode.run for mode in self.modes if load_part(mode.takes)(arguments)]
        run = taken[0] if taken else self.run
        code: int = load_part(run or f"sog.cli.{arguments.command}:run")(arguments)
        return code


def _named(option: OptionSpec) -> tuple[str, Mapping[str, Any]]:
    return (option, {}) if isinstance(option, str) else option


def add_options(parser: argparse.ArgumentParser, options: Sequence[OptionSpec]) -> None:
    """Adds options to a parser, those after a title to a group of their own."""
    group: Any = parser
    for option in options:
        name, changes = _named(option)
        if name.endswith(":"):
            group = parser.add_argument_group(name.removesuffix(":"))
        else:
            group.add_argument(name, **{**OPTIONS.get(name, {}), **changes})


def texts_of(prog: str | None, description: str, epilog: str) -> dict[str, Any]:
    """Arguments that all parsers share."""
    return {
        "prog": prog,
        "description": description,
        "epilog": epilog,
        "formatter_class": Formatter,
        "allow_abbrev": False,
    }
