"""The parser of `sog`: its help and all commands. Imports nothing heavy, so help is fast."""

import argparse
import shlex
from typing import Any, Final, NoReturn

from sog import __version__
from sog.catalog import game_parameters
from sog.cli.commands import playing, searching, solving
from sog.cli.commands.command import Command, texts_of
from sog.cli.errors import CommandError
from sog.domain import DomainError, domains, load_part, with_domains
from sog.parameters import near_name


class Parser(argparse.ArgumentParser):
    """The parser of `sog` and of each of its commands."""

    def error(self, message: str) -> NoReturn:
        """Raises the error without the usage that argparse prints in front of it."""
        raise CommandError(f"{message} (see {self.prog} --help)")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Rejects unknown arguments here: a subparser knows the options to suggest."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            options = [text.partition("=")[0] for text in unknown if text.startswith("-")]
            hints = [hint for option in options if (hint := self._hint(option))]
            self.error(f"unrecognized arguments: {shlex.join(unknown)}{''.join(hints[:1])}")
        return found, unknown

    def _hint(self, option: str) -> str:
        """What the user probably meant by an option that this command does not have."""
        name = option.strip("-").replace("-", "_")
        is_set = any(action.dest == "config" for action in self._actions)  # all values by --set
        if not is_set and name in game_parameters():
            return f'; as a parameter of a game, write it in parentheses: "GAME({name}=...)"'
        near = near_name(option, self._option_string_actions)
        if is_set and (near is None or near == "--set"):
            return "; to change a value of the configuration: --set PART.NAME=VALUE"
        return f"; did you mean {near}?" if near else ""

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is None or value in action.choices:
            return
        choices = [str(choice) for choice in action.choices]
        near = near_name(str(value), choices)
        hint = f"did you mean {near}?" if near else f"choose from {', '.join(choices)}"
        raise argparse.ArgumentError(action, f"invalid choice: {str(value)!r}; {hint}")


_DESCRIPTION: Final = """\
Student of Games: train an agent for a two-player zero-sum game, with or without hidden information,
play against it, and compute what an optimal opponent wins against it.
"""
_EXAMPLES: Final = """\
examples:
  sog train leduc_demo                          train a network by self-play (sog configs: others)
  sog evaluate runs/leduc_demo                  compute how exploitable its agent is
  sog play runs/leduc_demo                      play against it
  sog play leduc                                play against a shipped one (list: sog agents)
  sog games                                     list the games, and how large they are
  sog solve leduc                               solve it, print how good the policy is
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog exploitability leduc leduc.npz            compute what an optimal opponent wins
  sog policy leduc.npz --walk                   browse it, public state by public state
  sog explain leduc.npz                         show where it loses to the best response
  sog search leduc --history "check bet2"       search one public state, show the tree
  sog serve runs/leduc_demo                     do all of that in a browser

Each command explains itself: sog solve --help.
Traced and compiled programs are cached in ~/.cache/sog. The environment variable SOG_CACHE_DIR
names another folder; an empty one turns the cache off.
"""
_CORE: Final = {
    "games": solving.GAMES,
    "solve": solving.SOLVE,
    "rules": solving.RULES,
    "exploitability": solving.EXPLOITABILITY,
    "search": searching.SEARCH,
    "evaluate": searching.EVALUATE,
    "policy": solving.POLICY,
    "explain": solving.EXPLAIN,
    "agents": playing.AGENTS,
    "methods": searching.METHODS_LISTED,
    "configs": searching.CONFIGS,
    "train": searching.TRAIN,
    "plot": searching.PLOT,
    "play": playing.PLAY,
    "replay": playing.REPLAY,
    "review": playing.REVIEW,
    "match": playing.MATCH,
    "tournament": playing.TOURNAMENT,
}


def _declared(name: str, path: str) -> Any:
    """What a domain declares for a command."""
    try:
        return load_part(path)
    except (ImportError, AttributeError) as error:
        raise DomainError(
            f"{path}, for the command {name!r}, cannot be imported: {error}."
        ) from None


def _commands() -> dict[str, Command]:
    found: dict[str, Command] = {
        name: _declared(name, command) if isinstance(command, str) else command
        for name, command in with_domains(_CORE, "commands").items()
    }
    for domain in domains():
        for name, path in domain.modes.items():
            if name not in found:
                raise DomainError(f"{path} must be a mode of a command, got {name!r}.")
            found[name] = found[name].with_mode(_declared(name, path))
    return found


COMMANDS: Final = _commands()
"""In the order of the help; those of domains come last."""


def make_parser() -> argparse.ArgumentParser:
    """The parser of `sog`; it puts the name of the command in `command`."""
    parser = Parser(**texts_of("sog", _DESCRIPTION, _EXAMPLES))
    parser.add_argument("--version", action="version", version=f"sog {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        command.add_to(commands, name)
    return parser
