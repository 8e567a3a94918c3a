"""Draws a public state: cards, dice, a board or a map."""

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np

from sog.domain import load_part
from sog.drawing.marks import Marks
from sog.games import Game
from sog.games.shown import Seen
from sog.play.rules import first_state


@dataclasses.dataclass(frozen=True, kw_only=True)
class Look:
    """Second argument of every drawing function, which uses the fields that apply."""

    names: tuple[str, str] = ("player 0", "player 1")
    """The players' names."""
    bottom: int = 0
    """The player drawn at the bottom."""
    marks: Marks = dataclasses.field(default_factory=dict)
    """Marks of actions on boards and maps, see `sog.drawing.marks.read_marks`."""
    title: str | None = None
    """Title of a map; None for that of the view."""


def has_picture(game: Game[Any]) -> bool:
    """Whether `draw_picture` can draw a game; ValueError if the positions of a map are invalid."""
    return game.view(first_state(game)) is not None


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
