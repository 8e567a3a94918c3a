"""An argument parser that tells a mistake in one line, and what was probably meant."""

import argparse
import shlex
from typing import Any, NoReturn

from sog.catalog import game_parameters
from sog.cli.errors import CommandError
from sog.parameters import near_name


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
            hints = [hint for option in options if (hint := self._hint(option))]
            self.error(f"unrecognized arguments: {shlex.join(unknown)}{''.join(hints[:1])}")
        return found, unknown

    def _hint(self, option: str) -> str:
        """What was probably meant by an option that this command does not have."""
        name = option.strip("-").replace("-", "_")
        is_set = any(action.dest == "config" for action in self._actions)  # all values by --set
        if not is_set and name in game_parameters():
            return f'; a game is told that in brackets: "GAME({name}=...)"'
        near = near_name(option, self._option_string_actions)
        if is_set and (near is None or near == "--set"):
            return "; a value of the configuration is changed by --set PART.NAME=VALUE"
        return f"; did you mean {near}?" if near else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        near = near_name(str(value), choices)
        hint = f"did you mean {near}?" if near else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: {str(value)!r}; {hint}")
