"""Template data of a search page: one public state of its tree."""

import math
from typing import Any, Final

import numpy as np

from sog.drawing.marks import read_marks
from sog.drawing.nodes import NodeView
from sog.drawing.outline import (
    Outline,
    action_names,
    actor_name,
    common_names,
    infostates,
    or_zero,
    outline,
    percent,
    signed,
)
from sog.drawing.picture import Look, draw_picture
from sog.drawing.search_tree import draw_search
from sog.games.core import TERMINAL
from sog.play.principal_variation import events_of
from sog.web.pages import inline
from sog.web.search_locks import can_lock, lock_at, locks_context
from sog.web.snapshots import Estimates, Snapshot
from sog.web.watched_search import WatchedSearch

_LEVELS, _MOST_CHILDREN = 2, 8  # of the drawn tree
_MOST_BOXES: Final = 24  # keeps the page short
_MOST_COLUMNS: Final = 8  # of actions; more are listed as text
_MOST_LISTED: Final = 60  # infostates of a player
_MOST_EDITED: Final = 250


def node_context(search: WatchedSearch, snapshot: Snapshot, node: NodeView) -> dict[str, Any]:
    """Template data of a node."""
    game, is_searched = node.game, node.row == snapshot.row
    shown = _outline(snapshot, node)
    title = f"{game.name}: {node.description}"
    marks = read_marks(
        game, node.state, node.policy, node.ranges[node.actor % 2], values=node.action_values
    )
    board = draw_picture(
        game, node.state, ranges=np.nan_to_num(node.ranges), look=Look(marks=marks)
    )
    exact = search.solving.exact if is_searched else None
    before = search.before if is_searched else None
    return {
        "snapshot": snapshot,
        "node": node,
        "is_searched": is_searched,
        "actor": actor_name(node),
        "value": signed(node.mean_value),
        "path": _path(snapshot, node),
        "line": _line(snapshot, node),
        "tree": inline(draw_search(shown, title=title, unit=game.unit)),
        "board": inline(board),
        "is_marked": bool(marks),
        "children": _children(snapshot, node, [share for _, share in shown.events]),
        "rows": {kept.node.row for kept in _all(shown)} - {node.row, *node.children},
        "players": [_player(node, player, before, exact) for player in _shown_players(node)],
        "exact": exact,
        "can_be_solved": is_searched and search.can_be_solved(snapshot),
        "before": before,
        "is_hidden": search.searcher.shown.hides_information,
        "can_edit": node.actor != TERMINAL and 2 < int(node.is_possible.sum()) <= _MOST_EDITED,
        "most_edited": _MOST_EDITED,
        "locks": locks_context(search, snapshot),
        "is_locked": lock_at(search, outcomes_to(search, snapshot, node)) is not None,
        "can_lock": can_lock(node),
    }


def _outline(snapshot: Snapshot, node: NodeView) -> Outline:
    """The part of the tree to draw, with fewer grandchildren if it is large."""
    shown = None
    for most in range(_MOST_CHILDREN, 0, -1):
        shown = outline(
            list(snapshot.nodes.values()),
            node.row,
            depth=_LEVELS,
            most_children=_MOST_CHILDREN,
            most_below=most,
        )
        if shown.size <= _MOST_BOXES:
            break
    assert shown is not None
    return shown


def outcomes_to(search: WatchedSearch, snapshot: Snapshot, node: NodeView) -> tuple[int, ...]:
    """The public events from the start of the game to a node."""
    start = search.outcomes if search.has_own_ranges else ()
    events = [one.outcome for one in _path(snapshot, node) if one.outcome is not None]
    return (*start, *events)


def _children(
    snapshot: Snapshot, node: NodeView, shares: list[float]
) -> list[tuple[NodeView, str, str]]:
    """The children with their shares and values; if there are many, the most likely first."""
    pairs = list(zip(node.children, shares, strict=True))
    if len(pairs) > _MOST_CHILDREN:
        pairs.sort(key=lambda pair: -or_zero(pair[1]))
    nodes = ((snapshot.nodes[child], share) for child, share in pairs)
    return [(child, percent(share), signed(child.mean_value)) for child, share in nodes]


def _all(shown: Any) -> list[Any]:
    return [shown, *(one for child in shown.children for one in _all(child))]


def _shown_players(node: NodeView) -> tuple[int, ...]:
    """Both players, or with perfect information only the one to act."""
    if node.game.hides_information:
        return 0, 1
    return (node.actor % 2,)


def _player(
    node: NodeView, player: int, before: Estimates | None, exact: Estimates | None
) -> dict[str, Any]:
    """A player's table: a row per infostate, a column per action if the player is to act."""
    listed, num_hidden = infostates(node, player, _MOST_LISTED)
    acts = node.actor == player
    names = common_names(action_names(node, listed)) if acts else {}
    return {
        "player": player,
        "acts": acts,
        "actions": names,
        "columns": names if names and len(names) <= _MOST_COLUMNS else None,
        "hidden": num_hidden,
        "rows": [_row(node, player, infostate, acts, before, exact) for infostate in listed],
    }


def _row(
    node: NodeView,
    player: int,
    infostate: int,
    acts: bool,
    before: Estimates | None,
    exact: Estimates | None,
) -> dict[str, Any]:
    legal = np.flatnonzero(node.legal[infostate]).tolist() if acts else []
    range_ = float(np.nan_to_num(node.ranges[player, infostate]))
    return {
        "infostate": infostate,
        "name": node.game.describe_infostate(node.state, player, infostate),
        "range": range_,
        "weight": f"{100 * range_:.4g}",
        "value": signed(float(node.values[player, infostate])),
        "value_before": "" if before is None else signed(float(before.values[player, infostate])),
        "value_exact": "" if exact is None else signed(_value(exact, player, infostate)),
        "range_before": None if before is None else float(before.ranges[player, infostate]),
        "cells": {
            action: {
                "name": node.game.describe_action(node.state, infostate, action),
                "share": float(np.nan_to_num(node.policy[infostate, action])),
                "value": signed(float(node.action_values[infostate, action])),
                "before": None if before is None else _share(before.policy[infostate, action]),
                "exact": None
                if exact is None or not exact.ranges[player, infostate] > 0
                else _share(exact.policy[infostate, action]),
            }
            for action in legal
        },
    }


def _value(exact: Estimates, player: int, infostate: int) -> float:
    """NaN for an infostate of range 0, for which average play is undefined."""
    is_there = exact.ranges[player, infostate] > 0
    return float(exact.values[player, infostate]) if is_there else math.nan


def _share(value: Any) -> float | None:
    return None if np.isnan(value) else float(value)


def _line(snapshot: Snapshot, node: NodeView) -> list[NodeView]:
    """The principal variation from a node, as nodes."""
    line, row = list[NodeView](), node.row
    for event in events_of(snapshot.lines[row]) if row < len(snapshot.lines) else ():
        below = (snapshot.nodes[child] for child in snapshot.nodes[row].children)
        line.append(next(one for one in below if one.outcome == event))
        row = line[-1].row
    return line


def _path(snapshot: Snapshot, node: NodeView) -> list[NodeView]:
    """Nodes from the root of the tree to a node."""
    path = [node]
    while path[-1].parent is not None:
        path.append(snapshot.nodes[path[-1].parent])
    return path[::-1]
