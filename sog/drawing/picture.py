"""A public state as its game is played: cards, dice, a board or a map, for pages and for files."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.domain import load_part
from sog.drawing.look import Look
from sog.games import Game
from sog.games.shown import Seen


def has_picture(game: Game[Any]) -> bool:
    """Whether `draw_picture` draws it; ValueError where the positions of a map are wrong."""
    return game.view(game.root()) is not None


def draw_picture(
    game: Game[Any],
    state: Any,
    *,
    infostates: Seen = (None, None),
    choices: Sequence[int] = (),
    ranges: np.ndarray | None = None,
    look: Look | None = None,
) -> str | None:
    """The text of an SVG file; None for a game without a picture, which `Game.draw` shows.

    infostates, choices and ranges: as for `Game.view`; shapes that one may click are groups with
    the attribute `data-actions`. look: names, marks and a title.
    """
    view = game.view(state, infostates=infostates, choices=choices, ranges=ranges)
    if view is None:
        return None
    drawn: str = load_part(view.drawer)(view, look or Look())
    return drawn
