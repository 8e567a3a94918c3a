"""Converts a game of the contract to plain Python."""

from typing import Any

from sog.baselines.plain.goofspiel import PlainGoofspiel
from sog.baselines.plain.ii_goofspiel import PlainIIGoofspiel
from sog.baselines.plain.liars_dice import PlainLiarsDice
from sog.baselines.plain.poker import PlainPoker
from sog.baselines.plain.worlds import InfostateGame, PlainGame
from sog.games.cards.poker import BettingGame
from sog.games.core import Game
from sog.games.goofspiel import Goofspiel
from sog.games.ii_goofspiel import IIGoofspiel
from sog.games.liars_dice import LiarsDice


def plain_game(game: Game[Any]) -> PlainGame | None:
    """The game in plain Python; None if there is no such version."""
    if isinstance(game, LiarsDice):
        return PlainLiarsDice(game)
    if isinstance(game, IIGoofspiel) and game.order != "random":
        return PlainIIGoofspiel.of(game)
    if isinstance(game, Goofspiel):
        return PlainGoofspiel(game)
    if isinstance(game, BettingGame) and game.most_public_cards <= 1:
        return PlainPoker(game)
    return None


def infostate_game(game: Game[Any]) -> InfostateGame | None:
    """The same, if its infostates have keys and can be sampled from."""
    found = plain_game(game)
    return found if isinstance(found, InfostateGame) else None


def without_tree(game: Game[Any]) -> str:
    """A hint for the command line if the game is too large to enumerate."""
    return " oos and ismcts can play it with tree=grown." if infostate_game(game) else ""
