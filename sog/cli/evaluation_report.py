"""Output of `sog evaluate`: a table or JSON, and a plot."""

import dataclasses
import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from rich.table import Table

from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.cli import display
from sog.cli.players import method_words, name_of
from sog.drawing.figure import Curve, plot_curves
from sog.evaluation import ComposedPolicies
from sog.games import Game

EXACT: Final = "exact"
_FADING: Final = 0.9  # of `exact_evaluator`


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The searches to evaluate, and their common settings."""

    game: str
    searches: tuple[SearchSettings, ...]
    """They differ in --search only. Capacity is set later, see `in_whole_game`."""
    run: str | None
    """The run folder, or shipped agent, whose network evaluates the leaves."""
    checkpoints: tuple[int | None, ...]
    """Learner steps; (None,) for the newest, a shipped agent, or no run."""
    evaluator: str | None
    """The name of the leaf evaluator; may be None if `is_whole`."""
    is_whole: bool
    """Whether every tree holds the whole rest of the game, and has no leaves."""
    solver_iterations: int
    """Of the exact evaluator."""
    noise: float
    """The largest error of a value, in the game's unit."""
    first_seed: int
    num_seeds: int
    """Policies to compose: one if nothing is random."""
    batch_size: int

    def words(self) -> list[str]:
        """Settings that distinguish these searches, for a title."""
        search = self.searches[0]
        words = {
            "continual re-solving" if search.safe else "unsafe re-solving": True,
            "searches everywhere": search.search_everywhere,
            f"alpha {search.alpha:g}": search.alpha != SearchSettings().alpha,
            "whole game in the tree": self.is_whole,
            f"lookahead {search.lookahead}": not self.is_whole
            and (search.lookahead > 1 or not search.grow),
            "no growth": not self.is_whole and not search.grow,
            f"{self.evaluator} evaluator": not self.is_whole,
            f"noise {self.noise:g}": self.noise > 0,
        }
        return [word for word, holds in words.items() if holds] + method_words(search)


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Finished:
    """One search, evaluated."""

    settings: SearchSettings
    checkpoint: int | None
    """The learner step of the network that evaluated the leaves."""
    composed: ComposedPolicies
    tabular: float
    """Exploitability of CFR over the whole tree, with the same rule and number of updates."""

    @property
    def spread(self) -> dict[str, float]:
        """Minimum, mean and maximum exploitability over seeds, in the game's unit."""
        exploitability: np.ndarray = self.composed.exploitability
        return {name: float(getattr(exploitability, name)()) for name in ("min", "mean", "max")}


def print_report(
    game: Game[Any], plan: Plan, finished: list[Finished], *, as_json: bool = False
) -> None:
    """Prints the finished searches on stdout."""
    if as_json:
        results = [_as_json(plan, one) for one in finished]
        display.print_json({"game": str(game), "unit": game.unit, "results": results})
        return
    seeds = f"{plan.num_seeds} seed{'s' if plan.num_seeds > 1 else ''}"
    display.print_table(
        _as_table(game, finished),
        f"{display.short_name(game)} by {', '.join([*plan.words(), seeds])}",
        f"min, mean, max: exploitability over the seeds, in {game.milli_unit}. tabular: that of "
        f"CFR over the\nwhole tree by the same rule in as many updates; seconds exclude compiling.",
    )


def _as_table(game: Game[Any], finished: list[Finished]) -> Table:
    is_run = any(one.checkpoint is not None for one in finished)
    milli = [f"{name} ({game.milli_unit})" for name in ("min", "mean", "max", "tabular")]
    steps = ["checkpoint"] if is_run else []
    names = [*steps, "updates", *milli, "searches", "seconds"]
    table = display.plain_table("search", right=names, wraps=True)
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


def _as_json(plan: Plan, one: Finished) -> dict[str, Any]:
    """A result as `--json` prints it."""
    settings, per_update = one.settings, one.settings.simulations_per_update
    exact = plan.evaluator == EXACT
    of_exact = {
        "solver_iterations": plan.solver_iterations if exact else None,
        "solver_fading": _FADING if exact else None,
    }
    # Without leaves these have no effect.
    of_leaves = display.values_of(settings, "leaf_averaging", "leaf_smoothing", "leaf_interval")
    of_leaves["evaluator"] = plan.evaluator
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
        **display.values_of(one.composed, "seconds", "compile_seconds"),
        **display.values_of(settings, "rule", "resolve_from", "safe", "search_everywhere"),
        **display.values_of(plan, "first_seed", "noise"),
        "lookahead": None if settings.lookahead == WHOLE_GAME else settings.lookahead,
        "growth": settings.grow,
        "growth_share": settings.growth_share if settings.grow else None,
        "grow_from": None if plan.is_whole else settings.grow_from,
        **of_exact,
        **(dict.fromkeys(of_leaves) if plan.is_whole else of_leaves),
        "alpha": settings.alpha if settings.safe else None,
    }


_LETTERS_PER_LINE: Final = 90

Lines = Mapping[str, Sequence[dict[str, Any]]]
"""By label of the line: results as `sog evaluate --json` prints them."""


def plot_evaluation(path: Path, game: Game[Any], plan: Plan, finished: list[Finished]) -> None:
    """Draws mean and range over seeds of every series, with references.

    Against learner steps, there is a line per search (the paper's Figure 3), else one per c.
    """
    has_steps = len(plan.checkpoints) > 1
    seeds = f": mean, min to max of {plan.num_seeds} seeds"
    lines: dict[str, list[dict[str, Any]]] = {}
    for one in finished:
        name = f"SoG(s, {one.settings.simulations_per_update:g})" if one.settings.grow else "search"
        name = name_of(one.settings) if has_steps else name
        label = f"{name}{seeds if has_steps or plan.num_seeds > 1 else ''}"
        lines.setdefault(label, []).append(_as_json(plan, one))
    words = textwrap.fill(", ".join(plan.words()), _LETTERS_PER_LINE)
    title = f"{display.short_name(game)}: exploitability of an agent that searches\n{words}"
    plot_results(path, game, title, lines)


def plot_results(path: Path, game: Game[Any], title: str, lines: Lines) -> None:
    """Draws results of one game; against learner steps if the first line has several checkpoints.
    CFR over the whole tree is drawn by the rule of the first result."""
    first = next(iter(lines.values()))
    has_steps = len({row.get("checkpoint") for row in first}) > 1
    axis, rule = "checkpoint" if has_steps else "updates", first[0]["rule"]
    curves = []
    for label, rows in lines.items():
        rows = sorted(rows, key=lambda row: row[axis])
        mean, low, high = (
            [1000 * row["exploitability"][name] for row in rows] for name in ("mean", "min", "max")
        )
        level = 1000 * rows[0]["tabular"] if has_steps else None
        x = [row[axis] for row in rows]
        curves.append(Curve(label=label, x=x, mean=mean, low=low, high=high, level=level))
    of_rule = [row for rows in lines.values() for row in rows if row["rule"] == rule]
    reached = {} if has_steps else {row["updates"]: 1000 * row["tabular"] for row in of_rule}
    same = "same updates" if has_steps else f"rule {rule}"
    values = [reached[updates] for updates in sorted(reached)]
    tabular = Curve(
        label=f"CFR over the whole tree ({same})",
        x=sorted(reached),
        mean=values,
        low=values,
        high=values,
        is_reference=True,
    )
    plot_curves(
        path,
        [*curves, tabular],
        title=title,
        x_label="learner steps" if has_steps else "regret updates of each search, T",
        y_label=f"exploitability ({game.milli_unit})",
        x_is_log=not has_steps,
    )
