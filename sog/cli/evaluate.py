"""`sog evaluate`: the exact exploitability of an agent that searches, by composing its policy."""

import argparse
from typing import Any

import numpy as np
from rich.table import Table

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.exact import exact_evaluator, uniform_play_evaluator
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.cli import display
from sog.cli.compilation_cache import use_compilation_cache
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError
from sog.cli.loading import load_game
from sog.cli.tree import compile_whole_game
from sog.evaluation import ComposedPolicies, compose
from sog.games import Game
from sog.tabular import CompiledGame
from sog.tabular.enumerated_game import EnumeratedGame

_DEFAULT_SEARCH = "100,1"
_MOST_NODES = 20_000  # every decision of the game is searched


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    searches = [_parse_search(text) for text in arguments.search or [_DEFAULT_SEARCH]]
    use_compilation_cache()
    game = load_game(arguments.game)
    with display.working() as work:
        try:
            compiled = compile_whole_game(game, _MOST_NODES, work)
            results = [_evaluate(compiled, *search, arguments, work) for search in searches]
        except KeyboardInterrupt:
            display.note(f"interrupted while {work.doing}: there is nothing to keep yet.")
            return INTERRUPTED
        except ValueError as error:
            raise CommandError(str(error)) from None
    _print(game, searches, results, arguments)
    return SUCCESS


def _parse_search(text: str) -> tuple[int, float]:
    first, _, second = text.partition(",")
    try:
        search = int(first), float(second)
    except ValueError:
        raise CommandError(
            f"--search must be two numbers s,c such as {_DEFAULT_SEARCH}, got {text!r}."
        ) from None
    try:
        SearchSettings(num_simulations=search[0], simulations_per_update=search[1])
    except ValueError as error:
        raise CommandError(f"--search {text}: {error}") from None
    return search


def _evaluate(
    compiled: CompiledGame,
    simulations: int,
    per_update: float,
    arguments: argparse.Namespace,
    work: display.Work,
) -> ComposedPolicies:
    whole = arguments.whole_game
    settings = SearchSettings(
        num_simulations=simulations,
        simulations_per_update=per_update,
        lookahead=WHOLE_GAME if whole else 1,
        grow=not whole,
        # No tree is larger than the game.
        capacity=compiled.tree.num_nodes + compiled.tree.game.num_outcomes,
    )

    def show(done: int, total: int) -> None:
        if work.doing != "searching":
            work.begin("searching", total=total)
        work.update(f"{done:,} of {total:,} searches of SoG({simulations}, {per_update:g})", done)

    work.begin("compiling")
    return compose(
        compiled,
        _evaluator(compiled, arguments.evaluator),
        settings,
        seeds=arguments.seeds,
        batch_size=arguments.batch_size,
        search_everywhere=arguments.search_everywhere,
        safe=not arguments.unsafe,
        progress=show,
    )


def _evaluator(compiled: CompiledGame, name: str) -> Evaluator:
    if name == "zero":
        return ZeroEvaluator()
    game = EnumeratedGame(tree=compiled.tree)
    return exact_evaluator(game) if name == "exact" else uniform_play_evaluator(game)


def _print(
    game: Game[Any],
    searches: list[tuple[int, float]],
    results: list[ComposedPolicies],
    arguments: argparse.Namespace,
) -> None:
    if arguments.json:
        display.print_json(
            {
                "game": str(game),
                "unit": game.unit,
                "results": [
                    {
                        "search": list(search),
                        "checkpoint": None,
                        "seeds": arguments.seeds,
                        "exploitability": _spread(result.exploitability),
                    }
                    for search, result in zip(searches, results, strict=True)
                ],
            }
        )
        return
    table = Table("search", "exploitability: min", "mean", "max", "searches")
    for (simulations, per_update), result in zip(searches, results, strict=True):
        spread = _spread(result.exploitability)
        numbers = [display.in_milli_units(game, value) for value in spread.values()]
        name = f"SoG({simulations}, {per_update:g})"
        table.add_row(name, *numbers, f"{result.num_searches:,}")
    how = "unsafe re-solving" if arguments.unsafe else "continual re-solving"
    leaves = "no leaves" if arguments.whole_game else f"{arguments.evaluator} evaluator"
    title = f"{display.short_name(game)} by {how}, {leaves}, {arguments.seeds} seeds"
    display.print_table(table, title)


def _spread(exploitability: np.ndarray) -> dict[str, float]:
    return {
        "min": float(exploitability.min()),
        "mean": float(exploitability.mean()),
        "max": float(exploitability.max()),
    }
