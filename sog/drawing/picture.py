"""Draws a public state: cards, dice, a board or a map."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.domain import load_part
from sog.drawing.look import Look
from sog.games import Game
from sog.games.shown import Seen


def has_picture(game: Game[Any]) -> bool:
    """Whether `draw_picture` can draw a game; ValueError if the positions of a map are invalid."""
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
    """Returns SVG text, or None for a game without a picture (use `Game.draw`).

    infostates, choices and ranges: as for `Game.view`; clickable shapes are groups with the
    attribute `data-actions`. look: names, marks and a title.
    """
    view = game.view(state, infostates=infostates, choices=choices, ranges=ranges)
    if view is None:
        return None
    drawn: str = load_part(view.drawer)(view, look or Look())
    return drawn
