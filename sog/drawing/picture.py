"""A public state as its game is played: cards, dice, a board or a map, for pages and for files."""

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.drawing.board import draw_board
from sog.drawing.cards import draw_betting, draw_bids
from sog.drawing.dice import draw_dice
from sog.drawing.scotland_yard import draw_map
from sog.games import Game
from sog.games.bidding import BiddingGame
from sog.games.core import CHANCE, PLAYER_0
from sog.games.liars_dice import LiarsDice
from sog.games.line_game import LineGame
from sog.games.poker import BettingGame
from sog.games.scotland_yard.game import ScotlandYard
from sog.games.scotland_yard.station_map import load_map


def has_picture(game: Game[Any]) -> bool:
    """Whether `draw_picture` draws it; ValueError where the positions of a map are wrong."""
    if isinstance(game, ScotlandYard):
        return bool(game.positions)
    return isinstance(game, BettingGame | LiarsDice | LineGame | BiddingGame)


def draw_picture(
    game: Game[Any],
    state: Any,
    *,
    infostates: tuple[int | None, int | None] = (None, None),
    names: tuple[str, str] = ("player 0", "player 1"),
    bottom: int = 0,
    choices: Sequence[int] = (),
    ranges: np.ndarray | None = None,
    title: str | None = None,
) -> str | None:
    """The text of an SVG file; None for a game without a picture, which `Game.draw` shows.

    infostates: of the players, None for what is not to be seen. names: what they are called.
    bottom: the player whose place it is. choices: legal actions of his, which a page may let one
    click: their shapes are groups with the attribute `data-actions`. ranges: as for `Game.draw`.
    title: of a map, which has room for one.
    """
    if isinstance(game, BettingGame):
        return draw_betting(game, state, cards=infostates, names=names, bottom=bottom)
    if isinstance(game, LiarsDice):
        return draw_dice(game, state, hands=infostates, names=names, bottom=bottom, choices=choices)
    if isinstance(game, LineGame):
        return draw_board(game, state, choices=choices)
    if isinstance(game, BiddingGame):
        return draw_bids(game, state, names=names, choices=choices)
    if isinstance(game, ScotlandYard) and game.positions:
        station_map, mr_x = load_map(game.map), infostates[PLAYER_0]
        return draw_map(
            station_map,
            game.positions,
            game.view(state, ranges),
            title=title or game.name,
            mr_x=None if mr_x is None else station_map.stations[mr_x],
            choices=_ends(game, state, infostates, choices),
        )
    return None


def _ends(
    game: ScotlandYard,
    state: Any,
    infostates: tuple[int | None, int | None],
    choices: Sequence[int],
) -> dict[int, list[int]]:
    """Where each of the actions leads, by the number of the station."""
    ends: dict[int, list[int]] = {}
    actor = int(game.actor(state))
    infostate = infostates[actor] if actor < CHANCE else None
    if infostate is None:
        return ends
    for action in choices:
        found = re.search(r"to (\d+)", game.describe_action(state, infostate, action))
        if found is not None:
            ends.setdefault(int(found[1]), []).append(action)
    return ends
