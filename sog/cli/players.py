"""From the options of a command to the players that it names."""

import argparse
import dataclasses
from collections.abc import Sequence
from typing import Any

from sog.cli.display import Work, note
from sog.cli.errors import CommandError, mistakes
from sog.cli.loading import explaining_size, load_game
from sog.cli.options import SETTINGS
from sog.cli.search_numbers import read_changes
from sog.games import Game
from sog.players.player import MOST_NODES, Host
from sog.players.seating import Seating, seat
from sog.players.table import entry_of


@dataclasses.dataclass(frozen=True, kw_only=True)
class CommandHost(Host):
    """Shows on stderr how far players are, and calls parameters by the options for them."""

    work: Work
    game_from: str = "--game"
    """What says which game is played."""

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
    """arguments: `seed`, `max_nodes` and perhaps `seconds`, as the options are called."""
    return CommandHost(
        seed=arguments.seed or 0,
        seconds=getattr(arguments, "seconds", None),
        max_nodes=arguments.max_nodes or MOST_NODES,
        work=work,
    )


def seat_players(texts: Sequence[str], arguments: argparse.Namespace, work: Work) -> Seating:
    """As `seat`, by the options of a command that plays; raises CommandError."""
    game = None if arguments.game is None else load_game(arguments.game, work)
    with mistakes(), explaining_size():
        return seat(texts, game=game, search=read_changes(arguments), host=host_of(arguments, work))


def seat_at(
    texts: Sequence[str],
    arguments: argparse.Namespace,
    work: Work,
    *,
    game: Game[Any],
    game_from: str,
) -> Seating:
    """The same where it is not --game that says which game is played, but what game_from names."""
    host = dataclasses.replace(host_of(arguments, work), game_from=game_from)
    with mistakes(), explaining_size():
        return seat(texts, game=game, search=read_changes(arguments), host=host)


def check_searches(texts: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raises CommandError if what is said about searches cannot be, or nobody searches."""
    read_changes(arguments)
    if any(entry_of(text).searches for text in texts):
        return
    for option in ("search", "set", "seconds", *SETTINGS):
        value = getattr(arguments, option, None)
        if value not in (None, []):
            who, flag = " and ".join(dict.fromkeys(texts)), f"--{option.replace('_', '-')}"
            told = value[0] if isinstance(value, list) else value
            raise CommandError(f"{flag} {told} has no effect: {who} cannot be told how to search.")
