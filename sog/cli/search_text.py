"""Formats a search for the terminal and as JSON."""

import math
from typing import Any, Final

import numpy as np
from rich.console import Group
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from sog.cli import display
from sog.drawing.nodes import NodeView
from sog.drawing.outline import (
    Outline,
    action_names,
    actor_name,
    common_names,
    infostates,
    or_null,
    percent,
    signed,
)
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1, TERMINAL

_MOST_INFOSTATES: Final = 16
_MOST_COLUMNS: Final = 10
_MOST_EVENTS: Final = 4
_MOST_LETTERS: Final = 60  # of these events
_OTHER_LETTERS: Final = 28  # of a table with a column per infostate: "player 0", "... and 9 more"
_COLORS: Final = {PLAYER_0: "blue", PLAYER_1: "dark_orange3", CHANCE: "magenta", TERMINAL: "dim"}


def as_table(shown: Outline) -> Table:
    """The tree, with the tables of its topmost public state."""
    node = shown.node
    if node.actor < CHANCE:
        tables = [policy_table(node), _players_table(node, 1 - node.actor)]
    else:
        tables = [_players_table(node, player) for player in (0, 1)]
    label = Group(_line(shown, is_top=True), *(table for table in tables if table is not None))
    tree = Tree(label, guide_style="dim")
    _add_children(tree, shown)
    page = Table.grid()
    page.add_row(tree)
    return page


def node_as_json(number: int, parent: int | None, node: NodeView) -> dict[str, Any]:
    """One public state; undefined numbers are null."""
    return {
        "number": number,
        "parent": parent,
        "kind": node.kind,
        "outcome": node.outcome,
        "event": node.event,
        "depth": node.depth,
        "actor": actor_name(node),
        "probability": or_null(node.probability),
        "value": or_null(node.mean_value),
        "visits": node.num_visits,
        "infostates": [
            _infostate_as_json(node, player, infostate)
            for player in (0, 1)
            for infostate in np.flatnonzero(node.is_possible[player]).tolist()
        ],
    }


def _infostate_as_json(node: NodeView, player: int, infostate: int) -> dict[str, Any]:
    known = {
        "player": player,
        "infostate": infostate,
        "name": node.game.describe_infostate(node.state, player, infostate),
        "range": or_null(node.ranges[player, infostate].item()),
        "value": or_null(node.values[player, infostate].item()),
    }
    if player != node.actor:
        return known
    (names,) = action_names(node, [infostate])
    found = {"policy": node.policy, "action_values": node.action_values, "visits": node.visits}
    return known | {
        what: {name: or_null(of[infostate, action].item()) for action, name in names.items()}
        for what, of in found.items()
    }


def _add_children(tree: Tree, shown: Outline) -> None:
    for child in shown.children:
        _add_children(tree.add(_line(child)), child)
    if shown.children and shown.num_hidden:
        tree.add(Text(f"... and {shown.num_hidden} more", style="dim"))


def _line(shown: Outline, is_top: bool = False) -> Text:
    """The event that led to a public state, with its share, value and visits."""
    node = shown.node
    name = node.event if node.event and not is_top else node.description
    facts = []
    if not is_top:
        facts.append("not updated yet" if math.isnan(shown.share) else percent(shown.share))
    if not math.isnan(node.mean_value):
        facts.append(f"value {signed(node.mean_value)}")
    if node.num_visits:
        facts.append(f"{node.num_visits:,} visit{'s' if node.num_visits > 1 else ''}")
    line = Text.assemble(
        (name, "bold"),
        "  ",
        (_actor(node), _COLORS[node.actor]),
        "  ",
        ", ".join(facts),
    )
    if not shown.children and shown.events and not math.isnan(shown.share):
        line.append(f"  then {_likely_events(shown)}", style="dim")
    return line


def _actor(node: NodeView) -> str:
    name = actor_name(node)
    if node.kind == "leaf":
        return f"{name}, leaf"
    return f"{name} to act" if node.actor < CHANCE else name


