"""Reads and cross-checks the options of `sog evaluate`."""

import argparse
import dataclasses
from pathlib import Path
from typing import Final

from gtcfr.extent import WHOLE_GAME
from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.errors import CommandError, check_plot, given, mistakes
from sog.cli.options import DEFAULT_SEARCH, DEFAULT_SEEDS
from sog.cli.search_options import method_words, read_changes
from sog.numbers import MOST_SEED
from sog.players.agents import AGENT_PREFIX
from sog.players.runs import names_run, split_step
from sog.players.searching import changed, read_simulations
from sog.tabular import PublicTree

_EVALUATOR: Final = "exact"
_SOLVER_ITERATIONS: Final = 30
_SOLVER_FADING: Final = 0.9
_OF_EXACT: Final = ("solver_iterations", "solver_fading")


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Plan:
    """The searches to evaluate, and their common settings."""

    arguments: argparse.Namespace
    searches: tuple[SearchSettings, ...]
    """They differ in --search only. Capacity is set later, see `in_whole_game`."""
    run: str | None
    """The run folder, or shipped agent, whose network evaluates the leaves."""
    checkpoints: tuple[int | None, ...]
    """Learner steps; (None,) for the newest, a shipped agent, or no run."""

    evaluator: str
    """The name of the leaf evaluator; zero where there are no leaves."""
    noise: float
    """The largest error of a value, in the game's unit."""
    solver_iterations: int
    """Of the exact evaluator, as is the next."""
    solver_fading: float
    num_seeds: int
    """Policies to compose: one if nothing is random."""

    def words(self) -> list[str]:
        """Settings that distinguish these searches, for a title."""
        arguments = self.arguments
        words = ["continual re-solving" if self.searches[0].safe else "unsafe re-solving"]
        if self.searches[0].search_everywhere:
            words.append("searches everywhere")
        if arguments.alpha is not None:
            words.append(f"alpha {arguments.alpha:g}")
        if arguments.whole_game:
            words.append("whole game in the tree")
        elif arguments.lookahead is not None or arguments.no_growth:
            words.append(f"lookahead {self.searches[0].lookahead}")
        if arguments.no_growth:
            words.append("no growth")
        if not arguments.whole_game:
            words.append(f"{self.evaluator} evaluator")
        if arguments.solver_iterations is not None or arguments.solver_fading is not None:
            words.append(f"{self.solver_iterations} iterations fading {self.solver_fading:g}")
        if self.noise:
            words.append(f"noise {self.noise:g}")
        return words + method_words(self.searches[0])


def in_whole_game(search: SearchSettings, tree: PublicTree) -> SearchSettings:
    """The search with capacity for the whole public tree, and a lookahead within it."""
    lookahead = WHOLE_GAME if search.lookahead >= tree.game.max_depth else search.lookahead
    capacity = tree.num_nodes + tree.game.num_outcomes  # no tree is larger than the game
    return dataclasses.replace(search, lookahead=lookahead, capacity=capacity)


def read_plan(arguments: argparse.Namespace) -> Plan:
    """Reads and checks the options before the work begins.

    If they name a run folder, `arguments.game` becomes the game of the run.
    """
    _check_contradictions(arguments)
    run, base = _read_run(arguments)
    base = _with_options(base, arguments)
    checkpoints = _read_checkpoints(arguments, run)
    texts = arguments.search or ([] if run is not None else [DEFAULT_SEARCH])
    with mistakes():
        read = [changed(base, read_simulations(text, "--search")) for text in texts]
    is_random = base.grow or bool(arguments.noise)
    num_seeds = (arguments.seeds or DEFAULT_SEEDS) if is_random else 1
    if arguments.seed + num_seeds - 1 > MOST_SEED:
        raise CommandError(
            f"--seed must be at most {MOST_SEED - num_seeds + 1} for {num_seeds} seeds, "
            f"got {arguments.seed}."
        )
    check_plot(arguments.plot)
    if (arguments.seeds or 1) > num_seeds:
        display.note("nothing is random without growth and noise: one policy is composed.")
    own = "zero" if arguments.whole_game else arguments.evaluator or _EVALUATOR
    fading = arguments.solver_fading
    return Plan(
        arguments=arguments,
        searches=tuple(read) or (base,),
        run=run,
        checkpoints=checkpoints,
        evaluator=own if run is None else "network",
        noise=arguments.noise or 0.0,
        solver_iterations=arguments.solver_iterations or _SOLVER_ITERATIONS,
        solver_fading=_SOLVER_FADING if fading is None else fading,
        num_seeds=num_seeds,
    )


