"""The displayed part of a search tree: a few levels, and a few children per node."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from sog.drawing.nodes import NodeView
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL

ACTORS: Final = {PLAYER_0: "player 0", PLAYER_1: "player 1", CHANCE: "chance", TERMINAL: "end"}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Outline:
    """A public state and the displayed ones below it."""

    node: NodeView
    share: float
    """Probability to reach it from the topmost node by average play; NaN if unknown."""
    children: tuple["Outline", ...]
    num_hidden: int
    """Number of children not displayed."""
    events: tuple[tuple[str, float], ...]
    """All next events as text, with their probabilities."""

    @property
    def size(self) -> int:
        """Number of public states displayed."""
        return 1 + sum(child.size for child in self.children)


def outline(
    nodes: Sequence[NodeView],
    row: int,
    *,
    depth: int,
    most_children: int,
    most_below: int | None = None,
) -> Outline:
    """The node of a row with `depth` levels below it, the most likely children of each node.

    most_children: per node; most_below: the same below the first node, if different.
    """
    by_row = {node.row: node for node in nodes}
    top = by_row[row].probability

    def below(node: NodeView, levels: int) -> Outline:
        children = [by_row[child] for child in node.children]
        by_likelihood = sorted(children, key=lambda child: -or_zero(child.probability))
        most = most_children if levels == depth or most_below is None else most_below
        kept = set(by_likelihood[:most]) if levels > 0 else set()
        return Outline(
            node=node,
            share=share_of(node.probability, top),
            children=tuple(below(child, levels - 1) for child in children if child in kept),
            num_hidden=len(children) - len(kept),
            events=tuple(
                (child.event, share_of(child.probability, node.probability)) for child in children
            ),
        )

    return below(by_row[row], depth)


def actor_name(node: NodeView) -> str:
    """Who acts at a public state."""
    return ACTORS[node.actor]


def percent(share: float) -> str:
    """A probability as text; a dash if unknown."""
    if math.isnan(share):
        return "-"
    if 0 < share < 0.01:
        return f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"
    return f"{100 * share:.0f}%"


def signed(value: float) -> str:
    """A value as text; a dash if undefined."""
    return "-" if math.isnan(value) else f"{round(value, 3) + 0.0:+.3f}"  # no negative zero


def infostates(node: NodeView, player: int, most: int) -> tuple[list[int], int]:
    """At most `most` infostates of a player, the most likely; and how many are omitted."""
    possible = np.flatnonzero(node.is_possible[player])
    likeliest = possible[np.argsort(-np.nan_to_num(node.ranges[player, possible]), kind="stable")]
    return sorted(likeliest[:most].tolist()), max(len(possible) - most, 0)


def action_names(node: NodeView, shown: Sequence[int]) -> list[dict[int, str]]:
    """For each infostate of the acting player, its legal actions as text."""
    return [
        {
            action: node.game.describe_action(node.state, infostate, action)
            for action in np.flatnonzero(node.legal[infostate]).tolist()
        }
        for infostate in shown
    ]


def common_names(names: Sequence[dict[int, str]]) -> dict[int, str] | None:
    """The actions of all infostates; None if a number means different actions."""
    merged: dict[int, str] = {}
    for of_infostate in names:
        for action, text in of_infostate.items():
            if merged.setdefault(action, text) != text:
                return None
    return dict(sorted(merged.items()))


def share_of(part: float, whole: float) -> float:
    """The ratio; NaN if whole is 0."""
    return part / whole if whole > 0 else math.nan


def or_null(value: float) -> float | None:
    """A number for JSON: None if undefined."""
    return value if math.isfinite(value) else None


def or_zero(value: float) -> float:
    """A number for sorting or adding: 0 if unknown."""
    return 0.0 if math.isnan(value) else value
