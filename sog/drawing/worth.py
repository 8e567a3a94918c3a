"""Draws the expected utility of each player over a reviewed game."""

import math

from sog.drawing.curves import draw_curves
from sog.play.review import Review


def draw_worth(found: Review, names: tuple[str, str], title: str) -> str:
    """The value of the best action at each choice, and the result, as SVG text."""
    last = len(found.played.outcomes)
    curves = []
    for player in (0, 1):
        worths = [(float(choice.number + 1), choice.value) for choice in found.of(player)]
        if found.is_whole:
            worths.append((float(last + 1), found.utility(player)))
        known = [(x, y) for x, y in worths if not math.isnan(y)]
        curves.append((names[player], known))
    label = f"move (value in {found.game.unit})"
    return draw_curves(title, curves, x_label=label, may_be_log=False)
