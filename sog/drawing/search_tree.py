"""Draws a search tree: a self-contained SVG from left to right, with a legend.

A box is a public state, with the event that led there and the value to player 0; a bar is the
policy of one infostate; the width of an edge is its probability under average play. Tooltips of
boxes and bars have the full numbers.
"""

import dataclasses
import math
import xml.etree.ElementTree as ElementTree
from collections.abc import Sequence
from typing import Final

from sog.drawing.nodes import NodeView
from sog.drawing.outline import (
    ACTORS,
    Outline,
    action_names,
    actor_name,
    common_names,
    infostates,
    percent,
    signed,
)
from sog.drawing.svg import INK, SOFT, as_text, choice, cut, document, rectangle, text, tint
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL

_BOX, _GAP, _BETWEEN, _MARGIN, _HEADER = 232.0, 76.0, 12.0, 24.0, 84.0
_HEAD, _ROW, _PAD, _LEGEND = 42.0, 15.0, 8.0, 16.0  # heights inside a box
_LETTER: Final = 7.0  # width of a letter of 11 pixels
_TITLE_LETTER: Final = 9.5  # the same of the title
_MOST_LETTERS: Final = 9  # of a name
_MOST_IN_LEGEND: Final = 16
_MOST_BARS: Final = 12
_WIDEST_EDGE: Final = 14.0

_COLORS: Final = {PLAYER_0: "#2b6cb0", PLAYER_1: "#c05621", CHANCE: "#7a5ba6", TERMINAL: "#8a939d"}
# Colors of actions, distinct from those of the players.
_ACTIONS: Final = (
    "#9aa5b1",
    "#2a9d8f",
    "#d6336c",
    "#e9b82f",
    "#6741d9",
    "#74b816",
    "#8d6e63",
    "#22b8cf",
)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Box:
    """Position of a public state in the picture."""

    shown: Outline
    x: float
    y: float
    height: float
    children: tuple["_Box", ...]

    @property
    def middle(self) -> float:
        return self.y + self.height / 2

    @property
    def right(self) -> float:
        return max([self.x + _BOX, *(child.right for child in self.children)])

    @property
    def scale(self) -> float:
        """The largest absolute value displayed, which scales the colors."""
        value = abs(self.shown.node.mean_value)
        return max([0 if math.isnan(value) else value, *(box.scale for box in self.children)])


def draw_search(shown: Outline, *, title: str, unit: str) -> str:
    """Returns SVG text."""
    top = _place(shown, _MARGIN, _MARGIN + _HEADER)
    width, height = top.right + _MARGIN + 40, _MARGIN * 2 + _HEADER + _span(shown)
    width = max(width, 880)
    svg = document(title, width, height)
    _header(svg, cut(title, int((width - 2 * _MARGIN) / _TITLE_LETTER)), unit)
    edges = ElementTree.SubElement(svg, "g", {"class": "edges"})
    boxes = ElementTree.SubElement(svg, "g", {"class": "nodes"})
    _draw(edges, boxes, top, top.scale)
    return as_text(svg)


# Layout.


def _place(shown: Outline, x: float, y: float) -> _Box:
    """Lays out a public state and those below it, from `y` down."""
    children, below = [], y + max(0.0, (_height(shown) - _children_span(shown)) / 2)
    for child in shown.children:
        children.append(_place(child, x + _BOX + _GAP, below))
        below += _span(child) + _BETWEEN
    middle = y + _span(shown) / 2
    if children:
        middle = (children[0].middle + children[-1].middle) / 2
    height = _height(shown)
    at = min(max(middle - height / 2, y), y + _span(shown) - height)
    return _Box(shown=shown, x=x, y=at, height=height, children=tuple(children))


def _span(shown: Outline) -> float:
    """Height of a public state and those below it."""
    return max(_height(shown), _children_span(shown))


def _children_span(shown: Outline) -> float:
    spans = [_span(child) for child in shown.children]
    return sum(spans) + _BETWEEN * max(len(spans) - 1, 0)


def _height(shown: Outline) -> float:
    bars, num_hidden = _bars(shown.node)
    if not bars:
        return _HEAD
    legend = _LEGEND if _legend(shown.node, bars) else 0.0
    return _HEAD + _ROW * (len(bars) + (num_hidden > 0)) + legend + _PAD


