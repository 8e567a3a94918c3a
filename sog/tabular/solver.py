"""Solves a whole game: compiles CFR, runs it in chunks, evaluates at checkpoints.

This is the host-side driver: unlike the pure functions of `sog.tabular.cfr` and
`sog.tabular.best_response` it jits, reads clocks and handles interrupts.
"""

import dataclasses
import functools
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sog.games.core import Game
from sog.tabular.best_response import Evaluation, evaluate
from sog.tabular.cfr import CFRState, average_policy, in_layers, initial_state, iterate
from sog.tabular.compiler import compile_game
from sog.tabular.policy import check_policy
from sog.tabular.public_tree import enumerate_public_tree
from sog.tabular.rules import RULES, Rule, most_iterations, step_of
from sog.tabular.sequence_form import CompiledGame, SequenceForm

Precision = Literal["float32", "float64"]
_CHECKPOINT_GROWTH: Final = 1.15  # iterations between evaluations grow with the iterations done
_LONGEST_CALL: Final = 0.5  # seconds per call, so that Ctrl-C takes effect


@dataclasses.dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """One evaluation of the average policy; utilities in game units."""

    iteration: int
    seconds: float
    exploitability: float
    value: float


@dataclasses.dataclass(frozen=True, kw_only=True, eq=False)
class Solution:
    """The result of `solve`."""

    policy: np.ndarray
    """[node, S, A]: the average policy; rows of legal actions sum to 1."""
    checkpoints: tuple[Checkpoint, ...]
    compile_seconds: float
    interrupted: bool
    solver: "Solver"
    """To resume, see `sog.tabular.solve_file`."""

    @property
    def last(self) -> Checkpoint:
        """The evaluation of `policy`."""
        return self.checkpoints[-1]


def find_rule(name: str) -> Rule:
    """A rule by name; raises ValueError for an unknown one."""
    if name not in RULES:
        raise ValueError(f"unknown rule {name!r}; known: {', '.join(RULES)}.")
    return RULES[name]


def check_iterations(rule: Rule, precision: Precision, iterations: int) -> None:
    """Raises ValueError for more iterations than the rule's averages can sum up."""
    most = most_iterations(rule, precision)
    if iterations > most:
        raise ValueError(
            f"iterations must be at most {most:,} in {precision} where averages are weighted by "
            f"t^{rule.averaging_power}, got {iterations:,}."
        )


def compile_tree(game: Game[Any], *, root: Any = None, **limits: Any) -> CompiledGame:
    """Enumerates and compiles a game, or the subgame below a public state `root`."""
    return compile_game(enumerate_public_tree(game, root=root, **limits))


