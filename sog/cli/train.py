"""`sog train`: trains a network by sound self-play, in a run folder from which it can resume."""

import argparse
import contextlib
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from gtcfr.evaluator import Evaluator
from selfplay.learner import NotFiniteError
from selfplay.loop import InlineSchedule
from selfplay.memory import disk_bytes
from selfplay.runs.checkpoint import CheckpointStore, has_checkpoints
from selfplay.runs.config import load_config
from selfplay.runs.metrics import MetricsFile, read_metrics
from selfplay.runs.run_folder import TENSORBOARD, RunFolder
from selfplay.schedule import PASSING, Schedule, check_config
from selfplay.settings import Config
from selfplay.training import Evaluate, Training, check_meta, milestones
from sog.cli import display
from sog.cli.compilation_cache import keep_time, last_time
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, given, mistakes, require_package
from sog.cli.interrupts import concluding, holding_interrupts, was_interrupted
from sog.cli.loading import load_game
from sog.files import replacing
from sog.games import Game
from sog.games.parts import game_part
from sog.memory import in_bytes, return_unused_memory
from sog.tabular.sizes import can_be_counted

_COMPILING: Final = "compiling"
_MEASURES: Final = (("value_error", "value error"), ("value_loss", "value loss"))
"""Metrics and their names: the first that a run has is shown."""
_MOST_NODES: Final = 20_000
"""Games with more public states are not evaluated during training."""


class TrainView:
    """Shows the metrics of a run on stderr."""

    has_begun = False
    """Whether metrics of a cycle were shown."""

    def __init__(self, work: display.Work, steps: int) -> None:
        self._work, self._steps = work, steps
        self._line: dict[str, Any] = {}

    def set_activity(self, doing: str) -> None:
        """Shows an activity other than training."""
        if self.has_begun:
            self._work.update(doing)
        else:
            self._work.begin(doing)

    def show(self, line: dict[str, Any]) -> None:
        """Shows metrics; missing ones keep their last value.

        Shows nothing before the first examples: `set_activity` has shown that programs compile.
        """
        if not self.has_begun and not line["step"] and not line["examples"]:
            return
        self.has_begun, work = True, self._work
        self._line |= line
        doing = "training" if "loss" in self._line else "filling the replay window"
        if work.doing != doing:
            work.begin(doing, total=self._steps)
        step = int(line["step"])
        words = [f"step {step:,} of {self._steps:,}{work.time_left(step, self._steps)}"]
        measures = [
            f"{text} {self._line[name]:.4g}" for name, text in _MEASURES if name in self._line
        ]
        words += measures[:1] or [f"{self._line['examples']:,} examples"]
        work.update(", ".join(words), step)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    with mistakes():
        config = load_config(arguments.config, arguments.set)
    if arguments.tensorboard:
        require_package("--tensorboard", "tensorboardX")
    _check_schedule(arguments)
    start_jax(all_cores=arguments.schedule == "inline")  # else each worker uses one core
    game = load_game(config.game)
    path = arguments.run or Path("runs") / Path(arguments.config).stem
    if path.exists() and not path.is_dir():
        raise CommandError(f"--run: {path} is a file; a folder is needed.")
    try:
        check_config(game, config)  # before the folder is created
        with RunFolder.open(path, config) as folder:
            if folder.changed:
                display.note(
                    f"{path} has no checkpoint: training starts over, with {folder.changed}."
                )
            return _train(arguments, config, game, folder, path)
    except NotFiniteError as error:
        raise CommandError(f"{error} Its batch is in {_keep_batch(path, error)}.") from None
    except ValueError as error:
        raise CommandError(str(error)) from None


def _train(
    arguments: argparse.Namespace, config: Config, game: Game[Any], folder: RunFolder, path: Path
) -> int:
    begun: list[Training] = []  # empty while there is nothing to lose

    def conclude() -> None:
        is_kept = has_checkpoints(folder.checkpoints)
        if begun:
            _print_result(arguments, game, path, begun[0])
            what = f"stopped at step {begun[0].inner.learner.step:,}"
        else:
            kept = "nothing is lost" if is_kept else "nothing is trained yet"
            what = f"interrupted while {work.doing}: {kept}"
        display.note(f"{what}; the same command {'resumes' if is_kept else 'starts over'}.")

    def awaited() -> str:
        return "this cycle" if begun else ""

    with (
        display.working() as work,
        concluding(conclude, awaited),
        _schedule(arguments, game, config) as schedule,
        contextlib.ExitStack() as stack,
    ):
        most, free = in_bytes(disk_bytes(game, config)), in_bytes(shutil.disk_usage(path).free)
        display.note(f"checkpoints will take some {most} of disk; {free} are free.")
        view = TrainView(work, config.run.steps)
        view.set_activity(_COMPILING)
        training = _resumed(arguments, schedule, folder, path)

        def show(line: dict[str, Any]) -> None:
            if not begun:  # from now on, interrupts take effect between cycles
                stack.enter_context(holding_interrupts())
                begun.append(training)
            view.show(line)

        beginning = _beginning(config, arguments.schedule)
        evaluate = _evaluations(game, config, view, beginning)
        if isinstance(schedule, InlineSchedule) and not schedule.is_done:
            _compile(game, schedule, view)  # otherwise workers do that themselves
        _gather(schedule, work)
        if not schedule.is_done:
            view.set_activity(beginning)
        training.run(evaluate=evaluate, should_stop=was_interrupted, progress=show)
    _print_result(arguments, game, path, training)
    return SUCCESS


