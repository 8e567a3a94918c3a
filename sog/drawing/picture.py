"""A public state as its game is played: cards, dice, a board or a map, for pages and for files."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.drawing.board import draw_board
from sog.drawing.cards import draw_cards, draw_prizes
from sog.drawing.dice import draw_dice
from sog.drawing.goban import draw_goban
from sog.drawing.marks import Marks
from sog.drawing.squares import draw_squares
from sog.games import Game
from sog.games.shown import Seen
from sog.games.views import BoardView, CardsView, DiceView, GoView, PrizesView, SquaresView
from sog.scotland_yard.drawing import draw_map
from sog.scotland_yard.view import MapView


def has_picture(game: Game[Any]) -> bool:
    """Whether `draw_picture` draws it; ValueError where the positions of a map are wrong."""
    return game.view(game.root()) is not None


def draw_picture(
    game: Game[Any],
    state: Any,
    *,
    infostates: Seen = (None, None),
    names: tuple[str, str] = ("player 0", "player 1"),
    bottom: int = 0,
    choices: Sequence[int] = (),
    ranges: np.ndarray | None = None,
    marks: Marks | None = None,
    title: str | None = None,
) -> str | None:
    """The text of an SVG file; None for a game without a picture, which `Game.draw` shows.

    infostates, choices and ranges: as for `Game.view`; shapes that one may click are groups with
    the attribute `data-actions`. names: what the players are called. bottom: the player whose place
    it is. marks: what is known of the actions, on boards and maps, see `read_marks`. title: of a
    map, which has room for one.
    """
    view = game.view(state, infostates=infostates, choices=choices, ranges=ranges)
    match view:
        case BoardView():
            return draw_board(view, marks or {})
        case SquaresView():
            return draw_squares(view, marks or {})
        case GoView():
            return draw_goban(view, marks or {})
        case CardsView():
            return draw_cards(view, names=names, bottom=bottom)
        case DiceView():
            return draw_dice(view, names=names, bottom=bottom)
        case PrizesView():
            return draw_prizes(view, names=names)
        case MapView():
            return draw_map(view, title=title or view.title, marks=marks or {})
    return None
