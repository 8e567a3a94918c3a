"""The parser of `sog`: its help, and every command. Nothing heavy is imported: help is fast."""

import argparse
from typing import Final

from sog import __version__
from sog.cli.commands import playing, searching, solving, training
from sog.cli.commands.command import Command, texts_of
from sog.cli.parser import Parser

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
    "push_fold": solving.PUSH_FOLD,
    "blueprint": solving.BLUEPRINT,
    "exploitability": solving.EXPLOITABILITY,
    "search": searching.SEARCH,
    "evaluate": searching.EVALUATE,
    "policy": solving.POLICY,
    "explain": solving.EXPLAIN,
    "agents": playing.AGENTS,
    "methods": training.METHODS_LISTED,
    "run": training.RUN,
    "configs": training.CONFIGS,
    "train": training.TRAIN,
    "plot": training.PLOT,
    "play": playing.PLAY,
    "replay": playing.REPLAY,
    "review": playing.REVIEW,
    "match": playing.MATCH,
    "tournament": playing.TOURNAMENT,
    "gtp": playing.GTP,
    "uci": playing.UCI,
    "acpc": playing.ACPC,
    "serve": playing.SERVE,
}
"""In the order of the help."""


def make_parser() -> argparse.ArgumentParser:
    """The parser of `sog`; the name of the command ends up in `command`."""
    parser = Parser(**texts_of("sog", _DESCRIPTION, _EXAMPLES))
    parser.add_argument("--version", action="version", version=f"sog {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, command in COMMANDS.items():
        command.add_to(commands, name)
    return parser
