"""`sog run`: a method learns a game by sampling, with many seeds; prints its convergence."""

import argparse
import dataclasses
import itertools
import re
import shlex
import time
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from sog.baselines.commands import LEARNERS
from sog.baselines.histories.layout import histories_of
from sog.baselines.learners.learning import LearningMethod, LearningRuns, RowEvaluator
from sog.baselines.run.exact import run_exact
from sog.baselines.simultaneous.backward_induction import BackwardInduction
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, check_plot, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import explaining_size, load_game
from sog.cli.players import host_of
from sog.drawing.figure import Curve, plot_curves
from sog.games import Game
from sog.games.registry import is_game
from sog.parameters import unknown_name
from sog.players.method import Method
from sog.players.methods import METHODS, make_method, rule_form
from sog.players.player import Host

_POINTS_PER_DECADE: Final = 8
_ROWS: Final = 12  # of the printed table
_DEFAULTS: Final = {"seeds": 16, "seed": 0, "precision": "float32"}  # of learners


@dataclasses.dataclass(frozen=True, kw_only=True)
class SeedsCheckpoint:
    """An evaluation of all seeds during learning; utilities in game units."""

    iteration: int
    episodes: int | None
    seconds: float
    exploitability: float
    standard_error: float | None
    """Of the mean; None for a single seed."""
    min: float
    max: float
    value: float


@dataclasses.dataclass(kw_only=True, eq=False)
class _Result:
    """The result to print and draw; grows while the method runs."""

    game: Game[Any]
    method: LearningMethod
    arguments: argparse.Namespace
    compile_seconds: float = 0.0
    exploitability: tuple[float, ...] = ()
    """By seed."""
    checkpoints: list[SeedsCheckpoint] = dataclasses.field(default_factory=list)
    interrupted: bool = False


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    method = _read_method(arguments)
    if isinstance(method, BackwardInduction):
        return run_exact(method, arguments)
    for option, default in _DEFAULTS.items():
        if getattr(arguments, option) is None:
            setattr(arguments, option, default)
    if arguments.plot is not None:
        check_plot(arguments.plot)
    start_jax(all_cores=True)
    with display.working() as work, concluding(work.report_interrupt):
        game = load_game(arguments.game, work)
        result = _Result(game=game, method=method, arguments=arguments)
        try:
            with mistakes(f"{method.name}: "), explaining_size():
                method.check(game)
                _learn(result, host_of(arguments, work))
        except KeyboardInterrupt:
            if not result.checkpoints:
                raise
            result.interrupted = True
    with holding_interrupts():
        if result.interrupted:
            last = result.checkpoints[-1]
            display.note(f"interrupted: this is the result of {last.iteration:,} iterations.")
        failures = _draw(result)
        _print(result)
    if failures:
        raise CommandError(failures[0])
    return INTERRUPTED if result.interrupted else SUCCESS


def _read_method(arguments: argparse.Namespace) -> LearningMethod | BackwardInduction:
    name = re.split(r"[(:]", arguments.method)[0].strip()
    if rule_form(name):
        raise CommandError(
            f"{name} does not sample, it traverses the whole game: sog solve "
            f"{shlex.quote(arguments.game)} --rule {name.lower()}."
        )
    if is_game(name):
        raise CommandError(f"{name} is a game: the method comes first, sog run METHOD GAME.")
    if name not in METHODS:
        raise CommandError(unknown_name("method", name, LEARNERS))
    with mistakes():
        method: Method = make_method(arguments.method)
    if isinstance(method, BackwardInduction):
        return method
    if not isinstance(method, LearningMethod):
        raise CommandError(
            f"{name} does not learn by sampling; these do: {', '.join(LEARNERS)}. For the CFR "
            f"family: sog solve."
        )
    if arguments.iterations is not None:
        method = dataclasses.replace(method, budget=arguments.iterations)
    return method


def _learn(result: _Result, host: Host) -> None:
    arguments, method = result.arguments, result.method
    histories = histories_of(result.game, host)
    learner = LearningRuns(
        method,
        histories,
        runs=arguments.seeds,
        seed=arguments.seed,
        precision=arguments.precision,
    )
    host.begin("compiling")
    began = time.perf_counter()
    evaluator = RowEvaluator(histories)
    learner.run(0)
    evaluator.evaluate(learner.policies())
    result.compile_seconds = time.perf_counter() - began
    host.begin(f"learning {result.game.name} by {method.name}", total=method.budget)
    seconds = 0.0
    for target in checkpoint_iterations(method.budget):
        began = time.perf_counter()
        while learner.iteration < target:
            learner.run_for_a_moment(target - learner.iteration)
            host.update(_detail(result, learner.iteration), learner.iteration)
        seconds += time.perf_counter() - began
        _evaluate(result, learner, evaluator, seconds)


