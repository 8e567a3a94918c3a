"""Imports games to step through: files of `sog play --save` or of tables here, PGN, SGF, positions
and lists of moves."""

import functools
from typing import Any, Final

from sog.files import parse_json
from sog.games import Game, make
from sog.games.registry import GAMES, game_class
from sog.parameters import read_parameters, split_call
from sog.play import PlayedGame
from sog.play.game_records import GameRecord, RecordFormat, endings_of, format_of
from sog.play.history import read_opening
from sog.play.replay import ReplayError, played_of, played_so_far
from sog.players.judges import can_judge
from sog.web.catalog import Catalog
from sog.web.interfaces import Poll, RequestError, Submit, request_errors
from sog.web.numbers import whole_number
from sog.web.pages import Form
from sog.web.table import Table

_NO_FILE: Final = "This is not a file of games, as `sog play --save` and tables here write."
_UNNAMED: Final = ("Player 0", "Player 1")
_USUAL_PLAYER: Final = "rollout"
_MOST_NAMED: Final = 300  # letters of a game's name in a message
_DAMAGED: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError)


def import_game(
    form: Form, catalog: Catalog, submit: Submit, submit_help: Submit, poll: Poll
) -> Table:
    """A table with the game of a form. Raises RequestError.

    "text": the content of a file (JSON, PGN or SGF), or a position or moves in the notation of the
    game "game", which is empty if the file names it. "number": of the game in the file, empty for
    the last. "player": the judge, empty for that of `Catalog.find_judge`.
    """
    text = form.get("text", "").strip()
    if not text:
        raise RequestError("Choose a file, or paste a text.")
    number, chosen = form.get("number", "").strip(), form.get("game", "")
    record, named = _read_saved(text, number)
    names, said, is_scored = _UNNAMED, None, False
    if record is None:
        asked_game = catalog.game(chosen) if chosen else None
        known = format_of(text)
        if known is not None and (asked_game is None or endings_of(asked_game)):
            found, named = _read_record(known, text, number, asked_game)
            text, said, is_scored = found.text, found.result, found.is_scored
            names = found.names[0] or names[0], found.names[1] or names[1]
        elif asked_game is None:
            raise RequestError("Choose the game of this text: only files of games name it.")
        else:
            named = str(asked_game)
    name, networks = catalog.named_by(named)
    if not name and not networks:
        raise RequestError(_no_game(named))
    asked = form.get("player", "")
    player = asked or (networks[0] if networks else _USUAL_PLAYER)
    is_network = player in catalog.networks
    if is_network and player not in networks:
        raise RequestError(f"{player} plays its own game, not {named}.")
    opponent = catalog.opponent("" if is_network else name, player, "", poll)
    is_judge = bool(asked) and can_judge(opponent.name)
    poll()
    if record is None:
        with request_errors("Game: "):
            opening = read_opening(opponent.game, text)
            played = played_so_far(opponent.game, opening, said, is_scored)
    else:
        played = _played(opponent.game, record)
    human = None if record is None else int(record["human"])
    return Table(
        opponent,
        seat=human or 0,
        seed=0,
        submit=submit,
        submit_help=submit_help,
        judge=None if is_judge else functools.partial(catalog.find_judge, opponent),
        opened=played,
        opened_names=names if human is None else None,
        searched=player if is_network else name,
    )


def _read_record(
    known: RecordFormat, text: str, number: str, game: Game[Any] | None
) -> tuple[GameRecord, str]:
    """One game of a record file, and what is played: `game`, or what the file says."""
    with request_errors("Game: "):
        texts = known.split(text)
        if not texts:
            raise ValueError("the text has no game.")
        found = known.read(texts[_place(number, len(texts)) - 1])
        return found, str(make(known.game_of(found.text)) if game is None else game)


def _place(number: str, games: int) -> int:
    """Number of a game in a file, from 1; the last if empty."""
    place = whole_number(number, games) if number else games
    if not place:
        raise RequestError(f"Game must be from 1 to {games}, the number of games in the file.")
    return place


def _read_saved(text: str, number: str) -> tuple[dict[str, Any] | None, str]:
    """One game of a JSON file, and what is played; None if the text is not JSON."""
    if not text.startswith("{"):
        return None, ""
    try:
        content = parse_json(text)
        game, games = str(content["game"]), list(content["games"])
        records = [dict(one) for one in games]
        if any(record["human"] not in (0, 1) for record in records):
            raise ValueError
    except _DAMAGED:
        raise RequestError(_NO_FILE) from None
    if not records:
        raise RequestError("No game in this file is finished; `sog play --resume` continues it.")
    return records[_place(number, len(records)) - 1], game


def _no_game(named: str) -> str:
    """Why the game that a file names is not here. Never constructs it."""
    shown = named if len(named) <= _MOST_NAMED else f"{named[:_MOST_NAMED]}..."
    name, parameters = split_call(named) or (named, "")
    if name in GAMES:
        try:
            read_parameters(game_class(name), name, parameters)
        except ValueError as error:
            return f"{shown!r} is not a game: {error}"
    return f"this server has no game {shown!r}; SOG_GAMES can name others."


def _played(game: Game[Any], record: dict[str, Any]) -> PlayedGame:
    try:
        return played_of(game, record)
    except ReplayError as error:
        raise RequestError(f"This game breaks the rules: {error}") from None
    except _DAMAGED:
        raise RequestError(_NO_FILE) from None
