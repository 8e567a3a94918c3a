"""`sog policy`: a strategy at a public state, as a grid of infostates by actions."""

import argparse
from pathlib import Path

from sog.cli import display
from sog.cli.backend import start_jax
from sog.cli.errors import SUCCESS, CommandError, check_target, given, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_history
from sog.cli.policy_text import legend, print_grid
from sog.cli.policy_walk import walk
from sog.cli.strategy import Strategy, check_source, load_strategy
from sog.domain import load_part, policy_tables
from sog.drawing.grid import Grid, grid_as_csv, grid_as_json, node_at, read_grid
from sog.drawing.grid_svg import draw_grid
from sog.files import replace_file
from sog.games.core import CHANCE, PLAYER_0
from sog.tabular.policy_table import write_policy_table


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
        _write_files(strategy, grid, arguments)
        if arguments.json:
            whole = {"game": str(game), "source": strategy.source, "unit": game.unit}
            shown = grid_as_json(grid)
            display.print_json({**whole, "exploitability": exploitability, **shown})
            return SUCCESS
        lost = display.in_milli_units(game, exploitability)
        display.print_text(f"{strategy.title}; exploitability {lost}\n")
    if not arguments.walk:
        print_grid(grid, game, with_events=True)
        display.print_text(legend(grid, game))
        return SUCCESS

    def show(node: int) -> Grid:
        grid = _grid(strategy, node, arguments.player)
        print_grid(grid, game, with_events=False)  # the walk lists them below
        return grid

    display.print_text(f"{legend(grid, game)}\n")
    walk(node, show)
    return SUCCESS


def _check(arguments: argparse.Namespace) -> None:
    """Checks options before the work begins."""
    if arguments.walk and arguments.json:
        raise CommandError("--walk has no effect with --json, which prints one public state.")
    seen = dict[Path, str]()
    for option, path in given(arguments, "csv", "svg", "table", *policy_tables()):
        if path in seen:
            raise CommandError(f"{seen[path]} and {option} must be two files, got {path}.")
        seen[path] = option
        check_target(option, path, (".svg" if option == "--svg" else ".csv",))
    check_source(arguments)


def _grid(strategy: Strategy, node: int, player: int | None) -> Grid:
    """The grid of `player`, by default the player to act, or player 0 if none acts."""
    actor = int(strategy.examination.tree.node_actor[node])
    shown = (actor if actor < CHANCE else PLAYER_0) if player is None else player
    return read_grid(strategy.examination, node, shown)


def _write_files(strategy: Strategy, grid: Grid, arguments: argparse.Namespace) -> None:
    if arguments.csv is not None:
        with writing(arguments.csv, "the grid"):
            replace_file(arguments.csv, grid_as_csv(grid))
    if arguments.svg is not None:
        picture = draw_grid(grid, title=strategy.title, unit=strategy.game.unit)
        with writing(arguments.svg, "the picture"):
            replace_file(arguments.svg, picture)
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