def _bars(node: NodeView) -> tuple[list[int], int]:
    """The infostates with a bar, and how many have none."""
    if node.kind != "interior" or node.actor >= CHANCE or not (node.policy > 0).any():
        return [], 0
    return infostates(node, node.actor, _MOST_BARS)


# Drawing.


def _header(svg: ElementTree.Element, title: str, unit: str) -> None:
    text(svg, _MARGIN, _MARGIN + 12, title, size=17, weight="bold")
    facts = (
        f"value to player 0 in {unit}; width of an edge: probability under average play; "
        f"a bar is the policy of an infostate, pale if it is rarely reached"
    )
    text(svg, _MARGIN, _MARGIN + 32, facts, color=SOFT)
    x = _MARGIN
    for actor, name in ACTORS.items():
        rectangle(svg, x, _MARGIN + 43, 11, 11, fill=_COLORS[actor], rx="2")
        text(svg, x + 17, _MARGIN + 53, name, color=SOFT)
        x += 30 + _LETTER * len(name)
    rectangle(svg, x, _MARGIN + 43, 18, 11, fill="#ffffff", stroke=SOFT, dashed=True)
    text(svg, x + 24, _MARGIN + 53, "leaf, valued by the evaluator", color=SOFT)


def _draw(
    edges: ElementTree.Element,
    boxes: ElementTree.Element,
    box: _Box,
    scale: float,
    among: Sequence[str] = (),
) -> None:
    """Draws a box and its subtree. among: the events of its siblings."""
    start, events = box.x + _BOX, [event for event, _ in box.shown.events]
    for child in box.children:
        share = 0.0 if math.isnan(child.shown.share) else child.shown.share
        bend = start + _GAP / 2
        ElementTree.SubElement(
            edges,
            "path",
            {
                "d": f"M{start:.1f},{box.middle:.1f} C{bend:.1f},{box.middle:.1f} "
                f"{bend:.1f},{child.middle:.1f} {child.x:.1f},{child.middle:.1f}",
                "fill": "none",
                "stroke": _COLORS[box.shown.node.actor],
                "stroke-opacity": "0.4",
                "stroke-width": f"{1 + (_WIDEST_EDGE - 1) * share:.2f}",
            },
        )
        _draw(edges, boxes, child, scale, events)
    _draw_box(boxes, box, scale, among)
    if box.shown.num_hidden:
        more = f"+{box.shown.num_hidden}"
        y = box.y + 12 if box.children else box.middle + 4
        text(boxes, start + 6, y, more, color=SOFT)


def _draw_box(
    boxes: ElementTree.Element, box: _Box, scale: float, among: Sequence[str] = ()
) -> None:
    """among: the events of its siblings."""
    node, color = box.shown.node, _COLORS[box.shown.node.actor]
    place = {"class": "node", "transform": f"translate({box.x:.1f},{box.y:.1f})"}
    group = ElementTree.SubElement(boxes, "g", {**place, "data-row": str(node.row)})
    ElementTree.SubElement(group, "title").text = _tooltip(box.shown)
    is_leaf = node.kind == "leaf"
    rectangle(group, 0, 0, _BOX, box.height, fill="#ffffff", stroke=color, rx="6", dashed=is_leaf)
    rectangle(group, 0, 0, 6, box.height, fill=color, rx="3")
    name, room = node.event or node.description, 25 if math.isnan(node.mean_value) else 18
    if len(name) > room:
        name = _last_words(name, among)
    text(group, 14, 18, cut(name, room), size=13, weight="bold")
    if not math.isnan(node.mean_value):
        fill = _tint(node.mean_value, scale)
        rectangle(group, _BOX - 60, 6, 54, 16, fill=fill, rx="8")
        text(group, _BOX - 33, 18, signed(node.mean_value), anchor="middle")
    text(group, 14, 34, _facts(box.shown), color=SOFT)
    _draw_bars(group, node)


def _last_words(name: str, among: Sequence[str]) -> str:
    """The end of an event's text, from where it differs from others."""
    words, others = name.split(), [other.split() for other in among if other != name]
    same = 0
    while others and same < len(words) - 1:
        if any(other[: same + 1] != words[: same + 1] for other in others):
            break
        same += 1
    return " ".join(["…", *words[same:]] if same else words)


