"""From the text of a command line to a game."""

from pathlib import Path
from typing import Any

from sog.cli.errors import CommandError, reason
from sog.cli.runs import is_run
from sog.games import Game, make


def load_game(text: str) -> Game[Any]:
    """The game that a user named."""
    if is_run(Path(text)):
        raise CommandError(
            f"{text} is a run folder, where a game is needed; `sog evaluate {text}` and `sog play "
            f"{text}` take one."
        )
    try:
        return make(text)
    except ValueError as error:
        raise CommandError(str(error)) from None
    except OSError as error:  # a file that a parameter names
        raise CommandError(f"{text}: cannot read {error.filename}: {reason(error)}.") from None
