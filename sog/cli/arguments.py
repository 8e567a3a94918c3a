"""The parser of `sog`: its help, and every command. Nothing heavy is imported: help is fast."""

import argparse
import shlex
from typing import Any, Final, NoReturn

from sog import __version__
from sog.catalog import game_parameters
from sog.cli.commands import playing, searching, solving, training
from sog.cli.commands.command import Command, texts_of
from sog.cli.errors import CommandError
from sog.domain import domains, load_part
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


_DESCRIPTION: Final = """\
Student of Games: train an agent for a two-player zero-sum game, with or without hidden information,
play against it, and compute what an optimal opponent wins against it.
"""
_EXAMPLES: Final = """\
examples:
  sog train leduc_demo                          train a network by self-play (sog configs: others)
  sog evaluate runs/leduc_demo                  how exploitable an agent with this network is
  sog play runs/leduc_demo                      play against it
  sog play leduc                                play against one that comes with us: sog agents
  sog games                                     what there is to play, and how large
  sog solve leduc                               solve it, print how good the policy is
  sog solve leduc --until-mbb 1 --save leduc.npz --plot leduc.png
  sog exploitability leduc leduc.npz            what an optimal opponent wins against it
  sog policy leduc.npz --walk                   see what it does, public state by public state
  sog explain leduc.npz                         where it loses against the best response
  sog search leduc --history "check bet2"       search one public state, show the tree
  sog serve runs/leduc_demo                     all of that in a browser

Each command explains itself: sog solve --help.
Programs, traced and compiled, are kept in ~/.cache/sog for the next run; the environment variable
SOG_CACHE_DIR names another folder, or none if it is empty.
"""
COMMANDS: Final[dict[str, Command]] = {
    "games": solving.GAMES,
    "solve": solving.SOLVE,
    "exploitability": solving.EXPLOITABILITY,
    "search": searching.SEARCH,
    "evaluate": searching.EVALUATE,
    "policy": solving.POLICY,
    "explain": solving.EXPLAIN,
    "agents": playing.AGENTS,
    "methods": training.METHODS_LISTED,
    "configs": training.CONFIGS,
    "train": training.TRAIN,
    "plot": training.PLOT,
    "play": playing.PLAY,
    "replay": playing.REPLAY,
    "review": playing.REVIEW,
    "match": playing.MATCH,
    "tournament": playing.TOURNAMENT,
}
"""In the order of the help, those of domains at the end."""
for _domain in domains():
    COMMANDS.update((name, load_part(path)) for name, path in _domain.commands.items())
    for _name, _path in _domain.modes.items():
        COMMANDS[_name] = COMMANDS[_name].with_mode(load_part(_path))


def make_parser() -> argparse.ArgumentParser:
    """The parser of `sog`; the name of the command ends up in `command`."""
    parser = Parser(**texts_of("sog", _DESCRIPTION, _EXAMPLES))
    parser.add_argument("--version", action="version", version=f"sog {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        command.add_to(commands, name)
    return parser
