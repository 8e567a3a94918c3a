"""`sog run backward_induction`: the value of a game, and the work it took."""

import argparse
import dataclasses
import time

from sog.baselines.histories.layout import histories_of
from sog.baselines.learners.learning import RowEvaluator
from sog.baselines.simultaneous.backward_induction import BackwardInduction, ExactSolver
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes
from sog.cli.interrupts import concluding
from sog.cli.loading import explaining_size, load_game
from sog.cli.players import host_of


def run_exact(method: BackwardInduction, arguments: argparse.Namespace) -> int:
    """Solves and prints; returns the exit code."""
    for option in ("iterations", "seeds", "seed", "precision", "plot"):
        if getattr(arguments, option) is not None:
            raise CommandError(f"--{option} has no effect: {method.name} solves in one go.")
    start_jax()
    with display.working() as work, concluding(work.report_interrupt):
        game = load_game(arguments.game, work)
        host = host_of(arguments, work)
        with mistakes(f"{method.name}: "), explaining_size():
            histories = histories_of(game, host)
            began = time.perf_counter()
            solver = ExactSolver(method.pruning, histories, host)
            seconds = time.perf_counter() - began
        host.begin("evaluating the strategies")
        evaluation = RowEvaluator(histories).evaluate(solver.policy()[None])
    exploitability = float(evaluation.exploitability[0])
    if arguments.json:
        display.print_json(
            {
                "game": str(game),
                "method": str(method),
                "unit": game.unit,
                "value": solver.value,
                "exploitability": exploitability,
                "counts": dataclasses.asdict(solver.counts),
                "seconds": seconds,
            }
        )
        return SUCCESS
    counts = {name: f"{count:,}" for name, count in dataclasses.asdict(solver.counts).items()}
    display.print_facts(
        f"{display.short_name(game)} by {method}",
        [
            ("value to player 0", display.in_milli_units(game, solver.value)),
            ("exploitability", display.in_milli_units(game, exploitability)),
            *((name.replace("_", " "), count) for name, count in counts.items()),
            ("seconds", f"{seconds:.3g}"),
        ],
    )
    return SUCCESS
