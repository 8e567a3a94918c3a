"""A player's hands at a decision of a spot as a square: pairs on the diagonal, suited hands above.

As numbers, and as SVG: for pages, whose cells link to single hands, and for files. A picture shows
the policy, or each class's weight, EV or equity as a color and a number. The widths of a cell are
frequencies of actions, its height is the part of the class that is still in the range.
"""

import dataclasses
import functools
import itertools
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Sequence
from typing import Final, Literal

import numpy as np

from sog.drawing.outline import percent, signed
from sog.drawing.svg import INK, SOFT, as_text, document, rectangle, text
from sog.holdem.deck import Deck
from sog.holdem.ranges import class_names, class_of_hands
from sog.holdem.spots.walk import SpotNode

Shown = Literal["policy", "range", "value", "equity"]
SHOWN: Final[tuple[Shown, ...]] = ("policy", "range", "value", "equity")

_MARGIN, _CELL, _HEADER, _LEGEND = 24.0, 46.0, 62.0, 34.0
_EMPTY: Final = "#e3e7eb"
_GROUND: Final = "#ffffff"
_LIT: Final = "#111111"
_RANGE: Final = (134, 176, 224)
_LOW, _MIDDLE, _HIGH = (214, 96, 77), (247, 238, 203), (77, 158, 96)
_LARGE: Final = 1000
_ALL_OF_IT: Final = 0.995
_FOLD, _PASS = "#3b6ea5", "#5a9e5f"
_BETS: Final = ("#e8a13d", "#d9673a", "#b83227", "#7d1a2e")
_ALL_IN: Final = "#8e2a8c"


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class HandGrid:
    """Means over the hands of each class, weighted by the range; NaN for empty classes."""

    player: int
    """The player whose hands they are."""
    actions: tuple[str, ...]
    """None if it is not the player's turn."""
    names: tuple[tuple[str, ...], ...]
    """[row][column]: names such as "AKs"."""
    share: np.ndarray
    """[row, column]: shares of the range; sums to 1."""
    weight: np.ndarray
    """[row, column]: the mean weight, from 0 to 1 (if no weight is above 1)."""
    policy: np.ndarray
    """[action, row, column]."""
    action_value: np.ndarray
    """[action, row, column]: chips."""
    value: np.ndarray
    """[row, column]: chips."""
    equity: np.ndarray
    """[row, column]."""


def read_hand_grid(node: SpotNode, deck: Deck, player: int | None = None) -> HandGrid:
    """The hands of a player by class; None for the player to act."""
    player = node.actor if player is None else player
    acts = player == node.actor
    seen = node.ranges[player]
    mean = functools.partial(class_means, deck, seen.range_)

    def by_action(values: np.ndarray) -> np.ndarray:
        nothing = np.zeros((0, deck.ranks, deck.ranks))
        return np.stack([mean(one) for one in values]) if acts else nothing

    holds = deck.holds()[:, list(node.board)].any(axis=1)
    possible = _class_sums(deck, np.logical_not(holds))
    return HandGrid(
        player=player,
        actions=node.actions if acts else (),
        names=class_names(deck),
        share=_class_sums(deck, seen.range_),
        weight=_class_sums(deck, seen.weight) / np.maximum(possible, 1),
        policy=by_action(node.policy),
        action_value=by_action(node.action_value),
        value=mean(seen.value),
        equity=mean(seen.equity),
    )


def class_means(deck: Deck, weights: np.ndarray, values: np.ndarray) -> np.ndarray:
    """[row, column]: weighted means of values over each class's hands; NaN for empty classes.
    weights, values: [hand]; values that are not finite are ignored."""
    known = np.isfinite(values) & (weights > 0)
    weighed = _class_sums(deck, np.where(known, values, 0) * weights)
    over = _class_sums(deck, known * weights)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(np.where(over > 0, weighed / over, np.nan))


def _class_sums(deck: Deck, values: np.ndarray) -> np.ndarray:
    rows, columns = class_of_hands(deck).T
    found = np.zeros((deck.ranks, deck.ranks))
    np.add.at(found, (rows, columns), values)
    return found


def action_colors(actions: Sequence[str]) -> list[str]:
    """A color for each: folds blue, checks and calls green, bets redder the larger they are; all-in
    always the same."""
    colors, bets = [], iter(_BETS)
    for action in actions:
        if action in ("fold", "check", "call"):
            colors.append(_FOLD if action == "fold" else _PASS)
        elif action.startswith("allin"):
            colors.append(_ALL_IN)
        else:
            colors.append(next(bets, _BETS[-1]))
    return colors


def describe_hands(grid: HandGrid, row: int, column: int) -> str:
    """One line with all numbers of a class."""
    name = grid.names[row][column]
    if not grid.share[row, column] > 0:
        return f"{name}: not in the range"
    parts = [f"{name}: {percent(float(grid.share[row, column]))} of the range"]
    parts += [
        f"{action} {percent(float(grid.policy[number, row, column]))}, "
        f"EV {signed(float(grid.action_value[number, row, column]))}"
        for number, action in enumerate(grid.actions)
    ]
    parts.append(f"value {signed(float(grid.value[row, column]))} chips")
    parts.append(f"equity {percent(float(grid.equity[row, column]))}")
    return "; ".join(parts)


