"""`sog acpc PLAYER HOST PORT`: plays hold'em with a dealer by the ACPC protocol."""

import argparse
import contextlib
import socket
from typing import Final

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reason
from sog.cli.players import check_searches, seat_players
from sog.holdem.acpc import VERSION, acpc_game
from sog.holdem.commands.acpc_client import AcpcClient

_CONNECT_SECONDS: Final = 10.0
_MOST_OF_A_LINE: Final = 2**16


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    check_searches([arguments.agent], arguments)
    start_jax(few_searches=True)
    with display.working() as work, mistakes():
        seating = seat_players([arguments.agent], arguments, work)
        (player,), game = seating.players, acpc_game(seating.game)
        client = AcpcClient(game, player, arguments.seed)
        work.begin("compiling")
        client.prepare()
    where = f"{arguments.dealer_host}:{arguments.dealer_port}"
    with contextlib.closing(client):
        try:
            _play(client, arguments.dealer_host, arguments.dealer_port, where)
        except OSError as error:
            raise CommandError(f"dealer {where}: {reason(error).lower()}.") from None
        except UnicodeError:
            raise CommandError(f"dealer {where}: not a valid host name.") from None
    count = client.num_hands
    display.note(f"{count:,} hand{'' if count == 1 else 's'} played at {where}.")
    return SUCCESS


def _play(client: AcpcClient, host: str, port: int, where: str) -> None:
    """Plays until the dealer closes the connection."""
    with socket.create_connection((host, port), timeout=_CONNECT_SECONDS) as connection:
        connection.settimeout(None)
        with connection.makefile("rwb") as stream:
            stream.write(f"{VERSION}\r\n".encode())
            stream.flush()
            while line := stream.readline(_MOST_OF_A_LINE):
                try:
                    answer = client.answer(line.decode("utf-8", "replace"))
                except ValueError as error:
                    raise CommandError(f"dealer {where}: {error}") from None
                if answer is not None:
                    stream.write(f"{answer}\r\n".encode())
                    stream.flush()
