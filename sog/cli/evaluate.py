"""`sog evaluate`: the exact exploitability of a searching agent, by composing its policy."""

import argparse
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import numpy as np

from gtcfr.evaluator import Evaluator, ZeroEvaluator
from gtcfr.evaluators.exact import exact_evaluator, noisy_evaluator, uniform_play_evaluator
from gtcfr.mesh import batch_mesh
from gtcfr.settings import WHOLE_GAME, SearchSettings
from sog.cli import display
from sog.cli.devices import start_jax
from sog.cli.errors import (
    SUCCESS,
    CommandError,
    check_plot,
    is_out_of_memory,
    mistakes,
    reject,
    writing,
)
from sog.cli.evaluation_report import EXACT, Finished, Plan, plot_evaluation, print_report
from sog.cli.interrupts import concluding, holding_interrupts
from sog.cli.loading import compile_whole_game, load_game, load_named_run
from sog.cli.options import DEFAULT_SEEDS, MOST_NODES_EVALUATED, SEARCHES_AT_ONCE
from sog.cli.players import name_of, read_changes
from sog.cli.strategy import in_whole_game
from sog.evaluation import ComposedPolicies, compose
from sog.games import Game
from sog.memory import check_memory
from sog.numbers import MOST_SEED
from sog.players.agents import AGENT_PREFIX
from sog.players.runs import names_run, split_step
from sog.players.searching import changed, read_simulations
from sog.tabular import CompiledGame
from sog.tabular.enumerated_game import EnumeratedGame
from sog.tabular.solver import Solver

_SOLVER_ITERATIONS: Final = 30
_ALL: Final = "@all"
_BYTES_PER_SEARCH: Final = 128  # of a task in the list of all


def run(arguments: argparse.Namespace) -> int:
    """Runs the command; returns its exit code. Prints finished searches even after an error."""
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
                _report(game, plan, finished, arguments)

        try:
            with concluding(conclude):
                game = load_game(plan.game, work)
                compiled = compile_whole_game(game, arguments.max_nodes, work, MOST_NODES_EVALUATED)
                for done in _evaluated(compiled, plan, work):
                    finished.append(done)
        except ValueError as error:
            failure = CommandError(str(error))
        except Exception as error:
            failure = error
            if isinstance(error, RuntimeError) and is_out_of_memory(error) and plan.batch_size > 1:
                failure = CommandError(
                    f"out of memory; try a --batch-size below {plan.batch_size}."
                )
    try:
        if finished:
            _report(game, plan, finished, arguments)
    finally:
        if failure is not None:
            raise failure
    return SUCCESS


def _report(
    game: Game[Any], plan: Plan, finished: list[Finished], arguments: argparse.Namespace
) -> None:
    """Draws and prints finished searches."""
    path, failures = arguments.plot, list[str]()
    with holding_interrupts():
        if path is not None:
            with writing(path, "the plot", failures):
                plot_evaluation(path, game, plan, finished)
        print_report(game, plan, finished, as_json=arguments.json)
    if failures:
        raise CommandError("; ".join(failures))


# Options.


def read_plan(arguments: argparse.Namespace) -> Plan:
    """Reads and checks the options before the work begins."""
    changes = read_changes(None, arguments.set)
    _check_contradictions(arguments, changes)
    run, checkpoints, game, base = _read_run(arguments.game)
    if run is not None:
        reject(arguments, ["evaluator"], f"on {arguments.game}, which has a network")
    if arguments.whole_game:
        changes |= {"lookahead": WHOLE_GAME, "grow": False}
        changes |= {"leaf_averaging": 0.0, "leaf_smoothing": 0.0, "leaf_interval": 1}
    with mistakes():
        base = changed(base, changes)
        read = [
            changed(base, read_simulations(text, "--search") | changes) for text in arguments.search
        ]
    is_random = base.grow or arguments.noise or base.max_outcomes is not None
    num_seeds = (arguments.seeds or DEFAULT_SEEDS) if is_random else 1
    if arguments.seed + num_seeds - 1 > MOST_SEED:
        raise CommandError(
            f"--seed must be at most {MOST_SEED - num_seeds + 1} for {num_seeds} seeds, "
            f"got {arguments.seed}."
        )
    check_plot(arguments.plot)
    if (arguments.seeds or 1) > num_seeds:
        display.note(
            "nothing is random without growth, noise and max_outcomes: one policy is composed."
        )
    own = None if arguments.whole_game else arguments.evaluator or EXACT
    evaluator = own if run is None else "network"
    if evaluator != EXACT and not arguments.whole_game:
        reject(arguments, ["solver_iterations"], "without the exact evaluator")
    return Plan(
        game=game,
        searches=tuple(read) or (base,),
        run=run,
        checkpoints=checkpoints,
        evaluator=evaluator,
        is_whole=arguments.whole_game,
        solver_iterations=arguments.solver_iterations or _SOLVER_ITERATIONS,
        noise=arguments.noise or 0.0,
        first_seed=arguments.seed,
        num_seeds=num_seeds,
        batch_size=arguments.batch_size or SEARCHES_AT_ONCE,
    )


