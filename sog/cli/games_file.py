"""Files of games to be gone through: those of `sog play --save`, and records of anybody."""

import abc
import dataclasses
import functools
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sog.cli.display import note
from sog.cli.errors import CommandError, mistakes
from sog.cli.loading import load_game
from sog.cli.play.saved import no_saved, read_saved
from sog.cli.records import is_record_name
from sog.files import printable, read_any_text
from sog.games import Game, make
from sog.games.registry import game_class, is_game
from sog.parameters import as_typed, read_parameters, split_call
from sog.play.game_in_progress import PlayedGame
from sog.play.game_records import format_at, format_of, has_format
from sog.play.history import read_opening
from sog.play.replay import ReplayError, played_of, played_so_far, replay_of

_MOST_BYTES: Final = 2**26
_NO_GAME: Final = (KeyError, IndexError, TypeError, ValueError)


@dataclasses.dataclass(frozen=True, kw_only=True)
class OneGame:
    """A game of a file, held against the rules where they are here."""

    game: Game[Any] | None
    """None where it is not installed."""
    told: str
    """What it is called."""
    played: PlayedGame | None
    """None as well then."""
    record: Mapping[str, Any]
    """As of `sog.play.replay.replay_of`."""
    names: tuple[str, str]
    """Of player 0 and player 1."""
    human: int | None
    """Which of them was the person; None in a game of others."""


class GamesFile(abc.ABC):
    """Its games are read when they are asked for, by their number from 1."""

    path: Path
    num_games: int

    @abc.abstractmethod
    def get(self, number: int) -> OneGame:
        """A game. Raises CommandError for one that cannot be."""

    def number(self, asked: int | None) -> int:
        """The number that was asked for, the last one if none was. Raises CommandError."""
        if not self.num_games:
            raise CommandError(f"{self.path} has no finished game.")
        if asked is not None and asked > self.num_games:
            raise CommandError(
                f"--number must be from 1 to {self.num_games}, the games in {self.path}, got "
                f"{asked}."
            )
        return self.num_games if asked is None else asked


def open_games(path: Path, game: str | None) -> GamesFile:
    """game: as a user names it, of a file that need not say it. Raises CommandError, OSError."""
    if is_record_name(path):
        return RecordsFile(path, game)
    if game is not None:
        raise CommandError(f"--game {game} has no effect: {path} says which game it is of.")
    return SavedFile(path)


class SavedFile(GamesFile):
    """One of `sog play --save`, which says everything in words, too."""

    def __init__(self, path: Path) -> None:
        self.path, self.saved = path, read_saved(path)
        self.num_games = len(self.saved.games)

    @functools.cached_property
    def game(self) -> Game[Any] | None:
        """That of all its games; None where it is not installed."""
        return installed_game(self.saved.game)

    def get(self, number: int) -> OneGame:
        """As the file tells it."""
        record, game = self.saved.games[number - 1], self.game
        played = None
        try:
            if game is not None:
                played = played_of(game, record)
        except ReplayError as error:
            raise CommandError(f"{self.path}: game {number}: {error}") from None
        except _NO_GAME:
            raise no_saved(self.path) from None
        human = int(record["human"])
        names = ("You", "Agent") if human == 0 else ("Agent", "You")
        return OneGame(
            game=game,
            told=self.saved.game,
            played=played,
            record=record,
            names=names,
            human=human,
        )


class RecordsFile(GamesFile):
    """One in a format of records, as PGN or SGF."""

    def __init__(self, path: Path, game: str | None) -> None:
        self.path, self._asked = path, game
        content = read_any_text(path, _MOST_BYTES)
        found = format_of(content) or format_at(path.suffix.lower())
        assert found is not None
        self._format = found
        with mistakes(f"{path}: "):
            self._texts = found.split(content)
        self.num_games = len(self._texts)
        if not self._texts:
            raise CommandError(f"{path} has no game.")

    def get(self, number: int) -> OneGame:
        """As the rules tell what the file says was played."""
        with mistakes(f"{self.path}: game {number}: "):
            record = self._format.read(self._texts[number - 1])
            game = self._game(record.text)
            if notice := self._format.notice_of(record.text):
                note(f"{self.path}: game {number}: {notice}")
            opening = read_opening(game, record.text)
            played = played_so_far(game, opening, record.result, record.is_scored)
        return OneGame(
            game=game,
            told=str(game),
            played=played,
            record=replay_of(game, 0, played),
            names=_names(record.names),
            human=None,
        )

    def _game(self, text: str) -> Game[Any]:
        if self._asked is None:
            return make(self._format.game_of(text))
        game = load_game(self._asked)
        if not has_format(game, self.path.suffix.lower()):
            raise CommandError(
                f"--game: games of {game.name} are not written in {self.path.suffix[1:].upper()}, "
                f"as those in {self.path} are."
            )
        return game


def _names(said: tuple[str, str]) -> tuple[str, str]:
    """What the players are called, each by a name of his own."""
    shown = [printable(name) for name in said]
    numbered = [f"player {player}" for player in (0, 1)]
    if shown[0] == shown[1]:
        named = [
            f"{one} ({number})" if one else number
            for one, number in zip(shown, numbered, strict=True)
        ]
        return named[0], named[1]
    return shown[0] or numbered[0], shown[1] or numbered[1]


def installed_game(text: str) -> Game[Any] | None:
    """The game, unless a file would choose thereby what is imported or read."""
    call = split_call(text)
    if call is None or not is_game(call[0]):
        return None
    cls = game_class(call[0])
    with mistakes():
        typed = {key: as_typed(value) for key, value in read_parameters(cls, *call).items()}
        return None if cls.files_read(typed) else load_game(text)
