"""`sog evaluate`: the exact exploitability of a searching agent, by composing its policy."""

import argparse
from collections.abc import Iterator, Sequence

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.exact import exact_evaluator, noisy_evaluator, uniform_play_evaluator
from gtcfr.mesh import batch_mesh
from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import SUCCESS, CommandError, is_out_of_memory, writing
from sog.cli.evaluation_plan import SOLVER_FADING, SOLVER_ITERATIONS, Plan, in_whole_game, read_plan
from sog.cli.evaluation_report import Finished, plot_evaluation, print_report
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import compile_whole_game, load_game, load_named_run
from sog.cli.options import MOST_NODES_EVALUATED, SEARCHES_AT_ONCE
from sog.cli.players import name_of
from sog.evaluation import ComposedPolicies, compose
from sog.games import Game
from sog.tabular import CompiledGame
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.solver import Solver

_MOST_NUMBERS = 300_000_000  # policies times public states times infostates times actions


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code. Prints finished searches even after an error."""
    if arguments.batch_size is None:
        arguments.batch_size = SEARCHES_AT_ONCE
    plan = read_plan(arguments)
    start_jax(all_cores=True)
    finished: list[Finished] = []
    failure: Exception | None = None
    with display.working() as work:

        def conclude() -> None:
            wanted = len(plan.searches) * len(plan.checkpoints)
            work.report_interrupt(
                f"{len(finished)} of {wanted} searches are finished" if finished else ""
            )
            if finished:
                _report(game, plan, finished)

        try:
            with concluding(conclude):
                game = load_game(arguments.game, work)
                _evaluate_all(game, plan, finished, work)
        except Exception as error:
            failure = _as_user_error(error, arguments.batch_size)
    try:
        if finished:
            _report(game, plan, finished)
    finally:
        if failure is not None:
            raise failure
    return SUCCESS


def _as_user_error(error: Exception, batch_size: int) -> Exception:
    """Turns the exception that stopped an evaluation into an error of the user, if it is one."""
    if isinstance(error, ValueError):
        return CommandError(str(error))
    if isinstance(error, RuntimeError) and is_out_of_memory(error) and batch_size > 1:
        return CommandError(f"out of memory; try a --batch-size below {batch_size}.")
    return error


def _report(game: Game[object], plan: Plan, finished: list[Finished]) -> None:
    """Draws and prints finished searches."""
    path, failures = plan.arguments.plot, list[str]()
    with holding_interrupts():
        if path is not None:
            with writing(path, "the plot", failures):
                plot_evaluation(path, game, plan, finished)
        print_report(game, plan, finished)
    if failures:
        raise CommandError("; ".join(failures))


def _evaluate_all(
    game: Game[object], plan: Plan, finished: list[Finished], work: display.Work
) -> None:
    """Evaluates one search after another; appends each to `finished` at once."""
    compiled = compile_whole_game(game, plan.arguments.max_nodes, work, MOST_NODES_EVALUATED)
    _check_seeds(compiled, plan)
    tabular = _solve(compiled, plan, work)
    searches = [in_whole_game(search, compiled.tree) for search in plan.searches]
    for step, evaluator in _evaluators(compiled, plan, work):
        for settings in searches:
            composed = _compose(compiled, evaluator, settings, plan, work)
            done = Finished(
                settings=settings,
                checkpoint=step,
                composed=composed,
                tabular=tabular[settings.num_updates],
            )
            finished.append(done)
            mean = display.in_milli_units(game, done.spread["mean"])
            name = name_of(settings) if step is None else f"step {step:,}, {name_of(settings)}"
            display.note(f"{name}: {mean} after {composed.seconds:.3g} s")
            if composed.num_full:
                full = f"{composed.num_full:,} trees of {name_of(settings)}"
                display.note(f"{full} reached their capacity.")


def _check_seeds(compiled: CompiledGame, plan: Plan) -> None:
    tree = compiled.tree
    size = tree.num_nodes * tree.game.num_infostates * tree.game.num_actions
    if plan.num_seeds * size > _MOST_NUMBERS:
        raise CommandError(
            f"--seeds must be at most {_MOST_NUMBERS // size:,} in {tree.game.name}, whose "
            f"policies have {size:,} numbers, got {plan.num_seeds:,}."
        )


def _evaluators(
    compiled: CompiledGame, plan: Plan, work: display.Work
) -> Iterator[tuple[int | None, Evaluator | Sequence[Evaluator]]]:
    """Yields checkpoint steps with their leaf evaluators; with noise, one evaluator per seed.

    Loads each network only when its turn comes.
    """
    game = EnumeratedGame(tree=compiled.tree)
    for checkpoint in plan.checkpoints:
        work.begin("preparing the evaluator")
        step: int | None = None
        inner: Evaluator = ZeroEvaluator()
        if plan.run is not None:
            trained = load_named_run(plan.run if checkpoint is None else f"{plan.run}@{checkpoint}")
            step, inner = trained.step, trained.evaluator
        elif plan.evaluator == "exact":
            inner = exact_evaluator(game, iterations=SOLVER_ITERATIONS, fading=SOLVER_FADING)
        elif plan.evaluator == "uniform":
            inner = uniform_play_evaluator(game)
        if not plan.noise:
            yield step, inner
            continue
        seeds = range(plan.arguments.seed, plan.arguments.seed + plan.num_seeds)
        yield step, [noisy_evaluator(inner, game, epsilon=plan.noise, seed=seed) for seed in seeds]


def _solve(compiled: CompiledGame, plan: Plan, work: display.Work) -> dict[int, float]:
    """By number of updates of the searches: the exploitability of as many updates of CFR over the
    whole tree."""
    work.begin("solving the whole tree for comparison")
    solver = Solver(compiled, plan.searches[0].rule)
    found: dict[int, float] = {}
    for updates in sorted({search.num_updates for search in plan.searches}):
        solver.run(updates - solver.iteration)
        found[updates] = float(solver.evaluate().exploitability[0])
    return found


def _compose(
    compiled: CompiledGame,
    evaluator: Evaluator | Sequence[Evaluator],
    settings: SearchSettings,
    plan: Plan,
    work: display.Work,
) -> ComposedPolicies:
    name = name_of(settings)

    def show(done: int, total: int) -> None:
        if done == 0:
            work.begin(f"searching with {name}", total=total)
        work.update(f"{done:,} of {total:,} batches{work.time_left(done, total)}", done)

    work.begin(f"compiling {name}")
    return compose(
        compiled,
        evaluator,
        settings,
        seeds=plan.num_seeds,
        first_seed=plan.arguments.seed,
        batch_size=plan.arguments.batch_size,
        mesh=batch_mesh(),
        progress=show,
    )