def draw_hand_squares(
    grid: HandGrid,
    shown: Shown,
    link: Callable[[str], str],
    *,
    scale: float,
    title: str,
    lit: str = "",
) -> str:
    """The text of an SVG file.

    shown: "policy" only for the player to act. link: the target of a class such as "AKs". scale:
    the value with the strongest color. lit: the class to highlight.
    """
    side = len(grid.names) * _CELL
    svg = document(title, side, side, background=None)
    rectangle(svg, 0, 0, side, side, fill=_GROUND, rx="4")
    _draw_cells(svg, grid, shown, (0.0, 0.0), scale, link, lit)
    return as_text(svg)


def draw_hand_grid(node: SpotNode, deck: Deck, title: str) -> str:
    """The text of an SVG file: the policy of the player to act, with the board and a legend."""
    grid, side = read_hand_grid(node, deck), deck.ranks * _CELL
    width, height = side + 2 * _MARGIN, side + 2 * _MARGIN + _HEADER + _LEGEND
    board = " ".join(map(deck.card_name, node.board))
    svg = document(f"{title}: {' '.join(node.history) or 'start'}", width, height)
    text(svg, _MARGIN, _MARGIN + 12, f"{board}   {' '.join(node.history)}", size=16, weight="bold")
    facts = f"player {node.actor} to act, pot {node.pot}, behind {node.stacks[0]} and "
    facts += f"{node.stacks[1]}; EV {signed(node.value(node.actor))} chips"
    text(svg, _MARGIN, _MARGIN + 32, facts, color=SOFT)
    text(svg, _MARGIN, _MARGIN + 48, title, color=SOFT)
    _draw_cells(svg, grid, "policy", (_MARGIN, _MARGIN + _HEADER))
    left, colors = _MARGIN, action_colors(node.actions)
    for action, color, often in zip(node.actions, colors, node.frequency, strict=True):
        label = f"{action} {percent(float(often))}"
        y = _MARGIN + _HEADER + side + 14
        rectangle(svg, left, y, 14, 14, fill=color, rx="2")
        text(svg, left + 20, y + 12, label, size=12)
        left += 34 + 7.5 * len(label)
    return as_text(svg)


def _draw_cells(
    svg: ElementTree.Element,
    grid: HandGrid,
    shown: Shown,
    corner: tuple[float, float],
    scale: float = 0.0,
    link: Callable[[str], str] | None = None,
    lit: str = "",
) -> None:
    """All cells, below and right of a corner."""
    colors, size, inner = action_colors(grid.actions), len(grid.names), _CELL - 2
    for row, column in itertools.product(range(size), range(size)):
        name = grid.names[row][column]
        target = {} if link is None else {"href": link(name), "data-hands": name}
        cell = ElementTree.SubElement(svg, "a" if target else "g", {"class": "hands", **target})
        ElementTree.SubElement(cell, "title").text = describe_hands(grid, row, column)
        at = corner[0] + column * _CELL + 1, corner[1] + row * _CELL + 1
        is_there = bool(grid.share[row, column] > 0)
        rectangle(cell, *at, inner, inner, fill=_EMPTY, rx="2")
        number = ""
        tall = inner * min(float(grid.weight[row, column]), 1.0)
        if is_there and shown == "policy":
            left = at[0]
            for color, often in zip(colors, grid.policy[:, row, column].tolist(), strict=True):
                if often > 0:
                    rectangle(cell, left, at[1] + inner - tall, inner * often, tall, fill=color)
                left += inner * often
        elif is_there:
            number, color = _number(grid, shown, row, column, scale)
            tall = tall if shown == "range" else inner
            rectangle(cell, at[0], at[1] + inner - tall, inner, tall, fill=color)
        if name == lit:
            rectangle(cell, *at, inner, inner, fill="none", stroke=_LIT, rx="2")
            rectangle(
                cell, at[0] + 1.5, at[1] + 1.5, inner - 3, inner - 3, fill="none", stroke=_LIT
            )
        ink = INK if is_there else SOFT
        text(cell, at[0] + 3, at[1] + 16, name, size=15, color=ink, halo=is_there)
        if number:
            middle = at[0] + inner / 2
            text(cell, middle, at[1] + 36, number, size=15, anchor="middle", halo=True)


def _number(grid: HandGrid, shown: Shown, row: int, column: int, scale: float) -> tuple[str, str]:
    """A cell's text and color."""
    if shown == "equity":
        value = float(grid.equity[row, column])
        return _format(f"{100 * value:.0f}", value), _between(2 * value - 1)
    if shown == "value":
        value = float(grid.value[row, column])
        number = f"{value:+.0f}" if abs(value) >= 10 else f"{round(value, 1) + 0.0:+.1f}"
        if abs(value) >= _LARGE:
            number = f"{value / _LARGE:+.1f}k"
        return _format(number, value), _between(value / scale if scale > 0 else 0.0)
    weight = float(grid.weight[row, column])
    return "" if weight > _ALL_OF_IT else f"{100 * weight:.0f}", _hex(_RANGE)


def _format(number: str, value: float) -> str:
    return "" if math.isnan(value) else number


def _between(part: float) -> str:
    """A color: red at -1, green at 1."""
    if math.isnan(part):
        return _EMPTY
    part = min(max(part, -1.0), 1.0)
    end = _HIGH if part > 0 else _LOW
    mixed = (1 - abs(part)) * np.array(_MIDDLE) + abs(part) * np.array(end)
    return _hex(tuple(mixed.round().astype(int).tolist()))


def _hex(color: tuple[int, ...]) -> str:
    return "#" + "".join(f"{part:02x}" for part in color)
