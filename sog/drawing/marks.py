"""Marks probabilities and values of actions on the board, at the places where they are clicked,
which the game's view declares."""

import dataclasses
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from sog.drawing.svg import INK, circle, text
from sog.games import Game
from sog.games.core import CHANCE
from sog.games.shown import Seen
from sog.games.views import Place

COLOR: Final = "#0b7285"
"""Color of marks, different from all players and pieces."""
TAKEN: Final = "#c2255c"
"""Color of the action taken if it is not the most likely one."""
LEAST: Final = 0.01
"""Least probability to draw."""
_PALEST, _DARKEST = 0.12, 0.8
_PALE: Final = 0.45
"""Opacity up to which text is dark."""
_MOST_HELD: Final = 24  # infostates to consider


@dataclasses.dataclass(frozen=True, kw_only=True)
class Mark:
    """The mark at a place."""

    share: float
    """Total probability of the actions at this place."""
    value: float = math.nan
    """Value of the best of them to the acting player; NaN if unknown."""
    is_taken: bool = False

    @property
    def text(self) -> str:
        """The probability, as "63%"."""
        return f"{self.share:.0%}"

    @property
    def tooltip(self) -> str:
        """The probability and the value, for a tooltip."""
        worth = "" if math.isnan(self.value) else f", worth {round(self.value, 2) + 0.0:+.2f}"
        return f"{self.share:.1%}{worth}{', taken' if self.is_taken else ''}"


Marks = Mapping[Place, Mark]


def read_marks(
    game: Game[Any],
    state: Any,
    policy: np.ndarray,
    range_: np.ndarray,
    *,
    values: np.ndarray | None = None,
    taken: int | None = None,
    infostates: Seen = (None, None),
) -> Marks:
    """The acting player's policy by place; empty if the game has no such picture.

    policy: [S, A] of the acting player, NaN or 0 elsewhere. range_: [S], one-hot if its infostate
    is known. values: [S, A]. taken: the action taken. infostates: those shown in the picture. Of
    many infostates only the most likely count; values are shown only for a single one.
    """
    actor = int(game.actor(state))
    if actor >= CHANCE:
        return {}
    weights = np.nan_to_num(np.asarray(range_, float))
    held = np.argsort(-weights, kind="stable")[:_MOST_HELD]
    held = held[weights[held] > 0]
    if not len(held):
        return {}
    total, found = float(weights[held].sum()), dict[Place, Mark]()
    legal_actions = np.asarray(game.legal_actions(state))
    for infostate in held.tolist():
        row = np.nan_to_num(np.asarray(policy[infostate], float))
        legal = np.flatnonzero(legal_actions[infostate]).tolist()
        seen = infostates
        if game.hides_information:  # views of such games depend on the viewer
            seen = (infostate, None) if actor == 0 else (None, infostate)
        view = game.view(state, infostates=seen, choices=legal)
        if view is None:
            return {}
        for place, actions in view.places().items():
            share = float(row[list(actions)].sum()) * weights[infostate] / total
            known = found.get(place, Mark(share=0.0))
            worth = math.nan
            if values is not None and len(held) == 1:
                worths = [float(values[infostate, a]) for a in actions]
                worth = max((one for one in worths if not math.isnan(one)), default=math.nan)
            found[place] = Mark(
                share=known.share + share,
                value=worth,
                is_taken=known.is_taken or taken in actions,
            )
    return {place: one for place, one in found.items() if one.share >= LEAST or one.is_taken}


def opacity_of(mark: Mark, marks: Marks) -> float:
    """Opacity of a mark, relative to the most likely one."""
    most = max(one.share for one in marks.values())
    return _PALEST + (_DARKEST - _PALEST) * mark.share / most if most > 0 else _PALEST


def tooltip_with(name: str, mark: Mark | None) -> str:
    """The tooltip of a place."""
    return name if mark is None else f"{name}: {mark.tooltip}"


def draw_disk(
    group: ElementTree.Element,
    x: float,
    y: float,
    radius: float,
    mark: Mark,
    marks: Marks,
    *,
    size: float,
) -> None:
    """Draws a mark with its probability; a ring if its action was taken."""
    shade = opacity_of(mark, marks)
    circle(group, x, y, radius, fill=COLOR, opacity=shade)
    if mark.is_taken:
        circle(group, x, y, radius, fill="none", stroke=TAKEN, width=4)
    color = "#ffffff" if shade > _PALE else INK
    text(
        group, x, y + 0.36 * size, mark.text, size=size, weight="bold", color=color, anchor="middle"
    )
