"""Reads files of games: of `sog play --save`, `sog match --games-out`, and records such as PGN."""

import dataclasses
import functools
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sog.cli.display import note
from sog.cli.errors import CommandError, mistakes
from sog.cli.game_output import is_record_name
from sog.cli.loading import load_game
from sog.cli.saved_games import Saved, no_saved, read_saved
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
    """A game of a file, checked against the rules if the game is installed."""

    game: Game[Any] | None
    """None if it is not installed."""
    name: str
    """The name of the game, as the file has it."""
    played: PlayedGame | None
    """None if the game is not installed."""
    record: Mapping[str, Any]
    """See `sog.play.replay.replay_of`."""
    names: tuple[str, str]
    """Of player 0 and player 1."""
    human: int | None
    """The seat of the user; None in a game of others."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class GamesFile:
    """Games that are read on demand, by their number from 1."""

    path: Path
    num_games: int
    get: Callable[[int], OneGame]
    """Reads a game. Raises CommandError if it breaks the rules."""
    saved: Saved | None = None
    """A file of `sog play --save`, which also has all states and moves as text; None for others."""

    def number(self, requested: int | None) -> int:
        """The requested number, by default that of the last game. Raises CommandError."""
        if not self.num_games:
            raise CommandError(f"{self.path} has no finished game.")
        if requested is not None and requested > self.num_games:
            raise CommandError(
                f"--number must be from 1 to {self.num_games}, the games in {self.path}, got "
                f"{requested}."
            )
        return self.num_games if requested is None else requested


def open_games(path: Path, game: str | None) -> GamesFile:
    """game: the name of the game, for a record. Raises CommandError or OSError."""
    if is_record_name(path):
        return _open_records(path, game)
    if game is not None:
        raise CommandError(f"--game {game} has no effect: {path} names its game.")
    return _open_saved(path)


def _open_saved(path: Path) -> GamesFile:
    """A file of `sog play --save`, checked against the rules if they are installed."""
    saved = read_saved(path)
    rules = functools.cache(lambda: installed_game(saved.game))

    def get(number: int) -> OneGame:
        record, game = saved.games[number - 1], rules()
        human: int | None = None
        try:
            played = None if game is None else played_of(game, record)
            if "players" not in record:
                human = int(record["human"])
                names = ("You", "Agent") if human == 0 else ("Agent", "You")
            elif game is None or played is None:
                raise CommandError(f"{path}: {saved.game} is not installed.")
            else:
                names, record = _names(record["players"]), replay_of(game, 0, played)
        except ReplayError as error:
            raise CommandError(f"{path}: game {number}: {error}") from None
        except _NO_GAME:
            raise no_saved(path) from None
        return OneGame(
            game=game, name=saved.game, played=played, record=record, names=names, human=human
        )

    own = None if any("players" in one for one in saved.games) else saved
    return GamesFile(path=path, num_games=len(saved.games), get=get, saved=own)


def _open_records(path: Path, game_name: str | None) -> GamesFile:
    """A file in a record format, as PGN or SGF, replayed by the rules."""
    content, ending = read_any_text(path, _MOST_BYTES), path.suffix.lower()
    found = format_of(content) or format_at(ending)
    assert found is not None
    with mistakes(f"{path}: "):
        texts = found.split(content)
    if not texts:
        raise CommandError(f"{path} has no game.")

    def game_of(text: str) -> Game[Any]:
        if game_name is None:
            return make(found.game_of(text))
        game = load_game(game_name)
        if not has_format(game, ending):
            raise CommandError(
                f"--game: games of {game.name} have no {ending[1:].upper()} format, the format of "
                f"{path}."
            )
        return game

    def get(number: int) -> OneGame:
        with mistakes(f"{path}: game {number}: "):
            record = found.read(texts[number - 1])
            game = game_of(record.text)
            if notice := found.notice_of(record.text):
                note(f"{path}: game {number}: {notice}")
            opening = read_opening(game, record.text)
            played = played_so_far(game, opening, record.result, record.is_scored)
        return OneGame(
            game=game,
            name=str(game),
            played=played,
            record=replay_of(game, 0, played),
            names=_names(record.names),
            human=None,
        )

    return GamesFile(path=path, num_games=len(texts), get=get)


def _names(recorded: Sequence[str]) -> tuple[str, str]:
    """Distinct names of the two players."""
    first, second = recorded
    shown = [printable(first), printable(second)]
    numbered = [f"player {player}" for player in (0, 1)]
    if shown[0] == shown[1]:
        named = [
            f"{one} ({number})" if one else number
            for one, number in zip(shown, numbered, strict=True)
        ]
        return named[0], named[1]
    return shown[0] or numbered[0], shown[1] or numbered[1]


def installed_game(text: str) -> Game[Any] | None:
    """The game, unless its name would let the file choose what is imported or read."""
    call = split_call(text)
    if call is None or not is_game(call[0]):
        return None
    cls = game_class(call[0])
    with mistakes():
        typed = {key: as_typed(value) for key, value in read_parameters(cls, *call).items()}
        return None if cls.files_read(typed) else load_game(text)