def _check_contradictions(arguments: argparse.Namespace, changes: Mapping[str, Any]) -> None:
    """Rejects options that have no effect because of others. changes: those of --set."""
    reject(arguments, ["games"], "without an option that plays them, such as --cdbr")
    for name in ("num_simulations", "simulations_per_update"):
        if len(arguments.search) > 1 and name in changes:
            raise CommandError(f"--set {name} has no effect with several --search, which say it.")
    if arguments.whole_game:
        of_leaves = ("leaf_averaging", "leaf_smoothing", "leaf_interval")
        for name in ("lookahead", "grow", "growth_share", "grow_from", *of_leaves):
            if name in changes:
                kept = "leaves no leaf to evaluate" if "leaf" in name else "holds all levels"
                raise CommandError(f"--set {name} has no effect with --whole-game, which {kept}.")
        why = "with --whole-game, which leaves no leaf to evaluate"
        reject(arguments, ("evaluator", "noise", "solver_iterations"), why)
    if "alpha" in changes and not changes.get("safe", True):
        raise CommandError("--set alpha has no effect with safe=false, which has no gadget.")


def _read_run(
    text: str,
) -> tuple[str | None, tuple[int | None, ...], str, SearchSettings]:
    """The run or agent given in place of a game, or None; its steps; its game and its search.

    Steps are those of `Plan.checkpoints`.
    """
    run = text.removesuffix(_ALL)
    with mistakes():
        is_run = names_run(run)
    if not is_run:
        return None, (None,), text, SearchSettings()
    if text.startswith(AGENT_PREFIX):
        from sog.players.shipped import agent_settings, find_agent

        with mistakes():
            agent = find_agent(text.removeprefix(AGENT_PREFIX))
            return text, (None,), agent.game, agent_settings(agent)[1]
    from selfplay.runs.run_folder import RunFolder
    from sog.players.trained import trained_steps

    path, step = split_step(run)
    with mistakes():
        config = RunFolder.read(path).config
        steps = trained_steps(path)
    if not steps:
        raise CommandError(f"{path} has no checkpoint yet.")
    if step not in (None, *steps):
        listed = ", ".join(map(str, steps))
        raise CommandError(f"{path} has no checkpoint of step {step}, only of {listed}.")
    # Without a step it is the newest intact one.
    wanted = (step,) if text == run else tuple(steps)
    return str(path), wanted, config.game, config.run.evaluate_search


# Evaluation.


def _evaluated(compiled: CompiledGame, plan: Plan, work: display.Work) -> Iterator[Finished]:
    """Evaluates one search after another."""
    tree = compiled.tree
    of_a_seed = tree.node_legal.size * np.dtype(np.float32).itemsize
    of_a_seed += _BYTES_PER_SEARCH * tree.num_nodes
    check_memory({f"policies and searches of {plan.num_seeds:,} seeds": plan.num_seeds * of_a_seed})
    tabular = _solve(compiled, plan, work)
    searches = [in_whole_game(search, tree) for search in plan.searches]
    for step, evaluator in _evaluators(compiled, plan, work):
        for settings in searches:
            composed = _compose(compiled, evaluator, settings, plan, work)
            done = Finished(
                settings=settings,
                checkpoint=step,
                composed=composed,
                tabular=tabular[settings.num_updates],
            )
            mean = display.in_milli_units(tree.game, done.spread["mean"])
            name = name_of(settings) if step is None else f"step {step:,}, {name_of(settings)}"
            display.note(f"{name}: {mean} after {composed.seconds:.3g} s")
            if composed.num_full:
                full = f"{composed.num_full:,} trees of {name_of(settings)}"
                display.note(f"{full} reached their capacity.")
            yield done


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
        elif plan.evaluator == EXACT:
            inner = exact_evaluator(game, iterations=plan.solver_iterations)
        elif plan.evaluator == "uniform":
            inner = uniform_play_evaluator(game)
        if not plan.noise:
            yield step, inner
            continue
        seeds = range(plan.first_seed, plan.first_seed + plan.num_seeds)
        yield step, [noisy_evaluator(inner, game, epsilon=plan.noise, seed=seed) for seed in seeds]


def _solve(compiled: CompiledGame, plan: Plan, work: display.Work) -> dict[int, float]:
    """By number of updates of the searches: the exploitability of as many updates of CFR over the
    whole tree."""
    work.begin("solving the whole tree for comparison")
    solver = Solver(compiled, plan.searches[0].rule)
    found: dict[int, float] = {}
    for updates in sorted({search.num_updates for search in plan.searches}):
        if solver.rule.is_planned:  # each search knows how many updates there will be
            solver = Solver(compiled, solver.rule)
            solver.planned = updates
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
    work.begin(f"compiling {name}")
    return compose(
        compiled,
        evaluator,
        settings,
        seeds=plan.num_seeds,
        first_seed=plan.first_seed,
        batch_size=plan.batch_size,
        mesh=batch_mesh(),
        progress=work.in_batches(f"searching with {name}"),
    )
