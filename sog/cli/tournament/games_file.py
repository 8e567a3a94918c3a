"""The file of --games-out: every game of a match or a tournament, as PGN, SGF or JSON."""

import functools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sog.cli.errors import writing
from sog.cli.tournament.saved import Record, SavedTournament
from sog.files import replace_file
from sog.games import Game
from sog.games.boards.game_records import ENDINGS, write_record
from sog.play.history import Beginning, read_beginning, state_at_beginning, tell_events


def write_games(path: Path, game: Game[Any], names: Sequence[str], saved: SavedTournament) -> None:
    """Replaces the file by one of all games."""
    ending = path.suffix.lower()
    write = functools.partial(_as_records, ending) if ending in ENDINGS else _as_json
    with writing(path, "the games"):
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
        games.append(
            {
                "players": players,
                "utility": record.utility,
                "resigned": record.resigned,
                **({} if record.begins is None else {"begins": record.begins}),
                "outcomes": record.outcomes,
                "events": tell_events(game, _start(game, record), record.outcomes)[0],
            }
        )
    return json.dumps({"game": str(game), "unit": game.unit, "games": games}, indent=1) + "\n"


def _as_records(ending: str, game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    return "\n".join(
        write_record(
            game,
            ending,
            record.outcomes,
            names=players,
            resigned=record.resigned,
            start=_start(game, record),
        )
        for players, record in _all_games(names, saved)
    )
