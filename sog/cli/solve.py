"""`sog solve`: an equilibrium by CFR over the whole public tree."""

import argparse
import dataclasses
import functools
import time
from typing import Any, Final

import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import (
    INTERRUPTED,
    SUCCESS,
    CommandError,
    check_plot,
    check_target,
    given,
    mistakes,
    writing,
)
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import compile_whole_game, load_game, load_history
from sog.cli.locks import Price, price_of
from sog.drawing.figure import plot_exploitability
from sog.games import Game
from sog.play.history import History
from sog.tabular import (
    Checkpoint,
    CompiledGame,
    Solution,
    load_solver,
    save_policy,
    save_solver,
    solve,
)
from sog.tabular.locks import Lock, lock_game, read_locks
from sog.tabular.solve_file import read_solve_notes
from sog.tabular.solver import Precision, check_iterations, find_rule

_SOLVING: Final = "solving"
_RULE: Final = "cfr+"
_ITERATIONS: Final = 1000
_MOST_ITERATIONS: Final = 1_000_000  # with --until-mbb
_STALLED: Final = 0.8  # twice the iterations should do better than this factor
_NEAR_ROUNDING: Final = 100  # times the rounding of the largest payoff


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Plan:
    """How to solve: by the options, or as the solve to resume."""

    rule: str
    precision: Any
    iterations: int
    until: float | None
    """The exploitability to reach, in game units."""
    before: int
    """Iterations of the resumed solve."""


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class _Result:
    """The result to print, draw and save."""

    arguments: argparse.Namespace
    history: History
    plan: _Plan
    compiled: CompiledGame
    solution: Solution
    enumerate_seconds: float
    price: Price | None
    """Of the locks, if there are any."""

    @property
    def game(self) -> Game[Any]:
        return self.compiled.tree.game

    @property
    def reached(self) -> bool:
        until = self.plan.until
        return until is None or self.solution.last.exploitability <= until


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    _check(arguments)
    start_jax(few_searches=True)
    with display.working() as work:

        def awaited() -> str:
            return "these iterations" if work.doing == _SOLVING else ""

        with concluding(work.report_interrupt, awaited):
            game = load_game(arguments.game, work)
            with mistakes("--lock: "):
                locks = read_locks(game, arguments.lock)
            history = load_history(game, arguments.history, begins=True, may_be_over=True)
            plan = _plan(game, arguments)
            result = _solve(game, history, arguments, plan, locks, work)
    with holding_interrupts():
        _print_notes(result)
        failures = _write_files(result)
        _print(result)
    if failures:
        raise CommandError("; ".join(failures))
    return INTERRUPTED if result.solution.interrupted else SUCCESS


def _check(arguments: argparse.Namespace) -> None:
    """Checks options before the work begins."""
    with mistakes("--rule: "):
        find_rule(arguments.rule or _RULE)
    check_target("--save", arguments.save, (".npz",))
    check_target("--save-state", arguments.save_state, (".solve",))
    check_plot(arguments.plot)
    if arguments.history:  # solves a subgame, and files hold whole games
        for option, _ in given(arguments, "save", "save_state", "resume"):
            raise CommandError(f"{option} needs the whole game; leave it or --history out.")


def _plan(game: Game[Any], arguments: argparse.Namespace) -> _Plan:
    """Decides how to solve. Raises CommandError if the solve to resume differs from the options."""
    rule, before = arguments.rule or _RULE, 0
    precision: Precision = arguments.precision or "float32"
    until = None if arguments.until_mbb is None else arguments.until_mbb / 1000
    iterations = arguments.iterations or (_ITERATIONS if until is None else _MOST_ITERATIONS)
    if arguments.resume is not None:
        with mistakes("--resume: "):
            notes = read_solve_notes(
                arguments.resume, str(game), rule=arguments.rule, precision=arguments.precision
            )
        rule, before = notes["rule"], notes["iteration"]
        precision = arguments.precision or notes["precision"]
        if iterations <= before:
            raise CommandError(
                f"--iterations must be more than the {before:,} that {arguments.resume} has made, "
                f"got {iterations:,}."
            )
    with mistakes("--iterations: "):
        check_iterations(find_rule(rule), precision, iterations)
    return _Plan(rule=rule, precision=precision, iterations=iterations, until=until, before=before)


def _solve(
    game: Game[Any],
    history: History,
    arguments: argparse.Namespace,
    plan: _Plan,
    locks: tuple[Lock, ...],
    work: display.Work,
) -> _Result:
    solve_it = functools.partial(
        solve,
        rule=plan.rule,
        iterations=plan.iterations,
        until=plan.until,
        precision=plan.precision,
    )
    solver = free = None

    def show(checkpoint: Checkpoint) -> None:
        if work.doing != _SOLVING:
            # The number of iterations to a target is unknown.
            work.begin(_SOLVING, total=plan.iterations if plan.until is None else None)
        exploitability = display.in_milli_units(game, checkpoint.exploitability)
        detail = f"{checkpoint.iteration:,} iterations, exploitability {exploitability}"
        work.update(detail, checkpoint.iteration)

    began = time.perf_counter()
    root = history.state if history.outcomes or history.beginning else None
    compiled = compile_whole_game(game, arguments.max_nodes, work, root=root)
    enumerated = time.perf_counter()
    if locks:
        work.begin("solving without the lock")
        unlocked = lock_game(compiled, ())
        with mistakes("--lock: "):
            compiled = lock_game(compiled, locks, history.outcomes)
        free = solve_it(unlocked)
        if free.interrupted:
            raise KeyboardInterrupt
    work.begin("compiling")
    if arguments.resume is not None:
        with mistakes("--resume: "):
            solver = load_solver(arguments.resume, compiled, precision=plan.precision)
    solution = solve_it(compiled, on_checkpoint=show, solver=solver)
    return _Result(
        arguments=arguments,
        history=history,
        plan=plan,
        compiled=compiled,
        solution=solution,
        enumerate_seconds=enumerated - began,
        price=None if free is None else price_of(compiled, locks, free, solution),
    )


