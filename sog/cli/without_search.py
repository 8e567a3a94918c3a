"""`sog evaluate --without-search`: the exact exploitability of a network's own policy."""

import argparse
from typing import Final

from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, mistakes, reject
from sog.cli.interrupts import concluding
from sog.cli.loading import compile_whole_game, load_named_run
from sog.cli.options import MOST_NODES_EVALUATED
from sog.evaluation.network_policy import network_policy
from sog.players.runs import names_run
from sog.tabular import evaluate_policy

_OF_SEARCHES: Final = (
    *("search", "set", "seeds", "batch_size"),
    *("whole_game", "evaluator", "noise", "solver_iterations", "plot"),
)


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
    player = arguments.game
    with mistakes():
        is_run = names_run(player)
    if not is_run:
        raise CommandError(f"--without-search needs a run folder or agent:NAME, got {player}.")
    start_jax(all_cores=True)
    with display.working() as work, mistakes(), concluding(work.report_interrupt):
        work.begin("loading the network")
        trained = load_named_run(player)
        game = trained.game
        compiled = compile_whole_game(game, arguments.max_nodes, work, MOST_NODES_EVALUATED)
        show = work.in_batches("asking the network at every decision")
        policy = network_policy(compiled, trained.evaluator, progress=show)
        work.begin("evaluating its policy")
        evaluation = evaluate_policy(compiled, policy)
    exploitability, value = float(evaluation.exploitability[0]), float(evaluation.value[0])
    if arguments.json:
        head = {"game": str(game), "unit": game.unit, "player": player, "checkpoint": trained.step}
        display.print_json({**head, "exploitability": exploitability, "value": value})
        return SUCCESS
    display.print_facts(
        f"{display.short_name(game)}: the network of {player} without a search",
        [
            ("learner steps", f"{trained.step:,}"),
            ("exploitability", display.in_milli_units(game, exploitability)),
            ("value to player 0", display.in_units(game, value)),
        ],
    )
    return SUCCESS
