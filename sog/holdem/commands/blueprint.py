"""`sog blueprint`: learns a strategy of a whole game of hold'em by Monte Carlo CFR over buckets."""

import argparse
import dataclasses
import re
import time
from pathlib import Path
from typing import Any, Final

import jax
import numpy as np

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import INTERRUPTED, SUCCESS, CommandError, check_target, mistakes, writing
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import load_game
from sog.holdem.blueprint.file import (
    MOST_BOARDS,
    Blueprint,
    begin,
    load_blueprint,
    save_blueprint,
)
from sog.holdem.blueprint.public_chance import BOARDS
from sog.holdem.game import Holdem

_MINUTES: Final = 10.0
_SIZES: Final = (169, 1000, 500, 200, 100)
"""Buckets of each street, of which a game has at most five."""
ENDING: Final = ".blueprint"


@dataclasses.dataclass(kw_only=True, eq=False)
class _Training:
    """The training done by this command."""

    blueprint: Blueprint
    boards_before: int
    seconds_before: float
    values: list[float] = dataclasses.field(default_factory=list)
    """Player 0's mean gains, by call."""
    interrupted: bool = False

    @property
    def seconds(self) -> float:
        return self.blueprint.seconds - self.seconds_before

    @property
    def num_boards(self) -> int:
        return self.blueprint.num_boards - self.boards_before

    @property
    def value(self) -> float | None:
        """Player 0's mean value under the current policies, over the later half."""
        return float(np.mean(self.values[len(self.values) // 2 :])) if self.values else None


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    path: Path = arguments.save
    check_target("--save", path, (ENDING,), mark=b"blueprint.npy")
    _check_boards(arguments.iterations, 0)
    start_jax()
    with display.working() as work, concluding(work.report_interrupt):
        training = _start(arguments, work)
        try:
            _train(training, arguments, work)
        except KeyboardInterrupt:
            training.interrupted = True
    with holding_interrupts():
        if training.interrupted:
            display.note(f"interrupted after {training.num_boards:,} boards; {path} has them.")
        elif training.blueprint.num_boards == MOST_BOARDS:
            display.note(f"stopped at board {MOST_BOARDS:,}, the most that can be counted.")
        with writing(path):
            save_blueprint(path, training.blueprint)
        _print(training, arguments)
    return INTERRUPTED if training.interrupted else SUCCESS


def _check_boards(wanted: int | None, made: int) -> None:
    """Raises CommandError if so many more boards, or one, exceed the most that can be counted."""
    left = MOST_BOARDS - made
    if (wanted or 1) > left:
        raise CommandError(
            f"a blueprint is trained on at most {MOST_BOARDS:,} boards, of which {left:,} are left."
        )


def _start(arguments: argparse.Namespace, work: display.Work) -> _Training:
    """An untrained blueprint, or the one to resume."""
    game = load_game(arguments.game, work)
    if not isinstance(game, Holdem):
        raise CommandError(f"a blueprint needs hold'em, got {game.name}.")
    if arguments.resume is not None:
        with mistakes("--resume: "):
            found = _resumed(game, arguments)
    else:
        sizes = _read_sizes(arguments.buckets, len(game.betting.menus))
        work.begin("making buckets")
        with mistakes():
            found = begin(
                game,
                sizes,
                seed=arguments.seed or 0,
                progress=work.update,
            )
    return _Training(blueprint=found, boards_before=found.num_boards, seconds_before=found.seconds)


def _resumed(game: Holdem, arguments: argparse.Namespace) -> Blueprint:
    for option in ("buckets", "seed"):
        if getattr(arguments, option) is not None:
            raise ValueError(f"the file has its own {option}; leave --{option} out.")
    found = load_blueprint(arguments.resume)
    _check_boards(arguments.iterations, found.num_boards)
    if str(found.game) != str(game):
        raise ValueError(f"{arguments.resume} is a blueprint for {found.game}, not for {game}.")
    return found


def _read_sizes(text: str | None, num_streets: int) -> tuple[int, ...]:
    if text is None:
        return _SIZES[:num_streets]
    if not re.fullmatch(r"\d{1,6}(/\d{1,6})*", text):
        raise CommandError(
            f"--buckets must be numbers joined by /, one for each street, got {text!r}."
        )
    return tuple(map(int, text.split("/")))


def _train(training: _Training, arguments: argparse.Namespace, work: display.Work) -> None:
    blueprint = training.blueprint
    most, left = arguments.iterations, MOST_BOARDS - blueprint.num_boards
    seconds = 60 * (arguments.minutes or _MINUTES)
    if arguments.minutes is None and most is not None:
        seconds = float("inf")
    work.begin("compiling")
    total = most if most is not None else int(seconds)
    began: float | None = None
    while training.seconds < seconds and training.num_boards < (left if most is None else most):
        with holding_interrupts():  # tables are donated to the program
            start = time.perf_counter()
            (value,) = jax.device_get(blueprint.train())
            if began is None:  # excludes the first call, which compiles
                began = time.perf_counter()
                work.begin("training", total=total)
            else:
                blueprint.seconds += time.perf_counter() - start
            training.values.append(float(value))
        done = training.num_boards if most is not None else int(training.seconds)
        rate = training.num_boards / max(training.seconds, 1e-9)
        assert training.value is not None
        worth = display.in_milli_units(blueprint.game, training.value)
        work.update(f"{training.num_boards:,} boards, {rate:.0f} a second, value {worth}", done)


def _print(training: _Training, arguments: argparse.Namespace) -> None:
    blueprint, value = training.blueprint, training.value
    trainer, game = blueprint.trainer, blueprint.game
    rate = (training.num_boards - BOARDS) / training.seconds if training.seconds else None
    facts: dict[str, Any] = {
        "game": str(game),
        "file": str(arguments.save),
        "buckets": list(trainer.buckets.sizes),
        "seed": blueprint.seed,
        "decisions": trainer.tree.num_decisions,
        "probabilities": trainer.num_entries,
        "boards": blueprint.num_boards,
        "boards_before": training.boards_before,
        "boards_per_second": rate,
        "seconds": blueprint.seconds,
        "interrupted": training.interrupted,
        "unit": game.unit,
        "value": value,
    }
    if arguments.json:
        display.print_json(facts)
        return
    before = f", {training.boards_before:,} of them before" if training.boards_before else ""
    display.print_facts(
        f"blueprint of {display.short_name(game)}",
        [
            ("file", str(arguments.save)),
            ("buckets", "/".join(map(str, trainer.buckets.sizes))),
            ("decisions", f"{trainer.tree.num_decisions:,} of the betting"),
            ("probabilities", f"{trainer.num_entries:,}"),
            ("boards", f"{blueprint.num_boards:,}{before}"),
            ("speed", "-" if rate is None else f"{rate:,.0f} boards a second"),
            ("training", f"{blueprint.seconds:.3g} s"),
            (
                "value to player 0",
                "-" if value is None else f"{display.in_milli_units(game, value)} while it learned",
            ),
        ],
    )
