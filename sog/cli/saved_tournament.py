"""The file of `sog tournament --save`: the setup, then a line for every pair of games.

Lines are appended when the games are over, so a kill loses only games in progress; a partial last
line is dropped. The same command continues the file.
"""

import dataclasses
import fcntl
import functools
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from sog.cli.display import values_of
from sog.cli.errors import CommandError, write_file, writing
from sog.cli.game_output import is_record_name
from sog.files import open_to_append, open_to_lock, parse_json, read_bytes
from sog.games import Game
from sog.games.notation import describe_path
from sog.play.game_in_progress import PlayedGame
from sog.play.game_records import write_record
from sog.play.history import Beginning, Opening, state_at_beginning
from sog.play.replay import ReplayError, played_of
from sog.play.tournament import Pairing, pairings

_MARK: Final = "sog tournament"
_VERSION: Final = 2
_MOST_BYTES: Final = 2**30


PairOfGames = tuple[PlayedGame, PlayedGame]
"""The first has the player of the lower number as player 0, the second as player 1. Policies are
left out."""


class SavedTournament:
    """The games so far, in memory and perhaps in a file, which is locked until `close`."""

    def __init__(
        self,
        path: Path | None,
        setup: dict[str, Any],
        game: Game[Any],
        openings: Sequence[Opening],
    ) -> None:
        """Reads the file if it exists. setup: must be equal for all games of a file.

        openings: as for `play_tournament`. Raises CommandError for a file of another setup or kind,
        with games that break the rules, or in use by another process.
        """
        self.path = path
        self._game, self.openings = game, openings
        self.games: dict[Pairing, list[PairOfGames]] = {}
        self._lock: int | None = None
        if path is None:
            return
        self._header = {"file": _MARK, "version": _VERSION, "setup": setup}
        with writing(path):
            self._lock = open_to_lock(path)
        try:
            self._begin(path, self._lock)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Closes and unlocks the file."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _begin(self, path: Path, file: int) -> None:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CommandError(f"--save: {path} is in use by another process.") from None
        if not os.fstat(file).st_size:
            with writing(path):
                os.write(file, _line(self._header).encode())
        elif (whole := self._read(path)) is not None:
            with writing(path):
                os.ftruncate(file, whole)

    @property
    def finished(self) -> dict[Pairing, list[tuple[float, float]]]:
        """Utilities of the lower number, for `play_tournament`."""
        return {
            pairing: [(first.utility, -second.utility) for first, second in pairs]
            for pairing, pairs in self.games.items()
        }

    @property
    def num_games(self) -> int:
        """Number of games of all pairings."""
        return 2 * sum(map(len, self.games.values()))

    def add(self, pairing: Pairing, number: int, first: PlayedGame, second: PlayedGame) -> None:
        """Adds a pair of games."""
        pair = dataclasses.replace(first, policies=()), dataclasses.replace(second, policies=())
        self.games.setdefault(pairing, []).append(pair)
        if self.path is None:
            return
        games = [_in_numbers(played) for played in pair]
        with writing(self.path), open_to_append(self.path) as file:
            file.write(_line({"pairing": pairing, "pair": number, "games": games}).encode())

    def _read(self, path: Path) -> int | None:
        """The length of the whole lines, if the last one is partial."""
        whole, _, torn = read_bytes(path, _MOST_BYTES).rpartition(b"\n")
        first, *lines = whole.split(b"\n")
        try:
            header = parse_json(first)
            if header["file"] != _MARK or header["version"] != _VERSION:
                raise ValueError
            was, now = header["setup"], json.loads(json.dumps(self._header["setup"]))
            for name in now:
                if was.get(name) != now[name]:
                    raise CommandError(
                        f"--save: the games in {path} are of another tournament: {name} was "
                        f"{was.get(name)!r}, not {now[name]!r}."
                    )
        except (ValueError, KeyError, TypeError, AttributeError):
            raise CommandError(
                f"--save: {path} is not a file of `sog tournament --save`."
            ) from None
        for number, line in enumerate(lines, start=2):
            try:
                self._take(parse_json(line), len(now["players"]))
            except (ValueError, LookupError, TypeError, AttributeError, OverflowError) as error:
                why = f": {error}" if isinstance(error, ReplayError) else "."
                raise CommandError(
                    f"--save: line {number} of {path} is damaged{why} Delete it and all below "
                    f"to play their games again."
                ) from None
        return len(whole) + 1 if torn else None

    def _take(self, line: Any, num_players: int) -> None:
        lower, higher = line["pairing"]
        pairing, number = (lower, higher), line["pair"]
        if pairing not in pairings(num_players):
            raise ValueError
        known = self.games.setdefault(pairing, [])
        if number != len(known):
            raise ValueError
        first, second = (self._record(game, number) for game in line["games"])
        known.append((first, second))

    def _record(self, game: Any, number: int) -> PlayedGame:
        """A game of the pair with this number, checked against the rules."""
        opening = self.openings[number % len(self.openings)]
        found = played_of(self._game, game)
        same_opening = found.outcomes[: len(opening.outcomes)] == opening.outcomes
        if _text_of(found.beginning) != _text_of(opening.beginning) or not same_opening:
            raise ReplayError("it has another opening.")
        return found


def _in_numbers(played: PlayedGame) -> dict[str, Any]:
    """A game for `played_of`."""
    events = zip(played.outcomes, played.actions, strict=True)
    return {
        **values_of(played, "utility", "resigned"),
        "begins": _text_of(played.beginning),
        "moves": [{"outcome": outcome, "action": action} for outcome, action in events],
        "infostates": played.infostates,
    }


def _text_of(beginning: Beginning | None) -> str | None:
    """Where a game began, if not at its start."""
    return None if beginning is None else beginning.text


def _line(value: dict[str, Any]) -> str:
    return json.dumps(value, allow_nan=False) + "\n"


def write_games(path: Path, game: Game[Any], names: Sequence[str], saved: SavedTournament) -> None:
    """Writes a file of all games."""
    is_record = is_record_name(path)
    write = functools.partial(_as_records, path.suffix.lower()) if is_record else _as_json
    write_file(path, write(game, names, saved), "the games")


def _all_games(
    names: Sequence[str], saved: SavedTournament
) -> Iterator[tuple[tuple[str, str], PlayedGame]]:
    """All games with the names of player 0 and player 1."""
    for (first, second), pairs in sorted(saved.games.items()):
        for one, other in pairs:
            yield (names[first], names[second]), one
            yield (names[second], names[first]), other


def _as_json(game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    games = []
    for players, played in _all_games(names, saved):
        start = state_at_beginning(game, played.beginning)
        events = describe_path(game, start, played.outcomes)[0]
        games.append({"players": players, **_in_numbers(played), "events": events})
    return json.dumps({"game": str(game), "unit": game.unit, "games": games}, indent=1) + "\n"


def _as_records(ending: str, game: Game[Any], names: Sequence[str], saved: SavedTournament) -> str:
    return "\n".join(
        write_record(
            game,
            ending,
            played.outcomes,
            names=players,
            resigned=played.resigned,
            start=state_at_beginning(game, played.beginning),
        )
        for players, played in _all_games(names, saved)
    )