def _with_options(base: SearchSettings, arguments: argparse.Namespace) -> SearchSettings:
    """The settings that all searches share."""
    changes = read_changes(arguments)
    if arguments.no_growth or arguments.whole_game:
        changes["grow"] = False
    if arguments.unsafe:
        changes["safe"] = False
    if arguments.search_everywhere:
        changes["search_everywhere"] = True
    if arguments.whole_game:
        changes |= {"lookahead": WHOLE_GAME, "leaf_averaging": 0.0, "leaf_interval": 1}
    with mistakes():
        return changed(base, changes)


def _check_contradictions(arguments: argparse.Namespace) -> None:
    """Rejects options that have no effect because of others."""
    if arguments.whole_game:
        about_leaves = ("evaluator", "noise", "leaf_averaging", *_OF_EXACT)
        for option, value in given(arguments, "lookahead", *about_leaves):
            why = "holds all levels" if option == "--lookahead" else "leaves no leaf to evaluate"
            raise CommandError(f"{option} {value} has no effect with --whole-game, which {why}.")
    if (arguments.evaluator or _EVALUATOR) != "exact":
        for option, value in given(arguments, *_OF_EXACT):
            raise CommandError(
                f"{option} {value} needs --evaluator exact, got {arguments.evaluator}."
            )
    if arguments.unsafe and arguments.alpha is not None:
        raise CommandError(
            f"--alpha {arguments.alpha:g} has no effect with --unsafe, which has no gadget."
        )


def _read_run(arguments: argparse.Namespace) -> tuple[str | None, SearchSettings]:
    """The run or agent given in place of a game, or None, and its search settings."""
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        return None, SearchSettings()
    for option, _ in given(arguments, "evaluator", *_OF_EXACT):
        raise CommandError(f"{option} has no effect on {arguments.game}, which has a network.")
    if arguments.game.startswith(AGENT_PREFIX):
        from sog.players.shipped import agent_settings, find_agent

        run = arguments.game
        with mistakes():
            agent = find_agent(run.removeprefix(AGENT_PREFIX))
            _, search, _ = agent_settings(agent)
        arguments.game = agent.game
        return run, search
    path, step = split_step(arguments.game)
    if step is not None:
        raise CommandError(f"use {path} --checkpoint {step}, got {arguments.game}.")
    from selfplay.runs.run_folder import RunFolder

    with mistakes():
        config = RunFolder.read(path).config
    arguments.game = config.game
    return str(path), config.run.evaluate_search


def _read_checkpoints(arguments: argparse.Namespace, run: str | None) -> tuple[int | None, ...]:
    wanted: str | None = arguments.checkpoint
    if run is None or run.startswith(AGENT_PREFIX):
        if wanted is not None:
            raise CommandError(
                f"--checkpoint {wanted} needs a run folder, got {run or arguments.game}."
            )
        return (None,)
    from sog.players.trained import trained_steps

    with mistakes():
        steps = trained_steps(Path(run))
    if not steps:
        raise CommandError(f"{run} has no checkpoint yet.")
    if wanted == "all":
        return tuple(steps)
    if wanted is None:
        return (None,)  # the newest intact one
    if wanted not in map(str, steps):
        listed = ", ".join(map(str, steps))
        raise CommandError(f"--checkpoint must be all or one of {listed}, got {wanted}.")
    return (int(wanted),)
