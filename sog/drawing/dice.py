"""Draws liar's dice: each player's dice, shown or hidden, and the bids."""

import xml.etree.ElementTree as ElementTree
from typing import Final

from sog.drawing.picture import Look
from sog.drawing.svg import as_text, choice, circle, document, rectangle, text
from sog.games.views import DiceView

_DIE, _GAP, _MARGIN = 56.0, 12.0, 20.0
_ROW: Final = _DIE + 40.0
_CLOTH, _IVORY, _PIP, _CUP = "#2e5e4e", "#fdfaf2", "#1d2733", "#7b4a2d"
_WORDS, _SOFT_WORDS = "#ffffff", "#cfe3da"
_LAST, _OPEN, _MADE = "#d99a00", "#3a7562", "#6b5a26"
_TIMES: Final = "\u00d7"
_WIDE: Final = 640.0
_BID: Final = 0.62  # of the size of a die, in the ladder of bids
_STEP: Final = _DIE * _BID + 14  # between two of its rows
# Positions of pips on a face, in thirds from the center.
_PIPS: Final = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, 1), (-1, 1), (1, -1)),
    5: ((-1, -1), (1, 1), (-1, 1), (1, -1), (0, 0)),
    6: ((-1, -1), (1, 1), (-1, 1), (1, -1), (-1, 0), (1, 0)),
}


def draw_dice(view: DiceView, look: Look) -> str:
    """Returns SVG text."""
    names, bottom = look.names, look.bottom
    ladder_top = _MARGIN + _ROW + 6
    ladder_height = _ladder_height(view)
    height = ladder_top + ladder_height + _ROW + _MARGIN
    svg = document(view.title, _WIDE, height, background=None)
    rectangle(svg, 0, 0, _WIDE, height, fill=_CLOTH, rx="16")
    for player, top in ((1 - bottom, _MARGIN), (bottom, ladder_top + ladder_height + 8)):
        _hand(svg, view, player, names[player], top)
    _ladder(svg, view, ladder_top)
    return as_text(svg)


def draw_die(
    parent: ElementTree.Element, x: float, y: float, size: float, face: int | None, *, wild: bool
) -> None:
    """A die with its upper left corner at (x, y); face: None for one that is hidden."""
    if face is None:
        rectangle(parent, x, y, size, size, fill=_CUP, stroke=_PIP, rx=f"{size / 6:.1f}")
        at = (x + size / 2, y + 0.68 * size)
        text(parent, *at, "?", size=size / 2, weight="bold", color=_WORDS, anchor="middle")
        return
    pip = _LAST if wild else _PIP
    rectangle(parent, x, y, size, size, fill=_IVORY, stroke=pip, rx=f"{size / 6:.1f}")
    for right, down in _PIPS[face]:
        middle = (x + size * (0.5 + 0.26 * right), y + size * (0.5 + 0.26 * down))
        circle(parent, *middle, size * 0.085, fill=pip)


def _hand(svg: ElementTree.Element, view: DiceView, player: int, name: str, top: float) -> None:
    text(svg, _MARGIN, top + 14, name, size=15, weight="bold", color=_WORDS)
    faces = view.hands[player]
    dice = "hidden" if None in faces else " ".join(map(str, faces))
    group = choice(svg, (), f"dice of {name}: {dice}")
    for number, face in enumerate(faces):
        x = _MARGIN + number * (_DIE + _GAP)
        draw_die(group, x, top + 24, _DIE, face, wild=face == view.faces)


def _ladder_height(view: DiceView) -> float:
    """A row for each quantity."""
    return view.bids[-1][0] * _STEP + 40


def _ladder(svg: ElementTree.Element, view: DiceView, top: float) -> None:
    """All bids: those made are highlighted, those now too low are faint."""
    size, last = _DIE * _BID, view.last
    for bid, (quantity, face) in enumerate(view.bids):
        x = _MARGIN + 4 + (face - 1) * (size + 62)
        y = top + (quantity - 1) * _STEP
        group = choice(svg, [bid] if bid in view.choices else [], f"bid {quantity}-{face}")
        if bid == last or bid in view.choices or bid in view.made:
            fill = _LAST if bid == last else _OPEN if bid in view.choices else _MADE
            rectangle(group, x - 6, y - 5, size + 50, size + 10, fill=fill, rx="8")
        if last is not None and bid < last and bid not in view.made:
            group.set("opacity", "0.35")
        times, base = f"{quantity} {_TIMES}", y + 0.7 * size
        text(group, x + 22, base, times, size=15, color=_WORDS, anchor="end")
        draw_die(group, x + 32, y, size, face, wild=face == view.faces)
    y = top + _ladder_height(view) - 22
    status = "no bid yet"
    if last is not None:
        quantity, face = view.bids[last]
        status = f"last bid: {quantity} {_TIMES} {face}"
    if view.is_called:
        status = f"{status}, called a lie"
    text(svg, _MARGIN, y, status, size=15, weight="bold", color=_WORDS)
    wild = f"the {view.faces} counts as any face"
    text(svg, _WIDE - _MARGIN, y, wild, size=13, color=_SOFT_WORDS, anchor="end")
