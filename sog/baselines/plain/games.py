"""Converts a game of the contract to plain Python, if it is written so too."""

from typing import Any

from sog.baselines.plain.liars_dice import PlainLiarsDice
from sog.baselines.plain.poker import PlainPoker
from sog.baselines.plain.worlds import InfostateGame
from sog.games.cards.poker import BettingGame
from sog.games.core import Game
from sog.games.liars_dice import LiarsDice


def infostate_game(game: Game[Any]) -> InfostateGame | None:
    """The game in plain Python, for trees that grow; None if there is no such version."""
    if isinstance(game, LiarsDice):
        return PlainLiarsDice(game)
    if isinstance(game, BettingGame) and game.most_public_cards <= 1:
        return PlainPoker(game)
    return None
