"""`sog policy`: a strategy at a public state, as a grid of infostates by actions."""

import argparse
import dataclasses
import math
from pathlib import Path
from typing import Final

from rich.table import Table

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, given, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_history
from sog.cli.play_screen import ListedAction, Terminal, browse, find_choices, list_choices
from sog.cli.strategy import Strategy, check_source, load_strategy
from sog.domain import load_part, policy_tables
from sog.drawing.grid import (
    Cell,
    Grid,
    Row,
    describe_events,
    grid_as_json,
    merge_alike,
    node_at,
    read_grid,
)
from sog.drawing.outline import or_zero, percent, signed
from sog.games import Game
from sog.games.core import CHANCE, PLAYER_0, PLAYER_1
from sog.tabular.policy_table import write_policy_table

_COLORS: Final = {PLAYER_0: "blue", PLAYER_1: "dark_orange3"}
_MOST_ROWS: Final = 40
_MOST_ACTIONS: Final = 6  # with a column
_MOST_LISTED: Final = 4  # in a line of text
_UNSEEN: Final = 5e-4


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    _check(arguments)
    start_jax(all_cores=True)
    with display.working() as work, concluding(work.report_interrupt):
        strategy = load_strategy(
            arguments, work, check=lambda game: load_history(game, arguments.history)
        )
        history = load_history(strategy.game, arguments.history)
    node, game = node_at(strategy.examination, history.outcomes), strategy.game
    grid = _grid(strategy, node, arguments.player)
    exploitability = strategy.examination.exploitability
    with holding_interrupts():
        _write_tables(strategy, arguments)
        if arguments.json:
            whole = {"game": str(game), "source": strategy.source, "unit": game.unit}
            shown = grid_as_json(grid)
            display.print_json({**whole, "exploitability": exploitability, **shown})
            return SUCCESS
        lost = display.in_milli_units(game, exploitability)
        display.print_text(f"{strategy.title}; exploitability {lost}\n")
    if not arguments.walk:
        _print_grid(grid, game, with_events=True)
        display.print_text(_legend(grid, game))
        return SUCCESS

    def follow(terminal: Terminal, grid: Grid, answer: str) -> Grid | None:
        node = _follow(terminal, grid, answer)
        return None if node is None else _grid(strategy, node, arguments.player)

    display.print_text(f"{_legend(grid, game)}\n")
    browse(grid, lambda terminal, grid: _show(terminal, grid, game), follow)
    return SUCCESS


def _check(arguments: argparse.Namespace) -> None:
    """Checks options before the work begins."""
    if arguments.walk and arguments.json:
        raise CommandError("--walk has no effect with --json, which prints one public state.")
    seen = dict[Path, str]()
    for option, path in given(arguments, "table", *policy_tables()):
        if path in seen:
            raise CommandError(f"{seen[path]} and {option} must be two files, got {path}.")
        seen[path] = option
        check_target(option, path, (".csv",))
    check_source(arguments)


def _grid(strategy: Strategy, node: int, player: int | None) -> Grid:
    """The grid of `player`, by default the player to act, or player 0 if none acts."""
    actor = int(strategy.examination.tree.node_actor[node])
    shown = (actor if actor < CHANCE else PLAYER_0) if player is None else player
    return read_grid(strategy.examination, node, shown)


def _write_tables(strategy: Strategy, arguments: argparse.Namespace) -> None:
    tree, policy = strategy.examination.tree, strategy.examination.policy
    if arguments.table is not None:
        with writing(arguments.table, "the whole policy"):
            write_policy_table(arguments.table, tree, policy)
    for option, table in policy_tables().items():
        path = getattr(arguments, option)
        if path is not None:
            what = f"the whole policy, for {table.program},"
            with mistakes(f"--{option}: "), writing(path, what):
                load_part(table.writer)(path, tree, policy)


def _print_grid(grid: Grid, game: Game[object], *, with_events: bool) -> None:
    """Prints it on stdout. with_events: whether possible next events follow it."""
    footer = _reached(grid, game)
    if grid.events and with_events:
        footer += f"; then {describe_events(grid.events)}"
    display.print_table(_table(grid, merge_alike(grid.rows)), title=_title(grid), footer=footer)


def _legend(grid: Grid, game: Game[object]) -> str:
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
    table = display.plain_table()
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


def _offered(grid: Grid) -> list[ListedAction]:
    """The next events, numbered from 1; an event's action is its node."""
    return [
        ListedAction(action=event.node, label=label, text=event.name)
        for label, event in enumerate(grid.events, start=1)
    ]


def _show(terminal: Terminal, grid: Grid, game: Game[object]) -> None:
    _print_grid(grid, game, with_events=False)  # they are listed below
    terminal.say()
    shares = [
        dataclasses.replace(choice, text=f"{choice.text} {percent(event.probability)}")
        for choice, event in zip(_offered(grid), grid.events, strict=True)
    ]
    if shares:
        terminal.say(list_choices(shares))


def _follow(terminal: Terminal, grid: Grid, answer: str) -> int | None:
    """The node after the event that an answer names; None if there is none, which it prints."""
    offered = _offered(grid)
    found = find_choices(offered, answer)
    if len(found) == 1:
        return found[0].action
    events = f"a number from 1 to {len(offered)}, " if offered else ""
    many = "more than one" if found else "none"
    terminal.say(f"{answer!r} is {many} of them: type {events}b, t or q.")
    return None
