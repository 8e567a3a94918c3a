"""From the text of a command line to a game."""

from typing import Any

from sog.cli.errors import CommandError, reason
from sog.games import Game, make


def load_game(text: str) -> Game[Any]:
    """The game that a user named."""
    try:
        return make(text)
    except ValueError as error:
        raise CommandError(str(error)) from None
    except OSError as error:  # a file that a parameter names
        raise CommandError(f"{text}: cannot read {error.filename}: {reason(error)}.") from None
