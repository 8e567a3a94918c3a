"""Openings of a tournament: `--openings FILE`, or `--openings random:PLIES`."""

import re
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError, reason
from sog.cli.loading import load_history
from sog.files import read_any_text
from sog.games import Game
from sog.play.history import Opening, check_begins_anywhere, read_history
from sog.play.tournament import random_openings

_RANDOM: Final = "random:"
_MOST_BYTES: Final = 2**24
_MOST_OPENINGS: Final = 100_000
_COMMENT: Final = "#"

Openings = list[Opening]


def check_openings(text: str | None, history: str) -> None:
    """Checks options before the work begins. Raises CommandError."""
    if text is None or re.fullmatch(rf"{_RANDOM}[1-9]\d{{0,5}}", text):
        return
    if text.startswith(_RANDOM) and not Path(text).exists():
        raise CommandError(
            f"--openings: random:PLIES needs a number of moves from 1 on, got {text!r}."
        )
    if history:
        raise CommandError(f"--history: the lines of {text} are whole positions; omit one option.")
    _read_lines(text)


def make_openings(
    game: Game[Any], text: str | None, history: str, num_games: int | None, seed: int
) -> Openings:
    """Makes the openings. num_games: of a pairing, None for as many as needed.

    Raises CommandError for invalid positions.
    """
    start = load_history(game, history, begins=True)
    if text is None:
        return [start]
    try:
        check_begins_anywhere(game)
        if not Path(text).exists():
            plies = int(text.removeprefix(_RANDOM))
            count = (num_games or 2) // 2
            return random_openings(game, count, plies, seed=seed, after_opening=start)
    except ValueError as error:
        raise CommandError(f"--openings: {error}") from None
    openings: Openings = []
    for number, line in _read_lines(text):
        try:
            openings.append(read_history(game, line, anywhere=True))
        except ValueError as error:
            raise CommandError(f"{text}: line {number}: {error}") from None
    return openings


def _read_lines(text: str) -> list[tuple[int, str]]:
    """The lines of the file with positions, and their numbers."""
    try:
        content = read_any_text(text, _MOST_BYTES)
    except OSError as error:
        raise CommandError(f"--openings: cannot read {text}: {reason(error)}.") from None
    numbered = [(number, line.strip()) for number, line in enumerate(content.splitlines(), 1)]
    lines = [(number, line) for number, line in numbered if line and line[0] != _COMMENT]
    if not 0 < len(lines) <= _MOST_OPENINGS:
        raise CommandError(
            f"--openings: {text} must have 1 to {_MOST_OPENINGS:,} lines, a position each, got "
            f"{len(lines):,}."
        )
    return lines
