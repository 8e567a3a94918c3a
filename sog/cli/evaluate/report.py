"""What `sog evaluate` prints: a table, or JSON."""

import dataclasses
from typing import Any

import numpy as np
from rich.table import Table

from gtcfr.extent import WHOLE_GAME
from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.evaluate.plan import Plan
from sog.cli.search_numbers import name_of
from sog.evaluation import ComposedPolicies
from sog.games import Game


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Finished:
    """One search, evaluated."""

    settings: SearchSettings
    checkpoint: int | None
    """The learner step of the network that valued the leaves."""
    composed: ComposedPolicies
    tabular: float
    """Exploitability of CFR over the whole tree, by the same rule in as many updates."""

    @property
    def spread(self) -> dict[str, float]:
        """Of the exploitability over seeds, in the game's unit."""
        exploitability: np.ndarray = self.composed.exploitability
        return {
            "min": float(exploitability.min()),
            "mean": float(exploitability.mean()),
            "max": float(exploitability.max()),
        }


def print_report(game: Game[Any], plan: Plan, finished: list[Finished]) -> None:
    """Prints the finished searches on stdout."""
    if plan.arguments.json:
        results = [as_json(plan, one) for one in finished]
        display.print_json({"game": str(game), "unit": game.unit, "results": results})
        return
    seeds = f"{plan.num_seeds} seed{'s' if plan.num_seeds > 1 else ''}"
    display.print_table(
        _as_table(game, finished),
        f"{display.short_name(game)} by {', '.join([*plan.words(), seeds])}",
        f"min, mean, max: exploitability over the seeds, in {game.milli_unit}. tabular: that of "
        f"CFR over the\nwhole tree by the same rule in as many updates. seconds: without those of "
        f"compiling.",
    )


def _as_table(game: Game[Any], finished: list[Finished]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    table.add_column("search", no_wrap=True)
    is_run = any(one.checkpoint is not None for one in finished)
    if is_run:
        table.add_column("checkpoint", justify="right")
    milli = [f"{name} ({game.milli_unit})" for name in ("min", "mean", "max", "tabular")]
    for name in ("updates", *milli, "searches", "seconds"):
        table.add_column(name, justify="right")
    for one in finished:
        figures = [*one.spread.values(), one.tabular]
        table.add_row(
            name_of(one.settings),
            *([f"{one.checkpoint:,}"] if is_run else []),
            f"{one.settings.num_updates:,}",
            *(display.number(1000 * figure) for figure in figures),
            f"{one.composed.num_searches:,}",
            display.number(one.composed.seconds),
        )
    return table


def as_json(plan: Plan, one: Finished) -> dict[str, Any]:
    """A result as `--json` prints it."""
    settings, arguments = one.settings, plan.arguments
    per_update = settings.simulations_per_update
    is_exact = plan.evaluator == "exact"
    return {
        "search": [
            settings.num_simulations,
            int(per_update) if per_update.is_integer() else per_update,
        ],
        "checkpoint": one.checkpoint,
        "seeds": plan.num_seeds,
        "exploitability": one.spread,
        "updates": settings.num_updates,
        "tabular": one.tabular,
        "searches": one.composed.num_searches,
        "full": one.composed.num_full,
        "seconds": one.composed.seconds,
        "compile_seconds": one.composed.compile_seconds,
        "rule": plan.rule,
        "first_seed": plan.first_seed,
        "lookahead": None if settings.lookahead == WHOLE_GAME else settings.lookahead,
        "growth": plan.grows,
        "evaluator": None if arguments.whole_game else plan.evaluator,
        "solver_iterations": plan.solver_iterations if is_exact else None,
        "solver_fading": plan.solver_fading if is_exact else None,
        "noise": plan.noise,
        "leaf_averaging": None if arguments.whole_game else settings.leaf_averaging,
        "leaf_interval": None if arguments.whole_game else settings.leaf_interval,
        "resolve_from": settings.resolve_from,
        "alpha": plan.alpha if settings.safe else None,
        "safe": settings.safe,
        "search_everywhere": settings.search_everywhere,
    }
