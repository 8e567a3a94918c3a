"""`sog evaluate --without-search`: the exact exploitability of a network's own policy."""

import argparse
import dataclasses
from typing import Any, Final

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reject
from sog.cli.evaluate import read_run
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import compile_whole_game, load_game, load_named_run
from sog.cli.options import MOST_NODES_EVALUATED
from sog.evaluation.network_policy import network_policy
from sog.games import Game
from sog.tabular import evaluate_policy

_OF_SEARCHES: Final = (
    *("search", "set", "seeds", "batch_size"),
    *("whole_game", "evaluator", "noise", "solver_iterations", "plot"),
)


@dataclasses.dataclass(frozen=True, kw_only=True)
class _Found:
    """The policy of one checkpoint, evaluated; in the game's own unit."""

    checkpoint: int
    exploitability: float
    value: float


def takes(arguments: argparse.Namespace) -> bool:
    """Whether --without-search is set; CommandError for another mode beside it."""
    if arguments.without_search:
        others = [name for name in ("cdbr", "lbr") if name in arguments]
        reject(arguments, others, "with --without-search")
    return bool(arguments.without_search)


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code."""
    reject(arguments, _OF_SEARCHES, "with --without-search")
    reject(arguments, ["games"], "without an option that plays them, such as --cdbr")
    run, checkpoints, text, _ = read_run(arguments.game)
    if run is None:
        raise CommandError(
            f"--without-search needs a run folder or agent:NAME, got {arguments.game}."
        )
    start_jax(all_cores=True)
    game, found = load_game(text), list[_Found]()

    def report() -> None:
        if found:
            with holding_interrupts():
                _report(game, run, found, as_json=arguments.json)

    with display.working() as work:

        def conclude() -> None:
            done = f"{len(found)} of {len(checkpoints)} checkpoints are finished"
            work.report_interrupt(done if found else "")
            report()

        with mistakes(), concluding(conclude):
            compiled = compile_whole_game(game, arguments.max_nodes, work, MOST_NODES_EVALUATED)
            for step in checkpoints:
                work.begin("loading the network")
                trained = load_named_run(run if step is None else f"{run}@{step}")
                show = work.in_batches("asking the network at every decision")
                policy = network_policy(compiled, trained.evaluator, progress=show)
                work.begin("evaluating its policy")
                evaluation = evaluate_policy(compiled, policy)
                found.append(
                    _Found(
                        checkpoint=trained.step,
                        exploitability=float(evaluation.exploitability[0]),
                        value=float(evaluation.value[0]),
                    )
                )
    report()
    return SUCCESS


def _report(game: Game[Any], run: str, found: list[_Found], *, as_json: bool) -> None:
    if as_json:
        results = [dataclasses.asdict(one) for one in found]
        head = {"game": str(game), "unit": game.unit, "player": run}
        display.print_json({**head, "without_search": results})
        return
    names = (f"exploitability ({game.milli_unit})", f"value ({game.milli_unit})")
    table = display.plain_table("checkpoint", right=names)
    for one in found:
        figures = (display.number(1000 * one.exploitability), display.number(1000 * one.value))
        table.add_row(f"{one.checkpoint:,}", *figures)
    display.print_table(
        table,
        f"{display.short_name(game)}: the network of {run} without a search",
        "value: of the game to player 0, if the policy plays itself.",
    )
