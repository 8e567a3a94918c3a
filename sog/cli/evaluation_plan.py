"""Reads and cross-checks the options of `sog evaluate`."""

import argparse
import dataclasses
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from gtcfr.extent import WHOLE_GAME
from gtcfr.settings import SearchSettings
from sog.cli import display
from sog.cli.errors import CommandError, mistakes, reject
from sog.cli.figure import check_plot
from sog.cli.numbers import MOST_SEED
from sog.cli.options import DEFAULT_SEEDS
from sog.cli.players import method_words, read_changes
from sog.players.agents import AGENT_PREFIX
from sog.players.runs import names_run, split_step
from sog.players.searching import changed, read_simulations
from sog.tabular import PublicTree

_EVALUATOR: Final = "exact"
SOLVER_ITERATIONS: Final = 30
SOLVER_FADING: Final = 0.9
"""Of the exact evaluator."""


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
    num_seeds: int
    """Policies to compose: one if nothing is random."""

    def words(self) -> list[str]:
        """Settings that distinguish these searches, for a title."""
        arguments, search = self.arguments, self.searches[0]
        words = ["continual re-solving" if search.safe else "unsafe re-solving"]
        if search.search_everywhere:
            words.append("searches everywhere")
        if search.alpha != SearchSettings().alpha:
            words.append(f"alpha {search.alpha:g}")
        if arguments.whole_game:
            words.append("whole game in the tree")
        else:
            if search.lookahead > 1 or not search.grow:
                words.append(f"lookahead {search.lookahead}")
            if not search.grow:
                words.append("no growth")
            words.append(f"{self.evaluator} evaluator")
        if self.noise:
            words.append(f"noise {self.noise:g}")
        return words + method_words(search)


def in_whole_game(search: SearchSettings, tree: PublicTree) -> SearchSettings:
    """The search with capacity for the whole public tree, and a lookahead within it."""
    lookahead = WHOLE_GAME if search.lookahead >= tree.game.max_depth else search.lookahead
    capacity = tree.num_nodes + tree.game.num_outcomes  # no tree is larger than the game
    return dataclasses.replace(search, lookahead=lookahead, capacity=capacity)


def read_plan(arguments: argparse.Namespace) -> Plan:
    """Reads and checks the options before the work begins.

    If they name a run folder, `arguments.game` becomes the game of the run.
    """
    changes = read_changes(None, arguments.set)
    _check_contradictions(arguments, changes)
    run, base = _read_run(arguments)
    if arguments.whole_game:
        changes |= {"lookahead": WHOLE_GAME, "grow": False, "leaf_averaging": 0.0}
        changes["leaf_interval"] = 1
    with mistakes():
        base = changed(base, changes)
    checkpoints = _read_checkpoints(arguments, run)
    with mistakes():
        read = [changed(base, read_simulations(text, "--search")) for text in arguments.search]
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
    return Plan(
        arguments=arguments,
        searches=tuple(read) or (base,),
        run=run,
        checkpoints=checkpoints,
        evaluator=own if run is None else "network",
        noise=arguments.noise or 0.0,
        num_seeds=num_seeds,
    )


def _check_contradictions(arguments: argparse.Namespace, changes: Mapping[str, Any]) -> None:
    """Rejects options that have no effect because of others. changes: those of --set."""
    if arguments.whole_game:
        for name in ("lookahead", "grow"):
            if name in changes:
                raise CommandError(
                    f"--set {name} has no effect with --whole-game, which holds all levels."
                )
        if "leaf_averaging" in changes:
            raise CommandError(
                "--set leaf_averaging has no effect with --whole-game, which leaves no leaf to "
                "evaluate."
            )
        why = "with --whole-game, which leaves no leaf to evaluate"
        reject(arguments, ("evaluator", "noise"), why)
    if "alpha" in changes and not changes.get("safe", True):
        raise CommandError("--set alpha has no effect with safe=false, which has no gadget.")


def _read_run(arguments: argparse.Namespace) -> tuple[str | None, SearchSettings]:
    """The run or agent given in place of a game, or None, and its search settings."""
    with mistakes():
        is_run = names_run(arguments.game)
    if not is_run:
        return None, SearchSettings()
    reject(arguments, ["evaluator"], f"on {arguments.game}, which has a network")
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
