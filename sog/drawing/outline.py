"""The part of a search tree that is shown: some levels, and not too many children of a node."""

import dataclasses
import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from sog.drawing.nodes import NodeView
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL

_ACTORS: Final = {PLAYER_0: "player 0", PLAYER_1: "player 1", CHANCE: "chance", TERMINAL: "end"}


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Outline:
    """A public state and those below it that are shown."""

    node: NodeView
    share: float
    """How likely average play leads here from the topmost node; NaN where unknown."""
    children: tuple["Outline", ...]
    num_hidden: int
    """Children that are not shown."""
    events: tuple[tuple[str, float], ...]
    """What may follow, as text, and how likely it is here; those of all children."""

    @property
    def size(self) -> int:
        """Public states shown."""
        return 1 + sum(child.size for child in self.children)


def outline(
    nodes: Sequence[NodeView],
    row: int,
    *,
    depth: int,
    most_children: int,
    most_below: int | None = None,
) -> Outline:
    """The node of a row with `depth` levels below it, the likeliest children of each node.

    most_children: of a node; most_below: of those below the first, if other than that.
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
    return _ACTORS[node.actor]


def percent(share: float) -> str:
    """A probability for people; a dash where it is unknown."""
    if math.isnan(share):
        return "-"
    if 0 < share < 0.01:
        return f"{100 * share:.1f}%" if share >= 0.0005 else "<0.1%"
    return f"{100 * share:.0f}%"


def signed(value: float) -> str:
    """A value for people; a dash where it is undefined."""
    return "-" if math.isnan(value) else f"{round(value, 3) + 0.0:+.3f}"  # no minus before zero


def infostates(node: NodeView, player: int, most: int) -> tuple[list[int], int]:
    """The infostates of a player to show, in their order, and how many more there are.

    The likeliest ones where there are more than `most`.
    """
    possible = np.flatnonzero(node.is_possible[player])
    likeliest = possible[np.argsort(-np.nan_to_num(node.ranges[player, possible]), kind="stable")]
    return sorted(likeliest[:most].tolist()), max(len(possible) - most, 0)


def action_names(node: NodeView, shown: Sequence[int]) -> list[dict[int, str]]:
    """For each infostate of the acting player, its legal actions and their texts."""
    return [
        {
            action: node.game.describe_action(node.state, infostate, action)
            for action in np.flatnonzero(node.legal[infostate]).tolist()
        }
        for infostate in shown
    ]


def common_names(names: Sequence[dict[int, str]]) -> dict[int, str] | None:
    """The actions of all infostates, if a number means the same action everywhere."""
    merged: dict[int, str] = {}
    for of_infostate in names:
        for action, text in of_infostate.items():
            if merged.setdefault(action, text) != text:
                return None
    return dict(sorted(merged.items()))


def share_of(part: float, whole: float) -> float:
    """NaN of nothing."""
    return part / whole if whole > 0 else math.nan


def or_null(value: float) -> float | None:
    """A number as JSON has it: null where it is undefined."""
    return value if math.isfinite(value) else None


def or_zero(value: float) -> float:
    """A number that may be unknown, to sort or to add by."""
    return 0.0 if math.isnan(value) else value
