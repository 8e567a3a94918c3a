"""An argument parser that tells a mistake in one line, and what was probably meant."""

import argparse
import difflib
import shlex
from typing import Any, NoReturn

from sog.cli.errors import CommandError


class Parser(argparse.ArgumentParser):
    """Of `sog`, and of each of its commands."""

    def error(self, message: str) -> NoReturn:
        """Without the usage in front of it, which argparse prints."""
        raise CommandError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Knows all arguments: a command refuses others itself, since it has the options."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [text.partition("=")[0] for text in unknown if text.startswith("-")]
            near = [meant for option in options if (meant := self._near_option(option))]
            hint = f"; did you mean {near[0]}?" if near else ""
            self.error(f"unrecognized arguments: {shlex.join(unknown)}{hint}")
        return found, unknown

    def _near_option(self, option: str) -> str | None:
        near = difflib.get_close_matches(option, self._option_string_actions, n=1)
        return near[0] if near else None

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        near = difflib.get_close_matches(str(value), choices, n=1)
        hint = f"did you mean {near[0]}?" if near else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: {str(value)!r}; {hint}")