def _facts(shown: Outline) -> str:
    node = shown.node
    facts = [actor_name(node)]
    facts.append("not updated yet" if math.isnan(shown.share) else percent(shown.share))
    if node.num_visits:
        facts.append(f"{node.num_visits:,} visit{'s' if node.num_visits > 1 else ''}")
    return " · ".join(facts)


def _draw_bars(group: ElementTree.Element, node: NodeView) -> None:
    shown, num_hidden = _bars(node)
    most = max([float(node.ranges[node.actor, infostate]) for infostate in shown], default=0.0)
    names = [node.game.describe_infostate(node.state, node.actor, i) for i in shown]
    hides = int(node.is_possible[node.actor].sum()) > 1 if shown else False
    label = _LETTER * min(max(map(len, names)), _MOST_LETTERS) + 8 if hides else 0.0
    for number, (infostate, name) in enumerate(zip(shown, names, strict=True)):
        row = choice(group, (), _infostate_text(node, infostate), kind="infostate")
        y, weight = _HEAD + _ROW * number, float(node.ranges[node.actor, infostate]) / most
        if hides:
            text(row, 14, y + 10, cut(name, _MOST_LETTERS), color=INK if weight > 0.2 else SOFT)
        x, full = 14 + label, _BOX - label - 24
        rectangle(row, x, y + 1, full, _ROW - 4, fill="#eef1f4")
        bars = ElementTree.SubElement(row, "g", {"opacity": f"{0.3 + 0.7 * weight:.2f}"})
        for action, probability in enumerate(node.policy[infostate].tolist()):
            if probability > 0:
                color = _ACTIONS[action % len(_ACTIONS)]
                rectangle(bars, x, y + 1, full * probability, _ROW - 4, fill=color)
                x += full * probability
    y = _HEAD + _ROW * len(shown)
    if num_hidden:
        text(group, 14, y + 10, f"... and {num_hidden} more", color=SOFT)
        y += _ROW
    x = 14.0
    for action, name in _legend(node, shown).items():
        color = _ACTIONS[action % len(_ACTIONS)]
        rectangle(group, x, y + 5, 9, 9, fill=color, rx="2")
        text(group, x + 13, y + 13, cut(name, _MOST_IN_LEGEND), size=10, color=SOFT)
        x += _legend_width(name)


def _legend(node: NodeView, shown: list[int]) -> dict[int, str]:
    """The most played actions, for the legend; none if names differ between infostates."""
    names = common_names(action_names(node, shown)) if shown else None
    if names is None:
        return {}
    played = node.policy[shown].sum(axis=0, where=node.policy[shown] > 0)
    named, room = {}, _BOX - 20
    for action in sorted(names, key=lambda action: -played[action]):
        room -= _legend_width(names[action])
        if room < 0 or not played[action] > 0:
            break
        named[action] = names[action]
    return dict(sorted(named.items()))


def _legend_width(name: str) -> float:
    return 24 + 0.9 * _LETTER * min(len(name), _MOST_IN_LEGEND)


def _tooltip(shown: Outline) -> str:
    node = shown.node
    lines = [node.description, _facts(shown), f"value to player 0: {signed(node.mean_value)}"]
    if shown.events:
        lines.append("then: " + ", ".join(f"{name} {percent(p)}" for name, p in shown.events))
    return "\n".join(lines)


def _infostate_text(node: NodeView, infostate: int) -> str:
    player = node.actor
    name = node.game.describe_infostate(node.state, player, infostate)
    lines = [
        f"player {player}, {name}",
        f"range {percent(float(node.ranges[player, infostate]))}, "
        f"value {signed(float(node.values[player, infostate]))}",
    ]
    (names,) = action_names(node, [infostate])
    for action, name in names.items():
        visits = int(node.visits[infostate, action])
        probability = node.policy[infostate, action]
        known = "-" if math.isnan(probability) else f"{probability:.4f}"
        worth = signed(float(node.action_values[infostate, action]))
        lines.append(f"{name}: {known}, worth {worth}, visits {visits}")
    return "\n".join(lines)


def _tint(value: float, scale: float) -> str:
    """From white to the color of the player favored by a value."""
    color = _COLORS[PLAYER_0 if value > 0 else PLAYER_1]
    return tint(color, 0.55 * abs(value) / scale if scale > 0 else 0.0)