def _beginning(config: Config, schedule: str) -> str:
    """What a run does before its first line of metrics."""
    if schedule == "processes":
        return "compiling in every worker, and playing the first games"
    spots = config.selfplay.random_spots
    return "learning values of spots" if spots else "playing the first games"


def _gather(schedule: Schedule, work: display.Work) -> None:
    """Gathers the examples that a run needs before its first search."""
    for what, done, total in schedule.gather():
        if work.doing != what:
            work.begin(what, total)
        work.update(f"{done:,} of {total:,}{work.time_left(done, total)}", done)


def _compile(game: Game[Any], schedule: InlineSchedule, view: TrainView) -> None:
    """Compiles the programs of training, and shows which are left."""
    expected, began = last_time(game, "training"), time.monotonic()
    schedule.prepare(lambda left: view.set_activity(f"{_COMPILING} {' and '.join(left)}{expected}"))
    return_unused_memory()
    keep_time(game, "training", time.monotonic() - began)


def _resumed(
    arguments: argparse.Namespace, schedule: Schedule, folder: RunFolder, path: Path
) -> Training:
    """The training, resumed from the newest checkpoint of the run folder if there is one."""
    settings = schedule.config.run
    store = CheckpointStore(
        folder.checkpoints,
        keep=settings.keep,
        milestones=milestones(settings),
        passing=PASSING,
        check=check_meta,
    )
    events = path / TENSORBOARD if arguments.tensorboard else None
    training = Training(schedule, store, MetricsFile(folder.metrics, tensorboard=events))
    if (resumed := training.resume()) is not None:
        step, skipped = resumed
        for line in skipped:
            display.note(line)
        display.note(f"resuming from the checkpoint of step {step:,} in {path}.")
    return training


def _check_schedule(arguments: argparse.Namespace) -> None:
    if arguments.schedule == "processes":
        require_package("--schedule processes", "ray")
        return
    for option, _ in given(arguments, "workers", "ray_address"):
        raise CommandError(f"{option} needs --schedule processes.")


@contextlib.contextmanager
def _schedule(arguments: argparse.Namespace, game: Game[Any], config: Config) -> Iterator[Schedule]:
    if arguments.schedule == "inline":
        yield InlineSchedule(game, config)
        return
    from selfplay.processes import process_schedule

    address, workers = arguments.ray_address, arguments.workers
    with process_schedule(game, config, address, workers, display.note) as schedule:
        yield schedule


def _evaluations(
    game: Game[Any], config: Config, view: TrainView, beginning: str
) -> Evaluate | None:
    """The evaluation during training; None if the configuration turns it off."""
    if config.run.evaluate_every == 0:
        return None
    measure = _measure(game, config, view)

    def evaluate(evaluator: Evaluator) -> dict[str, float]:
        view.set_activity("evaluating")
        measured = measure(evaluator)
        if not view.has_begun:
            view.set_activity(beginning)
        return measured

    return evaluate


def _measure(game: Game[Any], config: Config, view: TrainView) -> Evaluate:
    """Measures networks on solved belief states, or on spots if a large game has them."""
    states, why = config.run.value_error_states, ", which is too large."
    if can_be_counted(game):
        from sog.evaluation.measure import NetworkMeasure
        from sog.tabular import TreeTooLargeError

        view.set_activity("solving belief states for comparison")
        search = config.run.evaluate_search
        try:
            return NetworkMeasure(
                game, search=search, num_states=states, max_nodes=_MOST_NODES
            ).measure
        except TreeTooLargeError as error:
            why = f": {error}"
    spot_measure = game_part(game, "measure")
    if spot_measure is None:
        raise CommandError(f"run.evaluate_every must be 0 in {game.name}{why}")
    view.set_activity("solving spots for comparison")
    evaluate: Evaluate = spot_measure(game, states).measure
    return evaluate


def _keep_batch(path: Path, error: NotFiniteError) -> Path:
    import numpy as np

    target = path / f"not_finite_{error.step}.npz"
    arrays: dict[str, Any] = {name: np.asarray(leaf) for name, leaf in vars(error.batch).items()}
    with replacing(target) as file:
        np.savez(file, **arrays)
    return target


def _print_result(
    arguments: argparse.Namespace, game: Game[Any], path: Path, training: Training
) -> None:
    measured = [line for line in read_metrics(path / "metrics.jsonl") if "exploitability" in line]
    last = measured[-1] if measured else None
    inner = training.inner
    if arguments.json:
        display.print_json(
            {
                "game": str(game),
                "unit": game.unit,
                "run": str(path),
                "step": inner.learner.step,
                "seconds": training.seconds,
                "counts": inner.counts,
                "examples": inner.replay.num_added,
                "exploitability": last and last["exploitability"],
                "exploitability_step": last and int(last["step"]),
            }
        )
        return
    facts = [
        ("steps", f"{inner.learner.step:,}"),
        ("time", f"{training.seconds:,.0f} s"),
        ("games, searches", f"{inner.counts['games']:,}, {inner.counts['searches']:,}"),
        ("queries solved", f"{inner.counts['solves']:,}"),
    ]
    if last is not None:
        exploitability = display.in_milli_units(game, last["exploitability"])
        facts.append(("exploitability", f"{exploitability} at step {int(last['step']):,}"))
    display.print_facts(f"{display.short_name(game)}: trained in {path}", facts)