def _likely_events(shown: Outline) -> str:
    known = [(event, share) for event, share in shown.events if not math.isnan(share)]
    if not known:
        return "new leaves"
    listed = known if len(known) <= _MOST_EVENTS else sorted(known, key=lambda pair: -pair[1])
    texts = [f"{event} {percent(share)}" for event, share in listed[:_MOST_EVENTS]]
    while len(texts) > 1 and len(", ".join(texts)) > _MOST_LETTERS:
        texts.pop()
    more = len(shown.events) - len(texts)
    return ", ".join(texts) + (f" ... and {more} more" if more > 0 else "")


def policy_table(node: NodeView) -> Table:
    """A row per infostate of the acting player: range, value, policy, visits."""
    player = node.actor
    shown, num_hidden = infostates(node, player, _MOST_INFOSTATES)
    names = action_names(node, shown)
    common = common_names(names)
    kept = _columns(node, shown, common) if common is not None else []
    table = display.plain_table()
    table.add_column(actor_name(node), style=_COLORS[player], no_wrap=True)
    for column in ("range", "value", *(common[action] for action in kept if common)):
        table.add_column(column, justify="right")
    if common is None or len(kept) < len(common):
        table.add_column("policy" if common is None else "others")
    table.add_column("visits", justify="right")
    for infostate, of_infostate in zip(shown, names, strict=True):
        policy, cells = node.policy[infostate], []
        for action in kept:
            cells.append(_probability(policy[action]) if action in of_infostate else "")
        rest = {action: text for action, text in of_infostate.items() if action not in kept}
        if common is None:
            cells.append(_likely_actions(policy, rest))
        elif len(kept) < len(common):
            cells.append(_probability(float(np.sum(policy[list(rest)]))))
        table.add_row(*_facts(node, player, infostate), *cells, f"{node.visits[infostate].sum():,}")
    if num_hidden:
        table.add_row(f"... and {num_hidden} more")
    return table


def _columns(node: NodeView, shown: list[int], common: dict[int, str]) -> list[int]:
    """The actions that get a column: the most played ones if there are many."""
    if len(common) <= _MOST_COLUMNS:
        return list(common)
    weight = np.nan_to_num(node.ranges[node.actor, shown] @ np.nan_to_num(node.policy[shown]))
    return sorted(sorted(common, key=lambda action: -weight[action])[: _MOST_COLUMNS - 1])


def _likely_actions(policy: np.ndarray, names: dict[int, str]) -> str:
    order = sorted(names, key=lambda action: -np.nan_to_num(policy[action]))
    listed = [f"{names[action]} {_probability(policy[action])}" for action in order[:_MOST_EVENTS]]
    more = len(order) - _MOST_EVENTS
    return ", ".join(listed) + (f" ... and {more} more" if more > 0 else "")


def _players_table(node: NodeView, player: int) -> Table | None:
    """A column per infostate of a player who does not act; None if it has only one."""
    possible, _ = infostates(node, player, 2)
    if len(possible) < 2:
        return None
    for most in range(_MOST_COLUMNS, 0, -1):
        shown, num_hidden = infostates(node, player, most)
        columns = [_facts(node, player, infostate) for infostate in shown]
        widths = [max(map(len, facts)) + 2 for facts in columns]
        if sum(widths) + _OTHER_LETTERS <= display.width():
            break
    table = display.plain_table()
    table.add_column(f"player {player}", style=_COLORS[player], no_wrap=True)
    for name, _, _ in columns:
        table.add_column(name, justify="right", no_wrap=True)
    more = [f"... and {num_hidden} more"] if num_hidden else []
    table.add_row("range", *(range_ for _, range_, _ in columns), *more)
    table.add_row("value", *(value for _, _, value in columns))
    return table


def _facts(node: NodeView, player: int, infostate: int) -> tuple[str, str, str]:
    return (
        node.game.describe_infostate(node.state, player, infostate),
        percent(float(node.ranges[player, infostate])),
        signed(float(node.values[player, infostate])),
    )


def _probability(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.3f}"
