"""Solves the subgame of a public state with given ranges: the oracle for search and networks."""

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, Final

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.tabular.rules import Rule
from sog.tabular.sequence_form import CompiledGame
from sog.tabular.solver import Precision, Solver

_PART: Final = 100  # iterations between two reports


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class SubgameSolution:
    """Values at a public state under the average profile of a subgame solve."""

    values: np.ndarray
    """[2, S, batch]: expected utility given the infostate, in utility units; 0 where undefined."""
    cfvs: np.ndarray
    """[2, S, batch]: the same times `compatible_reach`."""
    policy: np.ndarray
    """[node, S, A, batch] of the subgame's own tree; node 0 is the public state."""
    exploitability: np.ndarray
    """[batch]: half of the largest error of the cfvs' range-weighted sum."""
    error: np.ndarray
    """[batch]: the largest error of the value of the public state, in utility units."""


def solve_subgame(
    compiled: CompiledGame,
    ranges: np.ndarray,
    *,
    rule: str | Rule = "cfr+",
    iterations: int = 1000,
    precision: Precision = "float32",
    progress: Callable[[int], None] | None = None,
) -> SubgameSolution:
    """Solves the game below the root of `compiled` with both players' ranges given.

    ranges: [2, S, batch]. This is the oracle for search and for value networks:

        compiled = compile_tree(game, root=public_state)
        solution = solve_subgame(compiled, ranges)

    progress: called now and then with the iterations done; an exception in it ends the solve.
    """
    solver = Solver(compiled, rule, root_reach=ranges, precision=precision)
    solver.planned = iterations
    part = iterations if progress is None else _PART
    while solver.iteration < iterations:
        solver.run(min(part, iterations - solver.iteration))
        if progress is not None:
            progress(solver.iteration)
    evaluation = solver.evaluate()
    compatible, cfvs = compatible_at_root(compiled, ranges), np.asarray(evaluation.cfvs)
    weight = np.asarray((ranges * compatible)[0].sum(axis=0))
    largest = np.asarray(evaluation.nash_conv)
    return SubgameSolution(
        values=np.divide(cfvs, compatible, out=np.zeros_like(cfvs), where=compatible > 0),
        cfvs=cfvs,
        policy=solver.average_policy(),
        exploitability=np.asarray(evaluation.exploitability),
        error=np.divide(largest, weight, out=np.zeros_like(largest), where=weight > 0),
    )


def compatible_at_root(compiled: CompiledGame, reach: np.ndarray) -> np.ndarray:
    """[2, S, batch] float64: `Game.compatible_reach` at the root of a compiled game, 0 for
    infostates that cannot occur there. reach: [2, S, batch]."""
    with jax.enable_x64(True):
        root = jax.tree.map(jnp.asarray, compiled.tree.state(0))
        exact = jnp.asarray(reach, "float64")
        found = np.asarray(_compatible_reach(compiled.tree.game, root, exact))
    return np.where(compiled.tree.node_mask[0][:, :, None], found, 0)


@functools.partial(jax.jit, static_argnums=0)
def _compatible_reach(game: Game[Any], state: Any, reach: Array) -> Array:
    """[2, S, batch] from reach [2, S, batch]."""
    weigh = functools.partial(game.compatible_reach, state)
    weighed: Array = jax.vmap(weigh, in_axes=-1, out_axes=-1)(reach)
    return weighed