def _print_notes(result: _Result) -> None:
    """Notes an interrupt, a missed target or the end of 32 bits."""
    plan, last = result.plan, result.solution.last
    stalled = plan.precision == "float32" and _has_stalled(result)
    if result.solution.interrupted:
        display.note(f"interrupted after {last.iteration:,} iterations; this is the result so far.")
    elif not result.reached:
        hint = "try more --iterations"
        if plan.precision == "float32":
            hint = "float32 seems to have stalled: try" if stalled else f"{hint}, or"
            hint += " --precision float64"
        target = display.in_milli_units(result.game, plan.until or 0)
        display.note(f"{target} was not reached in {last.iteration:,} iterations; {hint}.")
    elif stalled and plan.until is None:
        display.note("float32 seems to have stalled: try --precision float64.")


def _has_stalled(result: _Result) -> bool:
    """Whether the second half of the iterations gained almost nothing, near the last digit."""
    points, middle = result.solution.checkpoints, result.solution.last.iteration / 2
    early = [point.exploitability for point in points if point.iteration <= middle]
    late = [point.exploitability for point in points if point.iteration > middle]
    small = _NEAR_ROUNDING * np.finfo(np.float32).eps * result.game.max_utility
    return bool(early and small > min(late) > _STALLED * min(early))


def _write_files(result: _Result) -> list[str]:
    """Writes the files that the options name; returns errors."""
    arguments, last = result.arguments, result.solution.last
    failures: list[str] = []
    if arguments.save is not None:
        notes = {
            "rule": result.plan.rule,
            "iterations": last.iteration,
            "precision": result.plan.precision,
            "exploitability": last.exploitability,
        }
        with writing(arguments.save, "the policy", failures):
            save_policy(arguments.save, result.compiled.tree, result.solution.policy, **notes)
    if arguments.save_state is not None:
        with writing(arguments.save_state, "the state of the solver", failures):
            save_solver(arguments.save_state, result.solution.solver)
    points = [point for point in result.solution.checkpoints if point.iteration > 0]
    if arguments.plot is not None and points:
        with writing(arguments.plot, "the plot", failures):
            plot_exploitability(
                arguments.plot,
                points,
                title=f"{display.short_name(result.game)}, {result.plan.rule}",
                milli_unit=result.game.milli_unit,
                until=result.plan.until,
            )
    return failures


def _print(result: _Result) -> None:
    game, tree, last = result.game, result.compiled.tree, result.solution.last
    infostates = [tree.num_infostates(player) for player in (0, 1)]
    plan, compile_seconds = result.plan, result.solution.compile_seconds
    before = f", {plan.before:,} of them before" if plan.before else ""
    if result.arguments.json:
        display.print_json(
            {
                "game": str(game),
                "history": list(result.history.events),
                **display.values_of(plan, "rule", "precision", "until"),
                "iterations": last.iteration,
                "iterations_before": plan.before,
                "interrupted": result.solution.interrupted,
                **display.values_of(result, "reached", "enumerate_seconds"),
                "compile_seconds": compile_seconds,
                "unit": game.unit,
                **display.values_of(last, "seconds", "exploitability", "value"),
                "nash_conv": 2 * last.exploitability,
                "num_public_states": tree.num_nodes,
                "num_infostates": infostates,
                "checkpoints": [dataclasses.asdict(p) for p in result.solution.checkpoints],
                **(result.price.as_json() if result.price else {}),
            }
        )
        return
    after = f" after {' '.join(result.history.events)}" if result.history.events else ""
    display.print_facts(
        f"{display.short_name(game)}{after} by {plan.rule} in {plan.precision}",
        [
            ("exploitability", display.in_milli_units(game, last.exploitability)),
            ("nash_conv", display.in_milli_units(game, 2 * last.exploitability)),
            ("value to player 0", display.in_units(game, last.value)),
            *(result.price.facts() if result.price else []),
            ("public states", f"{tree.num_nodes:,}"),
            ("infostates", f"{infostates[0]:,} + {infostates[1]:,}"),
            ("iterations", f"{last.iteration:,}{before}"),
            ("solving", f"{last.seconds:.3g} s"),
            (
                "compiling",
                f"{compile_seconds:.3g} s (enumerating {result.enumerate_seconds:.3g} s)",
            ),
        ],
    )
