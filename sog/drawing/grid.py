"""A strategy at one public state as a grid: a row per infostate, a column per action."""

import collections
import dataclasses
import math
from typing import Any, Final

import numpy as np

from sog.drawing.outline import common_names, or_null, or_zero, percent, share_of
from sog.games.core import CHANCE, TERMINAL
from sog.tabular.profile_analysis import ProfileAnalysis

_MOST_EVENTS: Final = 4  # in a line of text
_ALIKE: Final = 5e-4  # below the printed precision


@dataclasses.dataclass(frozen=True, kw_only=True)
class Cell:
    """An action of an infostate; values in the game's unit, NaN where undefined."""

    action: int
    name: str
    probability: float
    value: float
    loss: float
    """Loss against the best action if both players follow the strategy afterwards."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Row:
    """An infostate, or several with the same strategy."""

    infostates: tuple[int, ...]
    name: str
    kind: str
    """See `Game.describe_kind`."""
    range_: float
    value: float
    cells: dict[int, Cell]
    """By action; empty for the player not to act."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Event:
    """A possible next public event."""

    name: str
    probability: float
    """Under the strategy, given the public state; NaN if that is never reached."""
    node: int


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """A strategy at a public state, for the infostates of one player."""

    description: str
    history: tuple[str, ...]
    actor: int
    player: int
    probability: float
    """Probability of the public state under the strategy."""
    value: float
    """Value to player 0."""
    rows: tuple[Row, ...]
    """A row for every possible infostate."""
    events: tuple[Event, ...]

    @property
    def actions(self) -> dict[int, str] | None:
        """The names of the actions; None if a number means different actions in two rows."""
        return common_names([{a: cell.name for a, cell in row.cells.items()} for row in self.rows])


def read_grid(found: ProfileAnalysis, node: int, player: int) -> Grid:
    """The strategy at a node of the public tree."""
    tree = found.tree
    state = tree.state(node)
    probability = float(found.probability[node, 0].sum())
    return Grid(
        description=tree.game.describe_state(state),
        history=history_of(found, node),
        actor=int(tree.node_actor[node]),
        player=player,
        probability=probability,
        value=found.value(node),
        rows=tuple(
            _row(found, node, player, infostate)
            for infostate in np.flatnonzero(tree.node_mask[node, player]).tolist()
        ),
        events=tuple(
            Event(
                name=tree.game.describe_outcome(state, int(tree.node_outcome[child])),
                probability=share_of(float(found.probability[child, 0].sum()), probability),
                node=child,
            )
            for child in np.flatnonzero(tree.node_parent == node).tolist()
        ),
    )


def describe_events(events: tuple[Event, ...]) -> str:
    """The next events as text, such as "check 67%, bet2 33%"."""
    listed = sorted(events, key=lambda event: -or_zero(event.probability))[:_MOST_EVENTS]
    shown = events if len(events) <= _MOST_EVENTS else listed
    text = ", ".join(f"{event.name} {percent(event.probability)}" for event in shown)
    more = len(events) - len(shown)
    return f"{text} ... and {more} more" if more else text


def history_of(found: ProfileAnalysis, node: int) -> tuple[str, ...]:
    """The public events that lead to a node, as `--history` takes them."""
    tree, events = found.tree, []
    while node != 0:
        parent = int(tree.node_parent[node])
        outcome = int(tree.node_outcome[node])
        events.append(tree.game.describe_outcome(tree.state(parent), outcome))
        node = parent
    return tuple(reversed(events))


def node_at(found: ProfileAnalysis, outcomes: tuple[int, ...]) -> int:
    """The node that public events from the start of the game lead to."""
    tree, node = found.tree, 0
    for outcome in outcomes:
        is_child = (tree.node_parent == node) & (tree.node_outcome == outcome)
        node = int(np.flatnonzero(is_child)[0])
    return node


def merge_alike(rows: tuple[Row, ...]) -> tuple[Row, ...]:
    """Merges infostates of a kind, such as cards of one rank, if the strategy treats them alike.

    Their ranges are added.
    """
    num_of_kind = collections.Counter(row.kind for row in rows)
    merged: list[Row] = []
    for row in rows:
        for place, other in enumerate(merged):
            if other.kind == row.kind and _are_alike(row, other, len(other.infostates)):
                merged[place] = _join(other, row, num_of_kind[row.kind])
                break
        else:
            merged.append(row)
    return tuple(merged)


def grid_as_json(grid: Grid) -> dict[str, Any]:
    """The grid as JSON; undefined numbers are null."""
    return {
        "history": list(grid.history),
        "state": grid.description,
        "actor": {CHANCE: "chance", TERMINAL: "end"}.get(grid.actor, grid.actor),
        "player": grid.player,
        "probability": grid.probability,
        "value": or_null(grid.value),
        "events": [
            {"event": event.name, "probability": or_null(event.probability)}
            for event in grid.events
        ],
        "infostates": [
            {
                "infostate": row.infostates[0],
                "name": row.name,
                "range": or_null(row.range_),
                "value": or_null(row.value),
                **(
                    {"actions": [_as_json(cell) for cell in row.cells.values()]}
                    if row.cells
                    else {}
                ),
            }
            for row in grid.rows
        ],
    }


def _as_json(cell: Cell) -> dict[str, Any]:
    undefined = {"value": or_null(cell.value), "loss": or_null(cell.loss)}
    return dataclasses.asdict(cell) | undefined


def _row(found: ProfileAnalysis, node: int, player: int, infostate: int) -> Row:
    tree, state = found.tree, found.tree.state(node)
    cells: dict[int, Cell] = {}
    if tree.node_actor[node] == player:
        values = found.action_values(node)[infostate]
        legal = np.flatnonzero(tree.node_legal[node, infostate]).tolist()
        best = max((values[action] for action in legal), default=math.nan)
        for action in legal:
            cells[action] = Cell(
                action=action,
                name=tree.game.describe_action(state, infostate, action),
                probability=float(found.policy[node, infostate, action]),
                value=float(values[action]),
                loss=float(best - values[action]),
            )
    return Row(
        infostates=(infostate,),
        name=tree.game.describe_infostate(state, player, infostate),
        kind=tree.game.describe_kind(state, player, infostate),
        range_=float(found.ranges[node, player, infostate]),
        value=float(found.values[node, player, infostate]),
        cells=cells,
    )


def _are_alike(row: Row, other: Row, num_joined: int) -> bool:
    """Whether a row is like one into which `num_joined` infostates are merged."""

    def numbers(of_row: Row, share: float) -> list[float]:
        cells = of_row.cells.values()
        parts = [(cell.probability, cell.value, cell.loss) for cell in cells]
        return [share * of_row.range_, of_row.value, *(value for part in parts for value in part)]

    first, second = numbers(row, 1.0), numbers(other, 1 / num_joined)
    if row.cells.keys() != other.cells.keys():
        return False
    return np.allclose(first, second, rtol=0, atol=_ALIKE, equal_nan=True)


def _join(row: Row, added: Row, num_of_kind: int) -> Row:
    """Merges two rows; named after the kind once it is complete."""
    infostates = (*row.infostates, *added.infostates)
    name = row.kind if len(infostates) == num_of_kind else f"{row.name} {added.name}"
    return dataclasses.replace(
        row, infostates=infostates, name=name, range_=row.range_ + added.range_
    )
