"""Makes the players that the options of a command name."""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

from sog.cli.display import Work, note
from sog.cli.errors import CommandError, given, mistakes
from sog.cli.loading import explaining_size, load_game
from sog.cli.search_options import read_changes
from sog.games import Game
from sog.players.player import MOST_NODES, Host
from sog.players.seating import Seating, seat
from sog.players.table import entry_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class CommandHost(Host):
    """Shows progress of players on stderr, and names parameters by their options."""

    work: Work
    game_from: str = "--game"
    """The option that names the game."""

    def begin(self, doing: str, total: int | None = None) -> None:
        """Shows it."""
        self.work.begin(doing, total)

    def update(self, detail: str, completed: int | None = None) -> None:
        """Shows it."""
        self.work.update(detail, completed)

    def notify(self, text: str) -> None:
        """Prints it."""
        note(text)

    def option(self, parameter: str) -> str:
        """`--game` for `game`."""
        if parameter == "game":
            return self.game_from
        return f"--{parameter.replace('_', '-')}"


def host_of(arguments: argparse.Namespace, work: Work) -> CommandHost:
    """A host with the option `seed`, and `seconds` and `max_nodes` where the command has them."""
    return CommandHost(
        seed=arguments.seed or 0,
        seconds=getattr(arguments, "seconds", None),
        max_nodes=getattr(arguments, "max_nodes", None) or MOST_NODES,
        work=work,
    )


def seat_players(texts: Sequence[str], arguments: argparse.Namespace, work: Work) -> Seating:
    """Seats players by the options of a command. Raises CommandError."""
    game = None if arguments.game is None else load_game(arguments.game, work)
    return seat_at(texts, arguments, work, game=game)


def seat_at(
    texts: Sequence[str],
    arguments: argparse.Namespace,
    work: Work,
    *,
    game: Game[Any] | None,
    game_from: str = "--game",
) -> Seating:
    """As `seat_players`, in a loaded game. game_from: what names it, in messages."""
    host = dataclasses.replace(host_of(arguments, work), game_from=game_from)
    with mistakes(), explaining_size():
        return seat(
            texts, game=game, search=read_changes(arguments.search, arguments.set), host=host
        )


def check_searches(texts: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raises CommandError if search options are invalid, or no player searches."""
    read_changes(arguments.search, arguments.set)
    if any(entry_of(text).searches for text in texts):
        return
    for option, value in given(arguments, "search", "set", "seconds"):
        who = " and ".join(dict.fromkeys(texts))
        one = value[0] if isinstance(value, list) else value
        raise CommandError(f"{option} {one} has no effect: {who} takes no search settings.")
