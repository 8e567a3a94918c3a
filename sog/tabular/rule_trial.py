"""Tries which member of the CFR family solves a game, or subgames of it, best."""

import dataclasses
import time
from collections.abc import Iterator, Sequence
from typing import Any, Final

import jax
import numpy as np

from sog.games.core import TERMINAL, Game
from sog.tabular.public_tree import TreeTooLargeError
from sog.tabular.rules import RULES
from sog.tabular.sequence_form import CompiledGame
from sog.tabular.solver import Solver, compile_tree
from sog.tabular.subgame import compatible_at_root

LENGTHS: Final = (100, 1000)
"""Iterations after which exploitability is compared, as of searches with so many updates."""
_LARGEST: Final = 2000  # nodes of a subgame
_MOST_TRIES: Final = 50

Problem = tuple[CompiledGame, np.ndarray]
"""A compiled game and the reach at its root, [2, S, 1]."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class RuleTrial:
    """How a rule did; exploitability in game units, the mean over the problems."""

    rule: str
    iterations: int
    """In the time given, for all problems together."""
    after: tuple[float, ...]
    """Exploitability after each of `LENGTHS`."""
    in_time: float
    """Exploitability when time was up."""


def whole_game(game: Game[Any], max_nodes: int) -> list[Problem]:
    """The game itself. Raises TreeTooLargeError."""
    compiled = compile_tree(game, max_nodes=max_nodes)
    return [(compiled, compiled.tree.node_mask[0][:, :, None].astype(np.float64))]


def random_subgames(game: Game[Any], number: int, seed: int) -> list[Problem]:
    """Subgames below states of random games, with random ranges, each as large as fits; fewer than
    `number` if random games do not come to more. Reach is such that pairs of infostates have a
    total probability of 1, so exploitability is that of a game from there.

    Raises TreeTooLargeError if random games end without one that is small enough.
    """
    random, found = np.random.default_rng(seed), []
    for _ in range(_MOST_TRIES):
        compiled = _largest_subgame(game, _random_states(game, random))
        if compiled is not None:
            mask = compiled.tree.node_mask[0]
            reach = (random.exponential(size=mask.shape) * mask)[:, :, None]
            total = (reach * compatible_at_root(compiled, reach))[0].sum()
            found.append((compiled, reach / np.sqrt(total)))
        if len(found) == number:
            return found
    if found:
        return found
    raise TreeTooLargeError(
        game, f"has no subgames of at most {_LARGEST} public states in {_MOST_TRIES} random games."
    )


def try_rules(
    problems: Sequence[Problem], *, seconds: float, rules: Sequence[str] = tuple(RULES)
) -> Iterator[RuleTrial]:
    """Tries each rule for some seconds, without compilation and evaluation, in 64-bit numbers.

    A rule with a schedule knows how many iterations there will be.
    """
    for rule in rules:
        trials = [_try_rule(rule, problem, seconds / len(problems)) for problem in problems]
        yield RuleTrial(
            rule=rule,
            iterations=sum(iterations for iterations, _ in trials),
            after=tuple(np.mean([found[:-1] for _, found in trials], axis=0).tolist()),
            in_time=float(np.mean([found[-1] for _, found in trials])),
        )


def _try_rule(rule: str, problem: Problem, seconds: float) -> tuple[int, list[float]]:
    compiled, reach = problem

    def run(planned: int) -> Solver:
        solver = Solver(compiled, rule, root_reach=reach, precision="float64")
        solver.planned = planned
        solver.run(planned)
        return solver

    planned = max(1, int(seconds / _seconds_per_iteration(run(1), seconds / 10)))
    found = [float(run(n).evaluate().exploitability[0]) for n in (*LENGTHS, planned)]
    return planned, found


def _seconds_per_iteration(solver: Solver, seconds: float) -> float:
    """Of runs that take at least some seconds, without compiling."""
    count = 10
    while True:
        began = time.perf_counter()
        solver.run(count)
        if (taken := time.perf_counter() - began) >= seconds:
            return taken / count
        count *= 2


def _random_states(game: Game[Any], random: np.random.Generator) -> list[Any]:
    """The public states of a game of random public events, from the start on."""
    state = jax.jit(game.root)()
    actor, legal, apply = jax.jit(game.actor), jax.jit(game.legal_outcomes), jax.jit(game.apply)
    states = []
    while int(actor(state)) != TERMINAL:
        states.append(state)
        state = apply(state, random.choice(np.flatnonzero(np.asarray(legal(state)))))
    return states


def _largest_subgame(game: Game[Any], states: Sequence[Any]) -> CompiledGame | None:
    largest = None
    for state in reversed(states):
        try:
            largest = compile_tree(game, root=state, max_nodes=_LARGEST)
        except TreeTooLargeError:
            break
    return largest
