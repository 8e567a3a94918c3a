"""The grid of a strategy in the terminal."""

import math
from typing import Final

from rich.table import Table

from sog.cli import display
from sog.drawing.grid import Cell, Grid, Row, describe_events, merge_alike
from sog.drawing.outline import or_zero, percent, signed
from sog.games import Game
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1

_COLORS: Final = {PLAYER_0: "blue", PLAYER_1: "dark_orange3"}
_MOST_ROWS: Final = 40
_MOST_ACTIONS: Final = 6  # with a column
_MOST_LISTED: Final = 4  # in a line of text
_UNSEEN: Final = 5e-4


def print_grid(grid: Grid, game: Game[object], *, with_events: bool) -> None:
    """Prints it on stdout. with_events: whether possible next events follow it."""
    footer = _reached(grid, game)
    if grid.events and with_events:
        footer += f"; then {describe_events(grid.events)}"
    display.print_table(_table(grid, merge_alike(grid.rows)), title=_title(grid), footer=footer)


def legend(grid: Grid, game: Game[object]) -> str:
    """Explains the columns, for below the first grid."""
    text = f"value: to player {grid.player}, in {game.unit}."
    if grid.actor != grid.player:
        return text
    loss = "how much less the action is worth than the best one, if both play the strategy"
    return f"{text} loss: {loss} afterwards."


def _title(grid: Grid) -> str:
    if grid.actor < CHANCE:
        who = f"player {grid.actor} to act"
    else:
        who = "chance to act" if grid.actor == CHANCE else "the end of the game"
    whose = "" if grid.actor == grid.player else f", seen by player {grid.player}"
    return f"{grid.description}: {who}{whose}"


def _reached(grid: Grid, game: Game[object]) -> str:
    if not grid.probability > 0:
        return "never reached by the strategy"
    value = f"{display.number(display.or_nothing(game, grid.value))} {game.unit}"
    return f"reached in {percent(grid.probability)} of games, worth {value} to player 0"


def _table(grid: Grid, rows: tuple[Row, ...]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    style = _COLORS[grid.player]
    table.add_column(f"player {grid.player}", style=style, no_wrap=True)
    table.add_column("range", justify="right")
    table.add_column("value", justify="right")
    names = grid.actions if grid.actor == grid.player else {}
    kept = [] if names is None else _columns(rows, names)
    for action in kept:
        table.add_column((names or {})[action], justify="right", style="bold")
        table.add_column("loss", justify="right", style="dim")
    has_rest = names is None or len(kept) < len(names)
    if has_rest:
        table.add_column("actions" if names is None else "others")
    shown = _shown(rows)
    for row in shown:
        cells: list[str] = []
        for action in kept:
            cell = row.cells.get(action)
            cells += ("", "") if cell is None else (f"{cell.probability:.3f}", _loss(cell.loss))
        if has_rest:
            cells.append(_list([c for action, c in row.cells.items() if action not in kept]))
        table.add_row(row.name, percent(row.range_), signed(row.value), *cells)
    if len(shown) < len(rows):
        table.add_row(f"... and {len(rows) - len(shown)} more")
    return table


def _shown(rows: tuple[Row, ...]) -> list[Row]:
    """The most likely rows, in their order."""
    order = sorted(range(len(rows)), key=lambda place: -or_zero(rows[place].range_))
    return [rows[place] for place in sorted(order[:_MOST_ROWS])]


def _columns(rows: tuple[Row, ...], names: dict[int, str]) -> list[int]:
    """The actions that get a column: the most played ones if there are many."""
    if len(names) <= _MOST_ACTIONS:
        return list(names)
    played = dict.fromkeys(names, 0.0)
    for row in rows:
        for action, cell in row.cells.items():
            played[action] += or_zero(row.range_) * cell.probability
    likely = sorted(names, key=lambda action: -played[action])[: _MOST_ACTIONS - 1]
    return sorted(likely)


def _loss(value: float) -> str:
    if math.isnan(value):
        return "-"
    return "0" if value < _UNSEEN else f"{value:.3f}"


def _list(cells: list[Cell]) -> str:
    """The actions that are played, most likely first."""
    likely = sorted(cells, key=lambda cell: -cell.probability)
    played = [cell for cell in likely if cell.probability >= _UNSEEN]
    text = ", ".join(f"{c.name} {c.probability:.3f}" for c in played[:_MOST_LISTED])
    more = len(played) - _MOST_LISTED
    return f"{text} ... and {more} more" if more > 0 else text
