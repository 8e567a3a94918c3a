"""`sog train`: trains a network by sound self-play, in a run folder that it goes on from."""

import argparse
import contextlib
import importlib.util
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Final

from gtcfr.evaluator import Evaluator
from selfplay.checkpoint import CheckpointStore
from selfplay.config import load_config
from selfplay.learner import NotFiniteError
from selfplay.loop import InlineTraining
from selfplay.metrics import MetricsFile, read_metrics
from selfplay.run_folder import RunFolder
from selfplay.settings import Config
from selfplay.training import Evaluate, Training, milestones
from sog.cli import display
from sog.cli.compilation_cache import use_compilation_cache
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError
from sog.cli.loading import load_game
from sog.cli.sizes import can_be_counted
from sog.cli.train_view import TrainView
from sog.games import Game

_MOST_NODES: Final = 20_000
"""Games with more public states are not evaluated while they train."""


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    config = _read_config(arguments)
    if arguments.tensorboard and importlib.util.find_spec("tensorboardX") is None:
        raise CommandError("--tensorboard needs tensorboardX: pip install 'sog[tensorboard]'.")
    use_compilation_cache()
    game = load_game(config.game)
    path = arguments.run or Path("runs") / Path(arguments.config).stem
    try:
        with RunFolder.open(path, config) as folder:
            return _train(arguments, config, game, folder, path)
    except NotFiniteError as error:
        raise CommandError(f"{error} Its batch is in {_keep_batch(path, error)}.") from None
    except ValueError as error:
        raise CommandError(str(error)) from None


def _read_config(arguments: argparse.Namespace) -> Config:
    try:
        return load_config(arguments.config, arguments.set)
    except ValueError as error:
        raise CommandError(str(error)) from None


def _train(
    arguments: argparse.Namespace, config: Config, game: Game[Any], folder: RunFolder, path: Path
) -> int:
    with TrainView(display.short_name(game), config.run.steps, str(path)) as view:
        view.tell("compiling")
        store = CheckpointStore(
            folder.checkpoints, keep=config.run.keep, milestones=milestones(config.run)
        )
        events = path / "tensorboard" if arguments.tensorboard else None
        metrics = MetricsFile(folder.metrics, tensorboard=events)
        training = Training(InlineTraining(game, config), store, metrics)
        resumed = training.resume()
        if resumed is not None:
            step, skipped = resumed
            for line in skipped:
                display.note(line)
            display.note(f"going on from the checkpoint of step {step:,} in {path}.")
        with _stopping() as should_stop:
            finished = training.run(
                evaluate=_evaluations(game, config, view),
                should_stop=should_stop,
                progress=view.show,
            )
    _print_result(arguments, game, path, training)
    if not finished:
        display.note(f"stopped at step {training.inner.learner.step:,}; the same command goes on.")
    return SUCCESS if finished else INTERRUPTED


def _evaluations(game: Game[Any], config: Config, view: TrainView) -> Evaluate | None:
    """What is measured while a network trains, in games that are small enough."""
    if config.run.evaluate_every == 0:
        return None
    if not can_be_counted(game):
        raise CommandError(f"run.evaluate_every must be 0 in {game.name}, which is too large.")
    from sog.evaluation.progress import Progress
    from sog.tabular import TreeTooLargeError

    view.tell("solving belief states to compare with")
    try:
        progress = Progress(
            game,
            search=config.run.evaluate_search,
            num_states=config.run.value_error_states,
            max_nodes=_MOST_NODES,
        )
    except TreeTooLargeError as error:
        raise CommandError(f"run.evaluate_every must be 0 in {game.name}: {error}") from None

    def evaluate(evaluator: Evaluator) -> dict[str, float]:
        view.tell("evaluating")
        return progress.measure(evaluator)

    return evaluate


@contextlib.contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Turns the first Ctrl-C or SIGTERM into a question that is asked between cycles."""
    received: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        if received:
            raise KeyboardInterrupt
        received.append(number)
        display.note("stopping after this cycle; Ctrl-C again to stop at once.")

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield lambda: bool(received)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _keep_batch(path: Path, error: NotFiniteError) -> Path:
    import numpy as np

    target = path / f"not_finite_{error.step}.npz"
    arrays: dict[str, Any] = {name: np.asarray(leaf) for name, leaf in vars(error.batch).items()}
    np.savez(target, **arrays)
    return target


def _print_result(
    arguments: argparse.Namespace, game: Game[Any], path: Path, training: Training
) -> None:
    measured = [line for line in read_metrics(path / "metrics.jsonl") if "exploitability" in line]
    last = measured[-1]["exploitability"] if measured else None
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
                "exploitability": last,
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
        facts.append(("exploitability", display.in_milli_units(game, last)))
    display.print_facts(f"{display.short_name(game)}: trained in {path}", facts)
