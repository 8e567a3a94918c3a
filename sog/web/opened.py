"""Games from elsewhere, to be gone through: files of `sog play --save` and of tables here, and
positions and games as people write them."""

import functools
from typing import Any, Final

import jax

from sog.files import parse_json
from sog.games import Game
from sog.games.registry import GAMES, game_class
from sog.parameters import read_parameters, split_call
from sog.play import PlayedGame
from sog.play.history import check_begins_anywhere, read_opening
from sog.play.replay import ReplayError, played_of
from sog.players.judges import can_judge
from sog.web.course import Course
from sog.web.host import Heed, Mistake, Submit
from sog.web.judges import find_judge
from sog.web.numbers import whole_number
from sog.web.offers import Offers
from sog.web.pages import Form
from sog.web.table import Table

_NO_FILE: Final = (
    "That is no file of games: `sog play --save` writes such, and so does a table here."
)
_USUAL_PLAYER: Final = "rollout"
_MOST_NAMED: Final = 300  # letters of a game that are told
_DAMAGED: Final = (ValueError, KeyError, IndexError, TypeError, AttributeError, OverflowError)


def read_opened(form: Form, offers: Offers, submit: Submit, heed: Heed) -> Table:
    """A table with the game that a form has. Raises Mistake, which says what is wrong with it.

    "text": the content of a file, or a position or game that the game "game" reads. "number": of
    the game in a file, the last if it is empty. "player": who says what choices were worth; empty
    for whoever does usually, see `find_judge`.
    """
    text = form.get("text", "").strip()
    if not text:
        raise Mistake("Choose a file, or paste a text.")
    record, told = _read_record(text, form.get("number", "").strip())
    if record is None:
        if not form.get("game"):
            raise Mistake("Choose the game that the text is of: only files of games say it.")
        told = str(offers.game(form["game"]))
    name, networks = offers.named_by(told)
    if not name and not networks:
        raise Mistake(_no_game(told))
    asked = form.get("player", "")
    player = asked or (networks[0] if networks else _USUAL_PLAYER)
    is_network = player in offers.networks
    if is_network and player not in networks:
        raise Mistake(f"{player} plays its own game, and not {told}.")
    opponent = offers.opponent("" if is_network else name, player, "", heed)
    is_judge = bool(asked) and can_judge(opponent.name)
    heed()
    played = _read_text(opponent.game, text) if record is None else _played(opponent.game, record)
    human = None if record is None else int(record["human"])
    return Table(
        opponent,
        seat=human or 0,
        seed=0,
        submit=submit,
        judge=None if is_judge else functools.partial(find_judge, offers, opponent),
        opened=played,
        opened_names=("Player 0", "Player 1") if human is None else None,
        searched=player if is_network else name,
    )


def _read_record(text: str, number: str) -> tuple[dict[str, Any] | None, str]:
    """The game of a file, and what is played there; None for a text that is no such file."""
    if not text.startswith("{"):
        return None, ""
    try:
        content = parse_json(text)
        game, games = str(content["game"]), list(content["games"])
        records = [dict(one) for one in games]
        if any(record["human"] not in (0, 1) for record in records):
            raise ValueError
    except _DAMAGED:
        raise Mistake(_NO_FILE) from None
    if not records:
        raise Mistake("No game in that file was finished; `sog play --resume` goes on with one.")
    place = whole_number(number, len(records)) if number else len(records)
    if not place:
        raise Mistake(f"Game must be from 1 to {len(records)}, which are in the file.")
    return records[place - 1], game


def _no_game(told: str) -> str:
    """What is wrong with the game that a file names, which is not made: no file chooses that."""
    shown = told if len(told) <= _MOST_NAMED else f"{told[:_MOST_NAMED]}..."
    name, parameters = split_call(told) or (told, "")
    if name in GAMES:
        try:
            read_parameters(game_class(name), name, parameters)
        except ValueError as error:
            return f"{shown!r} is no game: {error}"
    return f"{shown!r} is no game of this server; SOG_GAMES may name others."


def _played(game: Game[Any], record: dict[str, Any]) -> PlayedGame:
    try:
        return played_of(game, record)
    except ReplayError as error:
        raise Mistake(f"The rules deny that game: {error}") from None
    except _DAMAGED:
        raise Mistake(_NO_FILE) from None


def _read_text(game: Game[Any], text: str) -> PlayedGame:
    """A game without hidden information, as far as the text tells it."""
    try:
        check_begins_anywhere(game)
        return Course(game, jax.random.key(0), read_opening(game, text)).played()
    except ValueError as error:
        raise Mistake(f"Game: {error}") from None