class Solver:
    """CFR on a compiled game, a batch of root reaches at once.

    root_reach: [2, S, batch], non-negative; by default the start of the game, in a batch of 1.
    Payoffs with a batch axis (`sog.tabular.sequence_form`) solve many games of one structure.
    """

    def __init__(
        self,
        compiled: CompiledGame,
        rule: str | Rule = "cfr+",
        *,
        root_reach: np.ndarray | None = None,
        precision: Precision = "float32",
    ) -> None:
        self.compiled = compiled
        self.rule = find_rule(rule) if isinstance(rule, str) else rule
        self.precision: Precision = precision
        self.iteration = 0
        self.planned = 0
        """Iterations in all, for rules with a schedule; 0 if not known, see `step_of`."""
        if root_reach is None:
            root_reach = compiled.tree.node_mask[0][:, :, None].astype(np.float64)
        _check_root_reach(compiled, root_reach)
        if precision not in ("float32", "float64"):
            raise ValueError(f"precision must be float32 or float64, got {precision!r}.")
        with jax.enable_x64(precision == "float64"):
            self._form = _on_device(compiled.form, precision)
            self.root_reach = jnp.asarray(root_reach, precision)
            self.state = _start(self._form, self.root_reach)
        with jax.enable_x64(True):
            self._exact_form = jax.tree.map(
                lambda exact, own: jnp.asarray(exact) if exact.dtype == np.float64 else own,
                compiled.form,
                self._form,
            )
            self._exact_reach = jnp.asarray(root_reach, "float64")

    def run(self, iterations: int) -> None:
        """Runs more iterations."""
        if iterations < 0:
            raise ValueError(f"iterations must be >= 0, got {iterations}.")
        check_iterations(self.rule, self.precision, self.iteration + iterations)
        with jax.enable_x64(self.precision == "float64"):
            numbers = map(np.int32, (self.iteration + 1, iterations, self.planned))
            state = _run(self._form, self.root_reach, self.rule, self.state, *numbers)
            jax.block_until_ready(state)
        # Assign both or neither, if Ctrl-C comes while waiting.
        self.state, self.iteration = state, self.iteration + iterations

    def evaluate(self) -> Evaluation:
        """Evaluates the average policy, in 64-bit numbers; numpy arrays."""
        with jax.enable_x64(True):
            sums = self.state.policy_sum
            return _on_host(_evaluate_sums(self._exact_form, self._exact_reach, sums))

    def average_policy(self) -> np.ndarray:
        """[node, S, A, batch] float64: the average policy; uniform where a player never arrives.

        On the host, since `sog.tabular.cfr.average_policy` would have to be compiled first.
        """
        first, second = (
            tuple(
                _normalized(np.asarray(block, np.float64), layer.uniform[:, :, None])
                for block, layer in zip(in_layers(plex, total), plex.layers, strict=True)
            )
            for plex, total in zip(self.compiled.form.treeplex, self.state.policy_sum, strict=True)
        )
        return self.compiled.with_held(self.compiled.to_tree((first, second)))

    def warm_up(self) -> None:
        """Compiles iterations and evaluation, concurrently if there are several cores."""
        with ThreadPoolExecutor() as pool:
            iterations, evaluation = pool.submit(self.run, 0), pool.submit(self.evaluate)
            iterations.result()
            evaluation.result()


def solve(
    compiled: CompiledGame,
    *,
    rule: str | Rule = "cfr+",
    iterations: int = 1000,
    until: float | None = None,
    precision: Precision = "float32",
    on_checkpoint: Callable[[Checkpoint], None] | None = None,
    solver: Solver | None = None,
) -> Solution:
    """Runs CFR from the start of the game.

    until: stops as soon as the average policy's exploitability (game units) is at most this.
    solver: continues it, with its rule and precision; `iterations` includes those it has done.
    Ctrl-C stops too; the solution is then marked `interrupted`.
    """
    done = solver.iteration if solver is not None else 0
    if solver is not None and solver.compiled is not compiled:
        raise ValueError("solver must be of the same compiled game.")
    if iterations <= done:
        raise ValueError(f"iterations must be >= {done + 1}, got {iterations}.")
    if until is not None and not until > 0:
        raise ValueError(f"the exploitability to reach must be > 0, got {until}.")
    began = time.perf_counter()
    solver = solver or Solver(compiled, rule, precision=precision)
    check_iterations(solver.rule, solver.precision, iterations)
    solver.planned = iterations if until is None else 0
    solver.warm_up()
    compiled_at = time.perf_counter()
    checkpoints: list[Checkpoint] = []
    interrupted, clock = False, _Clock()
    try:
        for target in _checkpoint_iterations(iterations, done):
            _run_until(solver, target, clock)
            checkpoints.append(_checkpoint(solver, clock.seconds))
            if on_checkpoint is not None:
                on_checkpoint(checkpoints[-1])
            if until is not None and checkpoints[-1].exploitability <= until:
                break
    except KeyboardInterrupt:
        interrupted = True
        if not checkpoints or checkpoints[-1].iteration < solver.iteration:
            checkpoints.append(_checkpoint(solver, clock.seconds))
    return Solution(
        policy=solver.average_policy()[..., 0],
        checkpoints=tuple(checkpoints),
        compile_seconds=compiled_at - began,
        interrupted=interrupted,
        solver=solver,
    )


def evaluate_policy(compiled: CompiledGame, policy: np.ndarray) -> Evaluation:
    """Evaluates a profile [node, S, A] from the start of the game; the batch axis has length 1.

    Raises ValueError for an invalid policy, see `check_policy`.
    """
    return evaluate_policies(compiled, [policy])