def checkpoint_iterations(iterations: int) -> Iterator[int]:
    """Yields iterations to evaluate: evenly on a logarithmic axis, and the last."""
    before = 0
    for number in itertools.count():
        at = round(10 ** (number / _POINTS_PER_DECADE))
        if at >= iterations:
            yield iterations
            return
        if at > before:
            yield at
            before = at


def _evaluate(
    result: _Result, learner: LearningRuns, evaluator: RowEvaluator, seconds: float
) -> None:
    evaluation = evaluator.evaluate(learner.policies())
    found = np.asarray(evaluation.exploitability)
    episodes = result.method.episodes_per_iteration
    result.exploitability = tuple(found.tolist())
    result.checkpoints.append(
        SeedsCheckpoint(
            iteration=learner.iteration,
            episodes=None if episodes is None else episodes * learner.iteration,
            seconds=seconds,
            exploitability=float(found.mean()),
            standard_error=_standard_error(found),
            min=float(found.min()),
            max=float(found.max()),
            value=float(np.mean(evaluation.value)),
        )
    )


def _standard_error(found: np.ndarray) -> float | None:
    if len(found) < 2:
        return None
    return float(found.std(ddof=1) / np.sqrt(len(found)))


def _detail(result: _Result, iteration: int) -> str:
    done = f"{iteration:,} iterations"
    if not result.checkpoints:
        return done
    last = display.in_milli_units(result.game, result.checkpoints[-1].exploitability)
    return f"{done}, exploitability {last}"


def _draw(result: _Result) -> list[str]:
    """Draws the plot if the options ask for it; returns errors."""
    path, failures = result.arguments.plot, list[str]()
    if path is None:
        return failures
    points = result.checkpoints
    curve = Curve(
        label=f"{result.method.name}: mean, min to max of {result.arguments.seeds} seeds",
        x=[point.iteration for point in points],
        mean=[1000 * point.exploitability for point in points],
        low=[1000 * point.min for point in points],
        high=[1000 * point.max for point in points],
    )
    with writing(path, "the plot", failures):
        plot_curves(
            path,
            [curve],
            title=f"{display.short_name(result.game)}, {result.method}",
            x_label="iterations",
            y_label=f"exploitability ({result.game.milli_unit})",
        )
    return failures


def _print(result: _Result) -> None:
    game, arguments, last = result.game, result.arguments, result.checkpoints[-1]
    if arguments.json:
        display.print_json(
            {
                "game": str(game),
                "method": str(result.method),
                "unit": game.unit,
                "seeds": arguments.seeds,
                "seed": arguments.seed,
                "iterations": last.iteration,
                "interrupted": result.interrupted,
                "seconds": last.seconds,
                "compile_seconds": result.compile_seconds,
                "exploitability": list(result.exploitability),
                "checkpoints": [dataclasses.asdict(point) for point in result.checkpoints],
            }
        )
        return
    exploitability = f"exploitability ({game.milli_unit})"
    table = display.plain_table(
        right=("iterations", exploitability, "standard error", "least", "most")
    )
    for point in _some(result.checkpoints):
        numbers = (point.exploitability, point.standard_error, point.min, point.max)
        cells = ("-" if value is None else display.number(1000 * value) for value in numbers)
        table.add_row(f"{point.iteration:,}", *cells)
    runs = arguments.seeds * last.iteration
    speed = f"{runs / last.seconds:,.0f} iterations/s of all seeds together"
    display.print_table(
        table,
        f"{display.short_name(game)} by {result.method}, {arguments.seeds} seeds",
        f"{last.seconds:.3g} s, {speed}; compiling {result.compile_seconds:.3g} s.",
    )


def _some(points: list[SeedsCheckpoint]) -> list[SeedsCheckpoint]:
    """The last one, and every other one or fewer of the others."""
    step = -(-len(points) // _ROWS)
    return points[::-1][::step][::-1]
