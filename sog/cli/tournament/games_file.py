"""The file of `sog tournament --games-out`: every game, in the format that players of it read."""

import functools
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from sog.cli.errors import CommandError, check_target, writing
from sog.cli.tournament.saved import Record, SavedTournament
from sog.files import replace_file
from sog.games import Game
from sog.play.history import Beginning, read_beginning, state_at_beginning
from sog.play.rules import after

_ENDINGS: Final = (".json", ".pgn", ".sgf")
_WON_BY_RESIGNATION: Final = ("0-1", "1-0")
"""By the player who gave up."""


def check_games_file(path: Path | None) -> None:
    """Finds mistakes before the work begins. Raises CommandError."""
    if path is not None:
        check_target("--games-out", path, _ENDINGS)


def check_has_format(game: Game[Any], path: Path | None) -> None:
    """Raises CommandError if there is no such format of this game."""
    ending = ".json" if path is None else path.suffix.lower()
    if ending != ".json" and not hasattr(game, ending.removeprefix(".")):
        raise CommandError(
            f"--games-out: games of {game.name} are not written in {ending[1:].upper()}; .json has "
            f"those of all."
        )


def write_games(path: Path, game: Game[Any], names: Sequence[str], saved: SavedTournament) -> None:
    """Replaces the file by one of all games."""
    write = {".json": _as_json, ".pgn": _as_pgn, ".sgf": _as_sgf}[path.suffix.lower()]
    with writing(path):
        replace_file(path, write(game, names, saved))


def _all_games(
    names: Sequence[str], saved: SavedTournament
) -> Iterator[tuple[tuple[str, str], Record]]:
    """The names of player 0 and player 1, and the game."""
    for (first, second), pairs in sorted(saved.games.items()):
        for one, other in pairs:
            yield (names[first], names[second]), one
            yield (names[second], names[first]), other


def _start(game: Game[Any], record: Record) -> Any:
    """The public state that a game began with."""
    return state_at_beginning(
        game, None if record.begins is None else _beginning(game, record.begins)
    )


@functools.lru_cache
def _beginning(game: Game[Any], text: str) -> Beginning:
    return read_beginning(game, text)


def _as_json(game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    games = []
    for players, record in _all_games(names, saved):
        state, events = _start(game, record), []
        for outcome in record.outcomes:
            events.append(game.describe_outcome(state, outcome))
            state = after(game, state, outcome)
        games.append(
            {
                "players": players,
                "utility": record.utility,
                "resigned": record.resigned,
                **({} if record.begins is None else {"begins": record.begins}),
                "outcomes": record.outcomes,
                "events": events,
            }
        )
    return json.dumps({"game": str(game), "unit": game.unit, "games": games}, indent=1) + "\n"


def _as_sgf(game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    write: Callable[..., str] = game.sgf  # type: ignore[attr-defined]
    return "\n".join(
        write(
            record.outcomes,
            names=players,
            result="" if record.resigned is None else f"{'WB'[record.resigned]}+R",
            start=_start(game, record),
        ).rstrip("\n")
        + "\n"
        for players, record in _all_games(names, saved)
    )


def _as_pgn(game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    write: Callable[..., str] = game.pgn  # type: ignore[attr-defined]
    return "\n".join(
        write(
            record.outcomes,
            names=players,
            result="" if record.resigned is None else _WON_BY_RESIGNATION[record.resigned],
            start=_start(game, record),
        )
        for players, record in _all_games(names, saved)
    )