def evaluate_policies(compiled: CompiledGame, policies: Iterable[np.ndarray]) -> Evaluation:
    """Evaluates a batch of profiles."""
    layers = [compiled.from_tree(check_policy(compiled.tree, policy)) for policy in policies]
    with jax.enable_x64(True):
        form = _on_device(compiled.form, "float64")
        first, second = jax.tree.map(lambda *one: jnp.asarray(np.stack(one, axis=-1)), *layers)
        root_reach = jnp.asarray(compiled.tree.node_mask[0][:, :, None], "float64")
        root_reach = jnp.repeat(root_reach, len(layers), axis=2)
        return _on_host(_evaluate(form, root_reach, (first, second)))


def uniform_policy(compiled: CompiledGame, dtype: Any = np.float64) -> np.ndarray:
    """[node, S, A]: every legal action with equal probability."""
    legal = compiled.tree.decisions
    return np.asarray(legal / np.maximum(legal.sum(axis=-1, keepdims=True), 1).astype(dtype))


def _normalized(sums: np.ndarray, uniform: Any) -> np.ndarray:
    """[A, H, batch]: sums over their sum over actions; uniform where that is 0."""
    total = sums.sum(axis=0, keepdims=True)
    return np.where(total > 0, sums / np.where(total > 0, total, 1), uniform)


@functools.partial(jax.jit, static_argnames="rule")
def _run(
    form: SequenceForm,
    root_reach: Array,
    rule: Rule,
    state: CFRState,
    first: Array,
    count: Array,
    planned: Array,
) -> CFRState:
    def body(number: Array, state: CFRState) -> CFRState:
        return iterate(form, root_reach, rule, state, step_of(first + number, planned, root_reach))

    last: CFRState = jax.lax.fori_loop(0, count, body, state)
    return last


_start, _evaluate = jax.jit(initial_state), jax.jit(evaluate)


@jax.jit
def _evaluate_sums(form: SequenceForm, root_reach: Array, sums: tuple[Array, Array]) -> Evaluation:
    """Evaluates the average policy."""
    first, second = (total.astype(root_reach.dtype) for total in sums)
    return evaluate(form, root_reach, average_policy(form, (first, second)))


def _on_device(form: SequenceForm, precision: Precision) -> SequenceForm:
    def convert(leaf: np.ndarray) -> Array:
        return jnp.asarray(leaf, precision if leaf.dtype == np.float64 else leaf.dtype)

    converted: SequenceForm = jax.tree.map(convert, form)
    return converted


def _on_host(evaluation: Evaluation) -> Evaluation:
    on_host: Evaluation = jax.tree.map(np.asarray, evaluation)
    return on_host


def _check_root_reach(compiled: CompiledGame, root_reach: np.ndarray) -> None:
    wanted = (2, compiled.tree.game.num_infostates)
    if root_reach.ndim != 3 or root_reach.shape[:2] != wanted:
        raise ValueError(
            f"root reach must have shape {(*wanted, 'batch')}, got {root_reach.shape}."
        )
    if not np.isfinite(root_reach).all() or (root_reach < 0).any():
        raise ValueError("root reach must be finite and non-negative.")


def _checkpoint_iterations(iterations: int, done: int) -> Iterator[int]:
    at = 1
    while at < iterations:
        if at > done:
            yield at
        at = max(at + 1, int(at * _CHECKPOINT_GROWTH))
    yield iterations


@dataclasses.dataclass
class _Clock:
    """Seconds spent in iterations, without evaluations; survives an interrupt."""

    seconds: float = 0.0


def _run_until(solver: Solver, target: int, clock: _Clock) -> None:
    """Runs up to an iteration in short calls."""
    count = 1
    while solver.iteration < target:
        began = time.perf_counter()
        solver.run(min(count, target - solver.iteration))
        call_seconds = time.perf_counter() - began
        clock.seconds += call_seconds
        if call_seconds < _LONGEST_CALL / 2:
            count *= 2


def _checkpoint(solver: Solver, seconds: float) -> Checkpoint:
    evaluation = solver.evaluate()
    return Checkpoint(
        iteration=solver.iteration,
        seconds=seconds,
        exploitability=float(evaluation.exploitability[0]),
        value=float(evaluation.value[0]),
    )
